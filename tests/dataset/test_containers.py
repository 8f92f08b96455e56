"""Every container is read alike, and what cannot be read is named by file and place."""

import gzip
import itertools
import json

import polars
import pytest
from dataset_examples import conversation, turn, write
from hypothesis import given
from hypothesis import strategies as st

from attunebench.dataset.export import write_parquet
from attunebench.dataset.files import data_files, read_documents
from attunebench.dataset.json_text import NotJsonError, parse_json
from attunebench.dataset.load import load_dataset, read_conversations
from attunebench.dataset.validate import validate
from attunebench.errors import DataError

TWO = [conversation("c1"), conversation("c2")]
JSONL = "".join(json.dumps(raw) + "\n" for raw in TWO).encode()
FILES = {
    "a.json": json.dumps(TWO).encode(),
    "a.JSON": json.dumps(TWO, indent=2).encode(),
    "a.jsonl": JSONL,
    "b.jsonl": JSONL.strip().replace(b"\n", b"\r\n\r\n"),
    "a.json.gz": gzip.compress(json.dumps(TWO).encode()),
    "a.jsonl.gz": gzip.compress(JSONL),
    "bom.json": b"\xef\xbb\xbf" + json.dumps(TWO).encode(),
    "bom.jsonl": b"\xef\xbb\xbf" + JSONL,
    "crlf.json": json.dumps(TWO, indent=2).replace("\n", "\r\n").encode(),
}


def errors(path):
    return [str(error) for error in validate(path).errors]


@pytest.mark.parametrize("name", FILES)
def test_every_container_holds_the_same_conversations(name, tmp_path):
    file = tmp_path / name
    file.write_bytes(FILES[name])
    expected = load_dataset(write(tmp_path / "expected.json", TWO))
    assert load_dataset(file).conversations == expected.conversations
    assert load_dataset(file).sources == {"c1": name, "c2": name}
    assert load_dataset(file).sha256 == expected.sha256


def test_parquet_is_read_back_as_written(tmp_path):
    expected = load_dataset(write(tmp_path / "a.json", TWO))
    write_parquet(expected.conversations, tmp_path / "a.parquet")
    assert load_dataset(tmp_path / "a.parquet").conversations == expected.conversations
    assert polars.read_parquet(tmp_path / "a.parquet")["conversationId"].to_list() == ["c1", "c2"]


@pytest.mark.parametrize("group", [1, 100, 10_000])
def test_a_parquet_file_of_many_rows_is_read_in_order_whatever_its_row_groups(tmp_path, group):
    texts = [json.dumps({"n": n}) for n in range(600)]
    texts[500] = None
    polars.DataFrame({"other": range(600), "conversation": texts}).write_parquet(
        tmp_path / "[a].parquet", row_group_size=group
    )
    found = list(read_documents(tmp_path))
    assert str(found.pop(500)).startswith("[a].parquet: row 501: must be a text")
    assert [(one.position, one.value["n"]) for one in found] == [(n + 1, n) for n in range(600) if n != 500]


def test_an_object_is_one_conversation(tmp_path):
    assert load_dataset(str(write(tmp_path / "one.json", conversation()))).sources == {"c1": "one.json"}


def test_a_folder_is_read_in_natural_order_of_its_files(tmp_path):
    for number in (10, 9, 100, 1):
        write(tmp_path / f"conversation_{number}.json", conversation(f"c{number}"))
    write(tmp_path / "conversation_2.json", [conversation("c2b"), conversation("c2a")])
    found = [c.conversation_id for c in load_dataset(tmp_path).conversations]
    assert found == ["c1", "c2b", "c2a", "c9", "c10", "c100"]


def test_a_folder_s_other_files_and_folders_are_left_alone(tmp_path):
    write(tmp_path / "a.json", conversation())
    write(tmp_path / "._a.json", "not ours")
    write(tmp_path / "README.md", "text")
    (tmp_path / "sub.json").mkdir()
    write(tmp_path / "sub.json" / "b.json", conversation("c2"))
    assert [file.name for file in data_files(tmp_path)] == ["a.json"]


TEXTS = [
    "\u2028 and \u2029",
    "🙂 👩‍👩‍👧",
    "שלום עליכם",
    "مرحبا",
    "a\x00b",
    "line\r\nline\rline\n",
    "\x85",
    "\ufeff",
    "e\u0301 é",
]


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.jsonl.gz"])
@pytest.mark.parametrize("text", TEXTS)
def test_texts_load_unchanged(text, name, ascii_only, tmp_path):
    data = json.dumps(conversation(turns=[turn(userMessage=text)]), ensure_ascii=ascii_only).encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert load_dataset(tmp_path).conversations[0].turns[0].user_message == text


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_parsed_unchanged(text):
    assert parse_json(json.dumps([text], ensure_ascii=False)) == [text]


def test_texts_load_unchanged_from_parquet(tmp_path):
    raw = [conversation(f"c{n}", turns=[turn(userMessage=text)]) for n, text in enumerate(TEXTS)]
    loaded = load_dataset(write(tmp_path / "a.json", raw))
    write_parquet(loaded.conversations, tmp_path / "b.parquet")
    assert load_dataset(tmp_path / "b.parquet").conversations == loaded.conversations


def test_jsonl_is_read_one_line_at_a_time(tmp_path):
    file = tmp_path / "long.jsonl"
    file.write_bytes(JSONL + b'{"conversationId": \n')
    assert [d.value["conversationId"] for d in itertools.islice(read_documents(file), 2)] == ["c1", "c2"]


