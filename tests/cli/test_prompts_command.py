"""Claims about `attunebench prompts show`: what it prints is what would be sent."""

import json
import shutil
from importlib.resources import files

import pytest
from cli_examples import DEMO, tiny, write

from attunebench.dataset.demo import load_demo
from attunebench.protocol.calls import CALL_KINDS, MODES, STRATEGIES, CallKey, Condition, planned_calls
from attunebench.protocol.prompts import CURRENT_VERSION, load_prompts
from attunebench.protocol.render import conversation_calls
from attunebench.protocol.reply_schema import reply_schema

ONE = load_demo().conversations[0]
CONDITION = Condition(swap=True, prompt_version="", prompt_hash="")
SHOW = ("prompts", "show", "--data", DEMO, "--conversation", ONE.conversation_id)


def expected(turn, kind, prompts=None, **parts):
    prompts = prompts or load_prompts()
    condition = Condition(prompt_version=prompts.version, prompt_hash=prompts.sha256, **parts)
    (call,) = [c for c in conversation_calls(ONE, condition, prompts) if c.key == CallKey(turn, kind)]
    return "".join(f"=== {message.role}\n{message.content}\n\n" for message in call.messages)


@pytest.mark.parametrize("kind", CALL_KINDS)
def test_every_kind_of_call_is_shown(cli, kind):
    turn = None if kind == "outcome" else 2
    ended = cli(*SHOW, "--call", kind, "--swap", *([] if turn is None else ["--turn", turn]))
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == expected(turn, kind, swap=True)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_is_shown(cli, mode):
    assert cli(*SHOW, "--call", "draft", "--turn", 1, "--mode", mode).out == expected(1, "draft", mode=mode)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_is_shown(cli, strategy):
    ended = cli(*SHOW, "--call", "outcome", "--panas", strategy)
    assert ended.out == expected(None, "outcome", strategy=strategy)


@pytest.mark.parametrize("kind", ["pairwise", "pairwise_swapped"])
def test_blind_comparisons_are_shown_as_such(cli, kind):
    ended = cli(*SHOW, "--call", kind, "--turn", 2, "--blind", "--swap")
    assert ended.out == expected(2, kind, blind=True, swap=True) != expected(2, kind, swap=True)
    assert "<reply1>" in ended.out


@pytest.mark.parametrize("kind", CALL_KINDS)
def test_the_schema_of_the_reply_is_shown_after_the_messages(cli, kind):
    turn = None if kind == "outcome" else 2
    words = ("--call", kind, "--swap", *([] if turn is None else ["--turn", turn]))
    plain, structured = cli(*SHOW, *words).out, cli(*SHOW, *words, "--structured").out
    messages, _, schema = structured.partition("=== schema\n")
    assert messages == plain
    (call,) = [c for c in planned_calls(ONE, CONDITION) if c.key == CallKey(turn, kind)]
    assert json.loads(schema) == reply_schema(call)


def test_a_second_order_that_is_not_asked_for_cannot_be_shown(cli):
    ended = cli(*SHOW, "--call", "pairwise_swapped", "--turn", 2)
    assert ended.code == 2
    assert (
        ended.err == f"attunebench: --call: {ONE.conversation_id} has no pairwise_swapped call under this condition\n"
    )


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


# A user's own prompts and wordings


@pytest.fixture
def own(tmp_path):
    """A copy of the bundled templates and one of the bundled questions, each with a change."""
    folder = shutil.copytree(str(files("attunebench.protocol") / "prompts" / CURRENT_VERSION), tmp_path / "own")
    (folder / "system.jinja").write_text("Be brief.", encoding="utf-8")
    questions = json.loads((files("attunebench.instrument") / "data" / "questions.json").read_text(encoding="utf-8"))
    for question in questions["yes_no"]:
        question["about_participant"] = f"Own wording of {question['id']}?"
    return folder, write(tmp_path / "own.json", questions)


def test_own_prompts_and_wordings_are_shown(cli, own):
    folder, questions = own
    words = ("--prompts", folder, "--questions", questions)
    ended = cli(*SHOW, "--call", "review", "--turn", 1, *words)
    assert ended.out == expected(1, "review", load_prompts(folder, questions))
    assert ended.out.startswith("=== system\nBe brief.\n")
    assert "B1: Own wording of B1?" in ended.out


def test_a_run_asks_own_prompts_and_records_which(cli, own, tmp_path):
    folder, questions = own
    words = ("--data", DEMO, "--limit", 1, "--model", "baseline/null", "--out", tmp_path / "out")
    assert cli("run", *words, "--prompts", folder, "--questions", questions, "--blind", "--swap").code == 0
    record = json.loads((tmp_path / "out" / "records.jsonl").read_text(encoding="utf-8"))
    told = {name: record["provenance"][name] for name in ("prompt_version", "prompt_hash", "blind", "swap")}
    loaded = load_prompts(folder, questions)
    assert told == {"prompt_version": "own", "prompt_hash": loaded.sha256, "blind": True, "swap": True}


@pytest.mark.parametrize("command", ["show", "run"])
def test_a_question_that_an_own_file_does_not_word_is_named_before_any_call(cli, own, tmp_path, command):
    asked = [{"questionId": "names the dog", "observedBehavior": "yes", "preferredBehavior": "no"}]
    data = tiny("c1")
    data["turns"][0]["annotations"] = {"binaryJudgements": asked}
    words = ("--data", write(tmp_path / "data" / "c1.json", data), "--questions", own[1])
    show = ("prompts", "show", "--conversation", "c1", "--call", "draft", "--turn", 1)
    run = ("run", "--model", "baseline/null", "--out", tmp_path / "out")
    ended = cli(*(show if command == "show" else run), *words)
    assert ended.code == 1
    rule = "must word every question that the data set asks, got none of yes_no 'names the dog'"
    assert ended.err == f"attunebench: {own[1]}: {rule}\n"
    assert not (tmp_path / "out").exists()


def test_a_prompt_folder_that_lacks_something_is_told(cli, own):
    (own[0] / "draft.jinja").write_text("Draft something.", encoding="utf-8")
    ended = cli(*SHOW, "--call", "draft", "--turn", 1, "--prompts", own[0])
    assert ended.code == 1
    assert ended.err.startswith(f"attunebench: {own[0]}: draft.jinja: must use message, verbose, background, got ")
