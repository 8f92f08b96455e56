"""Claims about scoring files: the numbers of the simple way, to the last bit, however the work is shared."""

import gzip
import json
import random
import subprocess
import sys
from functools import partial

import fsspec
import polars as pl
import pytest
from file_examples import one, raw_record, write_lines
from test_golden import CASES, read

from attunebench.dataset.export import dump_conversation
from attunebench.dataset.load import load_dataset
from attunebench.errors import DataError, RecordError
from attunebench.score import cutting, score
from attunebench.score.aggregate import aggregate, aggregate_groups, group
from attunebench.score.columns import reference_columns, turn_columns
from attunebench.score.engine_local import do_jobs
from attunebench.score.epochs import join_groups
from attunebench.score.run_files import load_records
from attunebench.score.score_files import score_files
from attunebench.score.sources import Sources, read_sources, sources_of
from attunebench.score.table import read_scores, read_totals, score_records, write_scores

TOLD = [dump_conversation(one(f"c{n}", turns=1 + n % 3)) for n in range(7)]


def raw_records(model="m"):
    return [raw_record(told["conversationId"], model, turns=len(told["turns"])) for told in TOLD]


@pytest.fixture
def small_shards(monkeypatch):
    monkeypatch.setattr(cutting, "SHARD_BYTES", 1)


@pytest.fixture
def golden(tmp_path):
    """The golden cases as files, records in another order than conversations, and as two models."""
    runs = [case["run"] | {"em_model": name} for name in ("a/x", "b/y") for case in CASES]
    random.Random(1).shuffle(runs)
    data = write_lines(tmp_path / "data.jsonl", *(case["conversation"] for case in CASES))
    return data, [write_lines(tmp_path / "1.jsonl", *runs[:150]), write_lines(tmp_path / "2.jsonl.gz", *runs[150:])]


def in_one_order(scores):
    return sorted(scores.conversations, key=lambda one: json.dumps([one["conversationId"], one["em_model"]]))


@pytest.mark.parametrize("workers", [1, 2])
def test_the_numbers_are_those_of_the_simple_way_to_the_last_bit(golden, tmp_path, monkeypatch, workers):
    monkeypatch.setattr(cutting, "SHARD_BYTES", 20_000)
    data, runs = golden
    dataset = load_dataset(data)
    simple = score_records(dataset, load_records(runs, dataset))
    write_scores(simple, tmp_path / "simple")
    score_files(data, runs, tmp_path / "files", workers=workers)
    expected, got = read_scores(tmp_path / "simple"), read_scores(tmp_path / "files")
    assert (got.aggregates, got.floors, got.made_up) == (expected.aggregates, expected.floors, expected.made_up)
    assert in_one_order(got) == in_one_order(expected)
    tables = [pl.read_parquet(tmp_path / name / "scores.parquet") for name in ("simple", "files")]
    assert tables[0].schema == tables[1].schema
    assert tables[0].sort(pl.all()).equals(tables[1].sort(pl.all()))


@pytest.mark.parametrize("workers", [1, 2])
def test_floors_are_those_of_the_conversations_and_strategies_of_records(tmp_path, small_shards, workers):
    data = write_lines(tmp_path / "data.jsonl", *TOLD)
    runs = [write_lines(tmp_path / "r.jsonl", *raw_records("a")[2:5], *map(blind, raw_records("b")[1:4]))]
    dataset = load_dataset(data)
    expected = score_records(dataset, load_records(runs, dataset))
    found = score_files(data, runs, tmp_path / "out", workers=workers)
    assert (found.aggregates, found.floors) == (expected.aggregates, expected.floors)
    assert [(row["panas_strategy"], row["n_conversations"]) for row in found.floors[::5]] == [
        ("absolute", 4),
        ("blind_delta", 4),
    ]


def blind(record):
    return record | {"post_conversation": {"panas_strategy": "blind_delta"}}


def test_progress_is_told_of_records_and_then_of_floors(tmp_path, small_shards):
    told = []
    data, runs = write_lines(tmp_path / "data.jsonl", *TOLD), [write_lines(tmp_path / "r.jsonl", *raw_records()[2:])]
    score_files(data, runs, tmp_path / "out", progress=lambda *state: told.append(state))
    assert told[-1] == ("floors", 5, 5)
    assert [state for state in told if state[0] == "records"][-1] == ("records", 5, 5)
    assert [what for what, *_ in told] == sorted((what for what, *_ in told), reverse=True)


