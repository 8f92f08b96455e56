"""A data set as a whole."""

import json
import tempfile
from pathlib import Path

import pytest
from dataset_examples import annotated, conversation, read, turn, write
from hypothesis import given, settings
from hypothesis import strategies as st

from attunebench.dataset.export import dump_conversation, write_conversations, write_parquet
from attunebench.dataset.load import DataSet, load_dataset, read_conversations
from attunebench.dataset.schema import Comparison, Conversation, Panas, Turn
from attunebench.dataset.validate import validate
from attunebench.errors import DataError, UsageError
from attunebench.instrument import BRANCHES, EMOTION_WORDS, PAIRWISE_IDS, YES_NO_IDS


def data_set(*raws):
    return DataSet(tuple(read(raw) for raw in raws))


def test_one_bad_file_among_200_is_named(tmp_path):
    for number in range(200):
        raw = conversation(f"c{number}")
        if number == 137:
            raw["turns"][0]["llmResponse"] = None
        write(tmp_path / f"conversation_{number}.json", raw)
    line = "conversation_137.json: conversation c137: turns[0].llmResponse: must be a text, got null"
    with pytest.raises(DataError) as caught:
        load_dataset(tmp_path)
    assert caught.value.problems == (line,)
    assert validate(tmp_path).conversations == 199


def test_every_error_of_every_file_is_reported(tmp_path):
    (tmp_path / "a.json").write_text("{")
    write(tmp_path / "b.json", [conversation("c1", turns=[turn(userMessage=1, llmResponse=2)]), 5])
    write(tmp_path / "c.json", conversation("c2"))
    with pytest.raises(DataError) as caught:
        load_dataset(tmp_path)
    assert str(caught.value).splitlines() == [
        "a.json: line 1 column 2: must be JSON (Expecting property name enclosed in double quotes), got nothing",
        "b.json: conversation c1: turns[0].userMessage: must be a text, got 1",
        "b.json: conversation c1: turns[0].llmResponse: must be a text, got 2",
        "b.json: conversation #2: $: must be an object, got 5",
    ]


def test_the_same_id_in_two_files_names_both(tmp_path):
    write(tmp_path / "a.json", conversation("c1"))
    write(tmp_path / "b.json", [conversation("c2"), conversation("c1")])
    assert [str(error) for error in validate(tmp_path).errors] == [
        'b.json: conversation c1: conversationId: must be the only one in the data set, a.json has it too, got "c1"'
    ]


def test_the_same_id_is_found_also_where_the_first_is_bad(tmp_path):
    write(tmp_path / "a.json", [conversation("c1", turns=5), conversation("c1")])
    assert [error.kind for error in validate(tmp_path).errors] == ["wrong type", "same conversationId"]


def test_readings_come_one_by_one_with_what_was_wrong(tmp_path):
    write(tmp_path / "a.json", [conversation("c1"), conversation("c2", turns=1)])
    good, bad = read_conversations(tmp_path)
    assert (good.file, good.position, good.problems) == ("a.json", 1, ())
    assert (bad.position, bad.conversation, len(bad.problems)) == (2, None, 1)


def test_warnings_are_kept_with_the_data_set(tmp_path):
    loaded = load_dataset(write(tmp_path / "a.json", conversation(turns=[turn(llmResponse="")])))
    assert [warning.kind for warning in loaded.warnings] == ["empty message"]


def test_select_keeps_the_order_and_what_belongs_to_the_selection(tmp_path):
    raws = [conversation(f"c{n}", turns=[turn(llmResponse="")]) for n in range(4)]
    loaded = load_dataset(write(tmp_path / "a.json", raws))
    chosen = loaded.select(ids=["c3", "c1"])
    assert [c.conversation_id for c in chosen.conversations] == ["c1", "c3"]
    assert chosen.sources == {"c1": "a.json", "c3": "a.json"}
    assert [w.conversation for w in chosen.warnings] == ["c1", "c3"]
    assert [c.conversation_id for c in loaded.select(limit=2).conversations] == ["c0", "c1"]
    assert [c.conversation_id for c in loaded.select(ids=["c3", "c2"], limit=1).conversations] == ["c2"]
    assert loaded.select(limit=99).conversations == loaded.conversations


def test_select_refuses_what_is_not_there():
    with pytest.raises(UsageError, match='ids: the data set has no conversation "c7", "c8"'):
        data_set(conversation("c1")).select(ids=["c8", "c1", "c7"])
    with pytest.raises(UsageError, match="limit: must be at least 1, got 0"):
        data_set(conversation("c1")).select(limit=0)


