"""Claims about reading replies: every call ends in one state, and what is dropped is counted."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from protocol_examples import a_call, read

from attunebench.instrument import BRANCHES, EMOTION_WORDS
from attunebench.protocol.answers import (
    ASKED_AGAIN,
    CallState,
    DraftAnswer,
    Failed,
    JudgementAnswers,
    OutcomeAnswer,
    PairwiseAnswer,
    PanasAnswer,
    Parsed,
    ReviewAnswer,
    Tag,
)
from attunebench.protocol.calls import CALL_KINDS
from attunebench.protocol.parse import read_reply

DRAFT = '{"drafted_response": "I hear you."}'
STOPS = ("stop", "length", "refused", "context_overflow", "other")
YES_NO = {"binary_om_assessment": {"B1": "yes"}, "binary_human_prediction": {"B1": "no"}}
OUTCOME = {"predicted_post_panas": {}, "conversation_wide": {}}


def review(tags, **other):
    return read("review", {"emotion_tags": tags} | other, yes_no=())


def observed(answers, **asked):
    return read("perspective", {"binary_om_assessment": answers, "binary_human_prediction": {}}, **asked)


def selected(selections, **asked):
    return read("pairwise", {"pairwise_selections": selections}, **asked)


def panas(items, strategy="absolute"):
    key = "predicted_post_panas" if strategy == "absolute" else "predicted_panas_delta"
    return read("outcome", {key: items, "conversation_wide": {}}, strategy=strategy)


def wide(answers):
    return read("outcome", {"predicted_post_panas": {}, "conversation_wide": answers})


# States


@pytest.mark.parametrize(("text", "stop", "state"), [
    (DRAFT, "stop", CallState.PARSED),
    (DRAFT, "other", CallState.PARSED),
    ("{'drafted_response': 'hi'}", "stop", CallState.REPAIRED),
    ("I hear you.", "stop", CallState.UNPARSEABLE),
    ("{}", "stop", CallState.SCHEMA_MISMATCH),
    ('"hello"', "stop", CallState.SCHEMA_MISMATCH),
    ("5", "stop", CallState.SCHEMA_MISMATCH),
    ("null", "stop", CallState.SCHEMA_MISMATCH),
    ("[]", "stop", CallState.SCHEMA_MISMATCH),
    ("[5, {}]", "stop", CallState.SCHEMA_MISMATCH),
    ("", "stop", CallState.EMPTY),
    (" \n\t", "stop", CallState.EMPTY),
    ("<think>hm</think>", "stop", CallState.EMPTY),
    ("hm</think> ", "stop", CallState.EMPTY),
    (DRAFT, "length", CallState.TRUNCATED),
    ("", "length", CallState.TRUNCATED),
    (DRAFT, "refused", CallState.REFUSED),
    ("", "refused", CallState.REFUSED),
    (DRAFT, "context_overflow", CallState.CONTEXT_OVERFLOW),
    ("", "context_overflow", CallState.CONTEXT_OVERFLOW),
])  # fmt: skip
def test_a_call_ends_in_one_state(text, stop, state):
    reading = read_reply(a_call("draft"), text, stop)
    assert reading.state is state
    assert isinstance(reading, Parsed) == state.is_answer == (state in {CallState.PARSED, CallState.REPAIRED})


def test_only_bad_text_is_asked_again():
    assert {"unparseable", "schema_mismatch", "empty", "truncated"} == ASKED_AGAIN


def test_a_failure_says_what_was_missing_and_what_came():
    assert read("draft", {"reply": "hi", "x": 1}).reason == "the reply must have the key drafted_response, got reply, x"
    assert read("draft", "{}").reason == "the reply must have the key drafted_response, got none"
    assert read("draft", {"drafted_response": [1]}).reason == "drafted_response must be a text, got list"
    assert read("draft", "[1]").reason == "the reply must be a JSON object, got list"


def test_a_reason_is_short_and_can_be_written_whatever_the_keys_were():
    reading = read("draft", {"\ud800 key": 1} | {f"k{n}": n for n in range(10_000)})
    assert len(reading.reason) < 300
    reading.reason.encode()


@pytest.mark.parametrize(("kind", "key"), [
    ("draft", "drafted_response"), ("review", "emotion_tags"), ("review", "binary_om_assessment"),
    ("review", "binary_human_prediction"), ("perspective", "binary_om_assessment"),
    ("perspective", "binary_human_prediction"), ("pairwise", "pairwise_selections"),
    ("outcome", "predicted_post_panas"), ("outcome", "conversation_wide"),
])  # fmt: skip
def test_each_needed_key_must_be_there_and_of_its_type(kind, key):
    good = {
        "draft": {"drafted_response": ""},
        "review": {"emotion_tags": []} | YES_NO,
        "perspective": YES_NO,
        "pairwise": {"pairwise_selections": {}},
        "outcome": OUTCOME,
    }[kind]
    assert read(kind, good).state is CallState.PARSED
    assert read(kind, {name: value for name, value in good.items() if name != key}).state is CallState.SCHEMA_MISMATCH
    for wrong in (None, 1, 1.5, True, "text", ["a"], {"a": 1}):
        if type(wrong) is not type(good[key]):
            assert read(kind, good | {key: wrong}).state is CallState.SCHEMA_MISMATCH, wrong


@pytest.mark.parametrize(("strategy", "key"), [("absolute", "predicted_panas_delta"), ("delta", "predicted_post_panas"),
    ("blind_delta", "predicted_post_panas")])  # fmt: skip
def test_the_other_strategy_s_key_is_no_answer(strategy, key):
    reading = read("outcome", {key: {}, "conversation_wide": {}}, strategy=strategy)
    assert reading.state is CallState.SCHEMA_MISMATCH


def test_replies_with_nothing_in_them_are_answers():
    nothing = JudgementAnswers({}, {})
    assert read("draft", {"drafted_response": ""}) == Parsed(DraftAnswer(""))
    empty = {"emotion_tags": [], "binary_om_assessment": {}, "binary_human_prediction": {}}
    assert read("review", empty) == Parsed(ReviewAnswer((), nothing))
    assert read("perspective", empty) == Parsed(nothing)
    assert read("pairwise", {"pairwise_selections": {}}) == Parsed(PairwiseAnswer({}))
    assert read("outcome", OUTCOME) == Parsed(OutcomeAnswer(PanasAnswer(), None, None, None, None, {}))


def test_a_review_that_asked_no_questions_needs_no_judgements():
    assert review([]) == Parsed(ReviewAnswer((), JudgementAnswers()))


def test_answers_to_questions_nobody_asked_are_counted_in_such_a_review_too():
    assert review([], **YES_NO) == Parsed(ReviewAnswer((), JudgementAnswers()), counters={"unasked": 2})


# Drafts


def test_reasoning_is_kept_where_it_is_a_text():
    assert read("draft", {"drafted_response": "a", "response_reasoning": "b"}).answer == DraftAnswer("a", "b")
    assert read("draft", {"drafted_response": "a", "response_reasoning": 5}).answer == DraftAnswer("a")
    assert review([], emotion_reasoning="c").answer.reasoning == "c"


def test_lone_surrogates_of_a_draft_are_replaced_and_everything_else_kept():
    text = r'{"drafted_response": "a\ud800b \ud83d\ude42 \u0000 \n ", "response_reasoning": "\udfff"}'
    assert read("draft", text).answer == DraftAnswer("a\ufffdb 🙂 \x00 \n ", "\ufffd")


# Emotions


@pytest.mark.parametrize(("tag", "tags", "counters"), [
    ({"emotion": "proud", "intensity": 3}, [("Proud", 3)], {}),
    ({"emotion": "  JITTERY ", "intensity": "4"}, [("Jittery", 4)], {}),
    ({"emotion": "Proud"}, [("Proud", None)], {}),
    ("Proud", [("Proud", None)], {}),
    ({"emotion": "Proud", "intensity": None}, [("Proud", None)], {}),
    ({"emotion": "Proud", "intensity": "None"}, [("Proud", None)], {}),
    ({"emotion": "Proud", "intensity": "moderate"}, [("Proud", 4)], {}),
    ({"emotion": "Proud", "intensity": "very"}, [("Proud", None)], {"invalid_intensity": 1}),
    ({"emotion": "Proud", "intensity": [3]}, [("Proud", None)], {"invalid_intensity": 1}),
    ({"emotion": "Proud", "intensity": True}, [("Proud", None)], {"invalid_intensity": 1}),
    ({"emotion": "Proud", "intensity": 0}, [("Proud", 1)], {"clamped": 1}),
    ({"emotion": "Proud", "intensity": "9"}, [("Proud", 7)], {"clamped": 1}),
    ({"emotion": "Proud", "intensity": 10**400}, [("Proud", 7)], {"clamped": 1}),
    ({"emotion": "Proud", "intensity": 7.4}, [("Proud", 7)], {}),
    ({"emotion": "Proud", "intensity": 5.6}, [("Proud", 6)], {}),
    ({"emotion": "neutral", "intensity": 3}, [], {}),
    ({"emotion": " Neutral/No Change "}, [], {}),
    ("no change", [], {}),
    ({"emotion": "Happy", "intensity": 9}, [], {"invalid_emotion": 1}),
    ({"emotion": ""}, [], {"invalid_emotion": 1}),
    ({"emotion": 5}, [], {"invalid_emotion": 1}),
    ({"feeling": "Proud"}, [], {"invalid_emotion": 1}),
    (5, [], {"invalid_emotion": 1}),
    (None, [], {"invalid_emotion": 1}),
])  # fmt: skip
def test_emotions_are_the_20_words_with_readable_intensities(tag, tags, counters):
    reading = review([tag])
    assert reading.answer.emotions == tuple(Tag(*each) for each in tags)
    assert reading.counters == counters


def test_repeats_are_kept_and_every_counter_adds_up():
    reading = review(
        ["Joy", {"emotion": "Upset", "intensity": 8}, "neutral", {"emotion": "upset", "intensity": 2}, "Sad"]
    )
    assert reading.answer.emotions == (Tag("Upset", 7), Tag("Upset", 2))
    assert reading.counters == {"invalid_emotion": 2, "clamped": 1}


# Yes/no


@pytest.mark.parametrize(("raw", "answer"), [
    ("yes", "yes"), (" YES ", "yes"), ("y", "yes"), (True, "yes"), (1, "yes"), ("1", "yes"), ("true", "yes"),
    ("no", "no"), ("N", "no"), (False, "no"), (0, "no"), ("na", "na"), ("N/A", "na"), ("not_applicable", "na"),
])  # fmt: skip
def test_yes_no_answers_are_read_as_in_a_data_set(raw, answer):
    assert observed({"B1": raw}) == Parsed(JudgementAnswers({"B1": answer}, {}))


@pytest.mark.parametrize("raw", ["maybe", "", 2, ["yes"], {"answer": "yes"}])
def test_an_answer_that_cannot_be_read_is_none_and_counted(raw):
    assert observed({"B1": raw}) == Parsed(JudgementAnswers({}, {}), counters={"unreadable": 1})


def test_a_null_is_a_missing_answer():
    assert observed({"B1": None}) == Parsed(JudgementAnswers({}, {}))
    assert selected({"0": None}) == Parsed(PairwiseAnswer({}))


def test_ids_that_were_not_asked_are_dropped_and_counted():
    value = {"binary_om_assessment": {"B1": "yes", "B99": "no"}, "binary_human_prediction": {"B18": "yes"}}
    assert read("perspective", value) == Parsed(JudgementAnswers({"B1": "yes"}, {}), counters={"unasked": 2})


def test_ids_are_known_in_any_letter_case_but_their_own_spelling_wins():
    assert observed({" b1 ": "yes"}).answer.observed == {"B1": "yes"}
    assert observed({"b1": "yes", "B1": "no"}, yes_no=("B1", "b1")).answer.observed == {"b1": "yes", "B1": "no"}


# Pairwise


@pytest.mark.parametrize(("raw", "letter"), [
    ("A", "A"), ("b", "B"), (" a ", "A"), ("response_1", "A"), ("Response_2", "B"),
    ("original", "A"), ("alternate", "B"), ("alternate1", "B"), ("ALTERNATE1", "B"),
])  # fmt: skip
def test_a_side_is_a_letter_or_the_label_that_stands_under_it(raw, letter):
    assert selected({"0": raw}) == Parsed(PairwiseAnswer({"0": letter}))


@pytest.mark.parametrize("raw", ["human", "alternate2"])
def test_a_label_is_looked_up_in_its_own_comparison(raw):
    assert selected({"1": raw}) == Parsed(PairwiseAnswer({"1": "A"}))
    assert selected({"0": raw}) == Parsed(PairwiseAnswer({}), counters={"unreadable": 1})


@pytest.mark.parametrize("raw", ["C", "", "both", 0, True, ["A"], {"winner": "A"}])
def test_a_side_that_cannot_be_read_is_none_and_counted(raw):
    assert selected({"0": raw}) == Parsed(PairwiseAnswer({}), counters={"unreadable": 1})


def test_a_label_that_stands_on_both_sides_is_no_choice():
    same = {"0": {"A": "original", "B": "original"}}
    assert selected({"0": "original"}, sides=same).counters == {"unreadable": 1}
    assert selected({"0": "B"}, sides=same).answer.selections == {"0": "B"}


def test_unknown_indices_are_dropped_and_counted():
    assert selected({"0": "A", " 1 ": "B", "2": "A", "x": "B"}) == Parsed(
        PairwiseAnswer({"0": "A", "1": "B"}), counters={"unasked": 2}
    )


# Outcome


@pytest.mark.parametrize(("strategy", "low", "high"), [("absolute", 1, 7), ("delta", -6, 6), ("blind_delta", -6, 6)])
def test_items_are_clamped_to_the_range_of_their_strategy(strategy, low, high):
    reading = panas({"Proud": high + 1, "upset": low - 1, " ALERT ": "2", "Active": 2.5, "Strong": 10**400}, strategy)
    assert reading.answer.panas.items == {"Proud": high, "Upset": low, "Alert": 2, "Active": 2.5, "Strong": high}
    assert reading.counters == {"clamped": 3}


def test_a_zero_or_negative_change_is_in_range():
    reading = panas({"Proud": 0, "Upset": -6, "Alert": "+3", "Active": "-2"}, "delta")
    assert reading == Parsed(
        OutcomeAnswer(PanasAnswer({"Proud": 0, "Upset": -6, "Alert": 3, "Active": -2}), None, None, None, None, {})
    )


@pytest.mark.parametrize("raw", ["high", True, [3], {"value": 3}, float("nan")])
def test_a_number_that_cannot_be_read_is_left_out_and_counted(raw):
    reading = panas({"Proud": raw, "Alert": 3})
    assert (reading.answer.panas.items, reading.counters) == ({"Alert": 3}, {"unreadable": 1})


def test_nulls_and_unknown_items_are_left_out():
    reading = panas({"Proud": None, "Joyful": 3, "Alert": 3})
    assert (reading.answer.panas.items, reading.counters) == ({"Alert": 3}, {})


def test_items_are_read_one_level_down_too():
    assert panas({"items": {"proud": 3}}).answer.panas.items == {"Proud": 3}


@pytest.mark.parametrize("raw", [[], [3], "none", 5])
def test_items_of_the_wrong_type_are_dropped_and_do_not_hide_the_others(raw):
    reading = panas({"Proud": 3, "items": raw, "responses": {"Alert": 2}})
    assert (reading.answer.panas.items, reading.counters) == ({"Proud": 3, "Alert": 2}, {"unreadable": 1})


def test_totals_are_kept_if_the_model_gave_them():
    given = panas({"totalPositiveAffect": 30, "totalnegativeaffect": "9"})
    assert given.answer.panas == PanasAnswer({}, 30, 10)
    assert given.counters == {"clamped": 1}
    change = panas({"totalPositiveAffect": -70, "totalNegativeAffect": 5}, "delta")
    assert change.answer.panas == PanasAnswer({}, -60, 5)
    assert panas({"Proud": 3}).answer.panas == PanasAnswer({"Proud": 3}, None, None)


@pytest.mark.parametrize(("raw", "texts", "unreadable"), [
    (["a", "b"], ("a", "b"), 0), ("a", ("a",), 0), ([], (), 0), ("", (), 0), (" ", (), 0), (None, None, 0),
    (["a", 5], ("a",), 1), (5, None, 1), ([5, None], None, 2), ({"a": 1}, None, 1), (["\ud800"], ("\ufffd",), 0),
])  # fmt: skip
@pytest.mark.parametrize("name", ["q1_lookingFor", "q3_followUp_whatFeltOff"])
def test_lists_of_texts(name, raw, texts, unreadable):
    reading = wide({name: raw})
    answer = {"q1_lookingFor": reading.answer.looking_for, "q3_followUp_whatFeltOff": reading.answer.what_felt_off}
    assert answer[name] == texts
    assert reading.counters.get("unreadable", 0) == unreadable


def test_single_texts():
    reading = wide({"q2_emotionClarity": "Clear", "q3_modelFit": ["Mostly"]})
    assert (reading.answer.emotion_clarity, reading.answer.model_fit) == ("Clear", None)
    assert reading.counters == {"unreadable": 1}


def test_branches_are_clamped_and_unknown_ones_dropped():
    scores = {"Perceiving": 8, "facilitating": "3", "managing": None, "understanding": "well", "charm": 3}
    reading = wide({"fourBranchScores": scores})
    assert reading.answer.branches == {"perceiving": 7, "facilitating": 3}
    assert reading.counters == {"clamped": 1, "unreadable": 1}
    assert wide({"fourBranchScores": [3]}) == Parsed(read("outcome", OUTCOME).answer, counters={"unreadable": 1})


# Whatever a model may write

CALLS = [a_call(kind, strategy=strategy) for kind in CALL_KINDS for strategy in ("absolute", "delta")]
KEYS = ["drafted_response", "emotion_tags", "emotion", "intensity", "B1", "0", "pairwise_selections", *YES_NO, *OUTCOME]
KEYS += ["predicted_panas_delta", "fourBranchScores", "perceiving", "q1_lookingFor", "Proud", "items", "responses"]
ANY_TEXT = st.text(st.characters(categories=None))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT | st.sampled_from(KEYS),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(KEYS) | st.text(), inner),
    max_leaves=8,
)  # fmt: skip
PIECES = [
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    ":",
    ",",
    "```",
    "```json\n",
    "\n",
    "<think>",
    "</think>",
    "null",
    "1e999",
    "\\u",
    "//",
]
MESSY = st.lists(st.sampled_from([*PIECES, *KEYS]) | st.text(st.characters(categories=None), max_size=3)).map("".join)


@settings(deadline=None)
@given(call=st.sampled_from(CALLS), text=ANY_TEXT | MESSY, stop=st.sampled_from(STOPS))
def test_no_text_makes_reading_fail(call, text, stop):
    assert isinstance(read_reply(call, text, stop), Parsed | Failed)


@settings(deadline=None)
@given(call=st.sampled_from(CALLS), value=JSON | st.dictionaries(st.sampled_from(KEYS), JSON))
def test_no_json_makes_reading_fail(call, value):
    assert isinstance(read_reply(call, json.dumps(value)), Parsed | Failed)


def test_deep_nesting_and_long_numbers_are_no_trouble():
    deep = "[" * 5000 + "]" * 5000
    for call in CALLS:
        for value in (deep, "9" * 10_000, "-1e999"):
            for key in KEYS:
                assert isinstance(read_reply(call, f'{{"{key}": {value}}}'), Parsed | Failed)
                assert isinstance(read_reply(call, f'{{"binary_om_assessment": {{"B1": {value}}}, "{key}": {{}}}}'),
                    Parsed | Failed)  # fmt: skip


TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(
    ["</think>", "```\n{}\n```", "<think>", "{", "}"]
)
LETTERS = st.dictionaries(st.sampled_from(["0", "1"]), st.sampled_from("AB"))
JUDGED = st.dictionaries(st.sampled_from(["B1", "B13"]), st.sampled_from(["yes", "no", "na"]))
TAGS = st.lists(st.builds(Tag, st.sampled_from(EMOTION_WORDS), st.none() | st.integers(1, 7))).map(tuple)
JUDGEMENTS = st.builds(JudgementAnswers, JUDGED, JUDGED)
TEXTS = st.none() | st.lists(TEXT).map(tuple)
CONTAINERS = [
    "{}", "```json\n{}\n```", "```\n{}\n```", "Here you are: {} Done.", "[{}]", "<think>Say {{ \"a\" }}?</think>{}",
    "So {{x}}?</think>\n{}", "<think>hm</think>```json\n{}\n```",
]  # fmt: skip


def numbers(names, low, high):
    return st.dictionaries(st.sampled_from(names), st.integers(low, high) | st.floats(low, high))


def outcomes(low, high):
    panas = st.builds(PanasAnswer, numbers(EMOTION_WORDS, low, high))
    return st.builds(OutcomeAnswer, panas, TEXTS, st.none() | TEXT, st.none() | TEXT, TEXTS, numbers(BRANCHES, 1, 7))


def in_container(container, value):
    return container.replace("{{", "{").replace("}}", "}").replace("{}", json.dumps(value), 1)


def yes_no_form(answers):
    return {"binary_om_assessment": dict(answers.observed), "binary_human_prediction": dict(answers.preferred)}


def outcome_form(answer, key):
    return {
        key: dict(answer.panas.items),
        "conversation_wide": {
            "q1_lookingFor": answer.looking_for,
            "q2_emotionClarity": answer.emotion_clarity,
            "q3_modelFit": answer.model_fit,
            "q3_followUp_whatFeltOff": answer.what_felt_off,
            "fourBranchScores": dict(answer.branches),
        },
    }


@pytest.mark.parametrize("container", CONTAINERS)
@settings(deadline=None)
@given(data=st.data())
def test_a_valid_answer_reads_back_equal_from_every_container(container, data):
    kind = data.draw(st.sampled_from([*CALL_KINDS, "delta"]))
    if kind == "draft":
        answer = data.draw(st.builds(DraftAnswer, TEXT, st.none() | TEXT))
        value = {"drafted_response": answer.drafted_response, "response_reasoning": answer.reasoning}
    elif kind == "review":
        answer = data.draw(st.builds(ReviewAnswer, TAGS, JUDGEMENTS, st.none() | TEXT))
        tags = [{"emotion": tag.emotion, "intensity": tag.intensity} for tag in answer.emotions]
        value = {"emotion_tags": tags, "emotion_reasoning": answer.reasoning} | yes_no_form(answer.judgements)
    elif kind == "perspective":
        answer = data.draw(JUDGEMENTS)
        value = yes_no_form(answer)
    elif kind in {"pairwise", "pairwise_swapped"}:
        answer = data.draw(st.builds(PairwiseAnswer, LETTERS))
        value = {"pairwise_selections": dict(answer.selections)}
    elif kind == "outcome":
        answer = data.draw(outcomes(1, 7))
        value = outcome_form(answer, "predicted_post_panas")
    else:
        answer = data.draw(outcomes(-6, 6))
        value = outcome_form(answer, "predicted_panas_delta")
    call = a_call("outcome", strategy="delta") if kind == "delta" else a_call(kind)
    assert read_reply(call, in_container(container, value)) == Parsed(answer)