def test_conversations_stand_in_the_order_of_the_data_set(tmp_path, small_shards):
    data = write_lines(tmp_path / "data.jsonl", *TOLD)
    score_files(data, [write_lines(tmp_path / "r.jsonl", *raw_records()[::-1])], tmp_path / "out", floors=False)
    found = read_scores(tmp_path / "out").conversations
    assert [one["conversationId"] for one in found] == [told["conversationId"] for told in TOLD]


def test_totals_are_read_without_the_conversations(tmp_path, small_shards):
    data = write_lines(tmp_path / "data.jsonl", *TOLD)
    made = score_files(data, [write_lines(tmp_path / "r.jsonl", *raw_records())], tmp_path / "out")
    found, everything = read_totals(tmp_path / "out"), read_scores(tmp_path / "out")
    assert found.conversations == []
    assert len(everything.conversations) == len(TOLD)
    assert found.aggregates == everything.aggregates == json.loads(json.dumps(made.aggregates))
    assert found.floors == everything.floors


def test_scores_from_elsewhere_on_several_lines_are_read_too(tmp_path):
    (tmp_path / "scores.json").write_text(json.dumps(vars(read_scores_of(tmp_path)), indent=1))
    assert read_totals(tmp_path).aggregates == read_scores(tmp_path).aggregates


def read_scores_of(folder):
    data = write_lines(folder / "data" / "data.jsonl", *TOLD)
    score_files(data, [write_lines(folder / "r.jsonl", *raw_records())], folder / "out", floors=False)
    return read_scores(folder / "out")


def test_nothing_but_the_scores_and_where_they_come_from_is_left(tmp_path):
    data = write_lines(tmp_path / "data.jsonl", *TOLD)
    before = {*tmp_path.iterdir()} | {tmp_path / "r.jsonl", tmp_path / "new"}
    score_files(data, [write_lines(tmp_path / "r.jsonl", *raw_records())], tmp_path / "new" / "folder", floors=False)
    assert {*tmp_path.iterdir()} == before
    assert sorted(file.name for file in (tmp_path / "new" / "folder").iterdir()) == [
        "scores.json",
        "scores.parquet",
        "sources.json",
    ]


def test_scores_in_shards_are_the_same(golden, tmp_path, monkeypatch):
    monkeypatch.setattr(cutting, "SHARD_BYTES", 20_000)
    score_files(*golden, tmp_path / "whole", workers=1)
    score_files(*golden, tmp_path / "out", workers=2, shards=True)
    assert vars(read_scores(tmp_path / "out")) == vars(read_scores(tmp_path / "whole"))
    assert read_totals(tmp_path / "out") == read_totals(tmp_path / "whole")
    shards = json.loads((tmp_path / "out" / "scores.json").read_text())["shards"]
    assert shards == sorted(shards)
    assert {f"shards/{file.name}" for file in (tmp_path / "out" / "shards").glob("*.jsonl")} == {*shards}
    tables = [tmp_path / "out" / name.replace(".jsonl", ".parquet") for name in shards]
    assert len(tables) > 5
    rows = pl.read_parquet([*tables, tmp_path / "out" / "scores.parquet"])
    assert rows.equals(pl.read_parquet(tmp_path / "whole" / "scores.parquet"))


def test_shards_that_are_there_already_are_left_alone(tmp_path):
    data, runs = write_lines(tmp_path / "data.jsonl", *TOLD), [write_lines(tmp_path / "r.jsonl", *raw_records())]
    score_files(data, runs, tmp_path / "out", floors=False, shards=True)
    before = {file: file.read_bytes() for file in (tmp_path / "out").rglob("*.*")}
    with pytest.raises(RecordError, match=r"^/.*out/shards is there already: choose another"):
        score_files(data, runs, tmp_path / "out", floors=False, shards=True)
    assert {file: file.read_bytes() for file in (tmp_path / "out").rglob("*.*")} == before


