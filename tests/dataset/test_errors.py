"""Every error of the format, as the exact line it gives."""

import pytest
from dataset_examples import annotated, conversation, lines, problems, turn

from attunebench.dataset.problems import NoValue, Problem, one_line, shorten, spell_path
from attunebench.dataset.reading import read_conversation


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        ({"turns": []}, "a.json: conversation #1: conversationId: is required, got nothing"),
        ({"conversationId": 5, "turns": []}, "a.json: conversation #1: conversationId: must be a text, got 5"),
        ({"conversationId": "", "turns": []}, 'a.json: conversation #1: conversationId: must not be empty, got ""'),
        ({"conversation_id": "c1", "turns": []}, "a.json: conversation #1: conversationId: is required, got nothing"),
        ({"conversationId": "c1"}, "a.json: conversation c1: turns: is required, got nothing"),
        ([], "a.json: conversation #1: $: must be an object, got []"),
        ("text", 'a.json: conversation #1: $: must be an object, got "text"'),
    ],
)
def test_what_a_conversation_must_have(raw, line):
    assert lines(read_conversation(raw, file="a.json")) == [line]


@pytest.mark.parametrize("name", ["turnNumber", "userMessage", "llmResponse"])
def test_what_a_turn_must_have(name):
    raw = turn()
    del raw[name]
    assert problems(conversation(turns=[raw])) == [f"turns[0].{name}: is required, got nothing"]


WRONG_TYPES = [
    (conversation(turns=None) | {"turns": None}, "turns: must be a list, got null"),
    (conversation(turns={"1": turn()}), "turns: must be a list, got {"),
    (conversation(turns=[turn(), "x"]), 'turns[1]: must be an object, got "x"'),
    (conversation(turns=[turn("1")]), 'turns[0].turnNumber: must be a whole number, got "1"'),
    (conversation(turns=[turn(1.0)]), "turns[0].turnNumber: must be a whole number, got 1.0"),
    (conversation(turns=[turn(True)]), "turns[0].turnNumber: must be a whole number, got true"),
    (conversation(turns=[turn(userMessage=None)]), "turns[0].userMessage: must be a text, got null"),
    (conversation(turns=[turn(llmResponse=5)]), "turns[0].llmResponse: must be a text, got 5"),
    (conversation(turns=[turn(moodShiftTags="Sad")]), 'turns[0].moodShiftTags: must be a list, got "Sad"'),
    (conversation(turns=[turn(annotations=[])]), "turns[0].annotations: must be an object, got []"),
    (
        conversation(turns=[annotated(binaryJudgements={})]),
        "turns[0].annotations.binaryJudgements: must be a list, got {}",
    ),
    (
        conversation(turns=[annotated(binaryJudgements=[{"questionId": 1}])]),
        "turns[0].annotations.binaryJudgements[0].questionId: must be a text, got 1",
    ),
    (
        conversation(turns=[annotated(alternateResponses="x")]),
        'turns[0].annotations.alternateResponses: must be an object, got "x"',
    ),
    (
        conversation(turns=[annotated(pairwiseComparisons=[{"winner": 1}])]),
        "turns[0].annotations.pairwiseComparisons[0].winner: must be A, B or null, got 1",
    ),
    (
        conversation(turns=[annotated(selectedPairwiseQuestions=["PW1", 2])]),
        "turns[0].annotations.selectedPairwiseQuestions[1]: must be a text, got 2",
    ),
    (conversation(metadata="x"), 'metadata: must be an object, got "x"'),
    (conversation(metadata={"category": 1}), "metadata.category: must be a text, got 1"),
    (conversation(metadata={"turnCount": "8"}), 'metadata.turnCount: must be a whole number, got "8"'),
    (conversation(participant_profile=[1]), "participant_profile: must be an object, got [1]"),
    (
        conversation(participant_profile={"participant_id": 7}),
        "participant_profile.participant_id: must be a text, got 7",
    ),
    (conversation(participant_profile={"age": True}), "participant_profile.age: must be a text, got true"),
    (conversation(participant_profile={"traits": "calm"}), 'participant_profile.traits: must be a list, got "calm"'),
    (conversation(participant_profile={"goals": [1]}), "participant_profile.goals[0]: must be a text, got 1"),
    (conversation(participant_profile={"responses": []}), "participant_profile.responses: must be an object, got []"),
    (conversation(prePanas=[3]), "prePanas: must be an object, got [3]"),
    (conversation(postPanas={"totalPositiveAffect": {}}), "postPanas.totalPositiveAffect: must be a number, got {}"),
    (conversation(conversationWideQuestions=""), 'conversationWideQuestions: must be an object, got ""'),
    (
        conversation(conversationWideQuestions={"q3_followUp_whatFeltOff": "all"}),
        'conversationWideQuestions.q3_followUp_whatFeltOff: must be a list, got "all"',
    ),
    (
        conversation(conversationWideQuestions={"fourBranchScores": [1]}),
        "conversationWideQuestions.fourBranchScores: must be an object, got [1]",
    ),
]