BROKEN = [
    (
        "a.json",
        b'{"conversationId": "c1",\n "turns": [}]}',
        'line 2 column 12: must be JSON (Expecting value), got "}]}"',
    ),
    ("a.json", b"", "line 1 column 1: must be JSON (Expecting value), got nothing"),
    ("a.json", b'\xef\xbb\xbf{"a" 1}', "line 1 column 6: must be JSON (Expecting ':' delimiter), got \"1}\""),
    ("a.json", b'{}\r\n{"a":1}', 'line 2 column 1: must be JSON (Extra data), got "{\\"a\\":1}"'),
    ("a.json", b'{"a": "x\ty"}', 'line 1 column 9: must be JSON (Invalid control character at), got "\\ty\\"}"'),
    ("a.json", b'{"a":"NaN",\n"b":NaN}', 'line 2 column 5: must be JSON (NaN is not a JSON number), got "NaN}"'),
    ("a.json", b"[-Infinity]", 'line 1 column 2: must be JSON (-Infinity is not a JSON number), got "-Infinity]"'),
    ("a.json", b"[1, 1e999]", 'line 1 column 5: must be JSON (Number too great), got "1e999]"'),
    ("a.json", b"[" + b"9" * 5000, f'line 1 column 2: must be JSON (Number too great), got "{"9" * 20}"'),
    ("a.json", b"[" * 100_000, f'line 1 column 255: must be JSON (Nested more than 254 levels deep), got "{"[" * 20}"'),
    ("a.json", b'{"a": "\xff"}', "byte offset 7: must be UTF-8, got byte 0xff"),
    ("a.json", '{"a": 1}'.encode("utf-16"), "byte offset 0: must be UTF-8, got byte 0xff"),
    ("a.json", b'{"a": "\xed\xa0\x80"}', "byte offset 7: must be UTF-8, got byte 0xed"),
    ("a.jsonl", JSONL + b'\n{"a": }\n', 'line 4 column 7: must be JSON (Expecting value), got "}"'),
    ("a.jsonl", JSONL + b'{"a":\r\n', "line 3 column 6: must be JSON (Expecting value), got nothing"),
    ("a.jsonl", JSONL + b'"\xff"\n', f"byte offset {len(JSONL) + 1}: must be UTF-8, got byte 0xff"),
    ("a.jsonl", JSONL + b"[1]\n", "conversation #3: $: must be an object, got [1]"),
    ("a.json.gz", b"plain", "cannot be read (Not a gzipped file (b'pl'))"),
    (
        "a.jsonl.gz",
        gzip.compress(JSONL)[:-9],
        "cannot be read (Compressed file ended before the end-of-stream marker was reached)",
    ),
]


@pytest.mark.parametrize(("name", "data", "line"), BROKEN, ids=[line[:60] for *_, line in BROKEN])
def test_what_cannot_be_read_says_where(name, data, line, tmp_path):
    (tmp_path / name).write_bytes(data)
    assert errors(tmp_path) == [f"{name}: {line}"]


def test_lines_after_a_broken_one_are_still_read(tmp_path):
    (tmp_path / "a.jsonl").write_bytes(b"{\n" + JSONL)
    assert validate(tmp_path).conversations == 2
    assert len(errors(tmp_path)) == 1


def test_a_file_that_is_no_parquet_says_so(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR?")
    (line,) = errors(tmp_path)
    assert line.startswith("a.parquet: must be a parquet file with a column 'conversation' (")
    polars.DataFrame({"text": ["x"]}).write_parquet(tmp_path / "a.parquet")
    (line,) = errors(tmp_path)
    assert line.startswith("a.parquet: must be a parquet file with a column 'conversation' (")


def test_rows_of_a_parquet_are_named(tmp_path):
    rows = [json.dumps(conversation()), None, '{"a": NaN}']
    polars.DataFrame({"conversation": rows}).write_parquet(tmp_path / "a.parquet")
    assert errors(tmp_path) == [
        "a.parquet: row 2: must be a text, got null",
        'a.parquet: row 3 line 1 column 7: must be JSON (NaN is not a JSON number), got "NaN}"',
    ]
    polars.DataFrame({"conversation": [1]}).write_parquet(tmp_path / "a.parquet")
    assert errors(tmp_path) == ["a.parquet: row 1: must be a text, got 1"]


@pytest.mark.parametrize("function", [load_dataset, validate, read_conversations, read_documents])
def test_a_path_that_does_not_exist_says_so(function, tmp_path):
    with pytest.raises(DataError) as caught:
        function(tmp_path / "nowhere")
    assert str(caught.value) == f"{tmp_path / 'nowhere'}: does not exist"


def test_a_file_of_another_kind_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"a\.txt: must be a folder or a file that ends in \.json, "):
        load_dataset(write(tmp_path / "a.txt", TWO))


@pytest.mark.parametrize("data", [None, "[]"])
def test_a_path_without_a_conversation_says_so(data, tmp_path):
    if data is not None:
        (tmp_path / "a.json").write_text(data)
    assert errors(tmp_path) == [f"{tmp_path}: no conversations found"]
    with pytest.raises(DataError) as caught:
        load_dataset(tmp_path)
    assert caught.value.problems == (f"{tmp_path}: no conversations found",)


@pytest.mark.parametrize(
    ("text", "value"), [("-0", 0), ("1E5", 1e5), ('"\\ud83d\\ude42"', "🙂"), ("9" * 400, int("9" * 400))]
)
def test_what_json_allows_is_read(text, value):
    assert parse_json(text) == value


@given(st.text('[]{}",:NaInfity-0123456789.eE+ \\\n', max_size=40))
def test_a_text_is_parsed_or_refused_with_its_place(text):
    try:
        parse_json(text)
    except NotJsonError as error:
        assert error.line >= 1
        assert error.column >= 1
