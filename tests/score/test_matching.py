"""A record is held against the conversation it names: what does not fit is named, turned sides are turned back."""

import pytest
from file_examples import one, raw_record, record_of
from hypothesis import given
from score_strategies import raw_cases, read
from test_golden import CASES

from attunebench.protocol.records import RunRecord
from attunebench.score import score_reference
from attunebench.score.matching import aligned, fits, mismatches, read_frames

DATA_SIDES = {"0": {"A": "original", "B": "human"}, "1": {"A": "alternate", "B": "original"}}


def record_with(turn=1, **fields):
    raw = raw_record()
    raw["turns"][turn - 1] |= fields
    return RunRecord.model_validate(raw)


def test_our_own_record_fits():
    assert list(mismatches(record_of(), one())) == []
    assert list(mismatches(record_with(pairwise_assignment=DATA_SIDES), one())) == []


def test_a_record_may_lack_turns_questions_and_comparisons():
    fields = {"em_binary_om_assessment": {"B1": "yes"}, "em_pairwise_selections": {"1": "A"}}
    assert list(mismatches(record_of(turns=1), one())) == []
    assert list(mismatches(record_with(**fields), one())) == []


@pytest.mark.parametrize(
    "name",
    [
        "em_binary_om_assessment",
        "em_binary_human_prediction",
        "em_binary_om_assessment_hp",
        "em_binary_human_prediction_hp",
    ],
)
def test_an_answer_to_a_question_that_the_turn_does_not_have(name):
    problems = list(mismatches(record_with(turn=2, **{name: {"B1": "yes", "B20": "no"}}), one()))
    assert problems == [f'turn 2: {name}: must answer questions of the turn, got "B20"']


def test_a_selection_beyond_the_turn_s_comparisons():
    problems = list(mismatches(record_with(em_pairwise_selections={"0": "A", "2": "B"}), one()))
    rule = "must answer the turn's 2 comparisons, counted from 0"
    assert problems == [f'turn 1: em_pairwise_selections: {rule}, got "2"']


def test_a_comparison_of_other_replies():
    sides = DATA_SIDES | {"1": {"A": "alternate", "B": "human"}}
    (problem,) = mismatches(record_with(pairwise_assignment=sides), one())
    assert problem.startswith("turn 1: pairwise_assignment 1: must hold the two replies that the data set compares")
    assert "alternate and original" in problem


def test_the_second_order_must_fit_as_the_first_does():
    turned = {index: {"A": sides["B"], "B": sides["A"]} for index, sides in DATA_SIDES.items()}
    fields = {"pairwise_assignment_swapped": turned, "em_pairwise_selections_swapped": {"0": "A"}}
    assert list(mismatches(record_with(**fields), one())) == []
    fields["pairwise_assignment_swapped"] = turned | {"1": {"A": "human", "B": "alternate"}}
    fields["em_pairwise_selections_swapped"] = {"2": "B"}
    selection, assignment = mismatches(record_with(**fields), one())
    rule = "must answer the turn's 2 comparisons, counted from 0"
    assert selection == f'turn 1: em_pairwise_selections_swapped: {rule}, got "2"'
    assert assignment.startswith("turn 1: pairwise_assignment_swapped 1: must hold the two replies that the data set")


def test_turned_sides_are_turned_back_and_score_the_same():
    sides = {"0": {"A": "human", "B": "original"}, "1": DATA_SIDES["1"]}
    turned = record_with(pairwise_assignment=sides, em_pairwise_selections={"0": "A", "1": "A"})
    straight = record_with(pairwise_assignment=DATA_SIDES, em_pairwise_selections={"0": "B", "1": "A"})
    assert list(mismatches(turned, one())) == []
    assert aligned(turned, one()) == straight
    assert score_reference(one(), aligned(turned, one())) == score_reference(one(), straight)
    assert score_reference(one(), straight)["turn_scores"][0]["pairwise_accuracy"] == 1


def test_a_second_order_that_says_nothing_of_its_sides_is_the_first_exchanged():
    turned = {"0": {"A": "human", "B": "original"}, "1": DATA_SIDES["1"]}
    answers = {"em_pairwise_selections": {"0": "A", "1": "A"}, "em_pairwise_selections_swapped": {"0": "B", "1": "B"}}
    unsaid = record_with(pairwise_assignment=turned, **answers)
    exchanged = {index: {"A": sides["B"], "B": sides["A"]} for index, sides in turned.items()}
    said = record_with(pairwise_assignment=turned, pairwise_assignment_swapped=exchanged, **answers)
    counts = [score_reference(one(), aligned(run, one()))["pooled_pairwise_orders"] for run in (unsaid, said)]
    assert counts[0] == counts[1]
    assert (counts[0]["answered"], counts[0]["flipped"], counts[0]["agreed"]) == (2, 0, 2)


def test_older_names_of_the_replies_are_understood():
    sides = {"0": {"A": "alternate2", "B": "original"}, "1": {"A": "alternate1", "B": "original"}}
    record = record_with(pairwise_assignment=sides, em_pairwise_selections={"0": "A", "1": "B"})
    assert list(mismatches(record, one())) == []
    assert aligned(record, one()).turns[0].em_pairwise_selections == {"0": "B", "1": "B"}


def test_a_record_that_needs_no_turning_is_the_same_object():
    record = record_with(pairwise_assignment=DATA_SIDES)
    assert aligned(record, one()) is record


def holds(told, run):
    frames = read_frames(told)
    if fits(run, frames):
        assert list(mismatches(run, frames)) == []
        assert aligned(run, frames) is run


@given(raw_cases())
def test_what_fits_at_first_sight_has_no_mismatch_and_is_aligned(case):
    holds(*read(*case))


def test_nearly_all_records_fit_at_first_sight():
    pairs = [read(case["conversation"], case["run"]) for case in CASES]
    for pair in pairs:
        holds(*pair)
    assert sum(fits(run, read_frames(told)) for told, run in pairs) > 100
