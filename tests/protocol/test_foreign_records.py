"""Claims about reading run records from elsewhere: lenient with a model's answers, strict about the frame."""

import json

import pytest
from pydantic import ValidationError

from attunebench.protocol.records import RunRecord

FRAME = {"conversationId": "c1", "em_model": "m", "turns": []}


def read_turn(**fields):
    return RunRecord.model_validate(FRAME | {"turns": [{"turnNumber": 1} | fields]}).turns[0]


def read_post(**fields):
    return RunRecord.model_validate(FRAME | {"post_conversation": fields}).post_conversation


@pytest.mark.parametrize(("raw", "intensity"), [
    (3, 3), ("4", 4), ("mild", 2), (9, 7), (2.6, 3), ("strong", None), (None, None), ("", None), ([3], None),
    (True, None), (10**400, 7), (float("nan"), None),
], ids=range(12))  # fmt: skip
def test_an_intensity_that_cannot_be_read_is_none(raw, intensity):
    assert read_turn(em_emotion_tags=[{"emotion": "Proud", "intensity": raw}]).em_emotion_tags[0].intensity == intensity


def test_emotions_keep_their_text_and_tags_without_one_are_dropped():
    raw = [{"emotion": "joyful"}, {"emotion": None}, "Proud", 5, {"intensity": 3}, {"emotion": "upset", "why": "x"}]
    tags = read_turn(em_emotion_tags=raw).em_emotion_tags
    assert [tag.emotion for tag in tags] == ["joyful", "Proud", "upset"]
    assert tags[2].model_extra == {"why": "x"}


ANSWERS = [
    (True, "yes"), (False, "no"), ("Yes", "yes"), ("N/A", "na"), ("n", "no"), (1, "yes"), (None, None), ("maybe", None),
    (["yes"], None), ({"a": 1}, None), (10**5000, None),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "answer"), ANSWERS, ids=range(len(ANSWERS)))
def test_yes_no_answers_are_read_as_in_a_data_set(raw, answer):
    fields = ["em_binary_om_assessment", "em_binary_human_prediction", "em_draft_binary_assessment"]
    fields += [f"{name}_hp" for name in fields[:2]]
    turn = read_turn(**{name: {"B1": raw} for name in fields})
    assert [getattr(turn, name) for name in fields] == [{"B1": answer}] * 5


@pytest.mark.parametrize(("raw", "letter"), [
    ("A", "A"), ("b", "B"), ("response_1", "A"), ("response_2", "B"), ("tie", None), (None, None),
    (1, None), (["A"], None),
])  # fmt: skip
def test_selections_are_letters_or_none(raw, letter):
    assert read_turn(em_pairwise_selections={"0": raw}).em_pairwise_selections == {"0": letter}


@pytest.mark.parametrize(("raw", "number"), [
    (4, 4), ("5", 5), (4.5, 4.5), ("high", None), (None, None), (True, None), ([4], None), (float("inf"), None),
    (10**400, None), ("9" * 400, None), (1e308, None), (1e9, 1e9),
], ids=range(12))  # fmt: skip
def test_numbers_are_finite_or_none(raw, number):
    post = read_post(predicted_post_panas={"totalPositiveAffect": raw, "items": {"proud": raw, "Joy": raw}})
    assert post.predicted_post_panas.total_positive_affect == number
    assert post.predicted_post_panas.items == {"Proud": number, "Joy": number}
    assert read_turn(em_draft_judge_scores={"helpfulness": raw}).em_draft_judge_scores == {"helpfulness": number}


@pytest.mark.parametrize(("raw", "scores"), [
    ({"Perceiving": "3", "managing": 9, "understanding": "well", "charm": 3}, {"perceiving": 3, "managing": 7}),
    ({}, {}), (None, None), ([3], None), ("3", None),
])  # fmt: skip
def test_branches_that_cannot_be_read_are_left_out(raw, scores):
    assert (
        read_post(predicted_conversation_wide={"fourBranchScores": raw}).predicted_conversation_wide.four_branch_scores
        == scores
    )


