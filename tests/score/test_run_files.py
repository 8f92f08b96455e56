"""Claims about reading run records: any usual container, every problem told, one a line."""

import json

import pytest
from file_examples import dataset, epoch, one, raw_record, write_lines

from attunebench.errors import DataError, RecordError
from attunebench.score.run_files import load_records

DATA = dataset(one("c1"), one("c2"))


def problems(*paths, data=DATA):
    with pytest.raises(RecordError) as caught:
        load_records(paths, data)
    assert str(caught.value) == "\n".join(caught.value.problems)
    return [line.replace(f"{paths[0]}/", "") for line in caught.value.problems]


def names(*paths):
    return [(record.conversation_id, record.em_model) for record in load_records(paths, DATA)]


def test_a_run_s_folder_is_read_by_its_records_alone(tmp_path):
    write_lines(tmp_path / "records.jsonl", raw_record("c1"), raw_record("c2"))
    write_lines(tmp_path / "calls.jsonl", {"conversation": "c1"})
    (tmp_path / "inspect").mkdir()
    (tmp_path / "notes.json").write_text("not JSON")
    assert names(tmp_path) == [("c1", "m"), ("c2", "m")]


def test_a_folder_may_hold_one_record_a_file(tmp_path):
    (tmp_path / "run_10.json").write_text(json.dumps(raw_record("c2")))
    (tmp_path / "run_9.json").write_text("\ufeff" + json.dumps(raw_record("c1"), indent=1), encoding="utf-8")
    assert names(tmp_path) == [("c1", "m"), ("c2", "m")]


@pytest.mark.parametrize("name", ["all.jsonl", "all.jsonl.gz"])
def test_a_file_may_hold_a_record_a_line(tmp_path, name):
    assert names(write_lines(tmp_path / name, raw_record("c1"), raw_record("c2"))) == [("c1", "m"), ("c2", "m")]


def test_a_file_may_hold_an_array(tmp_path):
    (tmp_path / "all.json").write_text(json.dumps([raw_record("c1"), raw_record("c2")]))
    assert names(tmp_path / "all.json") == [("c1", "m"), ("c2", "m")]


def test_several_runs_make_one_list(tmp_path):
    for model in ("a", "b"):
        write_lines(tmp_path / model / "records.jsonl", raw_record(model=model))
    assert names(tmp_path / "a", tmp_path / "b") == [("c1", "a"), ("c1", "b")]


def test_a_record_may_cover_less_than_the_conversation(tmp_path):
    write_lines(tmp_path / "records.jsonl", raw_record(turns=1))
    assert len(load_records([tmp_path], DATA)) == 1


def test_the_same_conversation_may_stand_under_another_model_mode_strategy_or_condition(tmp_path):
    others = [
        raw_record(),
        raw_record(model="other"),
        raw_record(mode="verbose"),
        raw_record(post_conversation={"panas_strategy": "delta"}),
        raw_record(provenance={"condition": "other"}),
        raw_record(provenance=None),
    ]
    write_lines(tmp_path / "records.jsonl", *others)
    assert len(load_records([tmp_path], DATA)) == len(others)


def test_an_unknown_conversation(tmp_path):
    write_lines(tmp_path / "records.jsonl", raw_record("c1"), raw_record("c9"))
    assert problems(tmp_path) == [
        'records.jsonl: record 2: conversation c9: conversationId: must be in the data set, got "c9"'
    ]


def test_an_unknown_turn(tmp_path):
    write_lines(tmp_path / "records.jsonl", raw_record(turns=3))
    rule = "turnNumber: must be one of the conversation's turns, got 3"
    assert problems(tmp_path) == [f"records.jsonl: record 1: conversation c1: {rule}"]


def test_a_turn_that_stands_twice(tmp_path):
    record = raw_record()
    write_lines(tmp_path / "records.jsonl", record | {"turns": [*record["turns"], record["turns"][0]]})
    rule = "turnNumber: must stand once in a record, got 1 2 times"
    assert problems(tmp_path) == [f"records.jsonl: record 1: conversation c1: {rule}"]


