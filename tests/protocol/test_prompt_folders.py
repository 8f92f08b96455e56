"""Claims about loading prompts: what is wrong is named, and what differs has another hash."""

import json
import shutil
from importlib.resources import files
from pathlib import Path

import pytest
from protocol_examples import PROMPTS, calls_of, three_turns

from attunebench.errors import PromptError
from attunebench.protocol.prompts import CURRENT_VERSION, PLACEHOLDER, TEMPLATES, load_prompts

FILES = (*(f"{name}.jinja" for name in TEMPLATES), PLACEHOLDER)
QUESTIONS = files("attunebench.instrument") / "data" / "questions.json"


@pytest.fixture
def folder(tmp_path):
    bundled = Path(str(files("attunebench.protocol") / "prompts" / CURRENT_VERSION))
    return Path(shutil.copytree(bundled, tmp_path / "mine"))


def error_of(folder):
    with pytest.raises(PromptError) as caught:
        calls_of(three_turns(), prompts=load_prompts(folder))
    return str(caught.value)


def test_a_copy_of_the_bundled_folder_is_the_same_but_for_its_name(folder):
    mine = load_prompts(folder)
    assert (mine.version, mine.sha256, mine.placeholder) == ("mine", PROMPTS.sha256, PROMPTS.placeholder)
    assert calls_of(three_turns(), prompts=mine) == calls_of(three_turns())


def test_the_folder_s_name_is_found_from_inside_it(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert load_prompts(Path()).version == "mine"


def test_an_own_folder_is_what_is_sent(folder):
    (folder / "system.jinja").write_text("Be brief.", encoding="utf-8")
    (folder / PLACEHOLDER).write_text("noted\n", encoding="utf-8")
    outcome = calls_of(three_turns(), prompts=load_prompts(folder))[None, "outcome"]
    assert outcome.messages[0].content == "Be brief."
    assert {message.content for message in outcome.messages if message.role == "assistant"} == {"noted"}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("extra", [b" ", b"\n", b"\r\n", b"x"])
def test_one_byte_more_in_any_file_is_another_hash(folder, name, extra):
    (folder / name).write_bytes((folder / name).read_bytes() + extra)
    assert load_prompts(folder).sha256 != PROMPTS.sha256


def test_line_ends_count_as_bytes(folder):
    content = (folder / "draft.jinja").read_bytes()
    (folder / "draft.jinja").write_bytes(content.replace(b"\n", b"\r\n"))
    assert load_prompts(folder).sha256 != PROMPTS.sha256


def test_text_moved_from_one_file_to_the_next_is_another_hash(folder):
    (folder / "system.jinja").write_text("ab", encoding="utf-8")
    (folder / "draft.jinja").write_text("c", encoding="utf-8")
    one = load_prompts(folder).sha256
    (folder / "system.jinja").write_text("a", encoding="utf-8")
    (folder / "draft.jinja").write_text("bc", encoding="utf-8")
    assert load_prompts(folder).sha256 != one


def test_other_wordings_of_the_questions_are_another_hash_and_are_asked(tmp_path):
    raw = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    raw["yes_no"][0]["to_participant"] = "Did it see how you felt?"
    (tmp_path / "own.json").write_text(json.dumps(raw), encoding="utf-8")
    mine = load_prompts(questions=tmp_path / "own.json")
    assert mine.sha256 != PROMPTS.sha256
    prompt = calls_of(three_turns(), prompts=mine)[1, "perspective"].messages[-1].content
    assert "B1: Did it see how you felt?" in prompt


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    assert error_of(folder) == f"{folder}: a prompt folder must hold {name}, got No such file or directory"


def test_a_missing_folder_and_a_file_in_its_place_are_named(tmp_path):
    assert f"{tmp_path / 'no'}: a prompt folder must hold system.jinja" in error_of(tmp_path / "no")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    assert f"{tmp_path / 'file'}: a prompt folder must hold system.jinja" in error_of(tmp_path / "file")


@pytest.mark.parametrize("name", FILES)
def test_bytes_that_are_not_utf_8_are_named_with_their_offset(folder, name):
    (folder / name).write_bytes(b"caf\xe9")
    assert error_of(folder) == f"{folder}: {name} must be UTF-8, got byte 0xe9 at offset 3"


@pytest.mark.parametrize("name", [name for name in FILES if name != PLACEHOLDER])
def test_bad_syntax_is_named_with_its_line(folder, name):
    (folder / name).write_text("one\n{% if %}", encoding="utf-8")
    assert error_of(folder).startswith(f"{folder}: {name}: line 2: ")


@pytest.mark.parametrize("name", ["system", "draft", "review", "perspective", "pairwise", "outcome"])
def test_an_undefined_variable_is_named_with_its_file(folder, name):
    (folder / f"{name}.jinja").write_text("{{ mood }}", encoding="utf-8")
    assert error_of(folder) == f"{folder}: {name}.jinja: 'mood' is undefined"


def test_a_draft_template_cannot_show_the_reply(folder):
    (folder / "draft.jinja").write_text("{{ reply }}", encoding="utf-8")
    assert error_of(folder) == f"{folder}: draft.jinja: 'reply' is undefined"


@pytest.mark.parametrize("source", ["{{ 1 / 0 }}", "{{ 1 + 'a' }}", "{% include 'nowhere' %}"])
def test_a_template_that_fails_in_another_way_is_named_too(folder, source):
    (folder / "review.jinja").write_text(source, encoding="utf-8")
    assert error_of(folder).startswith(f"{folder}: review.jinja: ")


def test_an_empty_placeholder_is_refused(folder):
    (folder / PLACEHOLDER).write_text(" \n", encoding="utf-8")
    assert error_of(folder) == f"{folder}: {PLACEHOLDER} must hold a text, got none"


def test_a_byte_order_mark_is_no_part_of_a_prompt(folder):
    (folder / "system.jinja").write_text("Hi", encoding="utf-8-sig")
    assert load_prompts(folder).render("system") == "Hi"
