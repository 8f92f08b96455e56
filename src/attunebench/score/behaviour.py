"""Yes/no questions about a reply: what it did (observed), and what the participant wanted (preferred).

Source: AttuneBench, arXiv 2605.21739. "om" marks the observed behaviour of the original model, "human" the
participant's preference; "_hp" the same two answered from the participant's perspective.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import sqrt
from typing import Final, NamedTuple, TypeAlias

from attunebench.dataset.schema import Judgement, YesNo
from attunebench.score.means import harmonic

Truth: TypeAlias = Mapping[str, bool]
"""What the participant said, by question; true is yes."""

Answers: TypeAlias = Mapping[str, YesNo | None]
"""What the model said, by question."""

NO_ANSWERS: Final[Answers] = {}

YES_NO = frozenset({"yes", "no"})
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
        total = self.total
        return (self.tp + self.tn) / total if total else None

    def rates(self) -> dict[str, float | None]:
        """Return accuracy, precision, recall, f1 and mcc, each none where its denominator is 0.

        precision = tp/(tp + fp), recall = tp/(tp + fn), F1 their harmonic mean (0 to 1); MCC, Matthews correlation
        = (tp tn - fp fn)/sqrt((tp + fp)(tp + fn)(tn + fp)(tn + fn)) (-1 to 1). Up is better.
        """
        tp, tn, fp, fn = self
        claimed, true = tp + fp, tp + fn
        precision = tp / claimed if claimed else None
        recall = tp / true if true else None
        product = claimed * true * (tn + fp) * (tn + fn)
        return {
            "accuracy": self.accuracy,
            "precision": precision,
            "recall": recall,
            "f1": harmonic(precision or 0.0, recall or 0.0) if claimed or true else None,
            "mcc": (tp * tn - fp * fn) / sqrt(product) if product else None,
        }

    def published(self) -> dict[str, float]:
        """Return counts and rates under the benchmark's names, 0 where a rate is undefined."""
        return dict(_published(self))


@lru_cache(maxsize=4096)  # a turn has few questions: the same few counts come again and again
def _published(counts: Confusion) -> dict[str, float]:
    scores: dict[str, float] = {"tp": counts.tp, "tn": counts.tn, "fp": counts.fp, "fn": counts.fn}
    for name, rate in counts.rates().items():
        scores[name] = rate or 0.0
    return scores


def pooled(parts: Iterable[Confusion]) -> Confusion:
    """Add confusion counts; of none, all are 0."""
    return Confusion(*map(sum, zip(*parts, strict=True)))


def latest(judgements: Iterable[Judgement]) -> dict[str, Judgement]:
    """Return the judgements by question id; the last of a repeated id counts."""
    return {judgement.question_id: judgement for judgement in judgements}


def observed_with_fallback(judgements: Mapping[str, Judgement]) -> dict[str, bool]:
    """Return the yes/no answers on what the reply did: observedBehavior, else llmValue. True is yes."""
    answers = {key: j.observed_behavior or j.llm_value for key, j in judgements.items()}
    return {key: answer == "yes" for key, answer in answers.items() if answer in YES_NO}


def preferred_with_fallback(judgements: Mapping[str, Judgement]) -> dict[str, bool]:
    """Return the yes/no answers on what was wanted: preferredBehavior, else observedBehavior. True is yes."""
    answers = {key: j.preferred_behavior or j.observed_behavior for key, j in judgements.items()}
    return {key: answer == "yes" for key, answer in answers.items() if answer in YES_NO}


def observed(judgements: Mapping[str, Judgement]) -> dict[str, bool]:
    """Return the participant's own yes/no answers on what the reply did. True is yes."""
    return {key: j.observed_behavior == "yes" for key, j in judgements.items() if j.observed_behavior in YES_NO}


def preferred(judgements: Mapping[str, Judgement]) -> dict[str, bool]:
    """Return the participant's own yes/no answers on what was wanted. True is yes."""
    return {key: j.preferred_behavior == "yes" for key, j in judgements.items() if j.preferred_behavior in YES_NO}


def missing_is_no(truth: Truth, answers: Answers) -> Confusion:
    """Count a model's answers; a missing, na or unreadable one is a "no" (reference)."""
    return confusions(truth, answers)[0]


def missing_is_wrong(truth: Truth, answers: Answers) -> Confusion:
    """Count a model's answers; a missing, na or unreadable one is the opposite of the truth (strict)."""
    return confusions(truth, answers)[1]


def confusions(truth: Truth, answers: Answers) -> tuple[Confusion, Confusion]:
    """Return `missing_is_no` and `missing_is_wrong` at once."""
    yes = no = tp = fp = tn = 0
    for key, said in truth.items():
        answer = answers.get(key)
        if said:
            yes += 1
            tp += answer == "yes"
        else:
            no += 1
            fp += answer == "yes"
            tn += answer == "no"
    return Confusion(tp, no - fp, fp, yes - tp), Confusion(tp, tn, no - tn, yes - tp)
