"""Claims about `attunebench analyze` and `attunebench compare`."""

import json
import shutil

import polars as pl
import pytest
from cli_examples import DEMO

from attunebench.analysis.files import ANALYSIS_FILE

TWO = ("--where", "mode=default", "--where", "model=baseline/lexicon|baseline/majority")
PAIR = ("--metric", "composite_score", "--models", "baseline/lexicon", "baseline/majority")


def test_analyze_writes_tables_json_and_markdown_and_fits_a_terminal(cli, scores_folder, few_resamples, tmp_path):
    ended = cli("analyze", scores_folder, "--out", tmp_path / "out", *TWO)
    assert (ended.code, ended.err) == (0, "")
    assert max(map(len, ended.out.split("\n")[:-2])) <= 80
    assert "these numbers say nothing about any model" in " ".join(ended.out.split())
    names = {file.name for file in (tmp_path / "out").iterdir()}
    assert {"analysis.json", "analysis.md", "pairs.csv", "leaderboard.csv", "groups.parquet"} <= names
    tables = len([name for name in names if name.endswith(".csv")])
    assert ended.out.splitlines()[-1].startswith(f"{tables} tables in ")


def test_groups_seed_and_filters_reach_the_analysis(cli, scores_folder, few_resamples, tmp_path):
    mapping = tmp_path / "groups.toml"
    mapping.write_text('[kind]\npath = "metadata.category"\n[kind.groups]\nwork = "work|study"\nrest = "."\n')
    words = ("--groups", mapping, "--by", "kind", "--by", "metadata.category", "--by", "kind", "--seed", 5)
    assert cli("analyze", scores_folder, "--out", tmp_path / "out", *TWO, *words).code == 0
    found = json.loads((tmp_path / "out" / ANALYSIS_FILE).read_text(encoding="utf-8"))
    assert [*found["groups"]] == ["kind", "metadata.category"]
    assert found["groups"]["kind"]["patterns"] == {"work": "work|study", "rest": "."}
    assert (found["seed"], found["where"]) == (5, [TWO[1], TWO[3]])


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--where", "id=none"), "--where: nothing is left of the scores by id=none"),
        (("--where", "nonsense"), "--where: must be FIELD=VALUE"),
        (("--where", "metadata.x=1"), "--where: no conversation has metadata.x"),
        (("--by", "metadata.x"), "--by: must be one of diagnosis, topic, age or a path"),
        (("--by", "participant_profile.participant_id"), "--by: must not list participants"),
        (("--groups", "nowhere.toml"), "--groups: nowhere.toml must be a readable TOML file"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line_and_nothing_is_written(
    cli, scores_folder, tmp_path, words, problem
):
    ended = cli("analyze", scores_folder, "--out", tmp_path / "out", *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"attunebench: {problem}") and ended.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_negative_seed_is_refused(cli, scores_folder, tmp_path):
    ended = cli("analyze", scores_folder, "--out", tmp_path / "out", "--seed", -1)
    assert ended.code == 2 and "--seed" in ended.err


def test_a_folder_without_scores_ends_with_1(cli, tmp_path):
    for words in (("analyze", tmp_path, "--out", tmp_path / "out"), ("compare", tmp_path, *PAIR)):
        ended = cli(*words)
        assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)


def test_an_out_that_is_a_file_is_refused(cli, scores_folder, few_resamples, tmp_path):
    (tmp_path / "out").write_text("", encoding="utf-8")
    ended = cli("analyze", scores_folder, "--out", tmp_path / "out", *TWO)
    assert ended.code == 2
    assert ended.err == f"attunebench: --out: {tmp_path / 'out'} cannot be written (File exists)\n"


def test_moved_scores_name_the_option_that_helps(cli, scores_folder, tmp_path):
    shutil.copytree(scores_folder, tmp_path / "scores")
    (tmp_path / "scores" / "sources.json").unlink()
    for words in (("analyze", tmp_path / "scores", "--out", tmp_path / "out"), ("compare", tmp_path / "scores", *PAIR)):
        ended = cli(*words)
        assert ended.code == 2 and ended.err.startswith("attunebench: --data: must be given")


def test_compare_is_one_screen_with_a_margin(cli, scores_folder, few_resamples):
    ended = cli("compare", scores_folder, *PAIR, "--margin", "5", "--where", "mode=default")
    lines = ended.out.splitlines()
    assert (ended.code, ended.err) == (0, "")
    assert max(map(len, lines)) <= 80 and len(lines) < 60
    text = " ".join(ended.out.split())
    assert text.count("composite_score, reference profile") == text.count("composite_score, strict profile") == 1
    assert "Within a margin of 5: " in text and "the 14 conversations both have, in 11 clusters" in text


@pytest.mark.parametrize("margin", ["0", "-1", "nan", "inf"])
def test_a_margin_that_is_none_is_refused(cli, scores_folder, margin):
    ended = cli("compare", scores_folder, *PAIR, "--margin", margin)
    assert (ended.code, ended.err) == (2, f"attunebench: --margin: must be above 0, got {margin}\n")


def test_compare_names_what_it_does_not_know(cli, scores_folder, few_resamples):
    ended = cli("compare", scores_folder, "--metric", "composite", "--models", "baseline/null", "baseline/oracle")
    assert ended.code == 2 and "perhaps composite_score" in ended.err
    ended = cli("compare", scores_folder, "--metric", "composite_score", "--models", "baseline/null", "gpt")
    assert ended.code == 2 and "got gpt" in ended.err


def test_several_readings_of_a_conversation_count_as_one(cli, few_resamples, tmp_path):
    run, scores, out = (tmp_path / name for name in ("run", "scores", "out"))
    models = ("--model", "baseline/random", "--model", "baseline/lexicon")
    assert cli("run", "--data", DEMO, *models, "--limit", 4, "--epochs", 2, "--out", run).code == 0
    assert cli("score", "--data", DEMO, "--runs", run, "--out", scores).code == 0
    assert cli("analyze", scores, "--out", out).code == 0
    expected = json.loads((scores / "scores.json").read_text(encoding="utf-8"))["aggregates"]
    board = pl.read_csv(out / "leaderboard.csv")
    assert set(board["n"]) <= {0, 1, 2, 3, 4}
    for row in expected:
        own = board.filter(model=row["em_model"])
        found = dict(zip(own.select("profile", "metric").rows(), own["value"], strict=True))
        assert found["reference", "composite_score"] == pytest.approx(row["composite_score"])
        assert found["strict", "panas_skill"] == pytest.approx(row["strict"]["panas_skill"]["value"])
        pooled = row["pooled_binary_om_metrics"]
        assert found["reference", "pooled_binary_om_metrics.mcc"] == pytest.approx(pooled["mcc"])
