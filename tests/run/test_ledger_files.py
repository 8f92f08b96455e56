"""Claims about the ledger as a file: whole lines only, read back as written, in spite of a kill."""

from dataclasses import replace

import pytest

from attunebench.errors import RunError
from attunebench.run.ledger import LEDGER_FILE, Attempt, dump_attempt, read_ledger
from attunebench.run.lines import LineFile

ROW = Attempt(
    conversation="c1",
    turn=None,
    call="outcome",
    model="m",
    condition="0123",
    attempt=1,
    state="parsed",
    prompt_version="1",
    prompt_hash="ff",
    started_at="2026-01-01T00:00:00+00:00",
    text="line\nbreak \u2028 \x00 🙂 \ud83d",
    counters={"clamped": 2},
)


def write(folder, *rows):
    with LineFile(folder / LEDGER_FILE) as file:
        for row in rows:
            file.append(dump_attempt(row))
    return folder / LEDGER_FILE


def test_rows_are_read_as_they_were_written(tmp_path):
    rows = [ROW, replace(ROW, turn=3, call="draft", state="empty", text=None, latency_s=0.25)]
    file = write(tmp_path, *rows)
    assert list(read_ledger(tmp_path)) == rows
    assert file.read_bytes().count(b"\n") == 2


def test_a_file_only_grows(tmp_path):
    write(tmp_path, ROW)
    write(tmp_path, replace(ROW, attempt=2))
    assert [row.attempt for row in read_ledger(tmp_path)] == [1, 2]


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_a_last_line_that_was_cut_off_is_left_out(tmp_path, cut):
    file = write(tmp_path, ROW, ROW)
    file.write_bytes(file.read_bytes()[:-cut])
    assert list(read_ledger(tmp_path)) == [ROW]


@pytest.mark.parametrize("line", ["{", "[]", "3", "{}", ""])
def test_any_other_line_must_be_a_row(tmp_path, line):
    file = write(tmp_path, ROW)
    file.write_bytes(file.read_bytes() + line.encode() + b"\n")
    with pytest.raises(RunError, match=r"calls\.jsonl: line 2: must be a ledger row"):
        list(read_ledger(tmp_path))


def test_columns_of_later_versions_are_no_obstacle(tmp_path):
    with LineFile(tmp_path / LEDGER_FILE) as file:
        file.append(dump_attempt(ROW)[:-1] + ',"mood":"good"}')
    assert list(read_ledger(tmp_path)) == [ROW]