OLD = conversation(
    turns=[
        annotated(
            binaryJudgements=[
                {"questionId": "B1", "observedBehavior": None, "did_occur": True, "humanPreference": "N"}
            ],
            alternateResponses={"alternate1": "x", "alternate2": "y"},
            pairwiseComparisons=[{"response_1": "alternate1", "response_2": "alternate2", "winner": "response_2"}],
        )
    ],
    prePanas={"responses": {"PROUD": "3"}, "totalpositiveaffect": 30.2},
    conversationWideQuestions={"Q1": [], "Q2": "", "Q3": None, "fourBranchScores": {"MANAGING": "3"}},
    metadata=None,
)
NEW = conversation(
    turns=[
        annotated(
            binaryJudgements=[{"questionId": "B1", "observedBehavior": "yes", "preferredBehavior": "no"}],
            alternateResponses={"llmImproved": "x", "humanEdited": "y"},
            pairwiseComparisons=[{"responseA": "alternate", "responseB": "human", "winner": "B"}],
        )
    ],
    prePanas={"Proud": 3, "totalPositiveAffect": 30},
    conversationWideQuestions={"q1_lookingFor": [], "q2_emotionClarity": "", "fourBranchScores": {"managing": 3}},
)


def test_the_hash_knows_no_older_spellings():
    assert data_set(OLD).sha256 == data_set(NEW).sha256


@pytest.mark.parametrize(
    "changed",
    [
        conversation("c2"),
        conversation(turns=[turn(2)]),
        conversation(turns=[turn(moodShiftTags=[])]),
        conversation(metadata={"note": "unknown keys count"}),
    ],
)
def test_the_hash_knows_every_change_of_content(changed):
    assert data_set(changed).sha256 != data_set(conversation()).sha256


def test_the_hash_is_the_same_tomorrow():
    expected = "a9610637efedd4341480f2b6fe0ef8a188c71c73e5728097d2796aebb3caaa8f"
    assert data_set(NEW).sha256 == expected


@settings(deadline=None)
@given(st.lists(st.integers(0, 10**6), min_size=6, max_size=6, unique=True))
def test_neither_order_nor_names_of_files_matter(numbers):
    raws = [conversation(f"c{n}") for n in range(6)]
    with tempfile.TemporaryDirectory() as folder:
        for number, raw in zip(numbers, raws, strict=True):
            write(Path(folder) / f"{number}.json", raw)
        loaded = load_dataset(folder)
    assert loaded.sha256 == data_set(*raws).sha256
    assert {c.conversation_id: c for c in loaded.conversations} == {r["conversationId"]: read(r) for r in raws}


UNKNOWN = {"x": None, "y": [{"z": "é"}], "turn_number": "not ours", "items?": 1.5}


def test_unknown_keys_are_kept_everywhere():
    raw = conversation(
        turns=[
            turn(
                moodShiftTags=[{"emotion": "Upset", **UNKNOWN}],
                annotations={
                    "binaryJudgements": [{"questionId": "B1", **UNKNOWN}],
                    "alternateResponses": UNKNOWN,
                    "pairwiseComparisons": [{"questionId": "PW1", **UNKNOWN}],
                    **UNKNOWN,
                },
                **UNKNOWN,
            )
        ],
        metadata=UNKNOWN,
        participant_profile={"responses": UNKNOWN, "extra": UNKNOWN, **UNKNOWN},
        prePanas={"Proud": 1, "items": UNKNOWN, "responses": UNKNOWN, "Items": {"Proud": 5}, **UNKNOWN},
        conversationWideQuestions={"fourBranchScores": {"managing": 2.0, **UNKNOWN}, **UNKNOWN},
        **UNKNOWN,
    )
    assert dump_conversation(read(raw)) == raw


def test_a_key_that_looks_like_an_attribute_is_an_unknown_key():
    raw = conversation(metadata={"turn_count": "many"}, turns=[turn(user_message=5)])
    loaded = read(raw)
    assert loaded.metadata.turn_count is None
    assert dump_conversation(loaded)["metadata"]["turn_count"] == "many"
    assert dump_conversation(loaded)["turns"] == raw["turns"]


def test_a_conversation_made_in_code_is_written_under_the_names_of_files():
    made = Conversation(
        conversation_id="c1",
        turns=[Turn(turn_number=1, user_message="a", llm_response="b")],
        pre_panas=Panas(items={"Proud": 3}, total_negative_affect=12),
    )
    written = {
        "conversationId": "c1",
        "turns": [{"turnNumber": 1, "userMessage": "a", "llmResponse": "b"}],
        "prePanas": {"Proud": 3, "totalNegativeAffect": 12},
    }
    assert dump_conversation(made) == written
    assert read(written) == made


def test_code_cannot_make_a_conversation_with_a_turn_number_twice():
    with pytest.raises(ValueError, match="the same turnNumber twice, got 1"):
        Conversation.model_validate(conversation(turns=[turn(1), turn(1)]))


