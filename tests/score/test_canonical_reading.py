"""Claims about the fast way of reading: it reads as the slow way does, or leaves it to that."""

import json

import pytest
from hypothesis import given
from msgspec import Struct
from score_strategies import raw_cases
from test_golden import CASES
from test_judged_records import judged

from attunebench.baselines import BASELINES, answer_calls, make_baseline
from attunebench.dataset.demo import load_demo
from attunebench.dataset.export import dump_conversation
from attunebench.dataset.lean import LeanPanas, read_lean_conversation
from attunebench.dataset.reading import read_canonical, read_canonical_text
from attunebench.dataset.schema import Conversation
from attunebench.protocol.calls import STRATEGIES, Condition, planned_calls
from attunebench.protocol.lean_records import read_lean_record
from attunebench.protocol.records import RunRecord, read_record

FRAME = {"conversationId": "c1", "em_model": "m", "turns": []}


def slowly(raw):
    return Conversation.model_validate(raw, by_alias=True, by_name=False)


def same(one, other):
    """Whether two parts are equal, in types, order and what was set too."""
    return one == other and [repr(part) for part in (one, one.model_fields_set, one.model_extra)] == [
        repr(part) for part in (other, other.model_fields_set, other.model_extra)
    ]


def same_values(lean, full):
    """Whether a part read for scoring has the values of the whole one, and its dicts their order."""
    if isinstance(lean, LeanPanas):
        names = ("positive_affect", "negative_affect", "items")
        return repr([getattr(lean, name) for name in names]) == repr([getattr(full, name) for name in names])
    if isinstance(lean, list):
        return len(lean) == len(full) and all(map(same_values, lean, full))
    if isinstance(lean, dict):
        return [*lean] == [*full] and all(map(same_values, lean.values(), full.values()))
    if isinstance(lean, Struct):
        extra = {} if isinstance(full, dict) else full.model_extra
        return all(
            same_values(getattr(lean, name), extra[name] if name in extra else getattr(full, name))
            for name in lean.__struct_fields__
            if name != "made_up" or name in extra
        )
    return lean == full


def holds_for_conversation(raw):
    lean = read_lean_conversation(json.dumps(raw).encode())
    assert lean is None or same_values(lean, slowly(raw))
    fast, faster = read_canonical(raw), read_canonical_text(json.dumps(raw).encode())
    assert fast is None or (same(fast, slowly(raw)) and dump_conversation(fast) == dump_conversation(slowly(raw)))
    assert (fast is None) == (faster is None)
    assert fast is None or same(fast, faster)


def holds_for_record(raw):
    assert same(read_record(raw), RunRecord.model_validate(raw))
    lean = read_lean_record(json.dumps(raw).encode())
    assert lean is None or same_values(lean, RunRecord.model_validate(raw))
    assert read_record(raw).model_dump_json() == RunRecord.model_validate(raw).model_dump_json()


@given(raw_cases())
def test_both_ways_read_the_same(case):
    told, run = case
    holds_for_conversation(told)
    holds_for_record(run)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["conversation"]["conversationId"])
def test_both_ways_read_the_golden_cases_the_same(case):
    holds_for_conversation(case["conversation"])
    holds_for_record(case["run"])


def test_what_we_write_is_read_the_fast_way():
    for conversation in load_demo().conversations:
        written = json.dumps(dump_conversation(conversation))
        assert read_canonical(json.loads(written)) == conversation
        assert read_lean_conversation(written.encode())
        holds_for_conversation(json.loads(written))


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", BASELINES)
def test_what_a_run_writes_is_read_the_fast_way(name, strategy):
    told = load_demo().conversations[:3]
    condition = Condition(strategy=strategy, swap=strategy == "delta", prompt_version="1", prompt_hash="x")
    for one in told:
        record = answer_calls(make_baseline(name, told), one, planned_calls(one, condition), condition)
        written = json.dumps(record.model_dump(mode="json", by_alias=True), ensure_ascii=False)
        assert read_lean_record(written.encode())
        holds_for_record(json.loads(written))


def test_what_a_panel_of_judges_said_is_read_the_fast_way():
    raw = json.loads(judged(4.0, "a", "b").model_dump_json(by_alias=True))
    assert read_lean_record(json.dumps(raw).encode())
    holds_for_record(raw)


TURN = {"turnNumber": 1, "userMessage": "a", "llmResponse": "b"}


def conversation(**fields):
    return {"conversationId": "c", "turns": [TURN]} | fields


def annotated(**annotations):
    return conversation(turns=[TURN | {"annotations": annotations}])


@pytest.mark.parametrize("raw", [
    annotated(binaryJudgements=[{"questionId": "B1", "observedBehavior": True}]),
    annotated(binaryJudgements=[{"questionId": "B1", "did_occur": "yes"}]),
    annotated(binaryJudgements=[{"questionId": "B1", "observedBehavior": "Yes"}]),
    annotated(pairwiseComparisons=[{"responseA": "alternate1", "responseB": "original", "winner": "A"}]),
    annotated(pairwiseComparisons=[{"responseA": "human", "responseB": "original", "winner": "response_1"}]),
    annotated(alternateResponses={"alternate1": "x"}),
    conversation(turns=[TURN | {"moodShiftTags": [{"emotion": "proud", "intensity": 3}]}]),
    conversation(turns=[TURN | {"moodShiftTags": [{"emotion": "Proud", "intensity": "mild"}]}]),
    conversation(turns=[TURN | {"moodShiftTags": [{"emotion": "Proud", "intensity": 9}]}]),
    conversation(prePanas={"Proud": "4"}),
    conversation(prePanas={"Proud": 9}),
    conversation(prePanas={"totalPositiveAffect": 5}),
    conversation(conversationWideQuestions={"fourBranchScores": {"Perceiving": 3}}),
    conversation(conversationWideQuestions={"fourBranchScores": {"perceiving": 3, "charm": 1}}),
    conversation(conversationWideQuestions={"fourBranchScores": {"perceiving": 8}}),
    conversation(participant_profile={"age": 34}),
], ids=range(16))  # fmt: skip
def test_another_spelling_is_left_to_the_slow_way(raw):
    assert slowly(raw)
    assert read_canonical(raw) is None
    assert read_lean_conversation(json.dumps(raw).encode()) is None


