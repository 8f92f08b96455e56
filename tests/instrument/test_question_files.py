"""Claims about the questions' ids, their wording in both voices, and the loading of question files."""

import copy
import hashlib
import json
import pickle
import re
from importlib.resources import files

import pytest

from attunebench import instrument as ins
from attunebench.errors import PromptError

CODES = {
    "perceiving": "B1 B2 B3 B108 B109",
    "understanding": "B4 B5 B6 B7 B206 B207",
    "using": "B8 B9 B10 B11 B12 B13 B14 B15 B310 B311 B313 B315 B316",
    "regulating": "B16 B17 B18 B19 B20 B406 B408",
    "cognitive_framing": "B501 B502 B503 B504 B505",
}
BUNDLED = files("attunebench.instrument").joinpath("data", "questions.json").read_bytes()
QUESTIONS = ins.load_questions()
SECTIONS = ("yes_no", "pairwise", "outcome", "branches")
EVERY_QUESTION = [
    pytest.param(question, id=f"{section}-{question.id}")
    for section in SECTIONS
    for question in getattr(QUESTIONS, section).values()
]
SECOND_PERSON = re.compile(r"\b(you|your|yours|yourself)\b", re.IGNORECASE)


def test_every_yes_no_code_is_there_under_its_branch():
    expected = {code: branch for branch, codes in CODES.items() for code in codes.split()}
    assert dict(ins.YES_NO_BRANCHES) == expected
    assert {q.id: q.branch for q in QUESTIONS.yes_no.values()} == expected
    assert tuple(QUESTIONS.yes_no) == ins.YES_NO_IDS == tuple(expected)
    assert len(ins.YES_NO_IDS) == 36


def test_pairwise_questions_are_general_and_pw1_to_pw15():
    assert ("general", *(f"PW{n}" for n in range(1, 16))) == ins.PAIRWISE_IDS
    assert tuple(QUESTIONS.pairwise) == ins.PAIRWISE_IDS
    assert len(ins.PAIRWISE_IDS) == 16


def test_outcome_questions_and_branches_bear_their_names_in_the_data():
    assert ins.OUTCOME_IDS == ("q1_lookingFor", "q2_emotionClarity", "q3_modelFit", "q3_followUp_whatFeltOff")
    assert ins.BRANCHES == ("perceiving", "facilitating", "understanding", "managing")
    assert tuple(QUESTIONS.outcome) == ins.OUTCOME_IDS
    assert tuple(QUESTIONS.branches) == ins.BRANCHES


@pytest.mark.parametrize("question", EVERY_QUESTION)
def test_each_voice_speaks_to_its_own_reader(question):
    about, to = question.text("about_participant"), question.text("to_participant")
    assert "the participant" in about
    assert not SECOND_PERSON.search(about)
    assert SECOND_PERSON.search(to)
    assert "participant" not in to


@pytest.mark.parametrize("voice", ["about_participant", "to_participant"])
def test_questions_ask_about_the_reply_and_no_two_are_alike(voice):
    yes_no = [q.text(voice) for q in QUESTIONS.yes_no.values()]
    pairwise = [q.text(voice) for q in QUESTIONS.pairwise.values()]
    assert all(re.fullmatch(r"Does the reply [^?]+\?( \(not applicable if [^)]+\))?", text) for text in yes_no)
    assert all(re.fullmatch(r"Which of the two replies [^?]+\?", text) for text in pairwise)
    assert len(set(yes_no + pairwise)) == 36 + 16


def test_text_is_looked_up_by_id_and_voice():
    assert QUESTIONS.yes_no_text("B13", "to_participant") == "Does the reply ask you a follow-up question?"
    assert (
        QUESTIONS.pairwise_text("PW9", "about_participant") == "Which of the two replies pushes the participant less?"
    )


@pytest.mark.parametrize("voice", ["about_participant", "to_participant"])
def test_a_custom_comparison_is_asked_in_the_participants_own_words(voice):
    assert QUESTIONS.pairwise_text("custom: Which sounds like my sister? ", voice) == "Which sounds like my sister?"


@pytest.mark.parametrize("voice", ["about_participant", "to_participant"])
def test_unknown_ids_are_asked_by_name_rather_than_refused(voice):
    assert QUESTIONS.pairwise_text("PW{99}", voice) == "Which of the two replies is better on: PW{99}?"
    assert QUESTIONS.pairwise_text("custom:", voice) == "Which of the two replies is better on: custom:?"
    assert QUESTIONS.yes_no_text("B999", voice) == "Does this hold of the reply: B999?"


def test_the_hash_is_that_of_the_files_bytes(tmp_path):
    path = tmp_path / "mine.json"
    path.write_bytes(BUNDLED + b"\n")
    assert QUESTIONS.version == "1"
    assert QUESTIONS.sha256 == hashlib.sha256(BUNDLED).hexdigest()
    assert ins.load_questions(path).sha256 == hashlib.sha256(BUNDLED + b"\n").hexdigest()


def test_questions_are_hashable_and_survive_pickling():
    assert hash(QUESTIONS) == hash(ins.load_questions())
    assert pickle.loads(pickle.dumps(QUESTIONS)) == QUESTIONS


def test_a_users_file_may_differ_in_order_wording_and_byte_order_mark(tmp_path):
    raw = json.loads(BUNDLED)
    raw["yes_no"].reverse()
    raw["yes_no"][-1]["to_participant"] = "Hat die Antwort dein Gefühl aufgegriffen?"
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(raw | {"version": "de-1", "note": "kept out"}), encoding="utf-8-sig")
    mine = ins.load_questions(path)
    assert mine.version == "de-1"
    assert tuple(mine.yes_no) == ins.YES_NO_IDS
    assert mine.yes_no_text("B1", "to_participant") == "Hat die Antwort dein Gefühl aufgegriffen?"