def test_a_shard_that_is_gone_is_named(tmp_path):
    data, runs = write_lines(tmp_path / "data.jsonl", *TOLD), [write_lines(tmp_path / "r.jsonl", *raw_records())]
    score_files(data, runs, tmp_path / "out", floors=False, shards=True)
    (tmp_path / "out" / "shards" / "00001.jsonl").unlink()
    assert read_totals(tmp_path / "out").aggregates
    with pytest.raises(RecordError, match=r"shards/00001\.jsonl: does not exist"):
        read_scores(tmp_path / "out")


@pytest.mark.parametrize("suffix", [".jsonl", ".json", ".jsonl.gz", ".parquet"])
def test_a_folder_of_shards_is_scored_as_one_file(tmp_path, small_shards, suffix):
    data, runs = write_lines(tmp_path / "data.jsonl", *TOLD), write_lines(tmp_path / "r.jsonl", *raw_records())
    for folder, values, key in (("data", TOLD, "conversation"), ("runs", raw_records(), "conversation")):
        (tmp_path / folder).mkdir()
        for number in range(3):
            write_shard(tmp_path / folder / f"{folder}-{number:05}{suffix}", values[number * 3 : number * 3 + 3], key)
    score_files(data, [runs], tmp_path / "expected")
    score_files(tmp_path / "data", [tmp_path / "runs"], tmp_path / "out")
    for name in ("scores.json", "scores.parquet"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "expected" / name).read_bytes()


def write_shard(file, values, column):
    if file.suffix == ".parquet":
        pl.DataFrame({column: [json.dumps(value) for value in values]}).write_parquet(file, row_group_size=2)
    elif file.suffix == ".json":
        file.write_text(json.dumps(values))
    else:
        write_lines(file, *values)


@pytest.fixture
def memory():
    files = fsspec.filesystem("memory")
    yield files
    files.rm("/", recursive=True)


@pytest.mark.parametrize("shards", [False, True])
@pytest.mark.parametrize("engine", [None, partial(do_jobs, workers=1)], ids=["here", "elsewhere"])
def test_scores_at_an_address_are_those_at_a_path(tmp_path, small_shards, memory, engine, shards):
    """Read from, worked on, and written to a filesystem that is not this machine's."""
    data, runs = write_lines(tmp_path / "data.jsonl", *TOLD), write_lines(tmp_path / "records.jsonl", *raw_records())
    memory.pipe("/data/a.jsonl", data.read_bytes())
    memory.pipe("/run/records.jsonl", runs.read_bytes())
    score_files(data, [runs], tmp_path / "out", shards=shards)
    score_files("memory://data", ["memory://run"], "memory://out", engine=engine, shards=shards)
    here = {str(file.relative_to(tmp_path)): file.read_bytes() for file in (tmp_path / "out").rglob("*.*")}
    there = {name.lstrip("/"): memory.cat(name) for name in memory.find("/out")}
    assert json.loads(there.pop("out/sources.json")) == {"data": "memory://data", "runs": ["memory://run"]}
    assert json.loads(here.pop("out/sources.json")) == {"data": "../data.jsonl", "runs": ["../records.jsonl"]}
    assert there == here
    assert len(here) == 3 + 2 * shards * len(TOLD)


def test_an_address_that_cannot_be_written_is_named(tmp_path):
    data, runs = write_lines(tmp_path / "data.jsonl", *TOLD), [write_lines(tmp_path / "r.jsonl", *raw_records())]
    with pytest.raises(RecordError, match=r"http://127\.0\.0\.1:1/: cannot be written \("):
        score_files(data, runs, "http://127.0.0.1:1/", floors=False)


SPOILT = [
    lambda record: record | {"conversationId": "elsewhere"},
    lambda record: record | {"turns": [*record["turns"], record["turns"][0] | {"turnNumber": 9}]},
    lambda record: record | {"turns": [*record["turns"], record["turns"][0]]},
    lambda record: {key: value for key, value in record.items() if key != "em_model"},
    lambda record: record | {"conversationId": 3},
    lambda record: {"turns": [], "em_model": "m", "extra": {"conversationId": "c1"}},
    lambda record: ["no", "record"],
]


