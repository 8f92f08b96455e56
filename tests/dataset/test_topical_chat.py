"""Topical-Chat records become conversations, and none gets lost. All chats here are made up."""

import json
from collections import Counter
from pathlib import Path

import pytest
from dataset_examples import write

from attunebench.dataset.export import write_conversations
from attunebench.dataset.importers._topical_chat_emotions import load_emotions
from attunebench.dataset.importers.topical_chat import import_topical_chat
from attunebench.dataset.load import load_dataset
from attunebench.errors import DataError, UsageError

REAL = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "topical-chat"

LABELS = {"Angry", "Disgusted", "Fearful", "Sad", "Happy", "Surprised", "Curious to dive deeper", "Neutral"}


def said(agent, message, sentiment="Neutral", rating="Good"):
    return {
        "message": message,
        "agent": f"agent_{agent}",
        "sentiment": sentiment,
        "knowledge_source": ["FS1"],
        "turn_rating": rating,
    }


def record(*content, **changes):
    return {
        "article_url": "https://example.org/a",
        "config": "B",
        "content": list(content),
        "conversation_rating": {"agent_1": "Good", "agent_2": "Excellent"},
    } | changes


CHAT = record(
    said(1, "Do owls swim?", "Curious to dive deeper", "Poor"),
    said(2, "They can.", "Happy", "Excellent"),
    said(1, "Wow.", "Surprised"),
    said(1, "I would be afraid.", "Fearful"),
    said(1, "Wow again.", "Surprised"),
    said(2, "Me too.", "Sad", "Good"),
    said(2, "Bye.", "Neutral", ""),
)


def imported(tmp_path, participant="agent_1", **records):
    return import_topical_chat(write(tmp_path / "chats.json", records), participant)


def only(result):
    assert result.refusals == ()
    (conversation,) = result.conversations
    return conversation


def emotions(conversation):
    return [
        None if turn.mood_shift_tags is None else [(tag.emotion, tag.intensity) for tag in turn.mood_shift_tags]
        for turn in conversation.turns
    ]


def test_runs_of_one_speaker_are_one_message_and_their_emotions_are_united(tmp_path):
    conversation = only(imported(tmp_path, t_1=CHAT))
    assert [(t.turn_number, t.user_message, t.llm_response) for t in conversation.turns] == [
        (1, "Do owls swim?", "They can."),
        (2, "Wow.\nI would be afraid.\nWow again.", "Me too.\nBye."),
    ]
    assert emotions(conversation) == [[("Interested", None)], [("Alert", None), ("Afraid", None)]]


def test_what_the_format_has_no_place_for_is_in_the_metadata(tmp_path):
    conversation = only(imported(tmp_path, t_1=CHAT))
    assert conversation.conversation_id == "t_1-agent_1"
    assert conversation.metadata.category == "topical-chat"
    assert conversation.metadata.turn_count == 2
    assert conversation.metadata.model_extra["topical_chat"] == {
        "record": "t_1",
        "participant": "agent_1",
        "article_url": "https://example.org/a",
        "config": "B",
        "conversation_rating": "Good",
        "turn_ratings": {"1": ["Excellent"], "2": ["Good", ""]},
        "sentiments": {"1": ["Curious to dive deeper"], "2": ["Surprised", "Fearful", "Surprised"]},
    }
    assert "CDLA-Sharing-1.0" in conversation.metadata.model_extra["source"]
    assert "Gopalakrishnan et al., Interspeech 2019" in conversation.metadata.model_extra["source"]


def test_all_else_was_not_asked(tmp_path):
    conversation = only(imported(tmp_path, t_1=CHAT))
    assert conversation.pre_panas is conversation.post_panas is None
    assert conversation.conversation_wide_questions is conversation.participant_profile is None
    assert all(turn.annotations is None for turn in conversation.turns)


def test_a_partner_who_speaks_first_answers_an_empty_message_with_no_emotion_asked(tmp_path):
    conversation = only(imported(tmp_path, "agent_2", t_1=CHAT))
    assert [(t.user_message, t.llm_response) for t in conversation.turns] == [
        ("", "Do owls swim?"),
        ("They can.", "Wow.\nI would be afraid.\nWow again."),
        ("Me too.\nBye.", ""),
    ]
    assert emotions(conversation) == [None, [("Enthusiastic", None)], [("Upset", None)]]


def test_neutral_is_a_turn_without_a_shift(tmp_path):
    assert emotions(only(imported(tmp_path, t_1=record(said(1, "Hi."))))) == [[]]


REFUSED = [
    (5, "content: must be a list of messages, not empty, got null"),
    (record(), "content: must be a list of messages, not empty, got []"),
    (record(said(1, "a", "Bored")), 'turn 1: sentiment must be one of the 8, got "Bored"'),
    (record(said(3, "a")), 'content[0].agent: must be agent_1 or agent_2, got "agent_3"'),
    (record(said(1, "a"), "b"), 'content[1]: must be an object, got "b"'),
    (record(said(1, None)), "content[0].message: must be a text, got null"),
    (record(said(1, "a", rating=4)), "content[0].turn_rating: must be a text, got 4"),
    (record(said(2, "a")), "content: must hold messages of agent_1, got none"),
    (
        record(said(1, "\ud800")),
        'turns[0].userMessage: must be Unicode text without lone surrogates, got "\\ud800"',
    ),
]


