"""Claims about a whole analysis: complete, the same numbers as the scores, the same again, and nobody named."""

import json
import shutil

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from analysis_examples import inputs_from, private_texts
from attunebench.analysis.analyze import Options, analyze, read_narrowed
from attunebench.analysis.files import write_analysis
from attunebench.dataset.export import dump_conversation
from attunebench.dataset.load import load_dataset
from attunebench.errors import AttuneError, RecordError, UsageError
from attunebench.score.score_files import score_files
from attunebench.score.skill import direction
from attunebench.score.sources import read_sources

ROW = ["model", "mode", "panas_strategy", "condition"]
PAIRS = "metric profile model_a model_b difference lower upper p p_holm p_bh distinguished n clusters"
BOARD = "model mode profile metric value lower upper rank_low rank_high n clusters n_failed"
GROUPS = (
    "model group_field group metric profile value lower upper difference difference_lower difference_upper p_bh n "
    "clusters"
)


def frames(analysis):
    return {name: table.frame for name, table in analysis.tables.items()}


def aggregates(folder):
    rows = json.loads((folder / "scores.json").read_text(encoding="utf-8"))["aggregates"]
    return {(row["em_model"], *(row[name] or "" for name in ROW[1:])): row for row in rows}


def published(row):
    """All that has a direction of an aggregate row, by profile and name."""
    found = {("strict", name): told["value"] for name, told in row["strict"].items()}
    for name, value in row.items():
        if name.startswith("pooled_"):
            found |= {("reference", f"{name}.{part}"): each for part, each in value.items()}
        elif isinstance(value, float) and not name.startswith(("se_", "z_")):
            found["reference", name] = value
    return {key: value for key, value in found.items() if direction(key[1])}


def test_every_value_of_the_leaderboard_is_the_one_in_the_scores_and_none_is_missing(scores_folder, analyzed):
    board = frames(analyzed)["leaderboard"].filter(~pl.col("metric").str.starts_with("skill."))
    expected = aggregates(scores_folder)
    assert len(expected) == board.select(ROW).n_unique() == 12
    for key, rows in board.group_by(ROW):
        found = dict(zip(rows.select("profile", "metric").rows(), rows["value"], strict=True))
        told = published(expected[key])
        assert {name for name in told if told[name] is not None} == {name for name in found if found[name] is not None}
        defined = {name: value for name, value in told.items() if value is not None}
        assert len(defined) > 90
        assert {name: found[name] for name in defined} == pytest.approx(defined, abs=1e-9)


def test_skill_floor_and_ceiling_are_those_in_the_scores(scores_folder, analyzed):
    board = frames(analyzed)["leaderboard"].filter(pl.col("metric").str.starts_with("skill."))
    expected = aggregates(scores_folder)
    compared = 0
    for row in board.iter_rows(named=True):
        told = expected[tuple(row[name] for name in ROW)]["skill"][row["profile"]].get(row["metric"][len("skill.") :])
        for ours, theirs in (("value", "skill"), ("floor", "floor"), ("ceiling", "ceiling")):
            if told is not None and told[theirs] is not None:
                assert row[ours] == pytest.approx(told[theirs], abs=1e-7), row
                compared += 1
            else:
                assert row[ours] is None, row
    assert compared > 12 * 2 * 10


def test_all_twelve_parts_come_out_with_the_columns_that_were_agreed(analyzed):
    found = frames(analyzed)
    assert {
        *("leaderboard", "costs", "capability_correlations", "pairs", "letters", "discrimination", "groups", "people"),
        *("modes", "thirds", "slopes", "turns", "perspective_gap", "panas_items", "mood_turns", "distributions"),
        *("heat_map", "metric_relations", "judge_agreement", "detectable", "yes_no", "emotion_errors", "furthest"),
    } <= {*found}
    assert all(part.tables for part in analyzed.parts)
    for name, columns in (("pairs", PAIRS), ("leaderboard", BOARD), ("groups", GROUPS)):
        assert set(columns.split()) <= {*found[name].columns}
    assert all(not frame.is_empty() for frame in found.values())


def test_every_interval_stands_around_its_value_with_a_method_and_clusters(analyzed):
    for name, frame in frames(analyzed).items():
        for value in ("value", "difference", "slope", "spearman", "generalisability"):
            before = {"difference": "difference_"}.get(value, "") if "difference_lower" in frame.columns else ""
            if value not in frame.columns or f"{before}lower" not in frame.columns:
                continue
            shown = frame.filter(pl.col(f"{before}lower").is_not_null())
            assert shown.filter(pl.col(f"{before}lower") > pl.col(f"{before}upper")).is_empty(), name
            assert shown.filter((pl.col("clusters") < 2) | (pl.col("n") < 2)).is_empty(), name
            assert shown["method"].null_count() == 0, name
            assert shown.filter(pl.col(value).is_null()).is_empty(), name


