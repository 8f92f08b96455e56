"""Pairwise comparisons: which of two replies the participant preferred.

Source: AttuneBench, arXiv 2605.21739; that an undecided comparison without a prediction is wrong comes from a public
port of the benchmark's scorer, not verified against the original.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import combinations
from math import sqrt
from typing import NamedTuple

from attunebench.dataset.lean import AnyComparison
from attunebench.dataset.schema import Letter


class Shown(NamedTuple):
    """What counts of a comparison: the labels on its two sides, and the side that won, none if undecided."""

    response_a: str | None
    response_b: str | None
    winner: Letter | None


class PairwiseScores(NamedTuple):
    """A turn's predicted letters against its comparisons; each none where not defined.

    `accuracy` and `tau` (`kendall_tau`) are over all comparisons; `decided_accuracy` and `decided_tau`
    (`kendall_tau_b`) over those with a winner, and the labels that occur in them.
    """

    accuracy: float | None
    tau: float | None
    decided_accuracy: float | None
    decided_tau: float | None


def shown(comparisons: Iterable[AnyComparison]) -> tuple[Shown, ...]:
    """Return what counts of comparisons."""
    return tuple(Shown(c.response_a, c.response_b, c.winner) for c in comparisons)


def letters(comparisons: Sequence[Shown], selections: Mapping[str, Letter | None]) -> tuple[Letter | None, ...]:
    """Return the predicted letter of each comparison; selections are keyed by position ("0", "1", ...)."""
    return tuple(map(selections.get, _positions(len(comparisons))))


@cache
def _positions(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))


@lru_cache(maxsize=2**14)  # a turn has few comparisons of few labels: the same come again and again
def pairwise_scores(comparisons: tuple[Shown, ...], predicted: tuple[Letter | None, ...]) -> PairwiseScores:
    """Score the predicted letters of a turn's comparisons."""
    tau = kendall_tau(winners(comparisons), wins(comparisons, predicted)) if any(predicted) else None
    paired = [(c, letter) for c, letter in zip(comparisons, predicted, strict=True) if c.winner]
    decided, chosen = [c for c, _ in paired], [letter for _, letter in paired]
    decided_tau = kendall_tau_b(winners(decided), wins(decided, chosen))
    return PairwiseScores(share_right(comparisons, predicted), tau, share_right(decided, chosen), decided_tau)


def share_right(comparisons: Sequence[Shown], predicted: Sequence[Letter | None]) -> float | None:
    """Return the share of comparisons whose predicted letter is the winner: 0 to 1, up is better.

    A comparison without a winner is never right. None without comparisons.
    """
    if not comparisons:
        return None
    right = [c.winner is not None and c.winner == letter for c, letter in zip(comparisons, predicted, strict=True)]
    return sum(right) / len(right)


def winners(comparisons: Sequence[AnyComparison | Shown]) -> dict[str, int]:
    """Count how often each label that occurs in the comparisons won."""
    return wins(comparisons, [comparison.winner for comparison in comparisons])


def wins(comparisons: Sequence[AnyComparison | Shown], chosen: Iterable[Letter | None]) -> dict[str, int]:
    """Count how often each label that occurs in the comparisons was chosen; labels without a win have 0."""
    counts: dict[str, int] = {}
    for comparison, letter in zip(comparisons, chosen, strict=True):
        for side, label in (("A", comparison.response_a), ("B", comparison.response_b)):
            if label is not None:
                counts[label] = counts.get(label, 0) + (side == letter)
    return counts


def kendall_tau(truth: Mapping[str, int], predicted: Mapping[str, int]) -> float | None:
    """Return Kendall's tau of two rankings by wins, ties broken alphabetically: -1 to 1, up is better.

    (concordant - discordant)/pairs over all pairs of labels. None with fewer than 2 labels.
    """
    return kendall_tau_b(_ranks(truth), _ranks(predicted))


def kendall_tau_b(truth: Mapping[str, int], predicted: Mapping[str, int]) -> float | None:
    """Return Kendall's tau-b of two counts over the same labels: -1 to 1, up is better.

    (concordant - discordant)/sqrt(u v), u and v the pairs of labels that the one and the other count tell apart.
    None if either tells none apart. Kendall 1945, "The treatment of ties in ranking problems".
    """
    balance = told_apart = predicted_apart = 0
    for one, other in combinations(truth, 2):
        x, y = truth[one] - truth[other], predicted[one] - predicted[other]
        told_apart += x != 0
        predicted_apart += y != 0
        balance += (x * y > 0) - (x * y < 0)
    scale = told_apart * predicted_apart
    return balance / sqrt(scale) if scale else None


def _ranks(counts: Mapping[str, int]) -> dict[str, int]:
    order = sorted(counts, key=lambda label: (-counts[label], label))
    return {label: rank for rank, label in enumerate(order)}
