"""Claims about scores as files: `scores.json` read back as written, `scores.parquet` with every number of it."""

import io
import json
from functools import cache

import polars as pl
import pyarrow as pa
import pytest
from file_examples import dataset, one, raw_record, record_of, write_lines

from attunebench.errors import RecordError
from attunebench.score.aggregate import GROUP
from attunebench.score.blocks import tidy_blocks
from attunebench.score.run_files import load_records
from attunebench.score.table import read_scores, score_records, write_scores
from attunebench.score.tidy import SCHEMA, TEXT, to_parquet
from score_examples import panas

FAILED = [{"turn": 1, "call": "draft", "state": "refused"}, {"turn": None, "call": "outcome", "state": "parsed"}]


@cache
def scores():
    """Two models on two conversations, one of them with a failed call; a third of the first conversation only."""
    data = dataset(one("c1"), one("c2"), one("c3"))
    records = [
        record_of("c1", "a"),
        record_of("c2", "a", calls=FAILED),
        record_of("c1", "b"),
        record_of("c2", "b", post_conversation=None),
        record_of("c1", "foreign", calls=None, provenance=None, mode="verbose"),
    ]
    return score_records(data, records)


def test_there_is_a_row_a_model_and_mode_and_a_floor_a_baseline():
    assert [(row["em_model"], row["mode"], row["n_conversations"]) for row in scores().aggregates] == [
        ("a", "default", 2),
        ("b", "default", 2),
        ("foreign", "verbose", 1),
    ]
    assert [row["floor"] for row in scores().floors] == ["null", "random", "majority", "lexicon", "oracle"]


def test_floors_stand_on_the_conversations_that_records_cover():
    assert {row["n_conversations"] for row in scores().floors} == {2}


def test_every_strategy_has_its_own_floors():
    found = score_records(dataset(one()), [record_of(), record_of(post_conversation={"panas_strategy": "blind_delta"})])
    assert len(found.floors) == 10
    assert {row["panas_strategy"] for row in found.floors} == {"absolute", "blind_delta"}


def test_calls_are_counted_by_kind_and_state():
    a, b, foreign = scores().aggregates
    assert a["calls"]["draft"] == {"parsed": 2, "refused": 1}
    assert a["calls"]["outcome"] == {"parsed": 2}
    assert b["calls"]["draft"] == {"parsed": 4}
    assert foreign["calls"] == {}


def test_scores_are_read_back_as_they_were_written(tmp_path):
    write_scores(scores(), tmp_path / "new" / "folder")
    for path in (tmp_path / "new" / "folder", tmp_path / "new" / "folder" / "scores.json"):
        found = read_scores(path)
        assert vars(found) == json.loads(json.dumps(vars(scores())))
    assert sorted(file.name for file in (tmp_path / "new" / "folder").iterdir()) == ["scores.json", "scores.parquet"]


def test_the_file_has_four_parts_under_the_public_names(tmp_path):
    write_scores(scores(), tmp_path)
    raw = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    assert set(raw) == {"conversations", "aggregates", "floors", "made_up"}
    assert {"conversationId", "em_model", "composite_score", "avg_emotion_f1", "strict"} <= set(raw["conversations"][0])
    assert {"n_conversations", "composite_score", "se_composite", "z_score"} <= set(raw["aggregates"][0])
    assert set(raw["aggregates"][0]["strict"]["composite_score"]) == {"value", "n", "n_failed", "lower", "upper"}


def test_scores_do_not_depend_on_the_order_of_records():
    data, records = dataset(one("c1"), one("c2")), [record_of("c1", "a"), record_of("c2", "a"), record_of("c1", "b")]
    assert score_records(data, records).aggregates == score_records(data, records[::-1]).aggregates


@pytest.mark.parametrize("odd", ["NaN", "Infinity", "-Infinity", "1e999", '"nan"', '"inf"'])
def test_a_number_that_is_none_is_never_read_nor_written(tmp_path, odd):
    record = raw_record(post_conversation={"predicted_post_panas": panas(None, 20) | {"items": {"Proud": "ODD"}}})
    record["post_conversation"]["predicted_post_panas"]["totalPositiveAffect"] = "ODD"
    record["post_conversation"]["predicted_conversation_wide"] = {"fourBranchScores": {"managing": "ODD"}}
    record["turns"][0] |= {"em_emotion_tags": [{"emotion": "Upset", "intensity": "ODD"}]}
    record["turns"][0] |= {"em_draft_judge_scores": {"overall_score": "ODD"}}
    write_lines(tmp_path / "records.jsonl", record)
    file = tmp_path / "records.jsonl"
    file.write_text(file.read_text().replace('"ODD"', odd))
    try:
        records = load_records([tmp_path], dataset())
    except RecordError as error:
        assert "must be JSON" in str(error)
        return
    write_scores(score_records(dataset(), records), tmp_path)
    json.loads((tmp_path / "scores.json").read_text(), parse_constant=pytest.fail)
    values = pl.read_parquet(tmp_path / "scores.parquet")["value"].drop_nulls()
    assert values.is_finite().all()


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "3", '{"conversations": [], "aggregates": [], "other": 1}'])
def test_another_file_is_refused(tmp_path, text):
    (tmp_path / "scores.json").write_text(text)
    with pytest.raises(RecordError, match=r"scores\.json: must be a file that `attunebench score` wrote"):
        read_scores(tmp_path)