@pytest.mark.parametrize(
    ("raw", "texts"), [(["a", 5], ["a"]), ("a", ["a"]), ("", []), ([], []), (None, None), (5, None)]
)
def test_lists_of_texts_are_read_as_in_a_reply(raw, texts):
    wide = read_post(predicted_conversation_wide={"q1_lookingFor": raw, "q3_followUp_whatFeltOff": raw})
    assert wide.predicted_conversation_wide.looking_for == wide.predicted_conversation_wide.what_felt_off == texts


@pytest.mark.parametrize("name", [
    "em_emotion_tags", "em_drafted_response", "response_reasoning", "emotion_reasoning", "pairwise_assignment",
    "em_binary_om_assessment", "em_binary_human_prediction_hp", "em_pairwise_selections", "em_draft_judge_scores",
    "em_draft_judge_scores_by_model", "em_draft_binary_assessment_by_model",
])  # fmt: skip
@pytest.mark.parametrize("raw", [5, True])
def test_an_answer_of_the_wrong_type_is_none(name, raw):
    assert getattr(read_turn(**{name: raw}), name) is None


@pytest.mark.parametrize("name", ["predicted_post_panas", "predicted_panas_delta", "predicted_conversation_wide"])
def test_an_outcome_of_the_wrong_type_is_none(name):
    assert getattr(read_post(**{name: ["x"]}), name) is None


def test_unknown_keys_are_kept_everywhere():
    raw = FRAME | {
        "judge": "j",
        "turns": [{"turnNumber": 1, "seconds": 2, "em_emotion_tags": [{"emotion": "x", "intensity": 1, "y": None}]}],
        "post_conversation": {"z": [1], "predicted_post_panas": {"items": {"Joy": 3}, "note": "n"}},
        "provenance": {"seed": 1},
    }
    written = RunRecord.model_validate(raw).model_dump(by_alias=True, exclude_unset=True)
    assert written == raw


@pytest.mark.parametrize("broken", [
    {"conversationId": None}, {"conversationId": 5}, {"em_model": None}, {"turns": None}, {"turns": [{}]},
    {"turns": [{"turnNumber": "1"}]}, {"turns": ["x"]}, {"post_conversation": "x"},
])  # fmt: skip
def test_the_frame_is_not_guessed(broken):
    with pytest.raises(ValidationError):
        RunRecord.model_validate(FRAME | broken)


def test_a_record_that_does_not_say_used_the_default_mode_and_strategy():
    record = RunRecord.model_validate(FRAME)
    assert (record.mode, record.strategy, record.condition) == ("default", "absolute", None)
    delta = RunRecord.model_validate(FRAME | {"post_conversation": {"panas_strategy": "delta"}})
    assert delta.strategy == "delta"


def test_what_was_read_from_odd_values_is_written_as_plain_json_and_reads_back_equal():
    odd = {"turnNumber": 1, "em_emotion_tags": ["Proud"], "em_binary_om_assessment": {"B1": True, "B2": ["x"]}}
    raw = FRAME | {"turns": [odd], "post_conversation": {"predicted_post_panas": {"totalPositiveAffect": "9" * 400}}}
    record = RunRecord.model_validate(raw)
    assert RunRecord.model_validate(json.loads(record.model_dump_json(by_alias=True))) == record


def test_a_number_beyond_any_scale_is_no_answer():
    panas = {"totalPositiveAffect": 1e308, "totalNegativeAffect": 20, "items": {"Proud": -1e308, "Upset": 3}}
    raw = {"conversationId": "c", "em_model": "m", "turns": [], "post_conversation": {"predicted_post_panas": panas}}
    read = RunRecord.model_validate(raw).post_conversation.predicted_post_panas
    assert (read.total_positive_affect, read.total_negative_affect) == (None, 20)
    assert read.items == {"Proud": None, "Upset": 3}
