"""Comparisons asked in both orders: does a model's choice follow the reply, or the place where it stands?

This project's own addition; the benchmark asks every comparison once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from attunebench.dataset.lean import AnyComparison
from attunebench.dataset.schema import Letter
from attunebench.dataset.values import read_label
from attunebench.protocol.lean_records import AnyRecord, AnyReply
from attunebench.score.calls import Calls
from attunebench.score.items import Items
from attunebench.score.pairing import TurnPair
from attunebench.score.preference import Shown

ORDERS: Final = "pooled_pairwise_orders"
"""The name of `BothOrders.published` among the reference scores."""

FLIP_RATE: Final = "pooled_pairwise_flip_rate"
AGREEMENT: Final = "pooled_pairwise_agreement_score"
"""The names of the two rates among the strict scores."""

Comparisons: TypeAlias = Sequence[AnyComparison | Shown]


class BothOrders(NamedTuple):
    """Counts of comparisons, to be added up over turns and conversations.

    `answered` in both orders, of which `flipped` are those whose other reply was chosen in the other order; `decided`
    by the participant, of which `agreed` are those whose winner was chosen in both orders.
    """

    answered: int = 0
    flipped: int = 0
    decided: int = 0
    agreed: int = 0

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

    @property
    def published(self) -> dict[str, float | None]:
        """Counts and rates by name."""
        return self._asdict() | {"flip_rate": self.flip_rate, "agreement_score": self.agreement_score}


def pool_orders(parts: Iterable[BothOrders]) -> BothOrders:
    """Add counts; of none, all are 0."""
    return BothOrders(*map(sum, zip(BothOrders(), *parts, strict=True)))


def asked_in_both_orders(record: AnyRecord) -> bool:
    """Whether comparisons were asked in both orders, answered or not."""
    said = record.provenance is not None and bool(record.provenance.swap)
    return said or any(
        turn.pairwise_assignment_swapped is not None or turn.em_pairwise_selections_swapped is not None
        for turn in record.turns
    )


def both_orders(comparisons: Comparisons, reply: AnyReply) -> BothOrders:
    """Count a turn's comparisons by what was chosen in both orders.

    Each order's letters stand for the labels of its own assignment; without one, for those of the data set, in the
    second order exchanged. A comparison of two replies under the same label, or both without, cannot be told by labels
    and is left out.
    """
    return pool_orders(
        _count(comparison, *_chosen(comparison, reply, str(index)))
        for index, comparison in enumerate(comparisons)
        if _can_be_told(comparison)
    )


def even_guesses(comparisons: Comparisons) -> dict[str, float | None]:
    """Return what comparisons earn on average if each answer is A or B with equal chance.

    Half of the choices flip, and a quarter is right twice: `BothOrders.published`, of expected counts.
    """
    told = [comparison for comparison in comparisons if _can_be_told(comparison)]
    decided = sum(comparison.winner is not None for comparison in told)
    counts = {"answered": len(told), "flipped": len(told) / 2, "decided": decided, "agreed": decided / 4}
    return counts | {"flip_rate": 0.5 if told else None, "agreement_score": 0.25 if decided else None}


def strict_orders(pairs: Sequence[TurnPair], calls: Calls) -> dict[str, Items]:
    """Return the items of both rates over all turns of the conversation; a missing turn is a missing answer.

    Where the call of either order failed, an agreement is lost and counts as wrong. Flips have no wrong answer: what
    was not answered in both orders is left out, and only counted where a call failed.
    """
    flips, agreements = Items(worst=1.0), Items()
    for pair in pairs:
        counts = both_orders(pair.truth.shown, pair.reply)
        if _failed(pair, calls):
            agreements.miss(counts.decided, failed=True)
            for _ in filter(_can_be_told, pair.truth.shown):
                flips.leave_out()
        else:
            flips.add(_zeros_and_ones(counts.flipped, counts.answered))
            agreements.add(_zeros_and_ones(counts.agreed, counts.decided))
    return {FLIP_RATE: flips, AGREEMENT: agreements}


def _failed(pair: TurnPair, calls: Calls) -> bool:
    reply, number = pair.reply, pair.truth.number
    return calls.failed(number, "pairwise", reply.em_pairwise_selections) or calls.failed(
        number, "pairwise_swapped", reply.em_pairwise_selections_swapped
    )


def _zeros_and_ones(ones: int, total: int) -> list[float]:
    return [1.0] * ones + [0.0] * (total - ones)


def _can_be_told(comparison: AnyComparison | Shown) -> bool:
    return comparison.response_a != comparison.response_b


@dataclass(frozen=True, slots=True)
class _Choice:
    """The reply that was chosen; its label may be none."""

    label: str | None


def _count(comparison: AnyComparison | Shown, first: _Choice | None, second: _Choice | None) -> BothOrders:
    answered = first is not None and second is not None
    decided = comparison.winner is not None
    winner = _Choice(comparison.response_a if comparison.winner == "A" else comparison.response_b)
    return BothOrders(
        answered=answered,
        flipped=answered and first != second,
        decided=decided,
        agreed=decided and first == second == winner,
    )


def _chosen(comparison: AnyComparison | Shown, reply: AnyReply, index: str) -> tuple[_Choice | None, _Choice | None]:
    a, b = comparison.response_a, comparison.response_b
    first = (reply.pairwise_assignment or {}).get(index) or {"A": a, "B": b}
    second = (reply.pairwise_assignment_swapped or {}).get(index) or {"A": b, "B": a}
    return (
        _choice(first, (reply.em_pairwise_selections or {}).get(index)),
        _choice(second, (reply.em_pairwise_selections_swapped or {}).get(index)),
    )


def _choice(sides: Mapping[Letter, str | None], letter: Letter | None) -> _Choice | None:
    return None if letter is None else _Choice(read_label(sides.get(letter)))
