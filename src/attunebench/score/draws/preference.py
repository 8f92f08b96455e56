"""Comparisons of all turns and draws; see `attunebench.score.preference` for the formulas."""

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from attunebench.baselines.draws import Truths
from attunebench.dataset.schema import Comparison
from attunebench.score import preference
from attunebench.score.arrays.means import Numbers, ratio

ByTurn = Sequence[Sequence[Comparison]]
"""The comparisons of each turn; drawn letters stand in a row, turn after turn, shape (draws, comparisons)."""


def share_right(by_turn: ByTurn, is_a: Truths) -> Numbers:
    """Return the share of right letters, shape (turns, draws); a comparison without a winner is never right."""
    compared = [(turn, c) for turn, comparisons in enumerate(by_turn) for c in comparisons]
    for_a, for_b = np.zeros((2, len(by_turn), len(compared)))
    for place, (turn, comparison) in enumerate(compared):
        if comparison.winner:
            (for_a if comparison.winner == "A" else for_b)[turn, place] = 1
    said = is_a.T.astype(np.float64)
    return ratio(for_a @ said + for_b @ (1 - said), _column(map(len, by_turn)))


def kendall_tau(by_turn: ByTurn, is_a: Truths) -> Numbers:
    """Return tau with ties broken alphabetically (reference), shape (turns, draws)."""
    pairs = LabelPairs(by_turn)
    told, drawn = (np.where(signs == 0, pairs.alphabet, signs) for signs in (pairs.truth, pairs.signs(is_a)))
    return ratio(pairs.turn @ (told * drawn), pairs.turn.sum(axis=1, keepdims=True))


def kendall_tau_b(by_turn: ByTurn, is_a: Truths) -> Numbers:
    """Return tau-b (strict), shape (turns, draws)."""
    pairs = LabelPairs(by_turn)
    drawn = pairs.signs(is_a)
    apart = (pairs.turn @ np.abs(pairs.truth)) * (pairs.turn @ np.abs(drawn))
    return ratio(pairs.turn @ (pairs.truth * drawn), np.sqrt(apart))


class LabelPairs:
    """All pairs of labels that occur in the same turn's comparisons.

    `truth`: 1 where the participant let the first win more often, -1 where the second, else 0; `alphabet`: 1 where the
    first comes first, both of shape (pairs, 1); `turn`: 1 in the row of the pair's turn, shape (turns, pairs).
    """

    def __init__(self, by_turn: ByTurn) -> None:
        wins = [preference.wins(comparisons, [c.winner for c in comparisons]) for comparisons in by_turn]
        pairs = [(turn, *pair) for turn, counts in enumerate(wins) for pair in combinations(counts, 2)]
        self.truth = np.sign(_column(wins[turn][one] - wins[turn][other] for turn, one, other in pairs))
        self.alphabet = _column(1.0 if one < other else -1.0 for _, one, other in pairs)
        self.turn = np.zeros((len(by_turn), len(pairs)))
        compared = [(turn, c) for turn, comparisons in enumerate(by_turn) for c in comparisons]
        self._by_a, self._by_b = np.zeros((2, len(pairs), len(compared)))
        for row, (turn, one, other) in enumerate(pairs):
            self.turn[turn, row] = 1
            for column, (at, comparison) in enumerate(compared):
                if at == turn:
                    for label, won in ((comparison.response_a, self._by_a), (comparison.response_b, self._by_b)):
                        won[row, column] = (label == one) - (label == other)

    def signs(self, is_a: Truths) -> Numbers:
        """Return which label of each pair the drawn letters let win more often, as `truth`, shape (pairs, draws)."""
        said = is_a.T.astype(np.float64)
        return np.sign(self._by_a @ said + self._by_b @ (1 - said))


def _column(values: Iterable[float]) -> Numbers:
    return np.array(list(values), dtype=np.float64).reshape(-1, 1)