def test_turns_are_ordered_by_number_and_kept_as_they_came():
    loaded = read(conversation(turns=[turn(3), turn(1), turn(2)]))
    assert [t.turn_number for t in loaded.turns] == [3, 1, 2]
    assert [t.turn_number for t in loaded.ordered_turns] == [1, 2, 3]


def test_labels_name_replies():
    loaded = read(conversation(turns=[annotated(alternateResponses={"llmImproved": "x"})])).turns[0]
    assert [loaded.reply(label) for label in ("original", "alternate", "human", None)] == ["For what?", "x", None, None]
    assert Comparison(response_a="human", response_b="original", winner="B").winning_label == "original"
    assert Comparison(response_a="human", response_b="original").winning_label is None


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
answers = st.sampled_from(["yes", "no", "na", "maybe", True, False, None])
labels = st.sampled_from(["original", "alternate1", "human", "other", None])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)


def maybe(value):
    return st.none() | value


def parts(**fields):
    return st.fixed_dictionaries({"unknown": json_values}, optional=fields)


panas = parts(
    totalPositiveAffect=maybe(st.integers(-5, 90)),
    items=st.dictionaries(st.sampled_from(EMOTION_WORDS).map(str.upper), st.integers(0, 9)),
    **{word: maybe(st.integers(1, 7)) for word in EMOTION_WORDS[:4]},
)
annotations = parts(
    binaryJudgements=maybe(
        st.lists(parts(questionId=st.sampled_from(YES_NO_IDS), did_occur=answers, llmValue=answers))
    ),
    alternateResponses=maybe(parts(llmImproved=maybe(texts), alternate2=maybe(texts))),
    pairwiseComparisons=st.lists(
        parts(
            questionId=st.sampled_from(PAIRWISE_IDS) | texts,
            response_1=labels,
            responseB=labels,
            winner=st.sampled_from(["A", "b", "response_1", "", None]),
        ),
        max_size=3,
    ),
)
tags = st.lists(
    st.fixed_dictionaries(
        {"emotion": st.sampled_from(EMOTION_WORDS), "intensity": st.sampled_from([1, "7", "mild", None])}
    ),
    max_size=3,
)
turn_lists = st.lists(
    st.builds(
        lambda user, reply, tags, notes: (user, reply, tags, notes), texts, texts, maybe(tags), maybe(annotations)
    ),
    max_size=3,
).map(
    lambda rows: [
        {"turnNumber": n, "userMessage": u, "llmResponse": r, "moodShiftTags": t, "annotations": a}
        for n, (u, r, t, a) in enumerate(rows, start=1)
    ]
)
conversations = st.fixed_dictionaries(
    {"conversationId": texts.filter(bool), "turns": turn_lists},
    optional={
        "prePanas": maybe(panas),
        "metadata": maybe(parts(category=maybe(texts), turnCount=maybe(st.integers()))),
        "conversationWideQuestions": maybe(
            parts(
                Q1=maybe(st.lists(texts)),
                fourBranchScores=st.dictionaries(st.sampled_from(BRANCHES) | texts, st.integers()),
            )
        ),
    },
)


@settings(deadline=None)
@given(conversations)
def test_what_is_written_is_read_back_equal(raw):
    loaded = read(raw)
    written = json.loads(json.dumps(dump_conversation(loaded)))
    again = read(written)
    assert again == loaded
    assert DataSet((again,)).sha256 == DataSet((loaded,)).sha256
    assert dump_conversation(again) == written


def test_conversations_are_written_one_a_file(tmp_path):
    names = ["c1", "C1", "../up", "a/b", "a b", ".hidden", "x" * 300, "CON", "nul.txt", "é", "c_1", "-rf", ".."]
    loaded = data_set(*(conversation(name, turns=[turn(userMessage="שלום\u2028🙂")]) for name in names))
    files = write_conversations(loaded.conversations, tmp_path / "new" / "folder")
    assert files[0].name == "c1.json"
    assert len({file.name.lower() for file in files}) == len(names)
    assert {file.parent for file in files} == {tmp_path / "new" / "folder"}
    assert not any(file.name.startswith((".", "-")) for file in files)
    assert load_dataset(tmp_path / "new" / "folder").sha256 == loaded.sha256


def test_nothing_is_written_beside_other_files(tmp_path):
    write(tmp_path / "a.json", 1)
    loaded = data_set(conversation()).conversations
    with pytest.raises(UsageError, match="folder: must be new or empty, got "):
        write_conversations(loaded, tmp_path)
    with pytest.raises(UsageError, match="folder: must be a folder, got the file "):
        write_conversations(loaded, tmp_path / "a.json")
    with pytest.raises(UsageError, match='each conversationId must be there once, got "c1" again'):
        write_conversations([*loaded, *loaded], tmp_path / "new")
    with pytest.raises(UsageError, match=r"file: must end in \.parquet, got "):
        write_parquet(loaded, tmp_path / "a.pq")
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]
