"""What a data set holds, counted by hand."""

import io
import json

import pytest
from dataset_examples import conversation, read, turn
from rich.console import Console

from attunebench.dataset.describe import describe
from attunebench.dataset.load import DataSet
from attunebench.dataset.show import show

FIRST = conversation(
    "c1",
    metadata={"category": "work", "subtopic": "late"},
    participant_profile={"participant_id": "p1", "age": 34, "responses": {"diagnosis": "ADHD"}},
    prePanas={"Proud": 3},
    postPanas={},
    conversationWideQuestions={"q1_lookingFor": [], "q3_modelFit": "x", "fourBranchScores": {"managing": 3}},
    turns=[
        turn(
            1,
            moodShiftTags=[{"emotion": "Upset", "intensity": 3}, {"emotion": "Afraid"}],
            annotations={
                "binaryJudgements": [
                    {"questionId": "B2", "observedBehavior": "yes", "preferredBehavior": "no"},
                    {"questionId": "B1", "observedBehavior": "na"},
                    {"questionId": "zz", "observedBehavior": "no"},
                ],
                "alternateResponses": {"llmImproved": "x"},
                "pairwiseComparisons": [
                    {"questionId": "PW2", "responseA": "original", "responseB": "human", "winner": "B"},
                    {"questionId": "general", "responseA": "human", "responseB": "original", "winner": "B"},
                    {"questionId": "custom: mine?", "responseA": "original", "responseB": "alternate", "winner": None},
                ],
            },
        ),
        turn(2, moodShiftTags=[{"emotion": "Upset", "intensity": 6}]),
        turn(3, moodShiftTags=[]),
        turn(4),
    ],
)
SECOND = conversation(
    "c2",
    metadata={"category": "work", "subtopic": "late"},
    participant_profile={"participant_id": "p1", "responses": {"diagnosis": ["ADHD", " ASD ", "ADHD"]}},
)
THIRD = conversation("c3", metadata={"subtopic": "other"})


@pytest.fixture
def description():
    return describe(DataSet(tuple(read(raw) for raw in (FIRST, SECOND, THIRD))))


def test_conversations_participants_and_turns(description):
    assert (description.conversations, description.participants) == (3, 1)
    assert description.conversations_without_participant == 1
    assert description.turns == {"total": 6, "min": 1, "median": 1, "max": 4}
    assert description.subtopics == 2


def test_answers_by_question_in_the_instrument_s_order_then_unknown_ones(description):
    assert list(description.judgements) == ["B1", "B2", "zz"]
    assert description.judgements["B2"] == {
        "observed": {"yes": 1, "no": 0, "na": 0, "none": 0},
        "preferred": {"yes": 0, "no": 1, "na": 0, "none": 0},
    }
    assert description.judgements["B1"]["observed"]["na"] == 1
    assert description.judgements["B1"]["preferred"]["none"] == 1


def test_comparisons_by_question_pair_and_letter(description):
    assert description.comparisons == {
        "total": 3,
        "undecided": 1,
        "by_question": {
            "general": {"A": 0, "B": 1, "undecided": 0},
            "PW2": {"A": 0, "B": 1, "undecided": 0},
            "custom": {"A": 0, "B": 0, "undecided": 1},
        },
        "by_pair": {
            "alternate / original": {"alternate": 0, "original": 0, "undecided": 1},
            "human / original": {"human": 1, "original": 1, "undecided": 0},
        },
        "by_letter": {"A": 0, "B": 2, "undecided": 1},
    }


def test_emotions_and_turns_without_a_shift(description):
    assert description.emotions["Upset"] == {"count": 2, "mean_intensity": 4.5}
    assert description.emotions["Afraid"] == {"count": 1, "mean_intensity": None}
    assert description.emotions["Proud"] == {"count": 0, "mean_intensity": None}
    assert description.mood == {"with_shift": 2, "without_shift": 1, "not_asked": 3}


def test_groups_count_participants_and_conversations(description):
    assert description.groups == {
        "category": {
            "work": {"participants": 1, "conversations": 2},
            "not given": {"participants": 0, "conversations": 1},
        },
        "age": {
            "34": {"participants": 1, "conversations": 1},
            "not given": {"participants": 1, "conversations": 2},
        },
        "diagnosis": {
            "ADHD": {"participants": 1, "conversations": 2},
            "ASD": {"participants": 1, "conversations": 1},
            "not given": {"participants": 0, "conversations": 1},
        },
    }


def test_gaps(description):
    assert description.gaps == {
        "conversations": {
            "prePanas": 2,
            "postPanas": 3,
            "q1": 2,
            "q2": 3,
            "q3": 2,
            "q3_followUp": 3,
            "fourBranchScores": 2,
        },
        "turns": {"moodShiftTags": 3, "judgements": 5, "comparisons": 5, "alternates": 5},
    }


def test_it_is_json_and_names_no_participant(description):
    text = json.dumps(description.as_dict(), allow_nan=False)
    assert json.loads(text) == description.as_dict()
    assert "p1" not in text
    assert "mine?" not in text


def test_an_empty_data_set_is_described_too():
    empty = describe(DataSet(()))
    assert empty.turns == {"total": 0, "min": None, "median": None, "max": None}
    show(empty, Console(file=io.StringIO()))


def test_it_is_shown_within_80_columns_and_never_as_markup():
    raw = FIRST | {"metadata": {"category": "[red]loud[/red] \x1b[31m" + "long " * 40}}
    console = Console(file=io.StringIO(), width=80)
    show(describe(DataSet((read(raw),))), console)
    shown = console.file.getvalue()
    assert max(map(len, shown.splitlines())) <= 80
    assert "[red]loud[/red] \\u001b[31m" in shown
    assert "human / original" in shown
