"""Claims about conditions beside the reference design: what each changes in the messages, and what none does."""

import itertools
import json
import re
from collections import Counter

import pytest
from protocol_examples import (
    ALTERNATES,
    EMOTIONS_ONLY,
    FULL,
    PROFILE,
    PROMPTS,
    calls_of,
    comparison,
    conversation,
    prompt_of,
    read,
    three_turns,
    turn,
)

from attunebench.protocol.calls import MODES, STRATEGIES, CallKey

SWITCHES = ("blind", "swap", "structured")
CONDITIONS = [
    {"mode": mode, "strategy": strategy, **dict(zip(SWITCHES, switches, strict=True))}
    for mode in MODES
    for strategy in STRATEGIES
    for switches in itertools.product((False, True), repeat=len(SWITCHES))
]
ORDERS = ("pairwise", "pairwise_swapped")
IDS = [f"conversation {number}" for number in range(600)]
REPLIES = {"original": "REPLY-ONE", "alternate": "IMPROVED-REPLY", "human": "EDITED-REPLY"}


def named(conditions):
    return [" ".join(str(value) for value in one.values()) for one in conditions]


everywhere = pytest.mark.parametrize("under", CONDITIONS, ids=named(CONDITIONS))


def shown(call):
    """The replies that a pairwise prompt shows: text by name, in order."""
    return dict(re.findall(r"<(\w+)>\n(\S+-\S+)\n</\1>", prompt_of(call).partition("The replies:")[2]))


def compared(call):
    """The texts that A and B stand for in each comparison."""
    replies = shown(call)
    pairs = re.findall(r"A = (\w+), B = (\w+)\.", prompt_of(call))
    return [(replies[a], replies[b]) for a, b in pairs]


def letters_of(call):
    """All characters of a prompt in order of the alphabet, whichever reply bears which number."""
    return sorted(re.sub(r"\breply\d", "reply", prompt_of(call)))


# Whatever the condition


@everywhere
def test_every_call_is_the_thread_so_far_and_its_own_prompt(under):
    thread = [("system", PROMPTS.render("system"))]
    for key, call in calls_of(three_turns(), **under).items():
        sent = [(message.role, message.content) for message in call.messages]
        assert sent[:-1] == thread
        assert sent[-1][0] == "user"
        if key.kind in {"draft", "review"}:
            thread += [sent[-1], ("assistant", PROMPTS.placeholder)]


@everywhere
def test_the_calls_are_those_of_the_plain_condition_and_a_second_order_where_asked_for(under):
    kinds = [key for key in calls_of(three_turns(), **under) if key.kind != "pairwise_swapped"]
    assert kinds == list(calls_of(three_turns()))
    twice = [key.turn for key in calls_of(three_turns(), **under) if key.kind == "pairwise_swapped"]
    assert twice == ([1, 3] if under["swap"] else [])


@everywhere
def test_neither_blindness_nor_order_nor_schema_changes_another_call(under):
    plain = calls_of(three_turns(), under["mode"], under["strategy"])
    for key, call in calls_of(three_turns(), **under).items():
        if key.kind not in ORDERS or (key.kind == "pairwise" and not under["blind"]):
            assert call == plain[key]


@everywhere
def test_nothing_the_participant_reported_changes_a_message(under):
    def reported(tag, winner, after):
        one = {**FULL, "moodShiftTags": [{"emotion": tag, "intensity": 1}]}
        one["annotations"] = {**FULL["annotations"], "pairwiseComparisons": [comparison("PW1", winner=winner)]}
        return calls_of(conversation(one, EMOTIONS_ONLY, profile=PROFILE, postPanas={"Proud": after}), **under)

    assert reported("Proud", "A", 7) == reported("Upset", "B", 1)


@everywhere
def test_only_comparisons_show_the_alternates_and_no_prompt_the_reply_before_it_came(under):
    for key, call in calls_of(three_turns(), **under).items():
        said = "".join(message.content for message in call.messages)
        for text in ALTERNATES.values():
            assert (text in said) == (key.kind in ORDERS)
        if key == CallKey(1, "draft"):
            assert "REPLY-ONE" not in said


