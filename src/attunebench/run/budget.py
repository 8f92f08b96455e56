"""A limit on what a run may cost, kept however many calls are in flight."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from math import inf

import anyio

from attunebench.errors import RunError
from attunebench.run.journal import Journal

BYTES_A_TOKEN = 3.0
"""No usual tokenizer makes more tokens of English than one for so many bytes."""


@dataclass(slots=True)
class Reservation:
    """What is set aside for one call, `most`; `is_spent` says that all of it has to be taken as spent."""

    most: float
    is_spent: bool = False


class Budget:
    """Lets a call through only if the limit would hold even if it cost the most it can.

    A call that does not fit waits for those in flight, which mostly cost less than was set aside for them; one that
    does not fit when nothing is in flight ends the run. What is spent is the journal's total.
    """

    def __init__(self, journal: Journal, limit: float = inf) -> None:
        self._journal, self._limit = journal, limit
        self._reserved = 0.0
        self._in_flight = 0
        self._changed = anyio.Condition()

    @asynccontextmanager
    async def reserve(self, most: float) -> AsyncIterator[Reservation]:
        """Set `most` aside while the block runs, waiting until there is room.

        Raises:
            RunError: there is no room, and no call in flight that could make some.
        """
        reserved = Reservation(most)
        if self._limit == inf:
            yield reserved
            return
        async with self._changed:
            while not self._fits(most):
                self._journal.check()
                if not self._in_flight:
                    self._journal.halt(RunError(self._refusal(most)))
                    self._journal.check()
                await self._changed.wait()
            self._reserved, self._in_flight = self._reserved + most, self._in_flight + 1
        try:
            yield reserved
        finally:
            with anyio.CancelScope(shield=True):
                async with self._changed:
                    self._reserved -= 0.0 if reserved.is_spent else most
                    self._in_flight -= 1
                    self._changed.notify_all()

    def _fits(self, most: float) -> bool:
        return self._journal.tally.cost + self._reserved + most <= self._limit

    def _refusal(self, most: float) -> str:
        spent = f"{self._journal.tally.cost:.4f} of {self._limit:.4f} is spent"
        return f"--max-cost: {spent}, and the next call can cost {most:.4f}; a higher limit lets the run go on"
