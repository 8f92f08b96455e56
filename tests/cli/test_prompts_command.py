"""Claims about `attunebench prompts show`: what it prints is what would be sent."""

import pytest
from cli_examples import DEMO

from attunebench.dataset.demo import load_demo
from attunebench.protocol.calls import CALL_KINDS, MODES, STRATEGIES, CallKey, Condition
from attunebench.protocol.prompts import load_prompts
from attunebench.protocol.render import conversation_calls

ONE = load_demo().conversations[0]
SHOW = ("prompts", "show", "--data", DEMO, "--conversation", ONE.conversation_id)


def expected(turn, kind, mode="default", strategy="absolute"):
    prompts = load_prompts()
    condition = Condition(mode=mode, strategy=strategy, prompt_version=prompts.version, prompt_hash=prompts.sha256)
    (call,) = [c for c in conversation_calls(ONE, condition, prompts) if c.key == CallKey(turn, kind)]
    return "".join(f"=== {message.role}\n{message.content}\n\n" for message in call.messages)


@pytest.mark.parametrize("kind", CALL_KINDS)
def test_every_kind_of_call_is_shown(cli, kind):
    turn = None if kind == "outcome" else 2
    ended = cli(*SHOW, "--call", kind, *([] if turn is None else ["--turn", turn]))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == expected(turn, kind)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_is_shown(cli, mode):
    assert cli(*SHOW, "--call", "draft", "--turn", 1, "--mode", mode).out == expected(1, "draft", mode)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_is_shown(cli, strategy):
    ended = cli(*SHOW, "--call", "outcome", "--panas", strategy)
    assert ended.out == expected(None, "outcome", strategy=strategy)


@pytest.mark.parametrize("turn", [[], ["--turn", "99"]])
def test_a_turn_without_such_a_call_says_which_have_one(cli, turn):
    ended = cli(*SHOW, "--call", "draft", *turn)
    assert ended.code == 2
    assert ended.err.startswith(
        f"attunebench: --turn: {ONE.conversation_id} has a draft call in turns [1, 2, 3, 4], got "
    )
    assert ended.out == ""


def test_an_unknown_conversation_is_named(cli):
    ended = cli("prompts", "show", "--data", DEMO, "--conversation", "nobody", "--call", "outcome")
    assert ended.code == 2
    assert ended.err == 'attunebench: ids: the data set has no conversation "nobody"\n'


def test_an_unknown_kind_of_call_is_wrong_usage(cli):
    ended = cli(*SHOW, "--call", "chat")
    assert ended.code == 2
    assert "'chat' is not one of" in " ".join(ended.err.replace("│", " ").split())
