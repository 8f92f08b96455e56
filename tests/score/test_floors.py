"""Claims about floors and ceiling: what no skill and what perfect knowledge earn on the same conversations."""

import gc
import pickle
from statistics import fmean
from weakref import ref

import pytest
from file_examples import one
from hypothesis import given
from hypothesis import strategies as st
from score_strategies import raw_conversations

from attunebench.baselines import Learned, answer_conversation, make_baseline
from attunebench.baselines.truth import participant_key
from attunebench.dataset.demo import load_demo
from attunebench.dataset.schema import Conversation
from attunebench.protocol.calls import STRATEGIES, Condition
from attunebench.protocol.prompts import load_prompts
from attunebench.score import aggregate, score, score_reference
from attunebench.score.floors import FloorScorer, floor_rows, join_floors, score_floors
from score_examples import comparison, turn

PROMPTS = load_prompts()
DEMO = load_demo().conversations
SWAPPED = Condition(swap=True, prompt_version=PROMPTS.version, prompt_hash=PROMPTS.sha256)
PAIR = (one("c1"), one("c2", turns=3))


def floors(conversations, strategy="absolute", **options):
    return {row["floor"]: row for row in floor_rows(conversations, strategy, **options)}


def draw(conversation, conversations, name="random", seed=0, strategy="absolute"):
    condition = Condition(strategy=strategy, prompt_version=PROMPTS.version, prompt_hash=PROMPTS.sha256)
    baseline = make_baseline(name, conversations, seed=seed)
    return score_reference(conversation, answer_conversation(baseline, conversation, condition, PROMPTS))


def test_there_are_five_and_each_says_what_it_is():
    rows = floors(PAIR, draws=3)
    assert list(rows) == ["null", "random", "majority", "lexicon", "oracle"]
    assert {name: row["draws"] for name, row in rows.items()} == {
        "null": 1, "random": 3, "majority": 1, "lexicon": 1, "oracle": 1,
    }  # fmt: skip
    for row in rows.values():
        assert row["n_conversations"] == 2
        assert (row["mode"], row["condition"], row["z_score"], row["panas_strategy"]) == (None, None, None, "absolute")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_they_are_the_same_each_time(strategy):
    assert floor_rows(PAIR, strategy, draws=5) == floor_rows(PAIR, strategy, draws=5)


def test_they_do_not_depend_on_the_order_of_conversations():
    forth, back = floors(PAIR, draws=5), floors(PAIR[::-1], draws=5)
    for name, row in forth.items():
        assert row["composite_score"] == pytest.approx(back[name]["composite_score"], abs=1e-12)


def test_random_is_the_mean_over_its_draws_and_has_no_standard_error():
    row = floors(PAIR, draws=4)["random"]
    each = [draw(c, PAIR, seed=seed) for seed in range(4) for c in PAIR]
    for name in ("composite_score", "avg_emotion_f1", "avg_pairwise_accuracy"):
        assert row[name] == pytest.approx(fmean(scored[name] for scored in each), abs=1e-12)
    assert row["se_composite"] is None


@pytest.mark.parametrize("name", ["null", "majority", "lexicon", "oracle"])
def test_the_others_are_what_the_baseline_earns_through_rendering_and_reading(name):
    row = floors(PAIR, draws=1)[name]
    each = [draw(c, PAIR, name)["composite_score"] for c in PAIR]
    assert row["composite_score"] == pytest.approx(fmean(each), abs=1e-12)


def plain_row(name, conversations, strategy, *, swap=False):
    """The row of one answer a conversation, aggregated as a model's is."""
    baseline = make_baseline(name, conversations)
    condition = Condition(strategy=strategy, swap=swap, prompt_version=PROMPTS.version, prompt_hash=PROMPTS.sha256)
    records = [answer_conversation(baseline, c, condition, PROMPTS) for c in conversations]
    (found,) = aggregate(score(c, record) for c, record in zip(conversations, records, strict=True))
    return found


def assert_near(found, expected, where=""):
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for key, value in expected.items():
            assert_near(found[key], value, f"{where}.{key}")
    elif expected is None or isinstance(expected, str):
        assert found == expected, where
    else:
        assert found == pytest.approx(expected, abs=1e-9), where


SAME_IN_ALL = ("mode", "condition", "z_score")


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", ["null", "majority", "lexicon", "oracle"])
def test_a_floor_s_row_is_in_all_numbers_the_row_of_a_model_that_answers_so(name, strategy):
    found = floors(DEMO, strategy, draws=1)[name]
    for left_out in ("floor", "draws"):
        del found[left_out]
    expected = plain_row(name, DEMO, strategy)
    assert_near(found, expected | dict.fromkeys(SAME_IN_ALL))


def test_the_random_row_has_the_same_scores_as_the_others():
    rows = floors(DEMO, draws=2)
    assert rows["random"].keys() == rows["null"].keys()
    assert rows["random"]["n"].keys() == rows["null"]["n"].keys()
    assert rows["random"]["strict"].keys() == rows["null"]["strict"].keys()


