"""Claims about the schema of a reply: it is the form that the prompt gives, and what it allows can be read."""

import itertools
import json
import re

import jsonschema
import pytest
from protocol_examples import calls_of, condition, prompt_of, three_turns

from attunebench.baselines import make_baseline
from attunebench.dataset.demo import load_demo
from attunebench.protocol.answers import CallState
from attunebench.protocol.calls import MODES, STRATEGIES, CallKey, planned_calls
from attunebench.protocol.parse import read_reply
from attunebench.protocol.reply_schema import reply_schema

CONDITIONS = list(itertools.product(MODES, STRATEGIES, (False, True)))
DEMO = load_demo().conversations


def keys(schema):
    """All keys of objects in a schema."""
    own = schema.get("properties", {})
    return set(own).union(*map(keys, own.values()), keys(schema["items"]) if "items" in schema else ())


def instance(schema, last):
    """A value that the schema allows: the first or the last of every set of values."""
    match schema["type"]:
        case "object":
            return {name: instance(inner, last) for name, inner in schema["properties"].items()}
        case "array":
            return [instance(schema["items"], last)] * 2
        case _:
            return schema.get("enum", ["some text"])[-1 if last else 0]


def every_call():
    for mode, strategy, swap in CONDITIONS:
        yield from calls_of(three_turns(), mode, strategy, swap=swap).values()


def test_a_schema_has_the_keys_of_the_form_that_the_prompt_gives():
    for call in every_call():
        form = prompt_of(call).rpartition("Form: ")[2]
        assert keys(reply_schema(call)) == set(re.findall(r'"([^"]+)":', form)), call.key


@pytest.mark.parametrize("last", [False, True])
def test_what_a_schema_allows_is_read_with_nothing_dropped_or_missing(last):
    for call in every_call():
        said = instance(reply_schema(call), last)
        reading = read_reply(call, json.dumps(said))
        assert (reading.state, dict(reading.counters)) == (CallState.PARSED, {}), call.key
        if call.key.kind.startswith("pairwise"):
            assert list(reading.answer.selections) == list(call.asked.sides)
        if call.key == CallKey(1, "perspective"):
            assert list(reading.answer.observed) == list(reading.answer.preferred) == ["B1"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_valid_answer_to_everything_meets_its_schema(strategy):
    drawn = make_baseline("random", DEMO)
    for one in DEMO:
        for call in planned_calls(one, condition(strategy=strategy, swap=True)):
            if call.key.kind != "review" or call.asked.yes_no:  # else it says {} to what was not asked
                jsonschema.validate(json.loads(drawn.reply(one, call)), reply_schema(call))


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ((1, "draft"), {}),
        ((1, "draft"), {"drafted_response": "a", "mood": "b"}),
        ((1, "review"), {"emotion_tags": [], "binary_om_assessment": {}, "binary_human_prediction": {}}),
        ((2, "review"), {"emotion_tags": [{"emotion": "Joyful", "intensity": 3}]}),
        ((2, "review"), {"emotion_tags": [{"emotion": "Proud", "intensity": 8}]}),
        ((1, "perspective"), {"binary_om_assessment": {"B1": "na"}, "binary_human_prediction": {"B1": "yes"}}),
        ((1, "pairwise"), {"pairwise_selections": {"0": "original"}}),
        ((1, "pairwise"), {"pairwise_selections": {"0": "A", "1": "A"}}),
        ((None, "outcome"), {"predicted_post_panas": {}, "conversation_wide": {}}),
    ],
)
def test_what_was_not_asked_for_or_is_missing_breaks_the_schema(key, said):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(said, reply_schema(calls_of(three_turns())[key]))
