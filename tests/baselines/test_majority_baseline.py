"""Claims about the commonest answers of the others, each counted by hand."""

from collections import Counter
from random import Random

import pytest
from baseline_examples import conversation, panas, said, turn

from attunebench.baselines import make_baseline
from attunebench.baselines.counts import commonest, median, ranked
from attunebench.instrument import EMOTION_WORDS


def judged(id_, by=None, **answers):
    return conversation(id_, turn(judged=answers), by=by)


def ask(data, of, kind, strategy="absolute"):
    return said(make_baseline("majority", data), of, kind, strategy=strategy)


# yes/no


def test_the_commoner_answer_wins_observed_and_preferred_apart():
    me = judged("me", B1=("no", "yes"))
    data = [judged("a", B1=("yes", "no")), judged("b", B1=("yes", "no")), judged("c", B1=("no", "yes")), me]
    for kind in ("review", "perspective"):
        reply = ask(data, me, kind)
        assert (reply["binary_om_assessment"], reply["binary_human_prediction"]) == ({"B1": "yes"}, {"B1": "no"})


def test_own_answers_never_count_whichever_conversation_they_stand_in():
    me = judged("me", "p", B1=("yes", "yes"))
    mine = [judged(f"mine{n}", "p", B1=("yes", "yes")) for n in range(3)]
    other = judged("other", "q", B1=("no", "no"))
    assert ask([me, *mine, other], me, "review")["binary_om_assessment"] == {"B1": "no"}
    assert ask([me, *mine, other], other, "review")["binary_om_assessment"] == {"B1": "yes"}


def test_without_an_id_a_conversation_is_left_out_alone():
    me, twin, other = (judged(id_, B1=(answer, answer)) for id_, answer in [("me", "yes"), ("t", "yes"), ("o", "no")])
    assert ask([me, twin, other], other, "review")["binary_om_assessment"] == {"B1": "yes"}
    # Left for "me": one yes, one no. Tie, also over all questions: no.
    assert ask([me, twin, other], me, "review")["binary_om_assessment"] == {"B1": "no"}


def test_ties_and_unseen_questions_take_the_commoner_over_all_questions():
    me = judged("me", B1=(None, None), B9=(None, None))
    data = [me, judged("a", B1=("yes", "no"), B2=("yes", "no")), judged("b", B1=("no", "yes"), B2=("yes", "no"))]
    reply = ask(data, me, "review")
    assert reply["binary_om_assessment"] == {"B1": "yes", "B9": "yes"}
    assert reply["binary_human_prediction"] == {"B1": "no", "B9": "no"}


def test_na_is_no_vote_and_does_not_fall_through():
    me = judged("me", B1=(None, None), B2=(None, None))
    raw = judged("na", B1=("na", "yes"), B2=("na", None)).model_dump(by_alias=True)
    for judgement in raw["turns"][0]["annotations"]["binaryJudgements"]:
        judgement["llmValue"] = "yes"
    data = [me, type(me).model_validate(raw), judged("b", B9=("no", "no")), judged("c", B9=("no", "no"))]
    # Nobody said yes or no to B1 or B2 as observed, nor to B2 as preferred: both follow the two no.
    reply = ask(data, me, "review")
    assert reply["binary_om_assessment"] == {"B1": "no", "B2": "no"}
    assert reply["binary_human_prediction"] == {"B1": "yes", "B2": "no"}


def test_a_missing_answer_falls_back_as_in_the_reference_scores():
    me = judged("me", B1=(None, None), B2=(None, None))
    raw = me.model_copy(update={"conversation_id": "a"}).model_dump(by_alias=True)
    raw["turns"][0]["annotations"]["binaryJudgements"] = [
        {"questionId": "B1", "llmValue": "no"},
        {"questionId": "B1", "llmValue": "yes"},  # repeated: the last counts; observed yes, preferred unknown
        {"questionId": "B2", "llmValue": "no", "observedBehavior": "yes"},  # observed yes, preferred yes
    ]
    reply = ask([me, type(me).model_validate(raw)], me, "review")
    assert reply["binary_om_assessment"] == {"B1": "yes", "B2": "yes"}
    assert reply["binary_human_prediction"] == {"B1": "yes", "B2": "yes"}  # B1 by the commoner over all questions


# Comparisons


def compared(id_, *entries):
    return conversation(id_, turn(compared=entries))


def test_the_label_wins_and_not_the_letter():
    me = compared("me", ("PW1", "human", "original", None), ("PW1", "original", "human", None))
    # human beats original twice, each time as B; original beats human once, as A.
    won, lost = ("PW1", "original", "human", "B"), ("PW1", "original", "human", "A")
    data = [me, compared("a", won), compared("b", won), compared("c", lost)]
    assert ask(data, me, "pairwise")["pairwise_selections"] == {"0": "A", "1": "B"}