@pytest.mark.parametrize("raw", [
    annotated(binaryJudgements=[{"questionId": "B1", "observedBehavior": "yes", "llmValue": None}]),
    annotated(pairwiseComparisons=[{"questionId": "q", "responseA": "human", "responseB": None, "winner": None}]),
    conversation(prePanas={"Proud": 3, "items": {"upset": 2}, "TOTALPOSITIVEAFFECT": 20}),
    conversation(
        conversationWideQuestions={"q1_lookingFor": ["a"], "fourBranchScores": {"managing": 1, "perceiving": 7.0}}
    ),
    conversation(unknown={"deep": [1.5, None]}, metadata={"made_up": True}),
], ids=range(5))  # fmt: skip
def test_these_are_read_the_fast_way(raw):
    assert read_canonical(raw)
    holds_for_conversation(raw)


@pytest.mark.parametrize("raw", [
    conversation(x="\ud800"), conversation(turns=[TURN, TURN]), conversation(turns=[]) | {"conversationId": ""},
    5, None,
    conversation(turns=[TURN | {"turnNumber": True}]), conversation(turns=[TURN | {"turnNumber": 1.0}]),
], ids=range(7))  # fmt: skip
def test_what_is_wrong_is_not_read(raw):
    assert read_canonical(raw) is None
    assert read_canonical_text(json.dumps(raw).encode()) is None
    assert read_lean_conversation(json.dumps(raw).encode()) is None


@pytest.mark.parametrize("number", [
    "NaN", "-Infinity", "1e999", "-1E+400", "0.1e1000", "[1e309]", "1" + "0" * 309, "1" + "0" * 300 + "e99",
], ids=range(8))  # fmt: skip
def test_a_number_that_no_double_holds_is_left_to_the_slow_way_wherever_it_stands(number):
    for raw, read in (
        (conversation(x="ODD"), read_canonical_text),
        (conversation(metadata={"text": "ODD"}), read_lean_conversation),
        (conversation(participant_profile={"extra": {"x": ["ODD"]}}), read_lean_conversation),
        (FRAME | {"post_conversation": {"pre_panas_shown": {"x": {"y": "ODD"}}}}, read_lean_record),
    ):
        assert read(json.dumps(raw).encode())
        for text in (json.dumps(raw), json.dumps(raw, indent=1), json.dumps(raw, separators=(",", ":"))):
            assert read(text.replace('"ODD"', number).encode()) is None


def test_letters_and_digits_mixed_are_no_number():
    for text in ("4e12345", "0123e456789", "a1e999", "x.1e999"):
        assert read_canonical_text(json.dumps(conversation(x=text)).encode())


@pytest.mark.parametrize(
    "text", [b"", b"{", b"\xff", b"\xef\xbb\xbf" + json.dumps(FRAME).encode(), b'{"a": "\\ud800"}']
)
def test_what_is_no_plain_json_is_left_to_the_slow_way(text):
    assert read_canonical_text(text) is None
    assert read_lean_conversation(text) is None
    assert read_lean_record(text) is None


@pytest.mark.parametrize("fields", [
    {"em_emotion_tags": [{"emotion": "joyful", "intensity": 7}, {"emotion": "x", "why": 1}]},
    {"em_emotion_tags": ["Proud"]}, {"em_emotion_tags": [{"emotion": "Proud", "intensity": 3.0}]},
    {"em_binary_om_assessment": {"B1": True, "B2": "no", "B3": None}}, {"em_pairwise_selections": {"0": "b"}},
    {"em_draft_judge_scores": {"helpfulness": "5", "tone_match": 3}}, {"em_drafted_response": 5}, {"other": [1]},
], ids=range(8))  # fmt: skip
def test_both_ways_read_an_answer_the_same(fields):
    holds_for_record(FRAME | {"turns": [{"turnNumber": 1} | fields]})


@pytest.mark.parametrize("post", [
    {"predicted_post_panas": {"totalPositiveAffect": "9" * 400, "items": {"proud": 3, "Joy": None}}},
    {"predicted_post_panas": {"totalPositiveAffect": 20, "items": {"Proud": 3.5, "Upset": None}}},
    {"predicted_conversation_wide": {"fourBranchScores": {"managing": 2, "perceiving": 9}}},
    {"predicted_conversation_wide": {"q1_lookingFor": "a", "q3_followUp_whatFeltOff": []}},
    {"panas_strategy": "blind-delta"}, {"panas_strategy": ""}, {},
], ids=range(7))  # fmt: skip
def test_both_ways_read_an_outcome_the_same(post):
    holds_for_record(FRAME | {"post_conversation": post})
