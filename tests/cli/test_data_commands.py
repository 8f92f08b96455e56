"""Claims about `attunebench data`."""

import json

import pytest
from cli_examples import DEMO, tiny, write

from attunebench.dataset.load import load_dataset


def test_validate_is_content_with_the_demo_data(cli):
    ended = cli("data", "validate", DEMO)
    assert (ended.code, ended.err) == (0, "14 conversations, 0 errors, 0 warnings\n")
    assert ended.out == ""


def test_validate_prints_a_problem_a_line_however_long(cli, tmp_path):
    name = "c" * 300
    folder = tmp_path / ("long " * 20)
    write(folder / f"{'f' * 120}.json", tiny(name, turns=[{"turnNumber": "one " * 200}]))
    ended = cli("data", "validate", folder)
    lines = ended.out.splitlines()
    assert ended.code == 1
    assert len(lines) == 3
    for line in lines:
        assert line.startswith(f"{'f' * 120}.json: conversation {name}: turns[0].")
        assert ", got " in line
    assert ended.err == "0 conversations, 3 errors, 0 warnings\n"


def test_validate_marks_warnings_and_does_not_fail_for_them(cli, tmp_path):
    write(tmp_path / "a.json", tiny("a", metadata={"turnCount": 7}))
    ended = cli("data", "validate", tmp_path)
    assert ended.code == 0
    assert ended.out.startswith("warning: a.json: conversation a: metadata.turnCount: ")
    assert ended.out.count("\n") == 1


def test_validate_names_the_one_bad_file_of_200(cli, tmp_path):
    for number in range(200):
        write(tmp_path / f"conversation_{number}.json", tiny(f"c{number}"))
    (tmp_path / "conversation_137.json").write_text('{"conversationId": "c137",\n "turns": [}')
    ended = cli("data", "validate", tmp_path)
    assert ended.code == 1
    (line,) = ended.out.splitlines()
    assert line.startswith("conversation_137.json: line 2 column ")
    assert ended.err == "199 conversations, 1 error, 0 warnings\n"
    assert cli("data", "describe", tmp_path).err == f"attunebench: {line}\n"


@pytest.mark.parametrize("command", ["validate", "describe"])
def test_a_folder_without_conversations_says_so(cli, tmp_path, command):
    ended = cli("data", command, tmp_path)
    assert ended.code == 1
    assert f"{tmp_path}: no conversations found" in ended.out + ended.err


@pytest.mark.parametrize("command", ["validate", "describe"])
def test_a_path_that_is_not_there_is_named(cli, tmp_path, command):
    ended = cli("data", command, tmp_path / "nowhere")
    assert ended.code == 1
    assert f"{tmp_path / 'nowhere'}: does not exist" in ended.out + ended.err


def test_validate_as_json_is_one_object(cli, tmp_path):
    write(tmp_path / "a.json", tiny("a", turns=3))
    ended = cli("data", "validate", tmp_path, "--json")
    found = json.loads(ended.out)
    assert ended.code == 1
    assert (found["conversations"], found["ok"], found["warnings"]) == (0, False, [])
    (error,) = found["errors"]
    assert (error["file"], error["path"]) == ("a.json", "turns")
    assert error["text"].endswith("got 3")


def test_describe_counts_for_people_and_for_programs(cli):
    ended = cli("data", "describe", DEMO)
    assert ended.code == 0
    assert "14" in ended.out
    assert max(map(len, ended.out.split("\n"))) <= 80
    counts = cli("data", "describe", DEMO, "--json")
    assert counts.code == 0
    assert json.loads(counts.out)


CHATS = {
    "t1": {
        "content": [
            {
                "agent": "agent_1",
                "message": "Do moles see?",
                "sentiment": "Curious to dive deeper",
                "turn_rating": "Good",
            },
            {"agent": "agent_2", "message": "A little.", "sentiment": "Neutral", "turn_rating": "Good"},
        ],
        "conversation_rating": {"agent_1": "Good", "agent_2": "Good"},
        "article_url": "x",
        "config": "A",
    },
    "t2": {"content": 3},
}


def test_import_makes_a_data_set_and_tells_what_it_refused(cli, tmp_path):
    source, out = write(tmp_path / "chats.json", CHATS), tmp_path / "made"
    ended = cli("data", "import", "topical-chat", source, "--out", out)
    assert ended.code == 0
    assert "refused: chats.json: record t2: " in ended.out
    assert f"2 records: 1 conversation in {out}, 1 refused" in ended.out
    assert "CDLA-Sharing-1.0" in ended.out
    assert [c.turns[0].user_message for c in load_dataset(out).conversations] == ["Do moles see?"]
    assert cli("data", "validate", out).code == 0


def test_import_never_writes_into_a_folder_that_holds_something(cli, tmp_path):
    source = write(tmp_path / "chats.json", CHATS)
    ended = cli("data", "import", "topical-chat", source, "--out", tmp_path)
    assert ended.code == 2
    assert ended.err.startswith("attunebench: ")
    assert str(tmp_path) in ended.err
    assert sorted(file.name for file in tmp_path.iterdir()) == ["chats.json"]


def test_import_of_nothing_is_an_error(cli, tmp_path):
    ended = cli("data", "import", "topical-chat", tmp_path / "nowhere.json", "--out", tmp_path / "out")
    assert ended.code == 1
    assert "nowhere.json" in ended.err
