"""Comparisons asked in both orders: does a model's choice follow the reply, or the place where it stands?

This project's own addition; the benchmark asks every comparison once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from attunebench.dataset.schema import Comparison, Letter, Turn
from attunebench.dataset.values import read_label
from attunebench.protocol.records import TurnRecord


@dataclass(frozen=True, slots=True)
class BothOrders:
    """Counts of comparisons, to be added up over turns and conversations.

    `answered` in both orders, of which `flipped` are those whose other reply was chosen in the other order; `decided`
    by the participant, of which `agreed` are those whose winner was chosen in both orders.
    """

    answered: int = 0
    flipped: int = 0
    decided: int = 0
    agreed: int = 0

    def __add__(self, other: Self) -> "BothOrders":
        return BothOrders(
            self.answered + other.answered,
            self.flipped + other.flipped,
            self.decided + other.decided,
            self.agreed + other.agreed,
        )

    @property
    def flip_rate(self) -> float | None:
        """flipped/answered: 0 to 1, down is better; none if no comparison was answered in both orders.

        Who always says the same letter has 1, who guesses evenly 0.5.
        """
        return self.flipped / self.answered if self.answered else None

    @property
    def agreement_score(self) -> float | None:
        """agreed/decided: 0 to 1, up is better; none if the participant decided no comparison.

        A missing answer is wrong. Who always says the same letter has 0, who guesses evenly 0.25.
        """
        return self.agreed / self.decided if self.decided else None


def both_orders(turn: Turn, reply: TurnRecord) -> BothOrders:
    """Count a turn's comparisons by what was chosen in both orders.

    Each order's letters stand for the labels of its own assignment; without one, for those of the data set, in the
    second order exchanged. A comparison of two replies under the same label, or both without, cannot be told by labels
    and is left out.
    """
    counts = BothOrders()
    for index, comparison in enumerate(turn.comparisons):
        if comparison.response_a != comparison.response_b:
            counts += _count(comparison, *_chosen(comparison, reply, str(index)))
    return counts


@dataclass(frozen=True, slots=True)
class _Choice:
    """The reply that was chosen; its label may be none."""

    label: str | None


def _count(comparison: Comparison, first: _Choice | None, second: _Choice | None) -> BothOrders:
    answered = first is not None and second is not None
    decided = comparison.winner is not None
    winner = _Choice(comparison.winning_label)
    return BothOrders(
        answered=answered,
        flipped=answered and first != second,
        decided=decided,
        agreed=decided and first == second == winner,
    )


def _chosen(comparison: Comparison, reply: TurnRecord, index: str) -> tuple[_Choice | None, _Choice | None]:
    a, b = comparison.response_a, comparison.response_b
    first = (reply.pairwise_assignment or {}).get(index) or {"A": a, "B": b}
    second = (reply.pairwise_assignment_swapped or {}).get(index) or {"A": b, "B": a}
    return (
        _choice(first, (reply.em_pairwise_selections or {}).get(index)),
        _choice(second, (reply.em_pairwise_selections_swapped or {}).get(index)),
    )


def _choice(sides: Mapping[Letter, str | None], letter: Letter | None) -> _Choice | None:
    return None if letter is None else _Choice(read_label(sides.get(letter)))