def test_a_folder_without_scores_says_what_to_do(tmp_path):
    with pytest.raises(RecordError, match=r"scores\.json: does not exist; `attunebench score` writes it"):
        read_scores(tmp_path)
    with pytest.raises(RecordError, match="does not exist"):
        read_scores(tmp_path / "nowhere")


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordError, match="file: cannot be written"):
        write_scores(scores(), tmp_path / "file")


def test_the_data_set_says_whether_it_is_made_up():
    assert not scores().made_up
    assert score_records(dataset(one(metadata={"made_up": True})), [record_of()]).made_up


TYPES = {TEXT: pl.String, pa.int64(): pl.Int64, pa.float64(): pl.Float64}
DOCUMENTED = pl.Schema({field.name: TYPES[field.type] for field in SCHEMA})


@pytest.fixture(scope="module")
def tidy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scores")
    write_scores(scores(), folder)
    return pl.read_parquet(folder / "scores.parquet")


def test_the_table_has_the_documented_columns(tidy):
    assert tidy.schema == DOCUMENTED
    assert tidy["level"].unique().sort().to_list() == ["aggregate", "conversation", "floor", "turn"]
    assert tidy["profile"].unique().sort().to_list() == ["calls", "reference", "strict"]


def test_a_value_stands_once(tidy):
    key = [
        "level",
        "model",
        "mode",
        "panas_strategy",
        "condition",
        "conversation",
        "epoch",
        "turn",
        "profile",
        "metric",
    ]
    assert not tidy.select(key).is_duplicated().any()


def numbers_of(row):
    """Every number of a row of `scores.json`, under the names that the table gives them."""
    for name, value in row.items():
        if isinstance(value, dict) and name not in {"n", "strict", "calls", "post_score", "skill"}:
            yield from (("reference", f"{name}.{part}", number) for part, number in value.items())
        elif isinstance(value, int | float) and name not in {
            "n_conversations",
            "draws",
            "turnNumber",
            "epoch",
            "epochs",
        }:
            yield "reference", name, value
    yield from (("strict", name, value["value"]) for name, value in row.get("strict", {}).items())
    for kind, states in row.get("calls", {}).items():
        yield from (("calls", f"{kind}.{state}", count) for state, count in states.items())


def in_table(rows):
    found = {(row["profile"], row["metric"]): row["value"] for row in rows.iter_rows(named=True)}
    assert len(found) == len(rows)
    return found


@pytest.mark.parametrize(
    ("level", "part", "name"), [("aggregate", "aggregates", "em_model"), ("floor", "floors", "floor")]
)
def test_every_number_of_the_aggregates_is_in_it(tidy, level, part, name):
    for row in getattr(scores(), part):
        found = in_table(tidy.filter(level=level, model=row[name]))
        numbers = {(profile, metric): value for profile, metric, value in numbers_of(row)}
        assert len(numbers) > 150
        assert {key: found[key] for key in numbers} == numbers
        assert all(found[key] is None for key in found.keys() - numbers)


def test_every_number_of_conversations_and_turns_is_in_it(tidy):
    for row in scores().conversations:
        of_it = tidy.filter(model=row["em_model"], conversation=row["conversationId"])
        found = in_table(of_it.filter(level="conversation"))
        for profile, metric, value in numbers_of(row | row["post_score"]):
            assert found[profile, metric] == value
        for turn in row["turn_scores"]:
            found = in_table(of_it.filter(level="turn", turn=turn["turnNumber"]))
            for profile, metric, value in numbers_of(turn):
                assert found[profile, metric] == value


def test_groups_are_those_of_the_aggregates(tidy):
    keys = {tuple(row[name] for name in GROUP) for row in scores().aggregates}
    assert set(tidy.filter(level="aggregate").select("model", *GROUP[1:]).rows()) == keys
    assert set(tidy.filter(level="turn").select("model", *GROUP[1:]).rows()) == keys


def test_a_strict_value_keeps_its_items_and_bounds(tidy):
    (row,) = tidy.filter(level="aggregate", model="a", profile="strict", metric="composite_score").iter_rows(named=True)
    expected = scores().aggregates[0]["strict"]["composite_score"]
    assert {name: row[name] for name in expected} == expected


def test_no_scores_make_an_empty_table():
    data = to_parquet(tidy_blocks([]).to_table())
    assert pl.read_parquet(io.BytesIO(data)).schema == DOCUMENTED
