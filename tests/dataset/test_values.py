"""How single values are read."""

import pytest
from dataset_examples import annotated, conversation, problems, read, turn
from hypothesis import given
from hypothesis import strategies as st

from attunebench.dataset.values import (
    read_branch_scores,
    read_intensity,
    read_number,
    read_panas_item,
    read_panas_total,
    read_yes_no,
)

YES_NO = {
    "yes": [True, "true", "YES", " y ", "1", 1],
    "no": [False, "False", "no", "N", "0", 0],
    "na": ["na", "N/A", " not_applicable"],
    None: [None, "", "maybe", "yes!", 2, 1.5],
}


@pytest.mark.parametrize(("answer", "raw"), [(answer, raw) for answer, raws in YES_NO.items() for raw in raws])
def test_yes_no_and_na_have_many_spellings_and_all_else_is_no_answer(answer, raw):
    assert read_yes_no(raw) == answer


INTENSITIES = [
    *[(None, None), ("", None), (" ", None), ("None", None), ("none", None)],
    *[("mild", 2), ("Moderate ", 4), ("INTENSE", 6)],
    *[("3", 3), (" 7 ", 7), ("4.6", 5), (4.4, 4), (0, 1), (-3, 1), (9, 7), ("12", 7), (10**400, 7)],
]


@pytest.mark.parametrize(("raw", "intensity"), INTENSITIES)
def test_an_intensity_is_read_rounded_and_clamped(raw, intensity):
    assert read_intensity(raw) == intensity


@pytest.mark.parametrize("raw", ["mild-ish", "5 of 7", True, [5], {}, float("nan")])
def test_an_intensity_that_cannot_be_read_is_an_error(raw):
    with pytest.raises(ValueError, match="must be 1 to 7, mild, moderate, intense or empty"):
        read_intensity(raw)


@pytest.mark.parametrize("raw", ["", "x", True, None, [], float("inf"), float("nan"), "1e3", "1,5"])
def test_what_is_no_number_is_refused(raw):
    with pytest.raises(ValueError, match="must be a number"):
        read_number(raw)


@given(st.integers())
def test_any_whole_number_and_its_digits_are_the_same_number(number):
    assert read_number(number) == read_number(str(number))


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_panas_numbers_stay_on_their_scales(number):
    assert 1 <= read_panas_item(number) <= 7
    assert 10 <= read_panas_total(number) <= 70


def test_panas_totals_are_given_else_summed_else_missing():
    panas = read(conversation(prePanas={"totalPositiveAffect": "30.4", "Proud": 2, "Upset": 3, "Afraid": 4})).pre_panas
    assert (panas.positive_affect, panas.negative_affect) == (30, 7)
    assert read(conversation(prePanas={})).pre_panas.positive_affect is None


def test_branch_scores_are_clamped_and_others_kept_apart():
    raw = {"Perceiving": 9, "managing": "3", "facilitating": None, "understanding": "", "soothing": {"x": 1}}
    questions = read(conversation(conversationWideQuestions={"fourBranchScores": raw})).conversation_wide_questions
    assert questions.four_branch_scores == {"perceiving": 7, "managing": 3} == read_branch_scores(raw)
    assert questions.other_branch_scores == {"soothing": {"x": 1}}


@pytest.mark.parametrize(("age", "text"), [(34, "34"), (34.0, "34"), (34.5, "34.5"), ("25-34", "25-34"), (None, None)])
def test_an_age_is_a_text(age, text):
    assert read(conversation(participant_profile={"age": age})).participant_profile.age == text


def test_emotion_words_are_read_in_any_case_and_trimmed():
    tags = read(conversation(turns=[turn(moodShiftTags=[{"emotion": " uPSET ", "intensity": "mild"}])])).turns[0]
    assert [(tag.emotion, tag.intensity) for tag in tags.mood_shift_tags] == [("Upset", 2)]


def test_absent_and_null_are_not_asked_and_empty_is_asked():
    assert read(conversation()).turns[0].mood_shift_tags is None
    assert read(conversation(turns=[turn(moodShiftTags=None)])).turns[0].mood_shift_tags is None
    assert read(conversation(turns=[turn(moodShiftTags=[])])).turns[0].mood_shift_tags == []


@pytest.mark.parametrize(
    "part", ["metadata", "participant_profile", "prePanas", "postPanas", "conversationWideQuestions"]
)
def test_every_optional_part_may_be_null(part):
    assert read(conversation(**{part: None})) == read(conversation())


def test_every_optional_field_may_be_null():
    judgement = dict.fromkeys(("questionId", "llmValue", "observedBehavior", "preferredBehavior", "did_occur"))
    comparison = dict.fromkeys(("questionId", "responseA", "responseB", "winner", "response_1"))
    annotations = {"binaryJudgements": [judgement], "pairwiseComparisons": [comparison], "alternateResponses": None}
    raw = conversation(
        turns=[annotated(**annotations, selectedPairwiseQuestions=None)],
        metadata=dict.fromkeys(("category", "subtopic", "model", "provider", "turnCount", "timestamp", "text")),
        participant_profile=dict.fromkeys(("participant_id", "age", "traits", "goals", "responses", "extra")),
        prePanas={"Proud": None, "totalPositiveAffect": None, "items": None, "responses": None},
        conversationWideQuestions=dict.fromkeys(("Q1", "q1_lookingFor", "q3_followUp_whatFeltOff", "fourBranchScores")),
    )
    assert read(raw).turns[0].judgements[0].question_id == ""
    assert not [line for line in problems(raw) if "must" in line]