@pytest.mark.parametrize(("raw", "line"), WRONG_TYPES, ids=[line[:50] for _, line in WRONG_TYPES])
def test_a_field_of_the_wrong_type_is_an_error_optional_ones_too(raw, line):
    (found,) = problems(raw)
    assert found.startswith(line)


def test_an_emotion_must_be_one_of_the_20_words():
    raw = conversation(turns=[turn(moodShiftTags=[{"emotion": "Happy"}, {"emotion": None}, {}])])
    assert problems(raw) == [
        'turns[0].moodShiftTags[0].emotion: must be one of the 20 emotion words, got "Happy"',
        "turns[0].moodShiftTags[1].emotion: must be one of the 20 emotion words, got null",
        "turns[0].moodShiftTags[2].emotion: is required, got nothing",
    ]


def test_an_intensity_must_be_readable():
    raw = conversation(turns=[turn(moodShiftTags=[{"emotion": "Upset", "intensity": "mild-ish"}])])
    rule = "must be 1 to 7, mild, moderate, intense or empty"
    assert problems(raw) == [f'turns[0].moodShiftTags[0].intensity: {rule}, got "mild-ish"']


def test_the_same_turn_number_twice_is_an_error_beside_all_others():
    raw = conversation(turns=[turn(1), turn(2, llmResponse=None), turn(1), turn(1)])
    assert problems(raw) == [
        "turns[1].llmResponse: must be a text, got null",
        "turns[2].turnNumber: must differ from that of turns[0], got 1",
        "turns[3].turnNumber: must differ from that of turns[0], got 1",
    ]
    assert problems(conversation(turns=[turn(4), turn(4)])) == [
        "turns[1].turnNumber: must differ from that of turns[0], got 4"
    ]


RULE = "must be Unicode text without lone surrogates"


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (conversation(turns=[turn(userMessage="a\ud83d")]), f'turns[0].userMessage: {RULE}, got "a\\ud83d"'),
        (conversation(extra={"x": ["\udc00"]}), f'extra.x[0]: {RULE}, got "\\udc00"'),
        (
            conversation(metadata={"\ud800": 1}),
            'metadata["\\ud800"]: must have a key without lone surrogates, got "\\ud800"',
        ),
        (conversation(**{"\ud800": 1}), '["\\ud800"]: must have a key without lone surrogates, got "\\ud800"'),
        (
            conversation(turns=[turn(moodShiftTags=[{"emotion": "\ud800"}])]),
            f'turns[0].moodShiftTags[0].emotion: {RULE}, got "\\ud800"',
        ),
    ],
)
def test_a_lone_surrogate_is_an_error_with_its_path(raw, line):
    assert problems(raw) == [line]


def test_other_errors_are_found_beside_a_lone_surrogate():
    assert problems(conversation(metadata={"\ud800": 1, "category": 5}))[1:] == [
        "metadata.category: must be a text, got 5"
    ]


def test_a_surrogate_in_the_id_does_not_break_the_line():
    (line,) = lines(read_conversation(conversation("c\ud800"), file="a.json"))
    assert line == f'a.json: conversation c\\ud800: conversationId: {RULE}, got "c\\ud800"'


def test_nesting_without_end_is_an_error():
    nested = []
    for _ in range(5000):
        nested = [nested]
    (line,) = problems(conversation(extra=nested))
    assert line == "extra[0][0]: must not be nested more than 254 levels deep"


def test_all_errors_of_a_conversation_are_reported():
    raw = conversation(
        turns=[turn(moodShiftTags=[{"emotion": "?", "intensity": "?"}]), turn(2, userMessage=1)], metadata=1
    )
    assert [line.split(": ")[0] for line in problems(raw)] == [
        "metadata",
        "turns[0].moodShiftTags[0].emotion",
        "turns[0].moodShiftTags[0].intensity",
        "turns[1].userMessage",
    ]


def test_a_problem_is_one_line_whatever_it_holds():
    nasty = "a\nb\r\x00\x1b[31m\u2028\u2029\x85\u202e\ud800"
    problem = Problem(
        severity="error",
        file=nasty,
        conversation=nasty,
        path=spell_path(["turns", 2, nasty]),
        rule="must be calm",
        value={nasty: nasty},
        kind="bad value",
    )
    assert len(str(problem).splitlines()) == 1
    assert str(problem).isprintable()


def test_values_are_compact_and_shortened():
    assert shorten({"a": [1, None, "é"]}) == '{"a":[1,null,"é"]}'
    assert shorten("x" * 500) == '"' + "x" * 78 + "…"
    assert shorten(NoValue.ABSENT) == "nothing"


def test_keys_that_are_no_plain_names_are_quoted_in_paths():
    assert spell_path(["a", 0, "b c", "d.e", "é"]) == 'a[0]["b c"]["d.e"].é'
    assert spell_path([]) == "$"
    assert one_line("שלום 🙂") == "שלום 🙂"
