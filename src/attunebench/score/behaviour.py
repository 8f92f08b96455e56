"""Yes/no questions about a reply: what it did (observed), and what the participant wanted (preferred).

Source: AttuneBench, arXiv 2605.21739. "om" marks the observed behaviour of the original model, "human" the
participant's preference; "_hp" the same two answered from the participant's perspective.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import sqrt
from typing import Final, NamedTuple, TypeAlias

from attunebench.dataset.lean import AnyJudgement
from attunebench.dataset.schema import YesNo
from attunebench.score.means import harmonic

Truth: TypeAlias = Mapping[str, bool]
"""What the participant said, by question; true is yes."""

Answers: TypeAlias = Mapping[str, YesNo | None]
"""What the model said, by question."""

NO_ANSWERS: Final[Answers] = {}

_ANSWERS: Final = ("yes", "no")

YES_NO = frozenset(_ANSWERS)
"""The answers that count; na and no answer do not."""


class Confusion(NamedTuple):
    """Counts of (participant, model) answers with "yes" as positive."""

    tp: int = 0
    tn: int = 0
    fp: int = 0
    fn: int = 0

    @property
    def total(self) -> int:
        """How many answers were counted."""
        return self.tp + self.tn + self.fp + self.fn

    @property
    def accuracy(self) -> float | None:
        """(tp + tn)/all; 0 to 1, up is better; none without any."""
        tp, tn, fp, fn = self
        total = tp + tn + fp + fn
        return (tp + tn) / total if total else None

    @property
    def rates(self) -> Mapping[str, float | None]:
        """Accuracy, precision, recall, f1 and mcc, each none where its denominator is 0; not to be changed.

        precision = tp/(tp + fp), recall = tp/(tp + fn), F1 their harmonic mean (0 to 1); MCC, Matthews correlation
        = (tp tn - fp fn)/sqrt((tp + fp)(tp + fn)(tn + fp)(tn + fn)) (-1 to 1). Up is better.
        """
        return _rates(self)

    @property
    def published(self) -> Mapping[str, float]:
        """Counts and rates under the benchmark's names, 0 where a rate is undefined; not to be changed."""
        return _published(self)


@lru_cache(maxsize=2**14)  # there are few questions: the same few counts come again and again
def _rates(counts: Confusion) -> Mapping[str, float | None]:
    tp, tn, fp, fn = counts
    claimed, true = tp + fp, tp + fn
    precision = tp / claimed if claimed else None
    recall = tp / true if true else None
    product = claimed * true * (tn + fp) * (tn + fn)
    return {
        "accuracy": counts.accuracy,
        "precision": precision,
        "recall": recall,
        "f1": harmonic(precision or 0.0, recall or 0.0) if claimed or true else None,
        "mcc": (tp * tn - fp * fn) / sqrt(product) if product else None,
    }


@lru_cache(maxsize=2**14)
def _published(counts: Confusion) -> Mapping[str, float]:
    return counts._asdict() | {name: rate or 0.0 for name, rate in counts.rates.items()}


def pooled(parts: Iterable[Confusion]) -> Confusion:
    """Add confusion counts; of none, all are 0."""
    tp = tn = fp = fn = 0
    for a, b, c, d in parts:
        tp, tn, fp, fn = tp + a, tn + b, fp + c, fn + d
    return Confusion(tp, tn, fp, fn)


def latest(judgements: Iterable[AnyJudgement]) -> dict[str, AnyJudgement]:
    """Return the judgements by question id; the last of a repeated id counts."""
    return {judgement.question_id: judgement for judgement in judgements}


def observed_with_fallback(judgements: Mapping[str, AnyJudgement]) -> dict[str, bool]:
    """Return the yes/no answers on what the reply did: observedBehavior, else llmValue. True is yes."""
    answers = {key: j.observed_behavior or j.llm_value for key, j in judgements.items()}
    return {key: answer == "yes" for key, answer in answers.items() if answer in YES_NO}


def preferred_with_fallback(judgements: Mapping[str, AnyJudgement]) -> dict[str, bool]:
    """Return the yes/no answers on what was wanted: preferredBehavior, else observedBehavior. True is yes."""
    answers = {key: j.preferred_behavior or j.observed_behavior for key, j in judgements.items()}
    return {key: answer == "yes" for key, answer in answers.items() if answer in YES_NO}


def observed(judgements: Mapping[str, AnyJudgement]) -> dict[str, bool]:
    """Return the participant's own yes/no answers on what the reply did. True is yes."""
    return {key: j.observed_behavior == "yes" for key, j in judgements.items() if j.observed_behavior in YES_NO}


def preferred(judgements: Mapping[str, AnyJudgement]) -> dict[str, bool]:
    """Return the participant's own yes/no answers on what was wanted. True is yes."""
    return {key: j.preferred_behavior == "yes" for key, j in judgements.items() if j.preferred_behavior in YES_NO}


class Told(NamedTuple):
    """The questions that the participant answered with yes, and those with no."""

    yes: Sequence[str] = ()
    no: Sequence[str] = ()


def told(truth: Truth) -> Told:
    """Return the participant's answers, ready for counting."""
    return Told([key for key, yes in truth.items() if yes], [key for key, yes in truth.items() if not yes])


def read_told(judgements: Mapping[str, AnyJudgement]) -> tuple[tuple[Told, Told], tuple[Told, Told]]:
    """Return the participant's own answers, observed and preferred, and the two with fall-back."""
    each = judgements.items()
    own = (
        Told(*([key for key, j in each if j.observed_behavior == answer] for answer in _ANSWERS)),
        Told(*([key for key, j in each if j.preferred_behavior == answer] for answer in _ANSWERS)),
    )
    if all(j.observed_behavior and j.preferred_behavior for j in judgements.values()):
        return own, own
    return own, (told(observed_with_fallback(judgements)), told(preferred_with_fallback(judgements)))


def missing_is_no(truth: Truth, answers: Answers) -> Confusion:
    """Count a model's answers; a missing, na or unreadable one is a "no" (reference)."""
    return count_answers(told(truth), answers)[0]


def missing_is_wrong(truth: Truth, answers: Answers) -> Confusion:
    """Count a model's answers; a missing, na or unreadable one is the opposite of the truth (strict)."""
    return count_answers(told(truth), answers)[1]


def count_answers(truth: Told, answers: Answers) -> tuple[Confusion, Confusion]:
    """Return `missing_is_no` and `missing_is_wrong` at once."""
    to_yes, to_no = [*map(answers.get, truth.yes)], [*map(answers.get, truth.no)]
    tp, fp, tn = to_yes.count("yes"), to_no.count("yes"), to_no.count("no")
    fn, no = len(to_yes) - tp, len(to_no)
    missing_is_no = _confusion(tp, no - fp, fp, fn)
    return missing_is_no, missing_is_no if tn == no - fp else _confusion(tp, tn, no - tn, fn)


_confusion = lru_cache(maxsize=2**14)(Confusion)


def all_wrong(truth: Told) -> Confusion:
    """Return the counts of a model that gave every question the other answer."""
    return Confusion(fp=len(truth.no), fn=len(truth.yes))