@given(st.lists(raw_conversations(), min_size=1, max_size=3), st.sampled_from(STRATEGIES), st.booleans())
def test_on_any_conversations_all_numbers_are_those_of_rendering_and_reading(told, strategy, swap):
    data = [Conversation.model_validate(raw | {"conversationId": f"c{n}"}) for n, raw in enumerate(told)]
    found = score_floors(data, strategy, swap=swap, draws=1)
    for row in found.rows():
        if row["floor"] != "random":
            expected = plain_row(row["floor"], data, strategy, swap=swap) | dict.fromkeys(SAME_IN_ALL)
            assert_near({key: value for key, value in row.items() if key not in {"floor", "draws"}}, expected)


def test_random_flips_half_of_the_time_and_is_right_twice_in_a_quarter():
    (row,) = [row for row in score_floors(DEMO, "absolute", swap=True, draws=1).rows() if row["floor"] == "random"]
    counts = row["pooled_pairwise_orders"]
    assert (counts["flip_rate"], counts["agreement_score"]) == (0.5, 0.25)
    drawn = [
        score(c, answer_conversation(make_baseline("random", DEMO, seed=seed), c, SWAPPED, PROMPTS))
        for seed in range(20)
        for c in DEMO
    ]
    (met,) = aggregate(drawn)
    assert met["pooled_pairwise_orders"]["answered"] == 20 * counts["answered"]
    assert met["pooled_pairwise_orders"]["flip_rate"] == pytest.approx(0.5, abs=0.03)
    assert met["pooled_pairwise_orders"]["agreement_score"] == pytest.approx(0.25, abs=0.03)


def test_floors_of_comparisons_asked_once_say_nothing_of_both_orders():
    for row in score_floors(PAIR, "absolute", draws=2).rows():
        assert not [name for name in (*row, *row["strict"]) if "orders" in name or "flip" in name]


def test_a_conversation_s_floors_are_its_own_scores():
    found = score_floors(DEMO, "absolute", draws=3)
    expected = draw(DEMO[4], DEMO, "majority")
    scores = found.scores("majority", DEMO[4].conversation_id)
    assert scores["reference"]["composite_score"] == expected["composite_score"]
    assert scores["reference"]["panas_mae"] == expected["post_score"]["panas_mae"]
    assert scores["reference"]["pooled_binary_om_metrics.mcc"] == expected["pooled_binary_om_metrics"]["mcc"]
    assert scores["strict"]["avg_draft_judge_score"] is None
    drawn = [draw(DEMO[4], DEMO, seed=seed)["pooled_binary_om_metrics"]["mcc"] for seed in range(3)]
    random = found.scores("random", DEMO[4].conversation_id)["reference"]
    assert random["pooled_binary_om_metrics.mcc"] == pytest.approx(fmean(drawn))


def test_a_subset_has_the_floors_of_its_very_conversations():
    found = score_floors(DEMO, "absolute", draws=2)
    some = [c.conversation_id for c in DEMO[3:8]]
    for row in found.rows(some):
        each = [found.scores(row["floor"], one)["reference"]["composite_score"] for one in some]
        assert row["n_conversations"] == 5
        assert row["composite_score"] == pytest.approx(fmean(each))
    assert found.rows(some) == found.rows(some[::-1])
    (alone,) = {row["n_conversations"] for row in found.rows([DEMO[0].conversation_id])}
    assert alone == 1
    with pytest.raises(KeyError):
        found.rows(["nobody"])


def test_a_conversation_that_stands_twice_counts_twice():
    found = score_floors(DEMO, "absolute", draws=2)
    one_id, other_id = DEMO[0].conversation_id, DEMO[1].conversation_id
    for row in found.rows([one_id, one_id, other_id]):
        a, b = (found.scores(row["floor"], name)["reference"]["composite_score"] for name in (one_id, other_id))
        assert row["composite_score"] == pytest.approx((2 * a + b) / 3)


def test_conversations_may_be_read_anew_and_are_not_kept():
    class Source:
        """Gives new conversations each time, and knows which are still held."""

        def __init__(self):
            self.alive = []

        def __iter__(self):
            for one_of in DEMO:
                copy = one_of.model_copy()
                self.alive.append(ref(copy))
                yield copy
                del copy
                gc.collect()
                assert sum(found() is not None for found in self.alive) <= 1

    assert score_floors(Source(), "absolute", draws=2).rows() == score_floors(DEMO, "absolute", draws=2).rows()


def test_scores_of_parts_may_be_joined():
    learned = Learned(DEMO)
    scorer = FloorScorer(learned, "absolute", draws=2)
    # A conversation that comes again is scored once.
    parts = [scorer.score([*some, some[0]]) for some in (DEMO[:5], DEMO[5:])]
    assert join_floors(parts).rows() == score_floors(DEMO, "absolute", draws=2).rows()


