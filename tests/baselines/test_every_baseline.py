"""Claims that hold for all baselines: every reply is an answer, and only to what was asked."""

import pytest
from baseline_examples import call, condition, conversation, full, said, turn

from attunebench.baselines import BASELINES, answer_calls, answer_conversation, make_baseline
from attunebench.baselines.replies import write_reply
from attunebench.errors import UsageError
from attunebench.protocol.answers import (
    CallState,
    DraftAnswer,
    JudgementAnswers,
    OutcomeAnswer,
    PairwiseAnswer,
    PanasAnswer,
    Parsed,
    ReviewAnswer,
    Tag,
)
from attunebench.protocol.calls import STRATEGIES
from attunebench.protocol.parse import read_reply
from attunebench.protocol.prompts import load_prompts
from attunebench.protocol.render import conversation_calls

PROMPTS = load_prompts()
DATA = [full("a", "p1"), full("b", "p2"), full("c"), conversation("bare", turn(7, judged={"B1": (None, None)}))]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", BASELINES)
def test_every_reply_to_every_call_is_parsed_with_nothing_dropped(name, strategy):
    baseline = make_baseline(name, DATA)
    for one in DATA:
        for asked in conversation_calls(one, condition(PROMPTS, strategy), PROMPTS):
            reading = read_reply(asked, baseline.reply(one, asked))
            assert (reading.state, dict(reading.counters)) == (CallState.PARSED, {}), asked.key


@pytest.mark.parametrize("name", BASELINES)
def test_replies_are_parsed_too_where_the_data_set_holds_nobody_else(name):
    alone = full("a")
    for data in ([], [alone]):
        record = answer_conversation(make_baseline(name, data), alone, condition(PROMPTS), PROMPTS)
        assert {end.state for end in record.calls} == {"parsed"}


@pytest.mark.parametrize("name", BASELINES)
def test_only_the_questions_and_comparisons_asked_are_answered(name):
    baseline = make_baseline(name, DATA)
    for kind in ("review", "perspective"):
        reply = said(baseline, DATA[0], kind)
        for key in ("binary_om_assessment", "binary_human_prediction"):
            assert set(reply[key]) <= {"B1", "B2", "B4"}
    assert set(said(baseline, DATA[0], "pairwise")["pairwise_selections"]) <= {"0", "1"}


@pytest.mark.parametrize("name", BASELINES)
def test_replies_do_not_depend_on_the_order_of_the_data_set_or_of_the_calls(name):
    forth, back = make_baseline(name, DATA), make_baseline(name, DATA[::-1])
    asked = [(one, c) for one in DATA for c in conversation_calls(one, condition(PROMPTS), PROMPTS)]
    replies = [forth.reply(one, c) for one, c in asked]
    assert replies == [back.reply(one, c) for one, c in reversed(asked)][::-1]


@pytest.mark.parametrize("name", BASELINES)
def test_the_record_names_the_baseline_as_its_model(name):
    baseline = make_baseline(name, DATA)
    record = answer_conversation(baseline, DATA[0], condition(PROMPTS), PROMPTS)
    assert (baseline.name, record.em_model) == (name, f"baseline/{name}")
    assert [one.turn_number for one in record.turns] == [1, 2]
    calls = conversation_calls(DATA[0], condition(PROMPTS), PROMPTS)
    assert answer_calls(baseline, DATA[0], calls, condition(PROMPTS)) == record


def test_an_unknown_name_is_refused_with_the_names_there_are():
    with pytest.raises(UsageError, match="null, random, majority, lexicon, oracle, got 'best'"):
        make_baseline("best", DATA)


def test_null_says_nothing_in_the_right_form():
    null = make_baseline("null", DATA)
    nothing = {"binary_om_assessment": {}, "binary_human_prediction": {}}
    assert said(null, DATA[0], "draft") == {"drafted_response": ""}
    assert said(null, DATA[0], "review") == {"emotion_tags": [], **nothing}
    assert said(null, DATA[0], "perspective") == nothing
    assert said(null, DATA[0], "pairwise") == {"pairwise_selections": {}}
    assert said(null, DATA[0], "outcome", strategy="delta") == {
        "predicted_panas_delta": {},
        "conversation_wide": {
            "q1_lookingFor": [],
            "q2_emotionClarity": "",
            "q3_modelFit": "",
            "q3_followUp_whatFeltOff": [],
            "fourBranchScores": {},
        },
    }


@pytest.mark.parametrize(
    ("kind", "answer"),
    [
        ("draft", DraftAnswer("a </think> b <think> ```json {} ``` é\u2028")),
        ("review", ReviewAnswer((Tag("Upset", None), Tag("Upset", 7)), JudgementAnswers({"B1": "na"}, {"B4": "yes"}))),
        ("perspective", JudgementAnswers({"B1": "yes", "B2": "no"}, {})),
        ("pairwise", PairwiseAnswer({"1": "B"})),
        ("outcome", OutcomeAnswer(PanasAnswer({"Proud": 2.5}, 11, 70), (), None, "?", ("a", "b"), {"managing": 1.5})),
        ("outcome", OutcomeAnswer(PanasAnswer(), None, None, None, None, {})),
    ],
)
def test_reading_is_the_inverse_of_writing(kind, answer):
    assert read_reply(call(DATA[0], kind), write_reply(answer)) == Parsed(answer)
