"""What older files call a field is read, and messages use the file's own name."""

import pytest
from dataset_examples import annotated, conversation, problems, read
from hypothesis import given
from hypothesis import strategies as st

from attunebench.dataset.schema import Alternates, Comparison, Judgement, Panas
from attunebench.instrument import EMOTION_WORDS


def judgement(**fields):
    return (
        read(conversation(turns=[annotated(binaryJudgements=[{"questionId": "B1", **fields}])])).turns[0].judgements[0]
    )


def comparison(**fields):
    return read(conversation(turns=[annotated(pairwiseComparisons=[fields])])).turns[0].comparisons[0]


@pytest.mark.parametrize("name", ["observedBehavior", "did_occur", "humanValue", "actualValue"])
def test_observed_has_three_older_names(name):
    assert judgement(**{name: "Yes"}) == Judgement(question_id="B1", observed_behavior="yes")


@pytest.mark.parametrize("name", ["preferredBehavior", "should_occur", "humanPreference"])
def test_preferred_has_two_older_names(name):
    assert judgement(**{name: False}) == Judgement(question_id="B1", preferred_behavior="no")


def test_alternates_were_numbered_once():
    raw = conversation(turns=[annotated(alternateResponses={"alternate1": "x", "alternate2": "y"})])
    expected = Alternates(llm_improved="x", human_edited="y")
    assert read(raw).turns[0].annotations.alternate_responses == expected


def test_the_sides_of_a_comparison_were_numbered_once():
    expected = Comparison(response_a="original", response_b="human")
    assert comparison(response_1="original", response_2="human") == expected


@pytest.mark.parametrize(("winner", "letter"), [("a", "A"), ("B", "B"), ("response_1", "A"), (" Response_2 ", "B")])
def test_a_winner_is_a_letter_or_a_numbered_side(winner, letter):
    assert comparison(winner=winner).winner == letter


@pytest.mark.parametrize(
    ("label", "reply"),
    [("original", "original"), ("alternate1", "alternate"), ("alternate2", "human"), ("Human", "human")],
)
def test_labels_of_blinded_files_name_the_same_replies(label, reply):
    assert comparison(responseA=label).response_a == reply


@pytest.mark.parametrize(("old", "new"), [("Q1", "q1_lookingFor"), ("Q2", "q2_emotionClarity"), ("Q3", "q3_modelFit")])
def test_the_questions_afterwards_had_short_names(old, new):
    value = ["Other"] if old == "Q1" else "Mixed or conflicted"
    older, newer = (read(conversation(conversationWideQuestions={name: value})) for name in (old, new))
    assert older == newer
    assert older.conversation_wide_questions.model_fields_set


def test_null_falls_through_to_the_next_spelling():
    assert judgement(observedBehavior=None, did_occur=None, humanValue="no").observed_behavior == "no"


def test_an_empty_text_does_not_fall_through():
    assert judgement(observedBehavior="", did_occur="yes").observed_behavior is None


def test_the_present_name_wins_and_the_older_is_kept_as_unknown():
    found = judgement(observedBehavior="yes", did_occur="no")
    assert (found.observed_behavior, found.model_extra) == ("yes", {"did_occur": "no"})


@given(st.sampled_from(EMOTION_WORDS), st.data())
def test_panas_items_are_read_in_any_letter_case(word, data):
    spelled = "".join(data.draw(st.sampled_from([c.lower(), c.upper()])) for c in word)
    assert read(conversation(prePanas={spelled: 5})).pre_panas == Panas(items={word: 5})


@pytest.mark.parametrize("nest", ["responses", "items"])
def test_panas_may_be_nested(nest):
    panas = read(conversation(postPanas={nest: {"PROUD": "5", "TotalPositiveAffect": 30}})).post_panas
    assert (panas.items, panas.total_positive_affect) == ({"Proud": 5}, 30)


def test_flat_panas_keys_win_over_nested_ones():
    panas = read(conversation(prePanas={"items": {"Proud": 1}, "responses": {"Proud": 2}, "proud": 3})).pre_panas
    assert panas.items == {"Proud": 3}


def test_a_flat_null_leaves_the_nested_item_and_an_empty_text_does_not():
    assert read(conversation(prePanas={"Proud": None, "items": {"Proud": 2}})).pre_panas.items == {"Proud": 2}
    assert read(conversation(prePanas={"Proud": "", "items": {"Proud": 2}})).pre_panas.items == {}


@pytest.mark.parametrize(
    ("raw", "line"),
    [
        (
            conversation(turns=[annotated(binaryJudgements=[{"questionId": "B1", "did_occur": ["yes"]}])]),
            'turns[0].annotations.binaryJudgements[0].did_occur: must be yes, no or na, got ["yes"]',
        ),
        (
            conversation(turns=[annotated(alternateResponses={"alternate2": 5})]),
            "turns[0].annotations.alternateResponses.alternate2: must be a text, got 5",
        ),
        (
            conversation(turns=[annotated(pairwiseComparisons=[{"responseA": None, "response_1": 1}])]),
            "turns[0].annotations.pairwiseComparisons[0].response_1: must be a text, got 1",
        ),
        (
            conversation(conversationWideQuestions={"Q1": "Other"}),
            'conversationWideQuestions.Q1: must be a list, got "Other"',
        ),
        (
            conversation(prePanas={"responses": {"proud": "much"}}),
            'prePanas.responses.proud: must be a number, got "much"',
        ),
        (conversation(postPanas={"ALERT": []}), "postPanas.ALERT: must be a number, got []"),
        (
            conversation(postPanas={"items": {"TOTALnegativeaffect": "x"}}),
            'postPanas.items.TOTALnegativeaffect: must be a number, got "x"',
        ),
        (conversation(prePanas={"items": [1]}), "prePanas.items: must be an object, got [1]"),
        (conversation(prePanas={"responses": 5}), "prePanas.responses: must be an object, got 5"),
        (
            conversation(conversationWideQuestions={"fourBranchScores": {"Managing": "high"}}),
            'conversationWideQuestions.fourBranchScores.Managing: must be a number, got "high"',
        ),
    ],
)
def test_a_bad_value_is_shown_under_the_name_that_held_it(raw, line):
    assert problems(raw) == [line]
