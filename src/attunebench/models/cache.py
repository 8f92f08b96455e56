"""Replies kept on this machine by Inspect, so that a question asked before under the same condition is not paid again.

Inspect keeps whatever came. A kept reply that could not be read is passed over: `replay` counts these, and the key
of what is asked instead holds that number, so that it is found the next time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from inspect_ai.model import CachePolicy


def cache_policy(condition: str, epoch: int, attempt: int, replay: int) -> CachePolicy:
    """Return where a reply is kept, for ever: each attempt of each epoch under each condition apart."""
    scopes = {"condition": condition, "epoch": str(epoch), "attempt": str(attempt), "replay": str(replay)}
    return CachePolicy(expiry=None, per_epoch=False, scopes=scopes)


class Sending:
    """Whether a request went to the provider."""

    happened = False


_CURRENT: ContextVar[Sending | None] = ContextVar("sending", default=None)


@contextmanager
def noting_requests() -> Iterator[Sending]:
    """Note whether a model is asked for real within the block, and no reply is taken that was kept."""
    sending = Sending()
    token = _CURRENT.set(sending)
    try:
        yield sending
    finally:
        _CURRENT.reset(token)


def note_request() -> None:
    """Say that a model is asked for real, which Inspect's answer does not tell; for providers, at each request."""
    if sending := _CURRENT.get():
        sending.happened = True