OWN = {"id": "B999", "branch": "using", "about_participant": "Does it rhyme?", "to_participant": "Did it rhyme?"}


def test_a_users_file_may_word_questions_of_the_users_own(tmp_path):
    raw = json.loads(BUNDLED)
    raw["yes_no"].insert(0, OWN)
    raw["pairwise"].insert(0, OWN)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(raw), encoding="utf-8")
    mine = ins.load_questions(path)
    assert tuple(mine.yes_no) == (*ins.YES_NO_IDS, "B999")
    assert tuple(mine.pairwise) == (*ins.PAIRWISE_IDS, "B999")
    assert mine.yes_no_text("B999", "to_participant") == "Did it rhyme?"
    assert mine.pairwise_text("B999", "about_participant") == "Does it rhyme?"


def refusal(tmp_path, data: bytes) -> list[str]:
    """Load `data` as a question file, expect a refusal, and return its lines without the file's name."""
    path = tmp_path / "mine.json"
    path.write_bytes(data)
    with pytest.raises(PromptError) as caught:
        ins.load_questions(path)
    lines = str(caught.value).splitlines()
    assert all(line.startswith(f"{path}: ") for line in lines)
    return [line.removeprefix(f"{path}: ") for line in lines]


def changed(change) -> bytes:
    """Return the bundled file after `change` has been applied to its parsed content."""
    raw = copy.deepcopy(json.loads(BUNDLED))
    change(raw)
    return json.dumps(raw).encode()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda raw: raw["yes_no"].pop(0), "yes_no: all 36 ids must be present, got no 'B1'"),
        (lambda raw: raw["pairwise"].pop(), "pairwise: all 16 ids must be present, got no 'PW15'"),
        (
            lambda raw: raw["outcome"].append({"id": "q4_again"}),
            "outcome[4]: id must be one of the instrument's 4, got 'q4_again'",
        ),
        (
            lambda raw: raw["yes_no"].append(OWN | {"branch": "charm"}),
            "yes_no B999: branch must be 'perceiving' or 'understanding' or 'using' or 'regulating' or "
            "'cognitive_framing', got 'charm'",
        ),
        (
            lambda raw: raw["pairwise"].append(OWN | {"to_participant": ""}),
            "pairwise B999: to_participant must be a text that is not empty, got ''",
        ),
        (
            lambda raw: raw["yes_no"].append(raw["yes_no"][1]),
            "yes_no: each id must appear once, got 'B2' 2 times",
        ),
        (
            lambda raw: raw["yes_no"][0].update(to_participant=" "),
            "yes_no B1: to_participant must be a text that is not empty, got ' '",
        ),
        (
            lambda raw: raw["outcome"][0].update(about_participant=7),
            "outcome q1_lookingFor: about_participant must be a text that is not empty, got 7",
        ),
        (
            lambda raw: raw["branches"][3].pop("about_participant"),
            "branches managing: about_participant must be a text that is not empty, got None",
        ),
        (
            lambda raw: raw["yes_no"][0].update(branch="using"),
            "yes_no B1: branch must be 'perceiving', got 'using'",
        ),
        (
            lambda raw: raw["unknown"][1].update(to_participant="Which?"),
            "unknown pairwise: to_participant must contain {id}, got 'Which?'",
        ),
        (lambda raw: raw.update(version=1), "version: must be a text that is not empty, got 1"),
        (lambda raw: raw.pop("pairwise"), "pairwise: must be a list of questions, got None"),
        (lambda raw: raw["pairwise"].append("PW1"), "pairwise[16]: must be an object with an id, got 'PW1'"),
        (
            lambda raw: raw["pairwise"].append({"id": []}),
            "pairwise[16]: must be an object with an id, got {'id': []}",
        ),
    ],
)
def test_a_broken_rule_is_named_with_its_place_and_value(tmp_path, change, message):
    assert refusal(tmp_path, changed(change)) == [message]


def test_all_problems_are_reported_at_once(tmp_path):
    def change(raw):
        raw["yes_no"][0]["id"] = "B0"
        raw["branches"][0]["id"] = "charm"
        raw["pairwise"][0]["to_participant"] = ""

    assert refusal(tmp_path, changed(change)) == [
        "yes_no: all 36 ids must be present, got no 'B1'",
        "pairwise general: to_participant must be a text that is not empty, got ''",
        "branches[0]: id must be one of the instrument's 4, got 'charm'",
        "branches: all 4 ids must be present, got no 'perceiving'",
    ]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            b'{"version": oops}',
            "line 1 column 13: a question file must be JSON (Expecting value), got 'oops}'",
        ),
        (b'{"version": "\xff"}', "a question file must be UTF-8, got byte 0xff at offset 13"),
        (b"[]", "must be an object, got []"),
        (
            b'{"version": "1", "version": "2"}',
            "a question file must be plain JSON: an object must have each key once, got 'version' 2 times",
        ),
    ],
)
def test_a_file_that_is_no_json_object_is_refused(tmp_path, data, message):
    assert refusal(tmp_path, data) == [message]


def test_json_nested_too_deeply_is_refused(tmp_path):
    (line,) = refusal(tmp_path, b"[" * 200_000)
    assert line.startswith("a question file must be ")


def test_a_file_that_is_not_there_is_refused_by_name(tmp_path):
    path = tmp_path / "absent.json"
    with pytest.raises(PromptError, match="must be readable, got No such file") as caught:
        ins.load_questions(path)
    assert str(caught.value).startswith(f"{path}: ")
