"""Drafts, by hand."""

from typing import Any

import pytest

from attunebench.score import score_reference
from attunebench.score.behaviour import told
from attunebench.score.draft import behaviour_alignment, judge_score, preference_alignment
from attunebench.score.text import jaccard, words
from score_examples import answered, comparison, conversation, judgement, record, turn

REPLIES = {"llmImproved": "c d", "humanEdited": ""}


def scored(draft: str | None, *comparisons: dict[str, Any], **annotations: Any) -> dict[str, Any]:
    told = conversation(
        turn(reply="A b c", alternateResponses=REPLIES, pairwiseComparisons=list(comparisons), **annotations)
    )
    return score_reference(told, record(answered(em_drafted_response=draft)))["turn_scores"][0]


def test_jaccard_of_words() -> None:
    assert jaccard(words("The  cat\nsat"), words("the dog SAT down")) == 2 / 5
    assert jaccard(words(""), words("a")) == jaccard(words(None), words("")) == 0


def test_similarity_is_the_nearest_reply() -> None:
    got = scored("b C x")  # {a b c}: 2/4; {c d}: 1/4; the human reply is empty
    assert got["response_similarity_original"] == 1 / 2
    assert got["response_similarity_llm_improved"] == 1 / 4
    assert got["response_similarity_human_edited"] == 0
    assert got["response_similarity"] == got["response_preference_alignment"] == 1 / 2  # none decided


@pytest.mark.parametrize("draft", [None, "", "  "])
def test_a_missing_draft_is_near_to_nothing(draft: str | None) -> None:
    assert scored(draft)["response_similarity"] == 0


def test_preference_alignment_weighs_existing_replies_by_their_wins() -> None:
    got = scored(
        "b C x",
        comparison("original", "alternate", "A"),
        comparison("original", "alternate", "A"),
        comparison("original", "alternate", "B"),
        comparison("original", "human", "B"),  # empty reply: its weight is left out
    )
    assert got["response_preference_alignment"] == pytest.approx((2 * 1 / 2 + 1 * 1 / 4) / 3)


def test_preference_alignment_is_0_if_only_an_empty_reply_won() -> None:
    assert scored("b", comparison("original", "human", "B"))["response_preference_alignment"] == 0
    assert preference_alignment({"original": 0.5}, {"human": 1}) == 0
    assert preference_alignment({"original": 0.5}, {"human": 0}) is None


def test_judge_score_is_the_mean_of_those_given() -> None:
    assert judge_score({"overall_score": 4, "helpfulness": 7, "tone_match": None, "other": 1}) == pytest.approx(4.5 / 6)
    assert judge_score({"overall_score": 9}) == 1
    assert judge_score({}) is None
    assert judge_score(None) is None


def test_behaviour_alignment_takes_a_missing_finding_as_wrong() -> None:
    wanted = told({"B1": True, "B2": False, "B3": False})
    assert behaviour_alignment(wanted, {"B1": "yes", "B2": "yes"}) == pytest.approx(1 / 3)
    assert behaviour_alignment(wanted, {"B1": "na"}) is None
    assert behaviour_alignment(wanted, {}) is None
    assert behaviour_alignment(told({}), {"B1": "yes"}) is None


def test_behaviour_alignment_in_a_record_is_with_what_was_wanted() -> None:
    asked = conversation(turn(binaryJudgements=[judgement("B1", "yes", "no"), judgement("B2", "yes", None)]))
    got = score_reference(asked, record(answered(em_draft_binary_assessment={"B1": "no", "B2": "no"})))
    assert got["avg_draft_binary_alignment"] == 1 / 2
