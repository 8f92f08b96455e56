"""Claims about texts that stay in their files: read later, they are the ones that were there."""

import gzip
import json
import pickle

import polars as pl
import pytest

from attunebench.dataset.addresses import files_at
from attunebench.dataset.files import read_file
from attunebench.dataset.places import Found, Place, index, read_texts
from attunebench.errors import DataError
from ranges import serving_ranges

VALUES = [{"conversationId": f"c{n}", "text": "\u00e9" * n, "turns": [n] * 20_000 * (n % 3)} for n in range(8)]
LINES = "".join(json.dumps(value, ensure_ascii=False) + "\n\r\n" for value in VALUES).encode()

FILES = {
    "a.jsonl": LINES,
    "b.jsonl": b"\xef\xbb\xbf" + LINES.rstrip(),
    "c.json": json.dumps(VALUES[3], indent=2).encode(),
    "d.json": b"\xef\xbb\xbf" + json.dumps(VALUES[3]).encode(),
    "e.json": json.dumps(VALUES).encode(),
    "f.jsonl.gz": gzip.compress(LINES),
}


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "data"
    made.mkdir()
    for name, data in FILES.items():
        (made / name).write_bytes(data)
    pl.DataFrame({"conversation": [json.dumps(value) for value in VALUES]}).write_parquet(made / "g.parquet")
    return made


def found_in(files, *, remote):
    return [found for file in files for found in index(file, remote=remote)]


def assert_all_are_read(files, found):
    assert [text.parse() for text in read_texts(one.text for one in found)] == [
        document for file in files for document in read_file(file)
    ]


def test_texts_are_read_back_from_their_files_in_any_order_and_process(folder):
    found = found_in(files_at(folder), remote=False)
    assert_all_are_read(files_at(folder), found)
    again = pickle.loads(pickle.dumps(found[::-1]))
    assert_all_are_read(files_at(folder), again[::-1])


def test_texts_of_packed_files_and_arrays_alone_come_along(folder):
    found = found_in(files_at(folder), remote=False)
    assert {one.text.file for one in found if isinstance(one.text, Place)} == {"a.jsonl", "b.jsonl", "c.json", "d.json"}
    assert all(not one.text.text.data for one in found if isinstance(one.text, Place))


def test_every_text_is_known_by_its_conversation(folder):
    found = found_in([folder / "a.jsonl", folder / "c.json", folder / "f.jsonl.gz"], remote=False)
    names = [f"c{n}" for n in range(8)]
    assert [one.conversation_id for one in found] == [*names, "c3", *names]


def test_texts_at_an_address_are_left_there_only_if_that_is_asked_for(folder):
    with serving_ranges(folder) as server:
        files = files_at(f"{server.url}/a.jsonl")
        assert not any(isinstance(one.text, Place) for one in found_in(files, remote=False))
        found = found_in(files, remote=True)
        assert all(isinstance(one.text, Place) for one in found)
        assert_all_are_read(files, found)


def test_near_texts_are_read_together_and_far_ones_apart(folder):
    with serving_ranges(folder) as server:
        found = found_in(files_at(f"{server.url}/a.jsonl"), remote=True)
        server.served.clear()
        assert len([*read_texts(found[n].text for n in (0, 1, 2))]) == 3
        assert len(server.served) == 1
        server.served.clear()
        assert len([*read_texts(found[n].text for n in (0, 7))]) == 2
        assert len(server.served) == 2


def test_a_file_that_is_no_longer_the_same_is_named(folder):
    found = [one for one in index(folder / "a.jsonl", remote=False) if isinstance(one, Found)]
    data = (folder / "a.jsonl").read_bytes()
    for changed in (data.replace(b"c0", b"d0"), data[:10], b"x" + data):
        (folder / "a.jsonl").write_bytes(changed)
        with pytest.raises(
            DataError, match=r"data/a\.jsonl: must not change while it is scored, has changed at byte 0"
        ):
            list(read_texts([found[0].text]))
    (folder / "a.jsonl").unlink()
    with pytest.raises(DataError, match=r"data/a\.jsonl: cannot be read \(No such file"):
        list(read_texts([found[0].text]))
