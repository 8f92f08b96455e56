"""Claims about the messages of a conversation's calls: they follow from the data alone."""

import inspect
import itertools
import re

import pytest
from protocol_examples import (
    ALTERNATES,
    EMOTIONS_ONLY,
    FULL,
    PROFILE,
    PROMPTS,
    calls_of,
    comparison,
    condition,
    conversation,
    judgement,
    prompt_of,
    three_turns,
    turn,
)

from attunebench.protocol.calls import MODES, STRATEGIES, CallKey
from attunebench.protocol.render import conversation_calls

EVERYWHERE = list(itertools.product(MODES, STRATEGIES))
OUTCOME = CallKey(None, "outcome")
OMNISCIENT = ("omniscient", "verbose_omniscient")
VERBOSE = ("verbose", "verbose_omniscient")


@pytest.mark.parametrize(("mode", "strategy"), EVERYWHERE)
def test_a_turn_has_as_many_calls_as_it_has_questions_and_the_conversation_one_more(mode, strategy):
    assert list(calls_of(three_turns(), mode, strategy)) == [
        (1, "draft"), (1, "review"), (1, "perspective"), (1, "pairwise"),
        (2, "draft"), (2, "review"),
        (3, "draft"), (3, "review"), (3, "pairwise"),
        (None, "outcome"),
    ]  # fmt: skip


def test_n_turns_with_every_question_make_4n_plus_1_calls():
    turns = [{**FULL, "turnNumber": number} for number in range(1, 6)]
    assert len(calls_of(conversation(*turns))) == 21
    assert list(calls_of(conversation())) == [OUTCOME]


@pytest.mark.parametrize(("mode", "strategy"), EVERYWHERE)
def test_every_call_is_the_thread_so_far_and_its_own_prompt(mode, strategy):
    calls = calls_of(three_turns(), mode, strategy)
    thread = [("system", PROMPTS.render("system"))]
    for key, call in calls.items():
        sent = [(message.role, message.content) for message in call.messages]
        assert sent[:-1] == thread
        assert sent[-1][0] == "user"
        if key.kind in {"draft", "review"}:
            thread += [sent[-1], ("assistant", "(on record)")]