@pytest.mark.parametrize("workers", [1, 2])
def test_all_problems_of_records_are_told_as_by_the_simple_way(tmp_path, small_shards, workers):
    data, records = write_lines(tmp_path / "data.jsonl", *TOLD), raw_records()
    spoilt = [spoil(record) for record, spoil in zip(records, SPOILT, strict=True)]
    first = write_lines(tmp_path / "1.jsonl", *spoilt, *records[3:], spoilt[0])
    second = write_lines(tmp_path / "2.jsonl", *records[5:])
    with second.open("ab") as file:
        file.write(b"{cut off\n\xff\n")
    with pytest.raises(RecordError) as expected:
        load_records([first, second], load_dataset(data))
    assert len(expected.value.problems) == 13
    with pytest.raises(RecordError) as got:
        score_files(data, [first, second], tmp_path / "out", workers=workers)
    assert got.value.problems == expected.value.problems
    assert not (tmp_path / "out").exists()


def test_all_problems_of_the_data_set_are_told_as_by_the_simple_way(tmp_path, small_shards):
    wrong = [TOLD[0] | {"turns": None}, TOLD[1] | {"conversationId": ""}, TOLD[0], TOLD[2] | {"turns": [{}]}, 5]
    data = write_lines(tmp_path / "data" / "1.jsonl", *TOLD, *wrong)
    (tmp_path / "data" / "2.json").write_text(json.dumps([TOLD[3], TOLD[4] | {"conversationId": "new"}, []]))
    (tmp_path / "data" / "3.json").write_text("{")
    (tmp_path / "data" / "4.jsonl.gz").write_bytes(gzip.compress(b"x\n" * 9)[:-4])
    with pytest.raises(DataError) as expected:
        load_dataset(data.parent)
    with pytest.raises(DataError) as got:
        score_files(data.parent, [write_lines(tmp_path / "r.jsonl", *raw_records(), {})], tmp_path / "out")
    assert got.value.problems == expected.value.problems
    assert not (tmp_path / "out").exists()


def test_what_is_not_there_is_named(tmp_path):
    data, records = write_lines(tmp_path / "data.jsonl", *TOLD), write_lines(tmp_path / "r.jsonl", *raw_records())
    nothing = write_lines(tmp_path / "nothing.jsonl")
    with pytest.raises(DataError, match="nowhere: does not exist"):
        score_files(tmp_path / "nowhere", [records], tmp_path / "out")
    with pytest.raises(DataError, match="nowhere: does not exist"):
        score_files(data, [tmp_path / "nowhere"], tmp_path / "out")
    with pytest.raises(RecordError, match=r"nothing\.jsonl: no run records found"):
        score_files(data, [nothing], tmp_path / "out")
    with pytest.raises(DataError, match="no conversations found"):
        score_files(nothing, [records], tmp_path / "out")
    with pytest.raises(RecordError, match=r"r\.jsonl: cannot be written"):
        score_files(data, [records], records)


def test_an_id_is_found_wherever_it_stands(tmp_path, small_shards):
    odd = TOLD[0] | {"conversationId": 'a "b" \u00e9\u2028'}
    later = {key: odd[key] for key in reversed(odd)}
    data = write_lines(tmp_path / "data.jsonl", later, TOLD[1] | {"note": {"conversationId": "c0"}})
    records = [raw_record(odd["conversationId"], turns=1), raw_record("c1", turns=2) | {"x": {"conversationId": "c2"}}]
    score_files(data, [write_lines(tmp_path / "r.jsonl", *records)], tmp_path / "out", floors=False)
    names = [one["conversationId"] for one in read_scores(tmp_path / "out").conversations]
    assert names == [odd["conversationId"], "c1"]


def test_a_record_twice_at_the_same_place_of_two_folders_is_told(tmp_path):
    data = write_lines(tmp_path / "data.jsonl", *TOLD)
    runs = [write_lines(tmp_path / name / "records.jsonl", *raw_records()).parent for name in ("one", "two")]
    with pytest.raises(RecordError) as found:
        score_files(data, runs, tmp_path / "out")
    assert len(found.value.problems) == len(TOLD)


