"""Claims about evidence: answers stand beside the participant's, as the strict profile pairs them."""

import polars as pl
import pytest

from analysis_examples import inputs_from, inputs_of, private_texts
from attunebench.analysis.feelings import Feelings, pair_words
from attunebench.instrument import EMOTIONS
from judges import RATINGS
from score_examples import answered, comparison, conversation, judgement, outcome, panas, record, tags, turn

HEADS = ("record", "row", "conversation")


def evidence_of(one, *records):
    return inputs_of([one], records).evidence


def rows(frame):
    return frame.drop(HEADS).rows()


def test_the_same_words_are_paired_first_and_the_others_so_that_they_are_most_alike():
    assert pair_words(("Proud", "Upset"), ("Upset", "Inspired")) == (("Upset", "Upset"), ("Proud", "Inspired"))
    assert set(pair_words(("Scared", "Proud"), ("Inspired", "Afraid", "Guilty"))) == {
        ("Scared", "Afraid"),
        ("Proud", "Inspired"),
        (None, "Guilty"),
    }
    assert pair_words(("Proud", "Upset"), ()) == (("Proud", None), ("Upset", None))
    assert pair_words((), ()) == ()


def test_valence_is_weighted_by_intensity_and_a_word_without_one_weighs_four():
    of = {e.word: e.valence for e in EMOTIONS}
    assert Feelings([("proud", 6), ("upset", 2)]).mean[0] == pytest.approx((6 * of["Proud"] + 2 * of["Upset"]) / 8)
    assert Feelings([("proud", None), ("upset", 2)]).mean[0] == pytest.approx((4 * of["Proud"] + 2 * of["Upset"]) / 6)
    assert Feelings([("melancholy", 3)]).mean == (None, None)


def test_emotions_stand_in_turns_where_they_were_asked_and_pairs_where_the_model_answered():
    one = conversation(
        turn(1, feelings=tags(("Proud", 5), ("Upset", None))),
        turn(2, feelings=None),
        turn(3, feelings=[]),
        turn(4, feelings=tags(("Alert", 2))),
    )
    given = record(
        answered(1, em_emotion_tags=tags(("upset", 3), ("wistful", 4))),
        answered(3, em_emotion_tags=tags(("neutral", None))),
        answered(4, em_emotion_tags=None),
    )
    found = evidence_of(one, given)
    asked = found.turns.select("turn", "position", "length", "answered", "felt", "named").rows()
    assert asked == [(1, 1, 4, True, 2, 2), (3, 3, 4, True, 0, 0), (4, 4, 4, False, 1, 0)]
    assert rows(found.emotions) == [(1, "Upset", "Upset", None, 3), (1, "Proud", "(other)", 5, 4)]


def test_only_the_participant_s_own_answers_are_asked_of_the_model_and_a_failed_call_answers_none():
    one = conversation(
        turn(1, binaryJudgements=[judgement("B1", "yes", None, llm="no"), judgement("mine", None, "no")]),
        turn(2, binaryJudgements=[judgement("B2", "na", "yes")]),
    )
    given = record(
        answered(1, em_binary_om_assessment={"B1": "no"}, em_binary_human_prediction={"mine": "na"}),
        answered(2, em_binary_human_prediction={"B2": "yes"}, em_binary_human_prediction_hp={"B2": "yes"}),
        calls=[{"turn": 2, "call": "perspective", "state": "refused"}],
    )
    assert rows(evidence_of(one, given).answers) == [
        (1, "review", "observed", "B1", True, "no"),
        (1, "review", "preferred", "mine", False, "na"),
        (1, "perspective", "observed", "B1", True, None),
        (1, "perspective", "preferred", "mine", False, None),
        (2, "review", "preferred", "B2", True, "yes"),
        (2, "perspective", "preferred", "B2", True, None),
    ]


def test_letters_mean_what_they_mean_in_the_data_set_and_replies_are_counted_in_words():
    one = conversation(
        turn(
            1,
            reply="one two three",
            alternateResponses={"humanEdited": "one"},
            pairwiseComparisons=[
                comparison("original", "human", "B"),
                comparison("alternate", "original", None),
                comparison("human", "original", "A") | {"questionId": "custom:is it my Rover?"},
            ],
        )
    )
    turned = {"0": {"A": "human", "B": "original"}}
    given = record(answered(1, pairwise_assignment=turned, em_pairwise_selections={"0": "A", "2": "A"}))
    assert rows(evidence_of(one, given).comparisons) == [
        (1, "general", "original", "human", 3, 1, "B", "B"),
        (1, "general", "alternate", "original", None, 3, None, None),
        (1, "custom", "human", "original", 1, 3, "A", "A"),
    ]


def test_a_comparison_flips_if_another_reply_is_chosen_in_the_other_order():
    asked = [comparison("original", "human", "B"), comparison("human", "alternate", "A")]
    one = conversation(turn(1, pairwiseComparisons=asked), turn(2, pairwiseComparisons=asked))
    both = {
        "em_pairwise_selections": {"0": "A", "1": "A"},
        "em_pairwise_selections_swapped": {"0": "A", "1": "B"},
    }
    given = record(answered(1, **both), answered(2, em_pairwise_selections={"0": "A", "1": "A"}))
    assert sorted(rows(evidence_of(one, given).orders)) == [(1, False), (1, True)]