@everywhere
def test_letters_in_the_prompt_are_those_that_the_reply_is_read_by(under):
    for key, call in calls_of(three_turns(), **under).items():
        if key.kind in ORDERS:
            texts = REPLIES | {"original": "REPLY-ONE" if key.turn == 1 else "REPLY-THREE"}
            asked = [(texts[sides["A"]], texts[sides["B"]]) for sides in call.asked.sides.values()]
            assert compared(call) == asked


# Blind


@pytest.mark.parametrize("kind", ORDERS)
def test_blind_comparisons_name_no_reply_by_where_it_comes_from(kind):
    call = calls_of(three_turns(), blind=True, swap=True)[1, kind]
    assert list(shown(call)) == ["reply1", "reply2", "reply3"]
    assert sorted(shown(call).values()) == sorted(REPLIES.values())
    assert not re.search("original|alternate|human|improved|edited", prompt_of(call), re.ASCII)


def test_blind_names_are_spread_evenly_over_the_replies():
    def order(name):
        return tuple(shown(calls_of(conversation(FULL, conversationId=name), blind=True)[1, "pairwise"]).values())

    counts = Counter(order(name) for name in IDS)
    assert len(counts) == 6
    assert all(70 <= count <= 130 for count in counts.values())  # 100 expected, standard deviation 9.1


def test_blind_names_differ_between_turns_and_are_the_same_every_time():
    turns = [{**FULL, "turnNumber": number} for number in range(1, 13)]
    calls = calls_of(conversation(*turns), blind=True)
    orders = {tuple(shown(calls[number, "pairwise"]).values()) for number in range(1, 13)}
    assert len(orders) > 3
    assert calls == calls_of(conversation(*reversed(turns)), blind=True)


def test_blind_names_hide_labels_that_only_the_data_set_knows():
    own = turn(1, comparisons=[comparison(a="our-own-model", b=None)])
    prompt = prompt_of(calls_of(conversation(own), blind=True)[1, "pairwise"])
    assert "our-own-model" not in prompt
    assert re.search(r"A = reply[12], B = unknown\.", prompt)


def test_a_blind_reply_may_give_letters_or_names():
    call = calls_of(three_turns(), blind=True)[1, "pairwise"]
    by_label = {label: name for name, label in call.asked.names.items()}
    for said, letter in {
        "A": "A", "b": "B", by_label["human"]: "A", by_label["original"].upper() + " ": "B", "original": "B",
    }.items():  # fmt: skip
        asked = {"sides": call.asked.sides, "names": call.asked.names}
        reading = read("pairwise", json.dumps({"pairwise_selections": {"0": said}}), **asked)
        assert reading.answer.selections == {"0": letter}


def test_a_name_that_stands_on_neither_side_is_no_answer():
    call = calls_of(three_turns(), blind=True)[1, "pairwise"]
    by_label = {label: name for name, label in call.asked.names.items()}
    asked = {"sides": call.asked.sides, "names": call.asked.names}
    reading = read("pairwise", {"pairwise_selections": {"0": by_label["alternate"]}}, **asked)
    assert (reading.answer.selections, reading.counters) == ({}, {"unreadable": 1})


# Swapped


@pytest.mark.parametrize("blind", [False, True])
def test_the_second_order_exchanges_the_sides_and_turns_the_list_of_replies_over(blind):
    calls = calls_of(three_turns(), swap=True, blind=blind)
    for number in (1, 3):
        once, twice = calls[number, "pairwise"], calls[number, "pairwise_swapped"]
        assert compared(twice) == [pair[::-1] for pair in compared(once)]
        assert list(shown(twice).values()) == list(shown(once).values())[::-1]
        assert once.messages[:-1] == twice.messages[:-1]
        assert letters_of(once) == letters_of(twice)


def test_open_names_stay_with_their_replies_and_blind_names_do_not():
    open_calls = calls_of(three_turns(), swap=True)
    assert shown(open_calls[1, "pairwise"]) == shown(open_calls[1, "pairwise_swapped"])
    blind_calls = calls_of(three_turns(), swap=True, blind=True)
    once, twice = shown(blind_calls[1, "pairwise"]), shown(blind_calls[1, "pairwise_swapped"])
    assert list(once) == list(twice)
    assert list(once.values()) == list(twice.values())[::-1]
