"""Claims about the way from a data set to a leaderboard, and what each command says when it cannot go on."""

import csv
import io
import json
import re

import polars as pl
import pytest
from cli_examples import DEMO, run_main, tiny, write

from attunebench.report.leaderboard import MADE_UP

RUN = ("run", "--data", DEMO, "--model", "baseline/null")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run's folder and its scores', made by the commands themselves; how those ended."""
    folder = tmp_path_factory.mktemp("made")
    out, scores = folder / "run", folder / "scores"
    ran = run_main(*RUN, "--model", "baseline/oracle", "--limit", 1, "--out", out)
    scored = run_main("score", "--data", DEMO, "--runs", out, "--out", scores)
    return out, scores, ran, scored


def test_run_ends_well_and_counts_states(made):
    out, _, ran, _ = made
    assert ran.code == 0
    assert ran.out == f"parsed: 34\n34 calls, 0 failed, 0 tokens in, 0 out; results in {out}\n"
    assert "34 of 34 calls" in ran.err
    assert {".lock", "condition.json", "records.jsonl", "calls.jsonl", "inspect"} == {
        entry.name for entry in out.iterdir()
    }


def test_score_says_what_it_made(made):
    _, scores, _, scored = made
    assert scored.code == 0
    assert scored.out == f"2 records of 2 rows scored; results in {scores}\n"
    found = json.loads((scores / "scores.json").read_text(encoding="utf-8"))
    assert [row["em_model"] for row in found["aggregates"]] == ["baseline/null", "baseline/oracle"]


def test_score_warns_in_one_line_of_each_model_that_is_below_its_best_floor(made):
    _, scores, _, scored = made
    found = json.loads((scores / "scores.json").read_text(encoding="utf-8"))
    null, oracle = found["aggregates"]
    (line,) = [
        line for line in scored.err.splitlines() if line.startswith("warning: baseline/null (default, absolute, ")
    ]
    assert re.search(r"\): below the best floor on \d+ of \d+ metrics: \S", line)
    skill = null["skill"]["reference"]["composite_score"]
    assert f"composite_score {null['composite_score']:.3f} < {skill['floor']:.3f} ({skill['floor_name']})" in line
    assert oracle["skill"]["reference"]["composite_score"]["skill"] == 100
    assert not any("composite_score" in line for line in scored.err.splitlines() if "baseline/oracle" in line)
    assert all(line.startswith("warning: baseline/") for line in scored.err.splitlines())


def test_report_on_a_terminal_fits_it(cli, made):
    ended = cli("report", made[1])
    assert (ended.code, ended.err) == (0, "")
    assert MADE_UP in " ".join(ended.out.split())
    assert ended.out.index("baseline/oracle") < ended.out.index("baseline/null") < ended.out.index("floor: null")
    assert max(map(len, ended.out.split("\n"))) <= 80


def test_report_as_markdown_and_csv_printed_and_written(cli, made, tmp_path):
    markdown = cli("report", made[1], "--format", "markdown")
    assert markdown.out.startswith("### Leaderboard\n\n| model | n |")
    rows = list(csv.DictReader(io.StringIO(cli("report", made[1], "--format", "csv").out)))
    assert [row["em_model"] for row in rows][:2] == ["baseline/null", "baseline/oracle"]
    assert len(rows) == 2 + 5
    written = cli("report", made[1], "--format", "markdown", "--out", tmp_path / "board.md")
    assert (written.code, written.out) == (0, "")
    assert (tmp_path / "board.md").read_text(encoding="utf-8") == markdown.out


def test_report_may_be_given_the_file(cli, made):
    assert cli("report", made[1] / "scores.json").out == cli("report", made[1]).out


def test_scores_in_shards_have_the_same_report_and_are_not_overwritten(cli, made, tmp_path):
    words = ("score", "--data", DEMO, "--runs", made[0], "--out", tmp_path, "--shards")
    assert cli(*words).out == f"2 records of 2 rows scored; results in {tmp_path}\n"
    assert {file.name for file in (tmp_path / "shards").iterdir()} == {"00001.jsonl", "00001.parquet"}
    assert cli("report", tmp_path, "--format", "csv").out == cli("report", made[1], "--format", "csv").out
    again = cli(*words)
    assert (again.code, again.out) == (1, "")
    assert again.err == (
        f"attunebench: {tmp_path}/shards is there already: choose another folder for --out, or remove it\n"
    )


def test_comparisons_in_both_orders_reach_scores_table_and_report(cli, tmp_path):
    out, scores = tmp_path / "run", tmp_path / "scores"
    models = [word for name in ("null", "random", "oracle") for word in ("--model", f"baseline/{name}")]
    assert cli("run", "--data", DEMO, *models, "--limit", 3, "--swap", "--out", out).code == 0
    assert cli("score", "--data", DEMO, "--runs", out, "--out", scores).code == 0
    found = json.loads((scores / "scores.json").read_text(encoding="utf-8"))
    null, oracle, random = (row["pooled_pairwise_orders"] for row in found["aggregates"])
    assert (null["flip_rate"], null["agreement_score"]) == (None, 0)
    assert (oracle["flip_rate"], oracle["agreement_score"]) == (0, 1)
    assert 0 < random["flipped"] < random["answered"] == oracle["answered"] == oracle["decided"]
    each = [one["pooled_pairwise_orders"]["flipped"] for one in found["conversations"] if "random" in one["em_model"]]
    assert sum(each) == random["flipped"]
    table = pl.read_parquet(scores / "scores.parquet").filter(pl.col("model") == "baseline/random")
    rates = table.filter(level="aggregate", metric="pooled_pairwise_orders.flip_rate")["value"].to_list()
    assert rates == [random["flip_rate"]]
    floors = {row["floor"]: row["pooled_pairwise_orders"] for row in found["floors"]}
    assert (floors["oracle"], floors["random"]["flip_rate"]) == (oracle, 0.5)
    shown = cli("report", scores).out
    assert "Comparisons in both orders" in shown
    assert max(map(len, shown.split("\n"))) <= 80


def test_several_epochs_are_run_scored_and_reported(cli, tmp_path):
    words = ("run", "--data", DEMO, "--model", "baseline/random", "--model", "baseline/null", "--limit", 2)
    found = {}
    for epochs in (1, 3):
        out, scores = tmp_path / f"run{epochs}", tmp_path / f"scores{epochs}"
        assert cli(*words, "--epochs", epochs, "--out", out).code == 0
        ended = cli("score", "--data", DEMO, "--runs", out, "--out", scores)
        assert ended.out == f"{4 * epochs} records of 2 rows scored; results in {scores}\n"
        found[epochs] = json.loads((scores / "scores.json").read_text(encoding="utf-8"))
    assert sorted(one["epoch"] for one in found[3]["conversations"]) == [1] * 4 + [2] * 4 + [3] * 4
    for once, thrice in zip(found[1]["aggregates"], found[3]["aggregates"], strict=True):
        assert (thrice["epochs"], thrice["n_conversations"]) == (3, once["n_conversations"])
        assert set(thrice["between_epoch_variance"].values()) == {0}  # baselines say the same each time
        assert thrice["composite_score"] == once["composite_score"]
        assert thrice["se_composite"] == pytest.approx(once["se_composite"])
        assert thrice["skill"]["reference"]["composite_score"] == once["skill"]["reference"]["composite_score"]
    assert found[3]["floors"] == found[1]["floors"]
    shown = cli("report", tmp_path / "scores3").out
    assert "Between epochs" in shown
    assert max(map(len, shown.split("\n"))) <= 80
    assert "epochs" not in cli("report", tmp_path / "scores1").out


def test_results_of_two_conditions_do_not_mix(cli, made):
    before = (made[0] / "records.jsonl").read_bytes()
    ended = cli(*RUN, "--out", made[0], "--mode", "verbose")
    assert ended.code == 1
    assert ended.err.startswith(f"attunebench: --out: {made[0]} holds results of another condition (mode: was ")
    assert (made[0] / "records.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--frobnicate"], "No such option"),
        (["--mode", "loud"], "'loud' is not one of"),
        (["--panas", "sum"], "'sum' is not one of"),
        (["--limit", "many"], "Invalid value for '--limit'"),
        (["--limit", "0"], "limit: must be at least 1, got 0"),
        (["--ids", "demo-01,nobody"], 'the data set has no conversation "nobody"'),
        (["--ids", ""], 'the data set has no conversation ""'),
        (["--epochs", "0"], "should be greater than or equal to 1"),
        (["--max-connections", "0"], "should be greater than or equal to 1"),
        (["--max-tokens", "0"], "should be greater than or equal to 1"),
        (["--attempts", "0"], "should be greater than or equal to 1"),
        (["--max-retries", "-1"], "should be greater than or equal to 0"),
        (["--timeout", "0"], "should be greater than or equal to 1"),
        (["--attempt-timeout", "0"], "should be greater than or equal to 1"),
        (["--temperature", "hot"], "must be a number from 0 up, or none, got 'hot'"),
        (["--temperature", "-0.5"], "must be a number from 0 up, or none, got '-0.5'"),
        (["--temperature", "nan"], "must be a number from 0 up, or none, got 'nan'"),
        (
            ["--model", "gpt-4o"],
            "--model must be PROVIDER/MODEL, for example openai/gpt-4o or baseline/null, got 'gpt-4o'",
        ),
        (
            ["--model", "baseline/genius"],
            "a baseline must be one of null, random, majority, lexicon, oracle, got 'genius'",
        ),
        (["--model", "baseline/null"], "--model must name each model once, got baseline/null twice"),
    ],
)
def test_wrong_usage_exits_2_and_runs_nothing(cli, tmp_path, words, said):
    ended = cli(*RUN, "--out", tmp_path / "out", *words)
    assert ended.code == 2
    assert ended.out == ""
    assert said in " ".join(ended.err.replace("│", " ").split())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "words",
    [["run"], ["score"], ["report"], ["demo", "extra"], ["bogus"], ["data"], ["data", "validate"], ["prompts"], []],
)
def test_a_command_without_what_it_needs_exits_2(cli, words):
    assert cli(*words).code == 2


@pytest.mark.parametrize(("word", "sent"), [("none", None), ("0.7", 0.7)])
def test_the_temperature_that_was_asked_for_is_on_record(cli, tmp_path, word, sent):
    cli(*RUN, "--out", tmp_path, "--limit", 1, "--temperature", word)
    (line,) = (tmp_path / "records.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(line)["provenance"]["generation"]["temperature"] == sent


def test_a_missing_key_is_named(cli, tmp_path, monkeypatch):
    monkeypatch.delenv("SOME_SERVICE_API_KEY", raising=False)
    ended = cli("run", "--data", DEMO, "--model", "openai-api/some-service/m", "--out", tmp_path / "out")
    assert ended.code == 1
    assert ended.err.startswith("attunebench: openai-api/some-service/m: ")
    assert "SOME_SERVICE_API_KEY" in ended.err
    assert ended.err.count("\n") == 1


def test_ids_may_stand_with_spaces(cli, tmp_path):
    ended = cli(*RUN, "--out", tmp_path / "out", "--ids", "demo-02, nobody")
    assert ended.err == 'attunebench: ids: the data set has no conversation "nobody"\n'


def test_a_bad_data_set_is_told_problem_by_problem(cli, tmp_path):
    write(tmp_path / "data" / "a.json", tiny("a", turns=3))
    write(tmp_path / "data" / "b.json", tiny(""))
    for words in (["run", "--model", "baseline/null"], ["score", "--runs", tmp_path]):
        ended = cli(*words, "--data", tmp_path / "data", "--out", tmp_path / "out")
        assert ended.code == 1
        first, second = ended.err.splitlines()
        assert first.startswith("attunebench: a.json: conversation a: turns: ")
        assert second.startswith("b.json: ")
        assert not (tmp_path / "out").exists()


def test_records_of_other_data_are_refused(cli, made, tmp_path):
    data = write(tmp_path / "a.json", tiny("a"))
    ended = cli("score", "--data", data, "--runs", made[0], "--out", tmp_path / "out")
    assert ended.code == 1
    assert len(ended.err.splitlines()) == 2
    assert 'conversation demo-01: conversationId: must be in the data set, got "demo-01"' in ended.err


def test_runs_or_scores_that_are_not_there_are_named(cli, tmp_path):
    nowhere = tmp_path / "nowhere"
    ended = cli("score", "--data", DEMO, "--runs", nowhere, "--out", tmp_path / "out")
    assert (ended.code, ended.err) == (1, f"attunebench: {nowhere}: does not exist\n")
    ended = cli("report", nowhere)
    assert (ended.code, ended.err) == (1, f"attunebench: {nowhere}: does not exist; `attunebench score` writes it\n")


@pytest.mark.parametrize("words", [["--format", "pdf"], ["--out", "nowhere/board.md"]])
def test_a_report_that_cannot_be_made_is_wrong_usage(cli, made, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ended = cli("report", made[1], *words)
    assert ended.code == 2
    assert words[-1] in ended.err


def test_the_version_is_told(cli):
    assert cli("--version").out.startswith("attunebench 0.")


def test_help_is_told_for_every_command(cli):
    for words in [[], ["data"], ["data", "validate"], ["data", "import", "topical-chat"], ["prompts", "show"], ["run"],
                  ["judge"], ["score"], ["report"], ["demo"]]:  # fmt: skip
        ended = cli(*words, "--help")
        assert (ended.code, ended.err) == (0, "")
        assert "Usage: attunebench" in ended.out


def test_a_dry_run_counts_and_prices_calls_and_sends_nothing(cli, tmp_path):
    prices = tmp_path / "prices.toml"
    prices.write_text('currency = "EUR"\n["openai/x"]\ninput = 1000000\noutput = 0\n')
    words = ("run", "--data", DEMO, "--ids", "demo-01", "--out", tmp_path / "out", "--prices", prices)
    ended = cli(*words, "--model", "openai/x", "--dry-run")
    assert (ended.code, ended.err) == (0, "")
    assert not (tmp_path / "out").exists()
    total = next(line.split() for line in ended.out.splitlines() if line.startswith("all "))
    assert total[2] == "17"
    assert total[3] == total[6].removesuffix(".00")
    turns = ended.out.split("By turn")[1].splitlines()
    assert [line.split("  ")[0] for line in turns if line[:1].isdigit() or line.startswith("after")] == [
        "1", "2", "3", "4", "after the last",
    ]  # fmt: skip
