"""Claims about loading prompts: what is wrong is named, and what differs has another hash."""

import json
import shutil
from dataclasses import fields
from importlib.resources import files
from pathlib import Path

import pytest
from protocol_examples import (
    ALTERNATES,
    PROMPTS,
    calls_of,
    comparison,
    conversation,
    judgement,
    prompt_of,
    three_turns,
    turn,
)

from attunebench.errors import PromptError
from attunebench.protocol.prompts import CURRENT_VERSION, PLACEHOLDER, TEMPLATES, Prompts, load_prompts

FILES = (*(f"{name}.jinja" for name in TEMPLATES), PLACEHOLDER)
QUESTIONS = files("attunebench.instrument") / "data" / "questions.json"


@pytest.fixture
def folder(tmp_path):
    bundled = Path(str(files("attunebench.protocol") / "prompts" / CURRENT_VERSION))
    return Path(shutil.copytree(bundled, tmp_path / "mine"))


def append(folder, name, text):
    file = folder / f"{name}.jinja"
    file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")


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
    draft = (folder / "draft.jinja").read_text(encoding="utf-8")
    (folder / "system.jinja").write_text("ab", encoding="utf-8")
    (folder / "draft.jinja").write_text("c" + draft, encoding="utf-8")
    one = load_prompts(folder).sha256
    (folder / "system.jinja").write_text("a", encoding="utf-8")
    (folder / "draft.jinja").write_text("bc" + draft, encoding="utf-8")
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


MAY_USE = {
    "system": "no variable",
    "draft": "turn, message, verbose, background",
    "review": "turn, message, verbose, reply, emotion_words, yes_no, not_applicable",
    "perspective": "turn, message, verbose, reply, emotion_words, yes_no, not_applicable",
    "pairwise": "turn, message, verbose, replies, comparisons",
    "outcome": "panas, emotion_words, totals_before, options, wording, branches",
    "background": "answers, totals_before",
}


@pytest.mark.parametrize(
    "use", ["{{ mood }}", "{% if false %}{{ mood }}{% endif %}", "{% for x in mood %}{% endfor %}"]
)
@pytest.mark.parametrize("name", TEMPLATES)
def test_an_unknown_variable_is_named_with_its_file_and_the_known_ones(folder, name, use):
    append(folder, name, use)
    assert error_of(folder) == f"{folder}: {name}.jinja: may use {MAY_USE[name]}, got mood"


@pytest.mark.parametrize("name", ["draft", "pairwise"])
def test_a_template_that_must_not_know_the_reply_cannot_show_it(folder, name):
    append(folder, name, "{{ reply }}")
    assert error_of(folder) == f"{folder}: {name}.jinja: may use {MAY_USE[name]}, got reply"


def test_variables_of_a_template_s_own_and_those_of_jinja_are_no_unknown_ones(folder):
    append(folder, "system", "{% set mine = 3 %}{% for each in range(mine) %}{{ loop.index }}{% endfor %}")
    assert load_prompts(folder).render("system").endswith("123")


class Recording(Prompts):
    """Prompts that note what each template is given."""

    def render(self, name, /, **values):
        given[name].append(set(values))
        return super().render(name, **values)


given = {name: [] for name in TEMPLATES}


def test_the_variables_that_a_template_may_use_are_those_that_it_is_given():
    recording = Recording(**{part.name: getattr(PROMPTS, part.name) for part in fields(PROMPTS)})
    calls_of(three_turns(), "omniscient", prompts=recording, swap=True)
    for name, known in MAY_USE.items():
        assert given[name]
        assert all(found == (set() if name == "system" else set(known.split(", "))) for found in given[name])