def test_tallies_joined_in_any_parts_and_order_give_the_same_rows():
    every = 4 * [score(*read(case)) for case in CASES[:40]]  # so many that sums are held for a part of them
    whole = aggregate(every)
    shuffles = random.Random(7)
    for _ in range(5):
        shuffled = shuffles.sample(every, len(every))
        joined = {}
        for start in range(0, len(every), 9):
            part = group(shuffled[start : start + 9])
            for tally in part.values():
                tally.pack()
            join_groups(joined, part)
        assert aggregate_groups(joined) == whole


def test_a_turn_has_the_columns_of_any_object_of_scores():
    for case in CASES[:40]:
        turns = score(*read(case))["turn_scores"]
        shape, rows = turn_columns(turns)
        assert [(shape, values) for values in rows] == [reference_columns(turn) for turn in turns]


WITHOUT_GUARD = """
import sys
from pathlib import Path
from attunebench.score.score_files import score_files

print("once", flush=True)
data, runs, out = map(Path, sys.argv[1:])
score_files(data, [runs], out, workers=2)
"""

ONE_WORKER = """
import sys
from pathlib import Path
from attunebench.dataset.addresses import files_at
from attunebench.score.cutting import Pairing
from attunebench.score.jobs import ScoreTask
from attunebench.score.parts import Parts
from attunebench.score.record_store import RecordStore, TextStore

data, runs, out = map(Path, sys.argv[1:])
with TextStore() as texts:
    jobs = Pairing(files_at(data), RecordStore(files_at(runs), texts), texts).jobs()
    assert sum(ScoreTask(Parts(out), learn=True)(job).records for job in jobs)
print(*sorted({"fsspec", "polars", "scipy"} & sys.modules.keys()))
"""


def in_a_process(script, folder):
    data = write_lines(folder / "data.jsonl", *TOLD)
    runs, file = write_lines(folder / "r.jsonl", *raw_records()), folder / "script.py"
    file.write_text(script)
    (folder / "out").mkdir()
    return subprocess.check_output([sys.executable, file, data, runs, folder / "out"], text=True).strip()


def test_a_script_needs_no_guard_for_its_workers(tmp_path):
    assert in_a_process(WITHOUT_GUARD, tmp_path) == "once"
    assert len(read_scores(tmp_path / "out").conversations) == len(TOLD)


def test_a_worker_loads_nothing_that_takes_long_and_that_it_does_not_need(tmp_path):
    assert in_a_process(ONE_WORKER, tmp_path) == ""


def test_the_baselines_scores_of_every_conversation_are_kept_for_resampling(tmp_path, small_shards):
    """They add up to the floors; a conversation of which a score is not defined has none."""
    data, runs = write_lines(tmp_path / "data.jsonl", *TOLD), write_lines(tmp_path / "r.jsonl", *raw_records())
    floors = score_files(data, [runs], tmp_path / "out").floors
    table = pl.read_parquet(tmp_path / "out" / "floors.parquet")
    assert table.height == 5 * len(TOLD)
    for row in floors:
        mine = table.filter(pl.col("floor") == row["floor"])
        assert mine["conversation"].to_list() == [told["conversationId"] for told in TOLD]
        assert mine["reference/composite_score"].mean() == pytest.approx(row["composite_score"])
        assert mine["strict/composite_score"].mean() == row["strict"]["composite_score"]["value"] is None or (
            mine["strict/composite_score"].mean() == pytest.approx(row["strict"]["composite_score"]["value"])
        )


def test_where_scores_come_from_is_found_again_after_all_of_it_was_moved(tmp_path):
    data, runs = write_lines(tmp_path / "a" / "data.jsonl", *TOLD), write_lines(tmp_path / "a/r.jsonl", *raw_records())
    score_files(data, [runs], tmp_path / "a" / "out", floors=False)
    (tmp_path / "a").rename(tmp_path / "b")
    assert read_sources(tmp_path / "b" / "out") == Sources(
        str(tmp_path / "b" / "data.jsonl"), (str(tmp_path / "b" / "r.jsonl"),)
    )
    assert read_sources(tmp_path) is None


def test_where_scores_come_from_keeps_no_password():
    assert sources_of("http://me:secret@host/data", [], "memory://out").data == "http://host/data"