def test_one_seed_gives_the_same_bytes_and_another_the_same_values_with_other_intervals(
    scores_folder, analyzed, tmp_path, few_resamples
):
    for name, seed in (("one", 3), ("same", 3), ("other", 4)):
        write_analysis(analyze(scores_folder, Options(seed=seed, where=FEW)), tmp_path / name)
    one, same, other = ((tmp_path / name / "analysis.json").read_bytes() for name in ("one", "same", "other"))
    assert one == same != other
    keys = [*ROW, "profile", "metric"]
    boards = [pl.read_csv(tmp_path / name / "leaderboard.csv") for name in ("one", "other")]
    assert_frame_equal(*(board.select(*keys, "value", "n", "clusters") for board in boards))
    lower = [board["lower"] for board in boards]
    assert (lower[0] != lower[1]).sum() > 100


def test_an_analysis_is_read_as_strict_json_and_as_the_same_tables(analyzed, tmp_path):
    write_analysis(analyzed, tmp_path)

    def refuse(name):
        raise AssertionError(name)

    found = json.loads((tmp_path / "analysis.json").read_text(encoding="utf-8"), parse_constant=refuse)
    assert (found["made_up"], found["conversations"], found["clusters"], found["seed"]) == (True, 14, 11, 0)
    assert found["resamples"] == found["flips"] == 400
    assert [*found["groups"]] == ["diagnosis", "topic", "age"]
    tables = {table["name"]: table for part in found["parts"] for table in part["tables"]}
    assert {*tables} == {*frames(analyzed)} == {file.stem for file in tmp_path.glob("*.csv")}
    for name, table in analyzed.tables.items():
        frame = table.written
        assert tables[name]["rows"] == frame.to_dicts()
        kept = pl.read_parquet(tmp_path / f"{name}.parquet")
        assert_frame_equal(kept.drop("seed"), frame)
        assert kept["seed"].unique().to_list() == [0]


def test_no_file_names_a_participant_or_holds_what_anyone_wrote(scores_folder, analyzed, tmp_path):
    write_analysis(analyzed, tmp_path)
    private = private_texts(inputs_from(scores_folder))
    assert len(private) > 100
    files = [*tmp_path.glob("*.csv"), tmp_path / "analysis.json"]
    assert len(files) > 30
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert not [word for word in private if word in text], file.name


def unordered(frame):
    return frame.sort(pl.selectors.string() | pl.selectors.integer())


def assert_same_numbers(one, other):
    assert {*one.tables} == {*other.tables}
    for name, table in frames(one).items():
        frame = table.drop("conversation") if name == "furthest" else table  # of equals, the first in the data set
        found = frames(other)[name].select(frame.columns)
        assert_frame_equal(unordered(frame), unordered(found), abs_tol=1e-9)


FEW = ("mode=default", "model=baseline/null|baseline/lexicon|baseline/random|openai-api/local/qwen-9")
"""Enough for these claims, and quicker than all."""


def runs_of(folder):
    return [folder.parent / name for name in ("judged", "omniscient", "blind")]


def data_of(folder):
    return read_sources(folder).data


def test_scores_in_shards_give_the_same_analysis(scores_folder, tmp_path, few_resamples):
    out = tmp_path / "shards"
    score_files(data_of(scores_folder), runs_of(scores_folder), out, shards=True, workers=1)
    assert [*(out / "shards").glob("*.parquet")]
    assert_same_numbers(analyze(scores_folder, Options(where=FEW)), analyze(out, Options(where=FEW)))


def test_neither_the_order_of_conversations_nor_of_records_changes_anything(scores_folder, tmp_path, few_resamples):
    talks = [dump_conversation(one) for one in load_dataset(data_of(scores_folder)).conversations]
    turned = tmp_path / "turned.json"
    turned.write_text(json.dumps(talks[::-1]), encoding="utf-8")
    runs = []
    for run in runs_of(scores_folder)[::-1]:
        runs.append(tmp_path / run.name)
        runs[-1].mkdir()
        lines = (run / "records.jsonl").read_text(encoding="utf-8").splitlines()
        (runs[-1] / "records.jsonl").write_text("\n".join(lines[::-1]) + "\n", encoding="utf-8")
        shutil.copy(run / "calls.jsonl", runs[-1])
    score_files(turned, runs, tmp_path / "scores", workers=1)
    assert_same_numbers(analyze(scores_folder, Options(where=FEW)), analyze(tmp_path / "scores", Options(where=FEW)))


def test_scores_whose_data_and_runs_were_moved_are_analysed_from_where_they_are_now(
    scores_folder, tmp_path, few_resamples
):
    moved = tmp_path / "away" / "scores"
    shutil.copytree(scores_folder, moved)
    (moved / "sources.json").write_text('{"data": "gone", "runs": ["gone too"]}', encoding="utf-8")
    with pytest.raises(AttuneError, match="gone"):
        analyze(moved)
    data = data_of(scores_folder)
    without = analyze(moved, Options(data=data, where=FEW))
    assert any("give --runs" in reason for reason in reasons(without))
    assert "slopes" in without.tables
    runs = [str(run) for run in runs_of(scores_folder)]
    found = read_narrowed(moved, Options(data=data, runs=runs))
    assert len(found.records) == 12 * 14


