"""Running totals of a run: what a person sees while it goes on."""

from collections import Counter
from collections.abc import Iterable
from typing import Self

from attunebench.protocol.answers import ANSWERED
from attunebench.run.ledger import Attempt


class Tally:
    """Running totals of a run: calls ended by state, attempts, tokens, and their cost where prices are known.

    `spared` are calls that were planned and turned out to be needless: nobody judges a draft that failed.
    """

    def __init__(self) -> None:
        self.states = Counter[str]()
        self.spared = 0
        self.attempts = 0
        self.tokens_in = 0
        self.tokens_out = 0
        self.cost = 0.0

    @classmethod
    def joined(cls, tallies: Iterable["Tally"]) -> Self:
        """Return the totals of several tallies."""
        total = cls()
        for tally in tallies:
            total.states.update(tally.states)
            total.spared += tally.spared
            total.attempts += tally.attempts
            total.tokens_in += tally.tokens_in
            total.tokens_out += tally.tokens_out
            total.cost += tally.cost
        return total

    def add(self, attempt: Attempt, *, is_last: bool) -> None:
        """Count one attempt; only the last attempt of a call counts as its end."""
        self.attempts += 1
        self.tokens_in += (attempt.input_tokens or 0) + (attempt.cached_input_tokens or 0)
        self.tokens_out += attempt.output_tokens or 0
        self.cost += attempt.cost or 0.0
        if is_last:
            self.states[attempt.state] += 1

    @property
    def done(self) -> int:
        """Calls of which nothing is left to do."""
        return self.states.total() + self.spared

    @property
    def failed(self) -> int:
        """Calls that ended without an answer."""
        return sum(count for state, count in self.states.items() if state not in ANSWERED)

    def __str__(self) -> str:
        cost = f", cost {self.cost:,.4f}" if self.cost else ""
        return f"{self.failed:,} failed, {self.tokens_in:,} tokens in, {self.tokens_out:,} out{cost}"
