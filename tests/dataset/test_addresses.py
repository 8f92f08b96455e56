"""Claims about addresses: what is read and written there is what would be read and written in a folder here."""

import gzip
import json
import threading
import zipfile
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import fsspec
import pytest

from attunebench.dataset.addresses import RemoteFile, files_at, local_path, send
from attunebench.dataset.export import write_parquet
from attunebench.dataset.files import read_file
from attunebench.dataset.load import load_dataset
from attunebench.errors import DataError, UsageError
from ranges import serving_ranges


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
def memory():
    files = fsspec.filesystem("memory")
    yield files
    files.rm("/", recursive=True)


def names(files):
    return [document.value["name"] for file in files for document in read_file(file)]


def test_paths_and_file_addresses_stay_where_they_are(folder):
    for source in (folder, str(folder), f"file://{folder}", f"local://{folder}"):
        assert local_path(source) == folder
        assert files_at(source) == [folder / "a.json", folder / "b.jsonl"]
    assert local_path("memory://x") is None


def test_a_folder_on_the_web_is_read_in_the_order_of_one_here(served, folder):
    for number in (10, 9):
        (folder / f"n{number}.json").write_text(json.dumps({"name": number}))
    assert names(files_at(f"{served}/")) == names(files_at(folder)) == ["a.json", "b.jsonl", 9, 10]


def test_a_file_on_the_web_is_read(served):
    assert names(files_at(f"{served}/b.jsonl")) == ["b.jsonl"]


def test_a_web_server_that_gives_parts_is_not_asked_for_the_whole(folder):
    with serving_ranges(folder) as server:
        (file,) = files_at(f"{server.url}/b.jsonl")
        assert file.has_ranges
        server.served.clear()
        assert names([file]) == ["b.jsonl"]
        assert server.served
        assert all(part.end is not None for part in server.served)


def test_one_that_gives_no_parts_is_found_out(served):
    assert [file.has_ranges for file in files_at(f"{served}/b.jsonl")] == [False]


def test_an_archive_is_read(folder):
    with zipfile.ZipFile(folder.parent / "all.zip", "w") as archive:
        for name in ("a.json", "b.jsonl"):
            archive.write(folder / name, f"in/{name}")
    assert names(files_at(f"zip://in::file://{folder.parent}/all.zip")) == ["a.json", "b.jsonl"]


@pytest.mark.parametrize("suffix", [".jsonl.gz", ".parquet"])
def test_packed_files_are_read_from_addresses_too(memory, tmp_path, suffix):
    told = {"conversationId": "c1", "turns": [{"turnNumber": 1, "userMessage": "a", "llmResponse": "b"}]}
    (tmp_path / "a.json").write_text(json.dumps(told))
    file = tmp_path / f"packed{suffix}"
    if suffix == ".parquet":
        write_parquet(load_dataset(tmp_path / "a.json").conversations, file)
    else:
        file.write_bytes(gzip.compress(json.dumps(told).encode()))
    memory.pipe(f"/data/{file.name}", file.read_bytes())
    (found,) = [document.value for file in files_at("memory://data") for document in read_file(file)]
    assert found == told


def test_of_a_run_only_its_records_are_read(memory, tmp_path):
    for name in ("records.jsonl", "calls.jsonl"):
        text = json.dumps({"name": name})
        memory.pipe(f"/run/{name}", text.encode())
        (tmp_path / name).write_text(text)
    for source in ("memory://run", tmp_path):
        assert names(files_at(source, prefer="records.jsonl")) == ["records.jsonl"]
        assert len(names(files_at(source, prefer="others.jsonl"))) == 2


def test_what_is_written_arrives(memory, folder):
    send([folder / "a.json"], "memory://new/folder")
    assert memory.cat("/new/folder/a.json") == (folder / "a.json").read_bytes()


def test_a_place_that_cannot_be_written_raises_an_os_error(served, folder):
    with pytest.raises(OSError, match="501"):
        send([folder / "a.json"], served)


def test_what_ends_too_early_is_a_problem_that_names_the_file(memory):
    memory.pipe("/data/a.jsonl", b"{}")
    (file,) = files_at("memory://data")
    memory.rm("/data/a.jsonl")
    (problem,) = read_file(RemoteFile(file.address, memory, file.path))
    assert str(problem).startswith("a.jsonl: cannot be read (")


def test_what_is_not_there_is_named(served, folder):
    with pytest.raises(DataError, match=r"memory://nowhere: does not exist"):
        files_at("memory://nowhere")
    with pytest.raises(DataError, match=r"nothing\.json: does not exist"):
        files_at(f"{served}/nothing.json")
    with pytest.raises(DataError, match=r"nowhere\.zip: does not exist"):
        files_at(f"zip://x::file://{folder}/nowhere.zip")


def test_an_address_of_no_known_kind_is_named():
    for use in (files_at, local_path):
        with pytest.raises(UsageError, match=r"nothing://x: must be an address that fsspec knows"):
            use("nothing://x")
