"""Every warning of the format, as the exact line it gives; none of them keeps a conversation out."""

import pytest
from dataset_examples import annotated, conversation, problems, read, turn, write

from attunebench.dataset.validate import validate
from attunebench.instrument import EMOTION_WORDS, PAIRWISE_IDS, YES_NO_IDS

DECIDED = {"questionId": "general", "responseA": "original", "responseB": "original", "winner": "A"}


def compared(**fields):
    return conversation(turns=[annotated(pairwiseComparisons=[DECIDED | fields])])


AT = "turns[0].annotations.pairwiseComparisons[0]"

WARNINGS = [
    (conversation(turns=[turn(2), turn(1), turn(3)]), "turns[1].turnNumber: comes after turn 2, got 1"),
    (compared(winner=None), f"{AT}.winner: names no winner, got null"),
    (compared(winner="C"), f'{AT}.winner: names no winner, got "C"'),
    (compared(responseB="best"), f'{AT}.responseB: names no reply, got "best"'),
    (compared(responseB=None), f"{AT}.responseB: names no reply, got null"),
    (compared(responseA="alternate"), f'{AT}.responseA: names a reply that this turn lacks, got "alternate"'),
    (
        compared(responseA=None, response_1="alternate2"),
        f'{AT}.response_1: names a reply that this turn lacks, got "alternate2"',
    ),
    (compared(questionId="PW16"), f'{AT}.questionId: is no pairwise question, got "PW16"'),
    (compared(questionId="custom: "), f'{AT}.questionId: is no pairwise question, got "custom: "'),
    (
        conversation(turns=[annotated(binaryJudgements=[{"questionId": "B999"}])]),
        'turns[0].annotations.binaryJudgements[0].questionId: is no yes/no question, got "B999"',
    ),
    (
        conversation(turns=[annotated(selectedPairwiseQuestions=["PW1", "B1"])]),
        'turns[0].annotations.selectedPairwiseQuestions[1]: is no pairwise question, got "B1"',
    ),
    (conversation(metadata={"turnCount": 3}), "metadata.turnCount: disagrees with the number of turns, 1, got 3"),
    (conversation(turns=[turn(userMessage="")]), 'turns[0].userMessage: is an empty message, got ""'),
    (conversation(turns=[turn(llmResponse=" \n")]), 'turns[0].llmResponse: is an empty message, got " \\n"'),
    (conversation(prePanas={"Proud": 9}), "prePanas.Proud: must be 1 to 7, read as 7, got 9"),
    (
        conversation(postPanas={"responses": {"alert": "0"}}),
        'postPanas.responses.alert: must be 1 to 7, read as 1, got "0"',
    ),
    (
        conversation(postPanas={"totalPositiveAffect": 5}),
        "postPanas.totalPositiveAffect: must be 10 to 70, read as 10, got 5",
    ),
    (
        conversation(
            prePanas={"totalPositiveAffect": 40, "totalnegativeaffect": 21, **dict.fromkeys(EMOTION_WORDS, 4)}
        ),
        "prePanas.totalnegativeaffect: disagrees with the sum of its ten items, 40, got 21",
    ),
]


@pytest.mark.parametrize(("raw", "line"), WARNINGS, ids=[line[:60] for _, line in WARNINGS])
def test_a_warning_names_the_place_and_the_value(raw, line):
    assert problems(raw) == [line]
    assert read(raw)


@pytest.mark.parametrize(
    "raw",
    [
        conversation(turns=[turn(5), turn(9)]),
        conversation(metadata={"turnCount": 1}),
        compared(questionId="custom: Which one sounds like my sister?"),
        conversation(turns=[annotated(binaryJudgements=[{"questionId": name} for name in YES_NO_IDS])]),
        conversation(turns=[annotated(selectedPairwiseQuestions=list(PAIRWISE_IDS))]),
        conversation(prePanas={"totalPositiveAffect": 12, "Proud": 5}),
        conversation(prePanas={"totalPositiveAffect": 40, **dict.fromkeys(EMOTION_WORDS, 4)}),
        conversation(prePanas={"Proud": 7.3, "Alert": "6.6", "items": {"Proud": 99}}),
        conversation(
            turns=[
                annotated(
                    alternateResponses={"humanEdited": ""}, pairwiseComparisons=[DECIDED | {"responseB": "human"}]
                )
            ]
        ),
    ],
)
def test_what_is_in_order_gives_no_warning(raw):
    assert problems(raw) == []


def test_validate_counts_warnings_by_kind(tmp_path):
    write(tmp_path / "a.json", compared(winner=None, questionId="PW99"))
    write(
        tmp_path / "b.json",
        [conversation("c2", turns=[turn(llmResponse="")]), compared(winner="?") | {"conversationId": "c3"}],
    )
    report = validate(tmp_path)
    assert report.ok
    assert report.conversations == 3
    assert report.counts == {"no winner": 2, "unknown question": 1, "empty message": 1}
    assert [str(warning) for warning in report.warnings][-1].startswith("b.json: conversation c3: turns[0].")
