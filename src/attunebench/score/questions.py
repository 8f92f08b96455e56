"""The questions after the conversation, and the four branches.

Source: AttuneBench, arXiv 2605.21739. Answers are compared trimmed and lower-cased; an absent answer is an empty one.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from attunebench.dataset.lean import LeanQuestions
from attunebench.instrument import FIT_OPTIONS
from attunebench.score.means import harmonic, mean
from attunebench.score.text import folded, jaccard, words

NO_QUESTIONS: Final = LeanQuestions()
NO_PREDICTIONS: Final = LeanQuestions()

BRANCH_RANGE: Final = 6
MID_BRANCH: Final = 4
"""What the reference profile takes for a branch that the model did not rate."""

WORST_FIT_DISTANCE: Final = len(FIT_OPTIONS) - 1

_FIT_POSITION = {folded(option): position for position, option in enumerate(FIT_OPTIONS)}
_LEAST_JACCARD = 0.3


def looking_for_score(truth: Sequence[str] | None, predicted: Sequence[str] | None) -> float:
    """Return F1 of the two sets of options: 0 to 1, up is better; both empty 1, one empty 0."""
    wanted, guessed = {folded(text) for text in truth or ()}, {folded(text) for text in predicted or ()}
    if not wanted or not guessed:
        return float(not wanted and not guessed)
    shared = len(wanted & guessed)
    return harmonic(shared / len(guessed), shared / len(wanted))


def same_answer(truth: str | None, predicted: str | None) -> float:
    """Return 1 if the answers are the same, both empty included, else 0."""
    return float(folded(truth) == folded(predicted))


def fit_distance(truth: str | None, predicted: str | None) -> int:
    """Return how many options lie between two fits: 0 to 3, down is better; both unknown 0, one unknown 3."""
    first, second = fit_position(truth), fit_position(predicted)
    if first is None or second is None:
        return 0 if first is None and second is None else WORST_FIT_DISTANCE
    return abs(first - second)


def fit_position(answer: str | None) -> int | None:
    """Return the position of a fit among the options, best first; none if it is none of them."""
    return _FIT_POSITION.get(folded(answer))


def follow_up_score(truth: Sequence[str] | None, predicted: Sequence[str] | None) -> float:
    """Return the soft F1 of two lists of texts, repeats kept: 0 to 1, up is better; both empty 1, one empty 0.

    A text's credit is 1 if it is in the other list, else its best word Jaccard there if that is at least 0.3, else 0.
    Recall is the mean credit of the participant's texts, precision of the predicted ones.
    """
    if not truth or not predicted:
        return float(not truth and not predicted)
    said, guessed = [folded(text) for text in truth], [folded(text) for text in predicted]
    return harmonic(_mean_credit(guessed, said), _mean_credit(said, guessed))


def _mean_credit(texts: Sequence[str], others: Sequence[str]) -> float:
    bags = [words(other) for other in others]
    return mean([_credit(text, others, bags) for text in texts]) or 0.0


def _credit(text: str, others: Sequence[str], bags: Sequence[frozenset[str]]) -> float:
    if text in others:
        return 1.0
    bag = words(text)
    best = max(jaccard(bag, other) for other in bags)
    return best if best >= _LEAST_JACCARD else 0.0


def branch_errors(
    truth: Mapping[str, float] | None, predicted: Mapping[str, float] | None, *, missing: float | None
) -> dict[str, float]:
    """Return |participant - model| (0 to 6, down is better) of each branch the participant rated.

    A branch that the model did not rate is taken as `missing`; with none, its error is the worst.
    """
    guesses = predicted or {}
    errors: dict[str, float] = {}
    for branch, rating in (truth or {}).items():
        guess = guesses.get(branch, missing)
        errors[branch] = BRANCH_RANGE if guess is None else abs(rating - guess)
    return errors
