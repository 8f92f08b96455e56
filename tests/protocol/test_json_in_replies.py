"""Claims about finding the JSON object in what a model wrote."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attunebench.protocol.json_reply import find_object, strip_reasoning, without_lone_surrogates

VALUE = {"a": 1}


@pytest.mark.parametrize("text", [
    '{"a": 1}',
    ' \n{"a": 1}\t',
    '\ufeff{"a": 1}',
    '[{"a": 1}]',
    '[{"a": 1}, {"a": 2}]',
    '```json\n{"a": 1}\n```',
    '```\n{"a": 1}\n```',
    '```JSON\r\n{"a": 1}\r\n```',
    '```json\n[{"a": 1}]\n```',
    'Sure!\n```json\n{"a": 1}\n```\nAnything else?',
    '```json {"a": 1} ```',
    '```json\n{"a": 1}',
    'Here it is: {"a": 1}. Good luck!',
    'Here it is: [{"a": 1}]',
    '```python\nprint(1)\n```\n{"a": 1}',
    '```\n5\n```\n{"a": 1}',
    '```json\n{"a": 1}\n```\nor\n```json\n{"a": 2}\n```',
])  # fmt: skip
def test_an_object_is_read_from_every_container(text):
    assert find_object(text) == (VALUE, False)


@pytest.mark.parametrize("text", [
    "{'a': 1}", '{"a": 1,}', '{a: 1}', '{"a": 1', '{"a": 1 // one\n}', "```json\n{'a': 1}\n```",
    "Take {this}:\n```json\n{'a': 1,}\n```\nbye {you}", '{"a": 1}\n{"a": 2}', '{"a": 1} or {"b": 2}',
    '{"a": 1} {you}', 'Both: [{"a": 1}, {"a": 2}]',
])  # fmt: skip
def test_broken_json_is_mended_and_of_several_objects_the_first_counts(text):
    assert find_object(text) == (VALUE, True)


@pytest.mark.parametrize("text", [
    "I would rather not.", "yes", "B1: yes\nB2: no", "[1, 2", '"a": 1', "", "{", "}{", "{}}{",
    "I feel {sad} today", "{ok} then",
])  # fmt: skip
def test_prose_is_no_answer(text):
    assert find_object(text) is None


@settings(deadline=None)
@given(st.text().filter(lambda text: "{" not in text))
def test_text_without_a_brace_is_never_an_object(text):
    found = find_object(text)
    assert found is None or not isinstance(found[0], dict)


@pytest.mark.parametrize(("text", "value"), [
    ("5", 5), ('"a"', "a"), ("null", None), ("true", True), ("[]", []), ("[1]", [1]), ("```\n5\n```", 5),
])  # fmt: skip
def test_json_that_is_no_object_is_returned_if_it_is_all_there_is(text, value):
    assert find_object(text) == (value, False)


@pytest.mark.parametrize("wrap", ["{}", "```json\n{}\n```", "Here: {} So.", "```\n{}\n```\nThat is it."])
@pytest.mark.parametrize("inner", [
    "```", '```json\n{"a": 2}\n```', "a ``` b ``` c", "}", "{", "{}", '"', "\\", "<think>x</think>", "</think>",
    "<think>", 'a </THINK> {"a": 3}',
])  # fmt: skip
def test_fences_braces_and_tags_inside_a_string_are_text(wrap, inner):
    text = wrap.replace("{}", json.dumps({"a": inner}))
    assert find_object(strip_reasoning(text)) == ({"a": inner}, False)
    assert find_object(strip_reasoning('<think>so {"a": 4}</think>' + text)) == ({"a": inner}, False)


@pytest.mark.parametrize(("text", "left"), [
    ("<think>hm</think>\n{}", "{}"),
    ("<THINK>\nhm\n</Think>{}", "{}"),
    ("hm {x}\n</think>{}", "{}"),
    ('so {"a": 2}? </think> {"a": 1}', '{"a": 1}'),
    ("<think>a</think> b <think>c</think>{}", "b {}"),
    ("<think>a <think>b</think> c</think>{}", "{}"),
    ("a</think>b</think>{}", "{}"),
    ("a <think>b</think> c</think>{}", "{}"),
    ("{} <think>was that right?</think>", "{}"),
    ("{} <think>was that", "{}"),
    ("<think>never closed {}", ""),
    ('<think>{"a": 2}</think>', ""),
    ("think> {}", "think> {}"),
    ("  {} ", "{}"),
])  # fmt: skip
def test_reasoning_is_dropped(text, left):
    assert strip_reasoning(text) == left


def test_numbers_of_any_length_are_numbers():
    digits = "9" * 10_000
    for number in (digits, f"-{digits}", f"{digits}.5", "1e999"):
        value, repaired = find_object(f'{{"a": {number}}}')
        assert not repaired
        assert abs(value["a"]) > 1e300
        assert json.loads(json.dumps(value)) == value


@pytest.mark.parametrize("text", [
    "[" * 100_000, "{" * 100_000, '{"a":' * 100_000, '{"a":[' * 100_000, '{"a":"' * 50_000, "```{" * 50_000,
    "<think>" * 100_000, "</think>" * 100_000, "```" + "\n" * 200_000, "```\n" * 50_000, "{" * 10_000 + "</think>",
], ids=lambda text: repr(text[:8]))  # fmt: skip
def test_degenerate_text_is_no_answer_and_costs_little(text):
    start = time.perf_counter()
    assert find_object(strip_reasoning(text)) is None
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(("text", "whole"), [
    ("a\ud800b", "a\ufffdb"), ("\udc00", "\ufffd"), ("\ud83d\ude42", "🙂"), ("\ufeffa\ud83d", "\ufeffa\ufffd"),
    ("a\x00é", "a\x00é"),
])  # fmt: skip
def test_lone_surrogates_are_replaced_and_pairs_joined(text, whole):
    assert without_lone_surrogates(text) == whole


@settings(deadline=None)
@given(st.text())
def test_text_without_surrogates_stays_as_it_is(text):
    assert without_lone_surrogates(text) == text