@pytest.mark.parametrize(
    ("name", "old", "new", "unused"),
    [
        ("draft", "{{ message }}", "", "message"),
        ("draft", "{{ background }}", "", "background"),
        ("draft", "{% if verbose %}", "{% if true %}", "verbose"),
        ("review", "{{ reply }}", "", "reply"),
        ("review", "{{ message }}", "(see above)", "message"),
        ("review", "{% if verbose %}", "{% if true %}", "verbose"),
        ("review", "{{ emotion_words | join(", "{{ ['Proud'] | join(", "emotion_words"),
        ("review", "{% for question in yes_no %}", "{% for question in yes_no if false %}", "yes_no.id, yes_no.text"),
        ("review", "{{ question.text }}", "", "yes_no.text"),
        ("review", "{{ not_applicable | join", "{{ ['some'] | join", "not_applicable"),
        ("perspective", "{{ question.id }}", "", "yes_no.id"),
        ("pairwise", "{{ text }}", "", "replies"),
        ("pairwise", "{{ name }}", "", "replies"),
        ("pairwise", "{{ message }}", "", "message"),
        ("pairwise", "{{ comparison.index }}", "", "comparisons.index"),
        ("pairwise", "{{ comparison.text }}", "", "comparisons.text"),
        ("pairwise", "A = {{ comparison.a }}, ", "", "comparisons.a"),
        ("pairwise", "B = {{ comparison.b }}", "", "comparisons.b"),
        ("outcome", 'panas == "absolute"', "true", "panas"),
        ("outcome", "emotion_words", "['Proud']", "emotion_words"),
        ("outcome", "{{ options.fit | tojson }}", "", "options.fit"),
        ("outcome", "{{ wording.q2_emotionClarity }}", "", "wording.q2_emotionClarity"),
        ("outcome", "{{ branch.text }}", "", "branches.text"),
        ("outcome", "totals_before is not none", "false", "totals_before.positive, totals_before.negative"),
        ("background", "{{ value }}", "", "answers"),
        ("background", "{{ name }}", "", "answers"),
        ("background", "{{ totals_before.negative }}", "", "totals_before.negative"),
    ],
)
def test_a_template_that_leaves_out_what_its_call_needs_is_named_with_it(folder, name, old, new, unused):
    file = folder / f"{name}.jinja"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    same = "got a text that is the same whatever they are"
    assert error_of(folder) == f"{folder}: {name}.jinja: must use {unused}, {same}"


def test_every_template_that_is_wrong_is_told_at_once(folder):
    for name in ("draft", "pairwise"):
        (folder / f"{name}.jinja").write_text("Say {{ turn }}.", encoding="utf-8")
    append(folder, "background", "{{ mood }}")
    first, second, third = error_of(folder).splitlines()
    assert first.startswith(f"{folder}: draft.jinja: must use message, verbose, background, got ")
    assert second.startswith(f"{folder}: pairwise.jinja: must use message, replies, comparisons.index, ")
    assert third == f"{folder}: background.jinja: may use {MAY_USE['background']}, got mood"


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("draft", "{{ message[0] + 'x' if message != '' else 1 / 0 }}"),
        ("draft", "{{ background + '' }}"),
        ("review", "{{ yes_no[0].id }}"),
        ("pairwise", "{{ replies.original }}"),
        ("outcome", "{{ totals_before.positive }}"),
        ("background", "{{ totals_before.positive + 1 }}"),
    ],
)
def test_a_template_that_would_fail_on_sparse_data_is_refused_before_it_meets_any(folder, name, use):
    append(folder, name, use)
    assert error_of(folder).startswith(f"{folder}: {name}.jinja: ")


# Wordings


def own_questions(tmp_path, *more):
    raw = json.loads(QUESTIONS.read_text(encoding="utf-8"))
    for section, id_ in more:
        text = f"Is it so with {id_}?"
        raw[section].append({"id": id_, "branch": "using", "about_participant": text, "to_participant": text})
    (tmp_path / "own.json").write_text(json.dumps(raw), encoding="utf-8")
    return tmp_path / "own.json"


ODD = turn(
    1,
    judgements=[judgement("names the dog"), judgement("B1"), judgement("B990", "na", "na"), judgement("B991", "no")],
    comparisons=[comparison("PW99"), comparison("PW1"), comparison("custom:Which rhymes?"), comparison("")],
    alternates=ALTERNATES,
)


def test_an_own_question_file_must_word_what_the_data_set_asks(tmp_path):
    path = own_questions(tmp_path)
    with pytest.raises(PromptError) as caught:
        load_prompts(questions=path).require_wordings([three_turns(), conversation(ODD), conversation(ODD)])
    asked = "yes_no 'names the dog', yes_no 'B991', pairwise 'PW99'"
    assert str(caught.value) == f"{path}: must word every question that the data set asks, got none of {asked}"


def test_an_own_question_file_that_words_everything_is_taken_and_asked(tmp_path):
    path = own_questions(tmp_path, ("yes_no", "names the dog"), ("yes_no", "B991"), ("pairwise", "PW99"))
    mine = load_prompts(questions=path)
    mine.require_wordings([conversation(ODD)])
    calls = calls_of(conversation(ODD), prompts=mine)
    assert "names the dog: Is it so with names the dog?" in prompt_of(calls[1, "review"])
    assert '"0": Is it so with PW99?' in prompt_of(calls[1, "pairwise"])


def test_the_bundled_questions_ask_for_unknown_ids_by_name():
    PROMPTS.require_wordings([conversation(ODD)])


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