def test_a_record_that_stands_twice_in_whatever_files(tmp_path):
    write_lines(tmp_path / "a" / "records.jsonl", raw_record("c1"))
    write_lines(tmp_path / "b" / "records.jsonl", raw_record("c2"), raw_record("c1"))
    rule = "must be the only record of m, default, absolute; records.jsonl: record 1 is another"
    assert problems(tmp_path / "a", tmp_path / "b") == [f"records.jsonl: record 2: conversation c1: {rule}"]


def test_broken_json(tmp_path):
    write_lines(tmp_path / "records.jsonl", raw_record("c1"))
    with (tmp_path / "records.jsonl").open("a") as file:
        file.write('{"conversationId": }\n')
    (line,) = problems(tmp_path)
    assert line.startswith("records.jsonl: line 2 column ")
    assert "must be JSON" in line


def test_a_missing_field(tmp_path):
    record = raw_record()
    del record["em_model"]
    write_lines(tmp_path / "records.jsonl", record)
    assert problems(tmp_path) == ["records.jsonl: record 1: conversation c1: em_model: is required"]


def test_a_field_of_the_wrong_type(tmp_path):
    write_lines(tmp_path / "records.jsonl", raw_record(turns=0) | {"turns": [{"turnNumber": "one"}]}, 3)
    first, second = problems(tmp_path)
    assert first.startswith(
        "records.jsonl: record 1: conversation c1: turns[0].turnNumber: input should be a valid int"
    )
    assert first.endswith('got "one"')
    assert second.startswith("records.jsonl: record 2: $: ")
    assert second.endswith("got 3")


def test_every_problem_is_told(tmp_path):
    bad = raw_record("c1")
    del bad["em_model"]
    del bad["turns"]
    write_lines(tmp_path / "records.jsonl", bad, raw_record("c9"), raw_record("c2", turns=4))
    assert len(problems(tmp_path)) == 5


def test_a_name_cannot_break_a_line(tmp_path):
    write_lines(tmp_path / "records.jsonl", raw_record("c9\nall is well\u2028\x1b[2J"))
    (line,) = problems(tmp_path)
    assert not set(line) & {"\n", "\u2028", "\x1b"}


def test_no_records(tmp_path):
    assert problems(tmp_path) == [f"{tmp_path}: no run records found"]
    write_lines(tmp_path / "records.jsonl")
    assert problems(tmp_path) == [f"{tmp_path}: no run records found"]


def test_no_such_folder(tmp_path):
    with pytest.raises(DataError, match="nowhere: does not exist"):
        load_records([tmp_path / "nowhere"], DATA)


def test_a_record_made_on_other_questions_is_refused_and_named(tmp_path):
    raw = raw_record()
    raw["turns"][0]["em_binary_om_assessment"] = {"B20": "yes"}
    file = tmp_path / "r.json"
    file.write_text(json.dumps(raw))
    with pytest.raises(RecordError) as refused:
        load_records([file], dataset())
    rule = "em_binary_om_assessment: must answer questions of the turn"
    assert refused.value.problems == (f'r.json: record 1: conversation c1: turn 1: {rule}, got "B20"',)


def test_a_record_that_showed_the_sides_the_other_way_round_is_turned(tmp_path):
    raw = raw_record()
    raw["turns"][0]["pairwise_assignment"] = {"0": {"A": "human", "B": "original"}}
    raw["turns"][0]["em_pairwise_selections"] = {"0": "A"}
    file = tmp_path / "r.json"
    file.write_text(json.dumps(raw))
    (record,) = load_records([file], dataset())
    assert record.turns[0].em_pairwise_selections == {"0": "B"}


def test_a_conversation_may_be_read_in_several_epochs_once_in_each(tmp_path):
    write_lines(tmp_path / "records.jsonl", raw_record(), raw_record(**epoch(2)))
    assert [record.epoch for record in load_records([tmp_path], DATA)] == [1, 2]
    write_lines(tmp_path / "more.jsonl", raw_record(**epoch(2)))
    (problem,) = problems(tmp_path, tmp_path / "more.jsonl")
    assert problem.endswith(
        "must be the only record of m, default, absolute, epoch 2; records.jsonl: record 2 is another"
    )


def test_an_epoch_counts_from_1(tmp_path):
    write_lines(tmp_path / "records.jsonl", raw_record(**epoch(0)))
    (problem,) = problems(tmp_path)
    assert problem.endswith("provenance.epoch: input should be greater than or equal to 1, got 0")
