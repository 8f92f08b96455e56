"""Claims about addresses: what is read and written there is what would be in a folder here."""

import json
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import fsspec
import pytest

from attunebench.dataset.addresses import fetch, folder_for, send
from attunebench.dataset.files import read_documents
from attunebench.errors import DataError, RecordError, UsageError


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *words):
        return


@pytest.fixture
def folder(tmp_path):
    """A data set of two files, and files that are not of it."""
    made = tmp_path / "data"
    (made / "sub").mkdir(parents=True)
    for name in ("a.json", "b.jsonl", ".hidden.json", "notes.txt", "sub/c.json"):
        (made / name).write_text(json.dumps({"name": name}))
    return made


@pytest.fixture
def served(folder):
    """The folder's address on a web server on this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path):
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"


@pytest.fixture
def memory():
    files = fsspec.filesystem("memory")
    yield files
    files.rm("/", recursive=True)


def write_one(target, cache):
    made = folder_for(target, cache)
    (made / "scores.json").write_text("{}")
    send(made, target)


def names(path):
    return [document.value["name"] for document in read_documents(path)]


def test_paths_and_file_addresses_stay_where_they_are(folder, cache):
    for source in (str(folder), f"file://{folder}", f"local://{folder}"):
        assert fetch(source, cache) == folder_for(source, cache) == folder
        send(folder, source)
    assert not any(cache.iterdir())


def test_a_folder_on_the_web_is_read(served, cache):
    assert names(fetch(f"{served}/", cache)) == ["a.json", "b.jsonl"]


def test_a_file_on_the_web_is_read(served, cache):
    assert names(fetch(f"{served}/b.jsonl", cache)) == ["b.jsonl"]


def test_an_archive_is_read(folder, cache):
    with zipfile.ZipFile(folder.parent / "all.zip", "w") as archive:
        for name in ("a.json", "b.jsonl"):
            archive.write(folder / name, f"in/{name}")
    assert names(fetch(f"zip://in::file://{folder.parent}/all.zip", cache)) == ["a.json", "b.jsonl"]


def test_of_a_run_only_its_records_are_read(memory, cache):
    for name in ("records.jsonl", "calls.jsonl"):
        memory.pipe(f"/run/{name}", json.dumps({"name": name}).encode())
    assert names(fetch("memory://run", cache, prefer="records.jsonl")) == ["records.jsonl"]
    assert len(names(fetch("memory://run", cache, prefer="others.jsonl"))) == 2


def test_what_is_written_arrives(memory, cache):
    write_one("memory://new/folder", cache)
    assert memory.cat("/new/folder/scores.json") == b"{}"


def test_a_place_that_cannot_be_written_is_named(served, cache):
    with pytest.raises(RecordError, match=r"http://127\.0\.0\.1:\d+: cannot be written \("):
        write_one(served, cache)


def test_what_is_not_there_is_named(served, folder, cache):
    with pytest.raises(DataError, match=r"memory://nowhere: does not exist"):
        fetch("memory://nowhere", cache)
    with pytest.raises(DataError, match=r"nothing\.json: does not exist"):
        fetch(f"{served}/nothing.json", cache)
    with pytest.raises(DataError, match=r"nowhere\.zip: does not exist"):
        fetch(f"zip://x::file://{folder}/nowhere.zip", cache)


def test_an_address_of_no_known_kind_is_named(cache):
    with pytest.raises(UsageError, match=r"nothing://x: must be an address that fsspec knows"):
        fetch("nothing://x", cache)
    with pytest.raises(UsageError, match=r"nothing://x: must be an address"):
        folder_for("nothing://x", cache)
