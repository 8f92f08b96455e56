"""Claims about reading a judge's reply: a rating is a number from 1 to 7 or the reply is not of the form."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attunebench.protocol.answers import RATINGS, CallState, Failed, JudgeAnswer
from attunebench.protocol.judge import JudgeAsked, read_judgement
from judges import verdict

ALL = JudgeAsked(rates=True, yes_no=("B1", "B13"))
RATED = JudgeAsked(rates=True, yes_no=())
ASKED = JudgeAsked(rates=False, yes_no=("B1", "B13"))


def ratings(**changes):
    return dict.fromkeys(RATINGS, 4) | changes


def test_ratings_and_answers_are_read():
    reading = read_judgement(ALL, verdict(5, B1="yes", B13="no"))
    assert reading.answer == JudgeAnswer(dict.fromkeys(RATINGS, 5), {"B1": "yes", "B13": "no"})
    assert (reading.state, reading.counters) == (CallState.PARSED, {})


@pytest.mark.parametrize("value", [1, 7, 1.0, 6.5, 2])
def test_numbers_from_1_to_7_are_kept_as_they_are(value):
    assert read_judgement(RATED, json.dumps(ratings(helpfulness=value))).answer.ratings["helpfulness"] == value


@pytest.mark.parametrize("name", RATINGS)
@pytest.mark.parametrize(
    "value",
    [
        *("0", "0.99", "7.01", "8", "-3", "1e400", "-1e400", "9" * 400, "NaN", "Infinity"),
        *("null", "true", '"5"', '"high"', "[5]", "{}"),
    ],
)
def test_any_other_rating_is_a_mismatch_that_names_it_and_is_never_clamped(name, value):
    text = json.dumps(ratings(**{name: "HERE"})).replace('"HERE"', value)
    reading = read_judgement(RATED, text)
    assert isinstance(reading, Failed)
    assert reading.state is CallState.SCHEMA_MISMATCH
    assert reading.reason.startswith(f"{name} must be a number from 1 to 7, got ")
    assert len(reading.reason) < 100


@pytest.mark.parametrize("name", RATINGS)
def test_no_rating_may_be_missing(name):
    given = {key: 4 for key in RATINGS if key != name}
    reading = read_judgement(RATED, json.dumps(given))
    assert reading.state is CallState.SCHEMA_MISMATCH
    assert f"must have the key {name}" in reading.reason


def test_ratings_that_were_not_asked_for_are_dropped_and_counted():
    reading = read_judgement(ASKED, verdict(9, B1="yes"))
    assert reading.answer == JudgeAnswer({}, {"B1": "yes"})
    assert reading.counters == {"unasked": 4}


def test_answers_may_be_incomplete_but_not_absent():
    assert read_judgement(ASKED, '{"binary_assessment": {}}').answer == JudgeAnswer({}, {})
    for text in ("{}", json.dumps(ratings()), '{"binary_assessment": ["yes"]}', '{"binary_assessment": null}'):
        assert read_judgement(ASKED, text).state is CallState.SCHEMA_MISMATCH


def test_answers_are_read_as_everywhere_else():
    found = {"b1": "Y", " B13 ": "N/A", "B99": "no", "B18": {}}
    reading = read_judgement(ASKED, json.dumps({"binary_assessment": found}))
    assert reading.answer.behaviours == {"B1": "yes", "B13": "na"}
    assert reading.counters == {"unasked": 2}
    reading = read_judgement(ASKED, json.dumps({"binary_assessment": {"B1": "maybe", "B13": None}}))
    assert (reading.answer.behaviours, reading.counters) == ({}, {"unreadable": 1})


def test_answers_where_nothing_was_asked_are_dropped_and_counted():
    reading = read_judgement(RATED, json.dumps(ratings(binary_assessment={"B1": "yes"})))
    assert (reading.answer.behaviours, reading.counters) == ({}, {"unasked": 1})
    assert read_judgement(RATED, json.dumps(ratings(binary_assessment="none"))).state is CallState.PARSED


@pytest.mark.parametrize(
    ("text", "stop", "state"),
    [
        ("", "stop", "empty"),
        ("<think>7 7 7 7</think>", "stop", "empty"),
        ("I would give it a 7.", "stop", "unparseable"),
        ("7", "stop", "schema_mismatch"),
        (verdict(5), "length", "truncated"),
        (verdict(5), "refused", "refused"),
        ("", "context_overflow", "context_overflow"),
        ("<think>{}</think>```json\n" + verdict(5) + "\n```", "stop", "parsed"),
        (verdict(5)[:-1], "stop", "repaired"),
        (f"[{verdict(5)}]", "stop", "parsed"),
    ],
)
def test_states_are_those_of_every_call(text, stop, state):
    assert read_judgement(RATED, text, stop).state == state


@given(st.text(), st.sampled_from([ALL, RATED, ASKED]))
def test_no_text_makes_reading_fail(text, asked):
    read_judgement(asked, text)
    read_judgement(asked, f'{{"overall_score": {text}}}')