@pytest.mark.parametrize(("raw", "reason"), REFUSED, ids=[reason[:40] for _, reason in REFUSED])
def test_a_record_that_cannot_be_imported_is_refused_by_name(raw, reason, tmp_path):
    result = imported(tmp_path, t_1=CHAT, t_2=raw)
    assert len(result.conversations) == 1
    assert [str(refusal) for refusal in result.refusals] == [f"chats.json: record t_2: {reason}"]


def test_a_folder_is_imported_in_order_and_each_record_once(tmp_path):
    write(tmp_path / "b_10.json", {"t_3": CHAT, "t_1": CHAT})
    write(tmp_path / "b_9.json", {"t_2": CHAT, "t_1": CHAT})
    result = import_topical_chat(tmp_path)
    assert [c.conversation_id for c in result.conversations] == ["t_2-agent_1", "t_1-agent_1", "t_3-agent_1"]
    assert [str(refusal) for refusal in result.refusals] == [
        "b_10.json: record t_1: must be the only record with this id"
    ]


def test_both_views_fit_into_one_data_set(tmp_path):
    both = [only(imported(tmp_path, agent, t_1=CHAT)) for agent in ("agent_1", "agent_2")]
    write_conversations(both, tmp_path / "out")
    loaded = load_dataset(tmp_path / "out")
    assert list(loaded.conversations) == both
    assert Counter(warning.kind for warning in loaded.warnings) == {"empty message": 2}


def test_files_that_cannot_be_read_are_all_named(tmp_path):
    (tmp_path / "a.json").write_text("{")
    write(tmp_path / "b.json", [CHAT, CHAT])
    with pytest.raises(DataError) as caught:
        import_topical_chat(tmp_path)
    assert [line.split(", got")[0] for line in caught.value.problems] == [
        "a.json: line 1 column 2: must be JSON (Expecting property name enclosed in double quotes)",
        "b.json: $: must be an object of records by id",
        "b.json: $: must be an object of records by id",
    ]


def test_a_participant_is_one_of_the_two(tmp_path):
    with pytest.raises(UsageError, match='participant: must be agent_1 or agent_2, got "agent_3"'):
        import_topical_chat(tmp_path, "agent_3")


def test_the_bundled_table_has_all_labels():
    assert load_emotions().keys() == LABELS
    assert load_emotions()["Neutral"] == ()
    assert load_emotions()["Curious to dive deeper"] == ("Interested",)


def test_a_table_must_state_its_basis_and_name_only_the_20_words(tmp_path):
    entry = {"words": ["Happy", "Upset"], "fit": "perfect", "why": ""}
    file = write(
        tmp_path / "t.json", {"version": "1", "labels": {"Sad": entry, "Odd": {"words": ["Upset"] * 2}, "X": 1}}
    )
    with pytest.raises(DataError) as caught:
        load_emotions(file)
    assert [line.removeprefix(f"{file}: ") for line in caught.value.problems] == [
        "basis: must be a text that is not empty, got null",
        'labels["Sad"].words: must be of the 20 emotion words, got "Happy"',
        'labels["Sad"].fit: must be exact, near, loose, got "perfect"',
        'labels["Sad"].why: must be a text that is not empty, got ""',
        'labels["Odd"].words: must be a list of different words, got ["Upset","Upset"]',
        'labels["Odd"].fit: must be exact, near, loose, got null',
        'labels["Odd"].why: must be a text that is not empty, got null',
        'labels["X"]: must be an object, got 1',
    ]


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b"{", "line 1 column 2: must be JSON"),
        (b"\xff", "byte offset 0: must be UTF-8"),
        (b"[]", r"must be an object, got \[\]"),
        (b'{"version":"1","basis":"b","labels":{}}', "labels: must be an object that is not empty, got {}"),
        (None, "cannot be read"),
    ],
)
def test_a_table_that_cannot_be_read_says_so(data, rule, tmp_path):
    if data is not None:
        (tmp_path / "t.json").write_bytes(data)
    with pytest.raises(DataError, match=rule):
        load_emotions(tmp_path / "t.json")


@pytest.mark.skipif(not REAL.is_dir(), reason="the Topical-Chat files are not here")
@pytest.mark.parametrize("participant", ["agent_1", "agent_2"])
def test_every_record_of_the_real_files_is_imported_with_every_message(participant):
    records = {
        name: raw
        for file in REAL.glob("*_freq.json")
        for name, raw in json.loads(file.read_text(encoding="utf-8")).items()
    }
    result = import_topical_chat(REAL, participant)
    assert (len(result.conversations), result.refusals) == (len(records), ())
    for conversation in result.conversations:
        content = records[conversation.metadata.model_extra["topical_chat"]["record"]]["content"]
        kept = [text for t in conversation.turns for text in (t.user_message, t.llm_response) if text]
        assert "\n".join(kept) == "\n".join(message["message"] for message in content)
