"""Ending a run at once, for all its models and conversations, when no further call can help it."""

from collections.abc import Iterator
from contextlib import contextmanager

from anyio import CancelScope

from attunebench.errors import AttuneError
from attunebench.run.journal import Journal


class Halt:
    """Cancels what is in flight, which halting the journal does not; all of a run shares an event loop."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._scopes = set[CancelScope]()

    def stop(self, error: AttuneError) -> None:
        """End all that is in reach, on account of an error."""
        self._journal.halt(error)
        for scope in self._scopes:
            scope.cancel()

    @contextmanager
    def reach(self) -> Iterator[None]:
        """Hold a block within reach: when the run is stopped, it ends at once and raises the error."""
        with CancelScope() as scope:
            self._scopes.add(scope)
            try:
                yield
            finally:
                self._scopes.discard(scope)
        self._journal.check()
