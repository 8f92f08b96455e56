"""Claims about an analysis as files, and about what runs cost."""

import csv
import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from analysis_examples import cells, inputs_from, inputs_of_scores, rows_of, table
from attunebench.analysis.analyze import Analysis, Options, read_narrowed
from attunebench.analysis.compared import compare_settings
from attunebench.analysis.costs import costs
from attunebench.analysis.differences import differences
from attunebench.analysis.files import write_analysis
from attunebench.analysis.ranking import ranking
from attunebench.errors import UsageError

HOSTILE = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "plain"]


def analysis_of(*models):
    scores = np.arange(len(models))[:, None] + np.random.default_rng(1).normal(size=(len(models), 20))
    inputs = inputs_of_scores({"reference/composite_score": scores}, rows=rows_of(*models))
    settings = compare_settings(inputs)
    return Analysis([ranking(inputs, settings), differences(settings)], {"seed": 7})


def test_no_cell_of_a_csv_file_is_a_formula_and_numbers_stay_numbers(tmp_path):
    write_analysis(analysis_of(*HOSTILE), tmp_path)
    for file in tmp_path.glob("*.csv"):
        with file.open(encoding="utf-8", newline="") as opened:
            for row in csv.DictReader(opened):
                for name, cell in row.items():
                    formula = cell[:1] in ("=", "+", "@", "\t", "\r") or (cell[:1] == "-" and not is_number(cell))
                    assert not formula, (file.name, name, cell)
    board = pl.read_csv(tmp_path / "leaderboard.csv")
    assert set(board["model"]) == {f"'{name}" if name != "plain" else name for name in HOSTILE}
    assert board["value"].dtype == pl.Float64 and board["seed"].unique().to_list() == [7]


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_parquet_and_json_keep_names_as_they_are(tmp_path):
    write_analysis(analysis_of(*HOSTILE), tmp_path)
    assert set(pl.read_parquet(tmp_path / "leaderboard.parquet")["model"]) == set(HOSTILE)
    found = json.loads((tmp_path / "analysis.json").read_text(encoding="utf-8"))
    assert {row["model"] for row in found["parts"][0]["tables"][0]["rows"]} == set(HOSTILE)


def test_a_folder_that_cannot_be_written_is_told_in_one_line(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match=r"--out: .*file cannot be written") as refused:
        write_analysis(analysis_of("a", "b"), tmp_path / "file")
    assert "\n" not in str(refused.value)


def test_a_second_analysis_leaves_no_table_of_the_first(tmp_path):
    (tmp_path / "mine.csv").write_text("kept", encoding="utf-8")
    write_analysis(analysis_of("a", "b"), tmp_path)
    assert (tmp_path / "pairs.csv").exists()
    write_analysis(analysis_of("a"), tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == {
        "analysis.json",
        "leaderboard.csv",
        "leaderboard.parquet",
        "mine.csv",
    }


def test_costs_are_counts_of_the_calls_and_sums_of_the_ledger(scores_folder):
    inputs = inputs_from(scores_folder)
    found = table(costs(inputs), "costs").filter(mode="omniscient")
    lines = (scores_folder.parent / "omniscient" / "calls.jsonl").read_text(encoding="utf-8").splitlines()
    ledger = [json.loads(line) for line in lines]
    for model, calls in cells(found, "model", column="calls").items():
        assert calls == len([line for line in ledger if line["model"] == model])
    assert set(found["n"]) == {14} and set(found["failed"]) == {0}
    tokens = cells(found, "model", column="output_tokens")
    for model, count in tokens.items():
        assert count == sum(line["output_tokens"] or 0 for line in ledger if line["model"] == model)


def test_costs_are_those_of_the_conversations_that_were_chosen(scores_folder):
    inputs = inputs_from(scores_folder)
    name = inputs.cube.conversations[0]
    part = read_narrowed(scores_folder, Options(where=[f"id={name}", "mode=omniscient"]))
    one, everything = (
        cells(table(costs(each), "costs").filter(mode="omniscient"), "model", column="calls") for each in (part, inputs)
    )
    assert all(0 < one[model] < everything[model] for model in everything)


def test_without_a_ledger_tokens_are_missing_and_said_to_be(scores_folder):
    inputs = replace(inputs_from(scores_folder), runs=[], records="nowhere")
    part = costs(inputs)
    assert [missing.part for missing in part.missing] == ["cost and time", "tokens"]
    assert "calls" in table(part, "costs").columns


def test_every_number_in_a_file_says_how_it_was_made_and_on_what(analyzed):
    """But for the heat map, whose numbers stand in the leaderboard too, and counts of people and calls."""
    for name, found in analyzed.tables.items():
        if name not in ("heat_map", "people"):
            assert {"method", "n"} <= {*found.written.columns}, name
            assert not found.written["method"].is_null().any(), name
        if name not in ("heat_map", "people", "costs"):
            assert {"clusters", "profile"} <= {*found.written.columns}, name
