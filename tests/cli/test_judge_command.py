"""Claims about the way from judged drafts to tables, by the commands themselves."""

import csv
import io
from importlib.resources import files

import pytest
from cli_examples import DEMO, run_main

from attunebench.report.judges import KIN
from judges import gullible, last_message
from servers import completion, serving

GPT, QWEN = "openai-api/local/gpt-9", "openai-api/local/qwen-9"
KINDRED = "openai-api/local/gpt-8"


def replies(body):
    """What x drafts is nothing; judges judge."""
    prompt = last_message(body)
    return completion(gullible(prompt) if "The code of the tags" in prompt else '{"drafted_response": "Hm."}')


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """How each of the commands ended, from a run with a judge to its report, and the folder of it all."""
    folder = tmp_path_factory.mktemp("judged")
    data = ("--data", DEMO)
    with serving(replies) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCAL_BASE_URL", server.base_url)
        patch.setenv("LOCAL_API_KEY", "none")
        run = ("run", *data, "--model", GPT, "--limit", 1, "--attempts", 1, "--out", folder / "run")
        ended = {
            "run": run_main(*run, "--judge", KINDRED),
            "judge": run_main(
                *("judge", *data, "--runs", folder / "run", "--out", folder / "again"),
                *("--judge", QWEN, "--judge", GPT),
            ),
            "again": run_main(
                *("judge", *data, "--runs", folder / "run", "--out", folder / "again"),
                *("--judge", GPT, "--judge", QWEN),
            ),
        }
        asked = len(server.requests)
    ended["score"] = run_main(
        "score", *data, "--runs", folder / "run", "--runs", folder / "again", "--out", folder / "scores"
    )
    return folder, ended, asked


def test_each_command_ends_well_and_says_what_it_did(made):
    folder, ended, asked = made
    assert {name: end.code for name, end in ended.items()} == dict.fromkeys(ended, 0)
    assert ended["run"].out.endswith(f"results in {folder / 'run'}\n")
    assert ended["judge"].out == (
        f"parsed: 8\n8 calls, 0 failed, 800 tokens in, 160 out; results in {folder / 'again'}\n"
    )
    assert ended["again"].out == ended["judge"].out
    assert asked == 17 + 4 + 8
    assert {"records.jsonl", "calls.jsonl", "condition.json", "inspect"} <= {
        p.name for p in (folder / "again").iterdir()
    }


def test_both_panels_stand_in_the_tables_and_kin_is_marked(made, cli):
    folder, _, _ = made
    shown = cli("report", folder / "scores", "--format", "markdown")
    assert shown.code == 0
    quality = shown.out[shown.out.index("### Response quality") : shown.out.index("### How calls ended")]
    assert f"{KINDRED} (family)" in quality
    assert f"{QWEN}, {GPT} (itself)" in quality
    assert shown.out.count(f"{KIN} judged by itself or by a model of its family") == shown.out.count("### ")
    rows = list(csv.DictReader(io.StringIO(cli("report", folder / "scores", "--format", "csv").out)))
    assert sorted((row["judges"], row["judge_kinship"]) for row in rows if row["kind"] == "model") == [
        (KINDRED, "family"),
        (f"{QWEN}; {GPT}", "itself"),
    ]
    assert [float(row["avg_draft_judge_score"]) for row in rows if row["judges"]] == [pytest.approx(1 / 6)] * 2


def test_the_report_fits_a_terminal(made, cli):
    assert max(map(len, cli("report", made[0] / "scores").out.split("\n"))) <= 80


def test_prompts_and_questions_of_one_s_own_are_what_judges_get(made, cli, tmp_path, monkeypatch):
    folder = tmp_path / "mine"
    folder.mkdir()
    template = (files("attunebench.protocol") / "prompts" / "1" / "judge.jinja").read_text(encoding="utf-8")
    (folder / "judge.jinja").write_text(f"{template}Be kind.", encoding="utf-8")
    words = ("judge", "--data", DEMO, "--runs", made[0] / "run", "--judge", QWEN, "--prompts", folder)
    with serving(replies) as server:
        monkeypatch.setenv("LOCAL_BASE_URL", server.base_url)
        monkeypatch.setenv("LOCAL_API_KEY", "none")
        lacking = cli(*words, "--out", tmp_path / "out")
        (folder / "judge_system.jinja").write_text("You judge.", encoding="utf-8")
        ended = cli(*words, "--out", tmp_path / "out")
    assert (lacking.code, lacking.err) == (
        1,
        f"attunebench: {folder}: a prompt folder must hold judge_system.jinja, got No such file or directory\n",
    )
    assert ended.code == 0
    assert {body["messages"][0]["content"] for body in server.requests} == {"You judge."}
    assert all(last_message(body).endswith("Be kind.") for body in server.requests)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ([], 2, "Missing option '--judge'"),
        (["--judge", "baseline/oracle"], 2, "baselines cannot judge, got baseline/oracle"),
        (["--judge", "gpt-4o"], 2, "--judge must be PROVIDER/MODEL, for example openai/gpt-4o, got 'gpt-4o'"),
        (["--judge", "openai-api/nowhere/x"], 1, "NOWHERE_API_KEY"),
    ],
)
def test_a_judge_must_be_named_and_able(made, cli, tmp_path, words, code, said):
    ended = cli("judge", "--data", DEMO, "--runs", made[0] / "run", "--out", tmp_path / "out", *words)
    assert (ended.code, ended.out) == (code, "")
    assert said in " ".join(ended.err.replace("│", " ").split())
    assert not (tmp_path / "out").exists()


def test_a_dry_run_foresees_the_judges(cli, tmp_path):
    words = ("run", "--data", DEMO, "--model", "baseline/null", "--judge", GPT, "--limit", 1, "--dry-run")
    ended = cli(*words, "--out", tmp_path / "out")
    assert ended.code == 0
    assert any("judge" in line and GPT in line for line in ended.out.splitlines())
    assert not (tmp_path / "out").exists()
