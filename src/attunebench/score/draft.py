"""The model's own draft of a reply: how near it is to the replies the participant saw, and how a judge found it.

Source: AttuneBench, arXiv 2605.21739; that an empty judge assessment is no assessment comes from a public port of the
benchmark's scorer, not verified against the original.
"""

from collections.abc import Mapping
from typing import Final

from attunebench.dataset.lean import AnyTurn
from attunebench.dataset.schema import ReplyLabel, YesNo
from attunebench.dataset.values import clamp
from attunebench.protocol.answers import RATINGS
from attunebench.score.behaviour import YES_NO, Told, count_answers
from attunebench.score.means import mean_of_present
from attunebench.score.text import jaccard, words

REPLIES: Final[Mapping[ReplyLabel, str]] = {
    "original": "response_similarity_original",
    "alternate": "response_similarity_llm_improved",
    "human": "response_similarity_human_edited",
}
"""The labels of a turn's replies, and the name of the draft's similarity with each."""


def existing_replies(turn: AnyTurn) -> dict[str, str]:
    """Return the turn's replies that exist and are not empty, by label."""
    return {label: text for label in REPLIES if (text := turn.reply(label))}


def similarities(draft: str | None, replies: Mapping[str, str]) -> dict[str, float]:
    """Return the word Jaccard of the draft with each reply: 0 to 1, up is nearer; an empty draft is near to none."""
    drafted = words(draft)
    return {label: jaccard(drafted, words(text)) for label, text in replies.items()}


def preference_alignment(near: Mapping[str, float], wins: Mapping[str, int]) -> float | None:
    """Return how near the draft is to the replies the participant preferred: 0 to 1, up is better.

    sum(w x similarity)/sum(w) over the labels in `near` (replies that exist), w = the label's share of the decided
    comparisons. 0 if no reply that won exists; none if no comparison was decided.
    """
    if not any(wins.values()):
        return None
    total = weighted = 0.0
    for label, similarity in near.items():
        weight = wins.get(label, 0)
        total += weight
        weighted += weight * similarity
    return weighted / total if total else 0.0


def judge_score(scores: Mapping[str, float | None] | None) -> float | None:
    """Return (mean of the given scores of `RATINGS` - 1)/6, clamped to 0 to 1, up is better.

    None if there is none of them.
    """
    if not scores:
        return None
    average = mean_of_present(scores.get(name) for name in RATINGS)
    return None if average is None else clamp((average - 1) / 6, 0.0, 1.0)


def behaviour_alignment(preferred: Told, found: Mapping[str, YesNo | None] | None) -> float | None:
    """Return the share of wanted yes/no behaviours that the judge found so in the draft: 0 to 1, up is better.

    A question without a finding is wrong. None if nothing was wanted, or if the judge found no yes or no at all.
    """
    if not found or not any(answer in YES_NO for answer in found.values()):
        return None
    return count_answers(preferred, found)[1].accuracy