def test_panas_and_branches_are_those_the_participant_reported():
    before, after = panas(20, None) | {"Proud": 2}, panas(30, None) | {"Proud": 3, "Upset": 6}
    one = conversation(
        prePanas=before,
        postPanas=after,
        conversationWideQuestions={"fourBranchScores": {"managing": 6, "perceiving": 2}},
    )
    said = outcome({"items": {"proud": 7, "Alert": 2}, "totalPositiveAffect": 33}, fourBranchScores={"managing": 4})
    found = evidence_of(one, record(post=said))
    assert rows(found.panas) == [
        ("Proud", 2, 3, 7),
        ("Upset", None, 6, None),
        ("positive affect", 20, 30, 33),
        ("negative affect", None, 6, None),
    ]
    assert sorted(rows(found.branches)) == [("managing", 6, 4), ("perceiving", 2, None)]
    failed = record(post=said, calls=[{"turn": None, "call": "outcome", "state": "refused"}])
    assert found.panas.height == evidence_of(one, failed).panas.height
    assert evidence_of(one, failed).panas["predicted"].null_count() == 4


def test_what_stands_in_a_record_under_a_call_that_failed_is_no_answer():
    one = conversation(
        turn(1, feelings=tags(("Proud", 5)), pairwiseComparisons=[comparison("original", "human", "B")]),
        conversationWideQuestions={"fourBranchScores": {"managing": 6}},
    )
    given = record(
        answered(
            1,
            em_emotion_tags=tags(("Proud", 5)),
            em_pairwise_selections={"0": "B"},
            em_pairwise_selections_swapped={"0": "A"},
        ),
        post=outcome(fourBranchScores={"managing": 4}),
        calls=[
            {"turn": 1, "call": "review", "state": "truncated"},
            {"turn": 1, "call": "pairwise", "state": "refused"},
            {"turn": None, "call": "outcome", "state": "refused"},
        ],
    )
    found = evidence_of(one, given)
    assert found.turns.select("answered", "felt", "named").rows() == [(False, 1, 0)]
    assert found.emotions.is_empty() and found.orders.is_empty()
    assert found.comparisons["chosen"].to_list() == [None]
    assert rows(found.branches) == [("managing", 6, None)]


def test_judges_are_told_apart_and_their_kin():
    one = conversation(turn(1))
    by_model = {"x/gpt-5": dict.fromkeys(RATINGS, 6), "x/qwen-2": {"overall_score": 9, "helpfulness": 3}, "odd": "none"}
    given = record(
        answered(
            1,
            em_draft_judge_scores_by_model=by_model,
            em_draft_binary_assessment_by_model={"x/gpt-5": {"B1": "yes", "B2": "perhaps"}},
        ),
        em_model="y/gpt-4",
    )
    found = evidence_of(one, given)
    assert rows(found.ratings) == [
        *((1, "x/gpt-5", "family", name, 6) for name in RATINGS),
        (1, "x/qwen-2", None, "helpfulness", 3),
    ]
    assert rows(found.findings) == [(1, "x/gpt-5", "family", "B1", "yes")]


def test_rows_and_conversations_are_those_of_the_cube():
    first, second = conversation(turn(1, feelings=[])), conversation(turn(1, feelings=[]), conversationId="c2")
    made = [record(answered(1)), record(answered(1), em_model="n", conversationId="c2")]
    inputs = inputs_of([first, second], made)
    turns = inputs.evidence.turns
    assert [
        (inputs.cube.rows[row].model, inputs.cube.conversations[place])
        for row, place in turns.select("row", "conversation").rows()
    ] == [("m", "c1"), ("n", "c2")]


FRAMES = ("turns", "emotions", "answers", "comparisons", "orders", "panas", "branches", "ratings", "findings")


def test_the_demo_s_evidence_is_complete_and_holds_no_participant(scores_folder):
    inputs = inputs_from(scores_folder)
    private = private_texts(inputs)
    for name in FRAMES:
        frame = getattr(inputs.evidence, name)
        assert not frame.is_empty(), name
        text = frame.select(pl.selectors.string()).unique().write_csv()
        assert not [word for word in private if word in text], name


def test_yes_no_answers_add_up_to_the_strict_profile_s_counts(scores_folder):
    inputs = inputs_from(scores_folder)
    answers = inputs.evidence.answers.filter(pl.col("call") == "review", pl.col("kind") == "observed")
    counted = inputs.scores.filter(
        pl.col("level") == "conversation",
        pl.col("metric") == "pooled_binary_om_accuracy",
        pl.col("profile") == "strict",
    )
    assert answers.height == counted["n"].sum() > 0
    right = answers.select(
        (pl.col("answer").cast(pl.String) == pl.when("truth").then(pl.lit("yes")).otherwise(pl.lit("no"))).sum()
    )
    assert right.item() == pytest.approx((counted["value"] * counted["n"]).sum())