def test_a_question_without_a_lead_takes_the_pair_over_all_questions_then_a():
    me = compared(
        "me",
        ("PW9", "original", "human", None),  # unseen question: human leads over all questions
        ("PW1", "original", "human", None),  # 1 : 1 in PW1: human leads over all questions
        ("PW1", "original", "alternate", None),  # pair never decided
        ("PW1", None, None, None),
    )
    data = [
        me,
        compared("a", ("PW1", "original", "human", "A"), ("PW1", "original", "human", "B")),
        compared("b", ("PW2", "human", "original", "A"), ("PW1", "original", "alternate", None)),
    ]
    assert ask(data, me, "pairwise")["pairwise_selections"] == {"0": "B", "1": "B", "2": "A", "3": "A"}


def test_own_wins_do_not_count():
    me = compared("me", *[("PW1", "original", "human", "B")] * 3)
    assert ask([me, compared("a", ("PW1", "human", "original", "B"))], me, "pairwise")["pairwise_selections"] == {
        "0": "A",
        "1": "A",
        "2": "A",
    }


# Emotions


def felt(id_, *tags, by=None):
    return conversation(id_, *(turn(number, tags=each) for number, each in enumerate(tags, 1)), by=by)


def test_the_commonest_set_with_its_own_median_intensities():
    me = felt("me", {"Proud": 1})
    data = [
        me,
        felt("a", {"Upset": 2, "Afraid": 5}, {"Afraid": 6, "Upset": 3}, {"Upset": 7}),
        felt("b", {"Upset": 6, "Afraid": None}, {"Upset": 7}, {}),
    ]
    # {Afraid, Upset} 3 times, {Upset} twice, {} once. Upset in it: 2, 3, 6; Afraid: 5, 6, median 5.5, to even 6.
    assert ask(data, me, "review")["emotion_tags"] == [
        {"emotion": "Afraid", "intensity": 6},
        {"emotion": "Upset", "intensity": 3},
    ]


def test_no_emotion_can_be_the_commonest_set_and_unasked_turns_do_not_count():
    me = felt("me", None)
    assert ask([me, felt("a", {}, {}, {"Upset": 3})], me, "review")["emotion_tags"] == []
    assert ask([me, felt("a", None, None, {"Upset": 3})], me, "review")["emotion_tags"] == [
        {"emotion": "Upset", "intensity": 3}
    ]


def test_sets_that_are_equally_common_yield_to_the_smaller_then_to_instrument_order():
    me = felt("me", None)
    data = [me, felt("a", {"Upset": 1, "Proud": 1}, {"Upset": 2}, {"Afraid": 3})]
    assert ask(data, me, "review")["emotion_tags"] == [{"emotion": "Afraid", "intensity": 3}]


def test_own_turns_are_out_of_the_sets_and_of_the_medians():
    mine = [felt(f"mine{n}", {"Upset": 7}, {"Upset": 7}, by="p") for n in range(3)]
    data = [*mine, felt("a", {"Proud": 2}, {"Proud": 2}, {"Upset": 1}, by="q"), felt("b", {"Upset": 2}, by="r")]
    # Left: {Proud} 2, {Upset} 2 (intensities 1 and 2, median 1.5, to even 2); Proud comes first in the instrument.
    assert ask(data, mine[0], "review")["emotion_tags"] == [{"emotion": "Proud", "intensity": 2}]
    data.append(felt("c", {"Upset": 1}, by="s"))
    assert ask(data, mine[0], "review")["emotion_tags"] == [{"emotion": "Upset", "intensity": 1}]


def test_a_repeated_word_counts_once_with_its_last_intensity():
    me = felt("me", None)
    raw = felt("a", {"Upset": 1}).model_dump(by_alias=True)
    raw["turns"][0]["moodShiftTags"].append({"emotion": "Upset", "intensity": 5})
    assert ask([me, type(me).model_validate(raw)], me, "review")["emotion_tags"] == [
        {"emotion": "Upset", "intensity": 5}
    ]


def test_commonest_without_own_is_that_of_a_full_count():
    rng = Random(5)
    for _ in range(300):
        groups = [[rng.randrange(6) for _ in range(rng.randrange(6))] for _ in range(4)]
        total, own = Counter(v for g in groups for v in g), Counter(groups[0])
        left = Counter(v for g in groups[1:] for v in g)
        expected = min(left, key=lambda v: (-left[v], v), default=None)
        assert commonest(ranked(total, _itself), total, own, _itself) == expected


def test_commonest_looks_at_one_value_more_than_the_participant_gave():
    total, own = Counter(range(1000)), Counter([0, 1])
    looked_at = []

    def order(value):
        looked_at.append(value)
        return (value,)

    assert commonest(ranked(total, _itself), total, own, order) == 2
    assert set(looked_at) == {0, 1, 2}


def _itself(value):
    return (value,)