def test_scores_that_do_not_say_where_their_data_are_ask_for_them(scores_folder, tmp_path):
    moved = tmp_path / "scores"
    shutil.copytree(scores_folder, moved)
    (moved / "sources.json").unlink()
    with pytest.raises(UsageError, match="--data: must be given") as told:
        analyze(moved)
    assert "\n" not in str(told.value)


def test_other_data_are_told_in_one_line(scores_folder, tmp_path):
    other = tmp_path / "other.json"
    other.write_text(
        json.dumps([{"conversationId": "x", "turns": [{"turnNumber": 1, "userMessage": "a", "llmResponse": "b"}]}])
    )
    with pytest.raises(RecordError, match=r"must be in the data set.*and 13 more") as told:
        analyze(scores_folder, Options(data=str(other)))
    assert "\n" not in str(told.value)


def test_a_folder_without_scores_is_refused(tmp_path):
    with pytest.raises(RecordError):
        analyze(tmp_path)


@pytest.mark.parametrize(
    ("where", "models", "conversations"),
    [
        (["model=baseline/null|baseline/oracle"], 2, 14),
        (["mode=omniscient"], 5, 14),
        (["mode!=omniscient", "model!=baseline/null"], 6, 14),
        (["diagnosis=none reported"], 7, 5),
        (["diagnosis!=NONE reported"], 7, 9),
    ],
)
def test_a_filter_leaves_what_it_says(scores_folder, where, models, conversations):
    cube = read_narrowed(scores_folder, Options(where=where)).cube
    assert len({row.model for row in cube.rows}) == models
    assert len(cube.conversations) == conversations


@pytest.mark.parametrize("where", ["model=nobody", "id=nothing", "age=9"])
def test_a_filter_that_leaves_nothing_is_refused_by_name(scores_folder, where):
    with pytest.raises(UsageError, match=f"--where: nothing is left of the scores by {where}"):
        analyze(scores_folder, Options(where=[where]))


def reasons(analysis):
    return [missing.reason for part in analysis.parts for missing in part.missing]


def test_of_one_model_there_are_values_and_a_statement_why_nothing_is_compared(scores_folder, few_resamples):
    found = analyze(scores_folder, Options(where=["model=baseline/lexicon", "mode=default"]))
    board = frames(found)["leaderboard"]
    assert board.filter(metric="composite_score")["lower"].null_count() == 0
    assert {"pairs", "detectable"}.isdisjoint(found.tables)
    assert any("only one model" in reason for reason in reasons(found))
    assert {"slopes", "thirds", "panas_items", "yes_no", "distributions"} <= {*found.tables}


def test_of_one_conversation_there_are_values_and_no_interval_and_no_test(scores_folder, few_resamples):
    name = inputs_from(scores_folder).cube.conversations[0]
    found = analyze(scores_folder, Options(where=[f"id={name}"]))
    board = frames(found)["leaderboard"]
    assert board.filter(metric="composite_score")["value"].null_count() == 0
    for frame in frames(found).values():
        for column in ("lower", "upper", "p", "p_holm", "p_bh", "difference_lower", "corrected"):
            if column in frame.columns:
                assert frame[column].null_count() == frame.height
    assert not frames(found)["pairs"]["distinguished"].any()
    assert any("only one cluster" in reason for reason in reasons(found))
    noted = board.filter(pl.col("value").is_not_null())["note"].unique().to_list()
    assert noted == ["fewer than 2 clusters: no interval"]


def test_what_is_not_defined_has_no_rank_and_no_letters_and_says_why(analyzed):
    for name in ("leaderboard", "letters"):
        frame = frames(analyzed)[name].filter(pl.col("value").is_null())
        marks = ["rank_low", "rank_high"] if name == "leaderboard" else ["letters"]
        assert not frame.is_empty()
        assert frame.select(pl.col(marks).is_null().all()).row(0) == (True,) * len(marks)
    board = frames(analyzed)["leaderboard"]
    undefined = board.filter(pl.col("value").is_null())["note"].unique().drop_nulls().to_list()
    assert sorted(undefined) == ["not defined in any conversation", "not defined on these conversations"]
    ranks = board.filter(metric="avg_emotion_intensity_mae", profile="reference", mode="omniscient")
    assert ranks["rank_high"].max() == ranks["value"].drop_nulls().len() < 5


def test_draft_quality_without_judges_is_alignment_where_others_were_judged(analyzed):
    found = frames(analyzed)["capability_discrimination"].filter(capability="draft quality")
    by_mode = {mode: set(rows["metrics"]) for (mode,), rows in found.group_by("mode")}
    assert by_mode == {"default": {"avg_draft_judge_score"}, "omniscient": {"avg_response_preference_alignment"}}
    assert found["generalisability"].null_count() == 0