@pytest.mark.parametrize(("mode", "strategy"), EVERYWHERE)
def test_roles_alternate_after_the_system_message(mode, strategy):
    for call in calls_of(three_turns(), mode, strategy).values():
        roles = [message.role for message in call.messages]
        assert roles == ["system", *["user", "assistant"] * ((len(roles) - 2) // 2), "user"]


def test_the_outcome_sees_two_prompts_a_turn():
    assert len(calls_of(three_turns())[OUTCOME].messages) == 1 + 4 * 3 + 1


def test_there_is_no_way_for_a_reply_to_come_in():
    assert list(inspect.signature(conversation_calls).parameters) == ["conversation", "condition", "prompts"]
    again = [conversation_calls(three_turns(), condition(), PROMPTS) for _ in range(2)]
    assert again[0] == again[1]


def test_turns_are_asked_by_number_and_not_by_their_place_in_the_file():
    assert calls_of(conversation(EMOTIONS_ONLY, FULL)) == calls_of(conversation(FULL, EMOTIONS_ONLY))


def test_a_call_says_what_its_reply_is_read_by():
    calls = calls_of(three_turns(), strategy="delta")
    assert calls[1, "review"].asked.yes_no == calls[1, "perspective"].asked.yes_no == ("B1",)
    assert calls[2, "review"].asked.yes_no == ()
    assert calls[1, "pairwise"].asked.sides == {"0": {"A": "human", "B": "original"}}
    assert calls[OUTCOME].asked.panas == "delta"


@pytest.mark.parametrize(("mode", "strategy"), EVERYWHERE)
def test_only_verbose_modes_ask_for_reasoning(mode, strategy):
    calls = calls_of(three_turns(), mode, strategy)
    for key, call in calls.items():
        named = re.findall(r'"(\w+_reasoning)"', prompt_of(call))
        expected = {"draft": ["response_reasoning"], "review": ["emotion_reasoning"]}.get(key.kind, [])
        assert named == (expected if mode in VERBOSE else [])
        assert ("that cite the participant's words" in prompt_of(call)) == bool(named)


@pytest.mark.parametrize(("mode", "strategy"), EVERYWHERE)
def test_only_omniscient_modes_show_the_profile_and_only_in_the_first_prompt(mode, strategy):
    calls = calls_of(three_turns(before="totals"), mode, strategy)
    first, *others = calls.values()
    shown = ["age: 34", "traits: dry; careful", "goals: sleep, mostly", "diagnosis: none", "habits: tea; runs"]
    shown += ["works nights: true", "10-70): 25", "10-70): 42", "<background>"]
    for text in shown:
        assert (text in prompt_of(first)) == (mode in OMNISCIENT)
        assert not any(text in prompt_of(other) for other in others)
    assert not any("SECRET-ID" in message.content for call in calls.values() for message in call.messages)


def test_the_first_prompt_is_the_first_turn_s_whatever_its_number():
    late = conversation({**FULL, "turnNumber": 7}, {**FULL, "turnNumber": 9}, profile=PROFILE)
    calls = calls_of(late, "omniscient")
    assert "age: 34" in prompt_of(calls[7, "draft"])
    assert "age: 34" not in prompt_of(calls[9, "draft"])


def test_an_omniscient_prompt_without_anything_known_shows_no_background():
    bare = conversation(FULL, before="none", profile={"traits": [], "age": None, "extra": {"x": ""}})
    assert calls_of(bare, "omniscient") == calls_of(bare)


@pytest.mark.parametrize(("mode", "strategy"), EVERYWHERE)
def test_totals_before_are_shown_with_the_outcome_unless_blind(mode, strategy):
    outcome = prompt_of(calls_of(three_turns(before="totals"), mode, strategy)[OUTCOME])
    assert ("added up to 25" in outcome) == (strategy != "blind_delta")
    assert ("42" in outcome) == (strategy != "blind_delta")
    unknown = prompt_of(calls_of(three_turns(before="none"), mode, strategy)[OUTCOME])
    assert "Before the conversation, the ten" not in unknown


def test_blind_and_not_omniscient_shows_totals_nowhere():
    for call in calls_of(three_turns(before="totals"), strategy="blind_delta").values():
        assert not any(re.search(r"\b(25|42)\b", message.content) for message in call.messages)


def test_a_total_known_on_one_side_only_is_shown_as_such():
    half = conversation(FULL, prePanas={"totalPositiveAffect": 25})
    assert "added up to 25 and the ten negative ones to an unknown number" in prompt_of(calls_of(half)[OUTCOME])


@pytest.mark.parametrize(("strategy", "key"), [
    ("absolute", "predicted_post_panas"), ("delta", "predicted_panas_delta"), ("blind_delta", "predicted_panas_delta"),
])  # fmt: skip
def test_the_outcome_asks_for_the_key_of_its_strategy_and_for_all_items(strategy, key):
    prompt = prompt_of(calls_of(three_turns(), strategy=strategy)[OUTCOME])
    assert set(re.findall(r"predicted_\w+", prompt)) == {key}
    assert prompt.count("Enthusiastic") == 2
    for name in ("q1_lookingFor", "q2_emotionClarity", "q3_modelFit", "q3_followUp_whatFeltOff", "fourBranchScores"):
        assert f'"{name}"' in prompt


def test_a_draft_sees_the_message_and_not_the_reply():
    calls = calls_of(three_turns())
    assert "MESSAGE-ONE" in prompt_of(calls[1, "draft"])
    assert not any("REPLY-ONE" in message.content for message in calls[1, "draft"].messages)
    later = "".join(message.content for message in calls[2, "draft"].messages)
    assert "REPLY-ONE" in later
    assert "REPLY-TWO" not in later


def test_a_review_sees_message_and_reply():
    prompt = prompt_of(calls_of(three_turns())[1, "review"])
    assert "<message>\nMESSAGE-ONE\n</message>" in prompt
    assert "<reply>\nREPLY-ONE\n</reply>" in prompt


def test_only_pairwise_calls_see_the_alternates_under_the_names_of_their_comparisons():
    for key, call in calls_of(three_turns()).items():
        for text in ALTERNATES.values():
            seen = any(text in message.content for message in call.messages)
            assert seen == (key.kind == "pairwise"), key
    prompt = prompt_of(calls_of(three_turns())[1, "pairwise"])
    assert "<alternate1>\nIMPROVED-REPLY\n</alternate1>" in prompt
    assert "<alternate2>\nEDITED-REPLY\n</alternate2>" in prompt
    assert "<original>\nREPLY-ONE\n</original>" in prompt
    assert '"0": Which of the two replies does the participant prefer overall? A = alternate2, B = original.' in prompt


def test_an_empty_reply_is_shown_as_empty_and_an_absent_one_not_at_all():
    empty = turn(1, comparisons=[comparison()], reply="", alternates={"llmImproved": ""})
    prompt = prompt_of(calls_of(conversation(empty))[1, "pairwise"])
    assert "<original>\n\n</original>" in prompt
    assert "<alternate1>\n\n</alternate1>" in prompt
    assert "<alternate2>" not in prompt


def test_nothing_the_participant_reported_changes_a_message():
    calls = calls_of(three_turns())
    turns = [FULL, EMOTIONS_ONLY, {**EMOTIONS_ONLY, "turnNumber": 3}]
    annotated = {
        **FULL,
        "moodShiftTags": [{"emotion": "Proud", "intensity": 1}],
        "annotations": {
            **FULL["annotations"],
            "binaryJudgements": [judgement("B1", "no", "yes"), judgement("B18", "na", None)],
            "pairwiseComparisons": [comparison(a="human", b="original", winner="B")],
            "selectedPairwiseQuestions": ["general"],
        },
    }
    other = conversation(
        annotated, *turns[1:], profile=PROFILE, postPanas={"Proud": 7}, conversationWideQuestions={"Q2": "Clear"}
    )
    changed = calls_of(other)
    assert calls_of(conversation(*turns, profile=PROFILE)) == changed
    assert calls[1, "pairwise"] == changed[1, "pairwise"]


def test_questions_that_do_not_apply_are_named_and_not_asked():
    calls = calls_of(three_turns())
    for kind in ("review", "perspective"):
        prompt = prompt_of(calls[1, kind])
        assert "leave out: B18." in prompt
        assert "B18:" not in prompt
        assert '"B18"' not in prompt


def test_a_turn_without_applicable_questions_asks_for_emotions_only():
    prompt = prompt_of(calls_of(conversation(turn(1, judgements=[judgement("B18", "na", "na")])))[1, "review"])
    assert "emotion_tags" in prompt
    assert "binary" not in prompt


def test_a_review_speaks_to_a_reader_and_a_perspective_to_the_participant():
    calls = calls_of(three_turns())
    review, perspective = prompt_of(calls[1, "review"]), prompt_of(calls[1, "perspective"])
    question = PROMPTS.questions.yes_no["B1"]
    assert question.about_participant in review
    assert question.to_participant in perspective
    assert question.to_participant not in review
    assert question.about_participant not in perspective


def test_custom_questions_are_asked_in_their_own_words():
    own = comparison("custom:Which one {{ would }} my sister like?")
    prompt = prompt_of(calls_of(conversation(turn(1, comparisons=[own], alternates=ALTERNATES)))[1, "pairwise"])
    assert '"0": Which one {{ would }} my sister like? A = original' in prompt


def test_unknown_ids_are_asked_by_name():
    prompt = prompt_of(calls_of(conversation(turn(1, judgements=[judgement("names the dog")])))[1, "review"])
    assert "names the dog: Does this hold of the reply: names the dog?" in prompt


@pytest.mark.parametrize("text", [
    "{{ 7*7 }}", "{% raw %}", "{% endraw %}{# x #}", "a </message> b <reply>", "🙂 שלום \u2028 \u202e", "nul \x00 nul",
    "\r\n tab\t\n", "  spaces  ", "&lt; < > & ' \"", "{", "%}", "<think>", "```json\n{}\n```",
])  # fmt: skip
def test_people_s_text_arrives_unchanged(text):
    texts = turn(1, text, text, [judgement("B1")], [comparison("custom:x" + text)], dict.fromkeys(ALTERNATES, text))
    calls = calls_of(conversation(texts, profile={"goals": [text]}), "omniscient")
    assert f"<message>\n{text}\n</message>" in prompt_of(calls[1, "draft"])
    assert f"goals: {text}\n" in prompt_of(calls[1, "draft"])
    assert f"<reply>\n{text}\n</reply>" in prompt_of(calls[1, "review"])
    for name in ("original", "alternate1", "alternate2"):
        assert f"<{name}>\n{text}\n</{name}>" in prompt_of(calls[1, "pairwise"])


@pytest.mark.parametrize("kind", ["draft", "review", "pairwise"])
def test_an_empty_message_is_said_to_be_empty(kind):
    prompt = prompt_of(calls_of(conversation(turn(1, "", comparisons=[comparison()])))[1, kind])
    assert "message is empty." in prompt or "message was empty." in prompt
    assert "<message>" not in prompt


@pytest.mark.parametrize(("mode", "strategy"), EVERYWHERE)
def test_every_prompt_ends_with_the_form_of_its_reply(mode, strategy):
    for key, call in calls_of(three_turns(), mode, strategy).items():
        form = prompt_of(call).rpartition("\n")[2]
        assert form.startswith('Form: {"')
        assert form.count("{") == form.count("}"), key
        assert form.count("[") == form.count("]"), key