@pytest.mark.parametrize(
    ("histogram", "expected"), [({}, None), ({3: 0}, None), ({1: 1, 7: 2}, 7), ({2: 2, 5: 2}, 3.5), ({4: 1, 1: 0}, 4)]
)
def test_median_of_a_histogram(histogram, expected):
    assert median(histogram) == expected


# After the conversation


def wide(id_, by=None, **answers):
    return conversation(id_, turn(), by=by, **answers)


def test_each_q1_option_by_its_own_majority_and_q2_q3_by_the_commonest():
    me = wide("me", q1_lookingFor=["Other"])
    vent, sort, calm = (
        "To just listen or let me vent",
        "To help me understand or sort out my feelings",
        "To help me calm down or feel steadier",
    )
    data = [
        me,
        wide("a", q1_lookingFor=[vent, sort], q2_emotionClarity="Mixed or conflicted", q3_modelFit=""),
        wide("b", q1_lookingFor=[vent.upper(), calm], q2_emotionClarity="mixed or conflicted "),
        wide("c", q1_lookingFor=[sort, vent], q2_emotionClarity="Implied or indirect"),
        wide("d", q1_lookingFor=[], q3_modelFit="Mostly off-target or intrusive"),
        wide("e"),
    ]
    # Of 4 who answered q1, 3 chose to vent, 2 to sort (just half: not chosen), 1 to calm down.
    assert ask(data, me, "outcome")["conversation_wide"] == {
        "q1_lookingFor": [vent],
        "q2_emotionClarity": "Mixed or conflicted",
        "q3_modelFit": "Mostly off-target or intrusive",
        "q3_followUp_whatFeltOff": [],
        "fourBranchScores": {},
    }


def test_equally_common_options_yield_to_the_first_listed_and_unseen_ones_are_left_out():
    me = wide("me", q2_emotionClarity="Implied or indirect")
    data = [
        me,
        wide("a", q3_modelFit="Mostly off-target or intrusive"),
        wide("b", q3_modelFit="Mostly well-matched"),
    ]
    assert ask(data, me, "outcome")["conversation_wide"] == {
        "q3_modelFit": "Mostly well-matched",
        "q3_followUp_whatFeltOff": [],
        "fourBranchScores": {},
    }


def test_the_median_of_each_branch_without_own_scores():
    mine = [wide(f"mine{n}", "p", fourBranchScores={"perceiving": 1}) for n in range(4)]
    others = [
        wide("a", fourBranchScores={"perceiving": 4, "managing": 2}),
        wide("b", fourBranchScores={"perceiving": 7, "managing": 5}),
        wide("c", fourBranchScores={"perceiving": 6.5}),
    ]
    branches = ask([*mine, *others], mine[0], "outcome")["conversation_wide"]["fourBranchScores"]
    assert branches == {"perceiving": 6.5, "managing": 3.5}


def test_affect_stays_as_it_was():
    me = conversation("me", turn(), before=panas(2, Proud=5))
    assert ask([me], me, "outcome")["predicted_post_panas"] == panas(2, Proud=5) | {
        "totalPositiveAffect": 23,
        "totalNegativeAffect": 20,
    }
    assert ask([me], me, "outcome", "delta")["predicted_panas_delta"] == dict.fromkeys(EMOTION_WORDS, 0)


def test_without_items_before_the_totals_stay_and_with_nothing_before_nothing_is_said():
    totals = {"totalPositiveAffect": 31, "totalNegativeAffect": 12}
    known, unknown = conversation("known", turn(), before=totals), conversation("unknown", turn())
    assert ask([known], known, "outcome")["predicted_post_panas"] == totals
    assert ask([unknown], unknown, "outcome")["predicted_post_panas"] == {}


def test_blind_change_is_the_mean_change_of_the_others():
    me = conversation("me", turn(), by="p", before=panas(1), after=panas(7))
    data = [
        me,
        conversation("mine", turn(), by="p", before=panas(1), after=panas(7)),
        conversation("a", turn(), before={"Proud": 2, "Upset": 6}, after={"Proud": 5, "Upset": 4}),
        conversation("b", turn(), before={"Proud": 4, "Afraid": 1}, after={"Proud": 4}),
        conversation("c", turn(), before={"totalPositiveAffect": 20}, after={"totalPositiveAffect": 29}),
    ]
    # Proud +3 and 0; Upset -2. Positive totals, items summed: +3, 0, +9; negative: -2.
    assert ask(data, me, "outcome", "blind_delta")["predicted_panas_delta"] == {
        "Proud": 1.5,
        "Upset": -2.0,
        "totalPositiveAffect": 4.0,
        "totalNegativeAffect": -2.0,
    }
    assert ask(data[:2], me, "outcome", "blind_delta")["predicted_panas_delta"] == {}


def test_a_draft_says_the_same_to_everybody():
    data = [judged("a", B1=("yes", "yes")), judged("b")]
    assert ask(data, data[0], "draft") == ask(data, data[1], "draft") == ask([], data[1], "draft")
