"""Claims about conditions, and about which questions a turn asks."""

import itertools
import json
from types import MappingProxyType

import pytest
from protocol_examples import PROMPTS, comparison, condition, conversation, judgement, turn

from attunebench.errors import UsageError
from attunebench.protocol.calls import MODES, STRATEGIES, Condition, turn_questions
from attunebench.protocol.sides import turn_sides

ANSWERS = ("yes", "no", "na", None)


def only_turn(**parts):
    return conversation(turn(1, **parts)).turns[0]


@pytest.mark.parametrize(("observed", "preferred"), list(itertools.product(ANSWERS, ANSWERS)))
def test_a_question_applies_if_wholly_unanswered_or_once_answered_yes_or_no(observed, preferred):
    questions = turn_questions(only_turn(judgements=[judgement("B1", observed, preferred)]))
    not_applicable = {("na", "na"), ("na", None), (None, "na")}
    if (observed, preferred) in not_applicable:
        assert (questions.asked, questions.not_applicable) == ((), ("B1",))
    else:
        assert (questions.asked, questions.not_applicable) == (("B1",), ())


def test_of_a_question_that_stands_twice_the_last_judgement_counts():
    twice = [judgement("B1", "yes", "yes"), judgement("B2", "no", None), judgement("B1", "na", "na")]
    questions = turn_questions(only_turn(judgements=twice))
    assert (questions.asked, questions.not_applicable) == (("B2",), ("B1",))


def test_a_turn_without_annotations_asks_nothing():
    bare = conversation({"turnNumber": 1, "userMessage": "a", "llmResponse": "b"}).turns[0]
    assert turn_questions(bare).asked == turn_questions(bare).not_applicable == ()
    assert turn_sides(bare) == {}


def test_comparisons_are_named_by_their_position_as_a_text():
    compared = only_turn(comparisons=[comparison(a="alternate2", b="original"), comparison("PW3", "alternate1", None)])
    assert turn_sides(compared) == {
        "0": {"A": "human", "B": "original"},
        "1": {"A": "alternate", "B": None},
    }
    assert turn_sides(compared, swapped=True) == {
        "0": {"A": "original", "B": "human"},
        "1": {"A": None, "B": "alternate"},
    }


def test_equal_conditions_have_equal_ids_whatever_the_order_and_kind_of_their_settings():
    one = condition(generation={"temperature": 0, "max_tokens": 2048})
    other = condition(generation=MappingProxyType({"max_tokens": 2048, "temperature": 0}))
    assert one.id == other.id
    assert hash(one) == hash(other)


def test_conditions_that_differ_anywhere_have_different_ids():
    base = {"prompt_version": "1", "prompt_hash": "h"}
    conditions = [Condition(mode=mode, strategy=strategy, **base) for mode in MODES for strategy in STRATEGIES]
    conditions += [
        Condition(prompt_version="2", prompt_hash="h"),
        Condition(prompt_version="1", prompt_hash="g"),
        Condition(generation={"temperature": 1}, **base),
        Condition(data_hash="d", **base),
        *(Condition(**{name: True}, **base) for name in ("blind", "swap", "structured")),
    ]
    assert len({each.id for each in conditions}) == len(conditions) == 19


def test_a_condition_names_its_parts_as_plain_json():
    parts = condition("verbose", swap=True, generation=MappingProxyType({"temperature": 0}), data_hash="d").parts()
    assert json.loads(json.dumps(parts)) == parts
    assert parts == {
        "mode": "verbose",
        "strategy": "absolute",
        "blind": False,
        "swap": True,
        "structured": False,
        "prompt_version": PROMPTS.version,
        "prompt_hash": PROMPTS.sha256,
        "generation": {"temperature": 0},
        "data_hash": "d",
    }


def test_unknown_modes_and_strategies_are_usage_errors_that_name_the_choices():
    with pytest.raises(UsageError, match=r"--mode must be one of default, verbose, .*, got 'loud'"):
        condition("loud")
    with pytest.raises(UsageError, match=r"--panas must be one of absolute, delta, blind_delta, got 'sum'"):
        condition(strategy="sum")