def test_what_is_learned_from_parts_is_what_is_learned_from_all():
    whole, joined = Learned(DEMO), Learned()
    for start in (0, 4, 5, 12):
        end = {0: 4, 4: 5, 5: 12}.get(start)
        joined.join(pickle.loads(pickle.dumps(Learned(DEMO[start:end]))))
    assert joined.others.total == whole.others.total
    for conversation in DEMO:
        assert joined.others.own(participant_key(conversation)) == whole.others.own(participant_key(conversation))
    assert joined.others.participants == whole.others.participants
    assert joined.pool.texts == whole.pool.texts
    scores = [FloorScorer(learned, "delta", draws=2).score(DEMO).rows() for learned in (joined, whole)]
    assert scores[0] == scores[1]


def test_a_process_that_knows_of_its_own_participants_alone_gives_the_same_scores():
    learned = Learned(DEMO)
    whole = FloorScorer(learned, "absolute", draws=2)
    common = pickle.loads(pickle.dumps(learned.common()))
    apart = FloorScorer(common, "absolute", draws=2)
    assert len(set(learned.others.participants)) < len(DEMO)
    for conversation, participant in zip(DEMO, learned.others.participants, strict=True):
        common.others.know(learned.others.own_answers([participant]))
        assert apart.score([conversation]).rows() == whole.score([conversation]).rows()


def test_null_earns_what_the_arithmetic_says():
    row = floors([one()], draws=1)["null"]
    # No emotions named: F1 0, VA 0. Missing yes/no is "no": observed (yes, no) half right, preferred (no, no) right.
    assert row["emotion_tracking"] == 0
    assert (row["avg_binary_om_accuracy"], row["avg_binary_human_accuracy"]) == (0.5, 1)
    # No letters: no comparison is right. B = 0.75, evaluation = 0.375.
    assert row["evaluation_quality"] == 0.375
    # PANAS undefined: 0.5. q1 to q3 wrong, no follow-up on either side is right: 1/4. Branches 7, taken as 4: 1 - 3/6.
    assert row["holistic_comprehension"] == pytest.approx(0.4 * 0.5 + 0.3 * 0.25 + 0.3 * 0.5)
    assert row["composite_score"] == pytest.approx(round(49 * 0.375 + 27 * 0.425, 2))


def test_the_ceiling_is_100_but_for_comparisons_that_were_left_open():
    assert floors([one(turns=1)], draws=1)["oracle"]["composite_score"] == 100
    row = floors([one(turns=2)], draws=1)["oracle"]
    # Of turn 2's comparisons one is undecided and never right: pairwise (1 + 0.5)/2, evaluation (1 + 0.75)/2.
    assert row["composite_score"] == pytest.approx(24 + 49 * 0.875 + 27, abs=0.006)
    assert row["strict"]["composite_score"]["value"] == pytest.approx(100)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_conversation_in_which_nothing_was_asked_has_floors_all_the_same(strategy):
    bare = one().model_validate(
        {"conversationId": "bare", "turns": [turn(pairwiseComparisons=[comparison("a", "b", None)])]}
    )
    assert set(floors([bare], strategy, draws=2)) == {"null", "random", "majority", "lexicon", "oracle"}


@pytest.mark.parametrize("one_of", DEMO, ids=lambda c: c.conversation_id)
def test_on_the_demo_data_the_oracle_is_right_wherever_the_participant_answered(one_of):
    """Turn by turn: emotions, both behaviours from both calls, and comparisons where all are decided."""
    scores = draw(one_of, DEMO, "oracle")
    by_number = {scored["turnNumber"]: scored for scored in scores["turn_scores"]}
    assert len(by_number) == len(one_of.turns)
    for asked in one_of.turns:
        scored = by_number[asked.turn_number]
        if asked.mood_shift_tags is not None:
            assert (scored["emotion_f1"], scored["emotion_va_score"]) == (1, 1)
        for names, answers in (
            (("binary_om_accuracy", "binary_om_accuracy_hp"), [j.observed_behavior for j in asked.judgements]),
            (("binary_human_accuracy", "binary_human_accuracy_hp"), [j.preferred_behavior for j in asked.judgements]),
        ):
            if {"yes", "no"} & set(answers):
                assert [scored[name] for name in names] == [1, 1]
        if all(comparison.winner for comparison in asked.comparisons):
            assert scored["pairwise_accuracy"] == 1


def test_the_demo_data_has_something_to_be_right_about():
    turns = [asked for c in DEMO for asked in c.turns]
    assert len(DEMO) == 14
    assert any(asked.mood_shift_tags for asked in turns)
    assert any(asked.comparisons and all(c.winner for c in asked.comparisons) for asked in turns)
    assert any({"yes", "no"} & {j.observed_behavior for j in asked.judgements} for asked in turns)
