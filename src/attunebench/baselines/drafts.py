"""The replies that the random baseline gives as drafts: some that people really got."""

import hashlib
from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from heapq import heappush, heappushpop
from typing import Final

import numpy as np

from attunebench.baselines.draws import Stream, Whole, draw_place
from attunebench.baselines.parts import NEUTRAL_DRAFT
from attunebench.baselines.truth import ParticipantKey, participant_key
from attunebench.dataset.schema import Conversation
from attunebench.protocol.calls import CallKey

POOL_SIZE: Final = 512
"""The greatest number of replies kept: enough for 200 draws to differ, and few enough to hold against every turn."""

Reply = tuple[ParticipantKey, str, int, str]
"""Whose conversation, its id, the turn's number, the text."""


class DraftPool:
    """Original replies of a data set, at most `POOL_SIZE`.

    Which are kept follows from a hash of where they stand, so that the order of conversations makes no difference.
    """

    def __init__(self, conversations: Iterable[Conversation] = ()) -> None:
        self._kept: list[tuple[int, Reply]] = []
        for conversation in conversations:
            self.add(conversation)

    def add(self, conversation: Conversation) -> None:
        """Take a conversation's replies in; none after the pool was first used."""
        owner, id_ = participant_key(conversation), conversation.conversation_id
        for turn in conversation.turns:
            if turn.llm_response.strip():
                reply = (owner, id_, turn.turn_number, turn.llm_response)
                place = hashlib.sha256(repr(reply[:3]).encode("utf-8", "surrogatepass")).digest()
                self._add((-int.from_bytes(place[:8]), reply))

    def join(self, other: "DraftPool") -> None:
        """Take in other conversations' replies."""
        for entry in other._kept:
            self._add(entry)

    def _add(self, entry: tuple[int, Reply]) -> None:
        # A heap gives up its least entry: that of the greatest hash.
        (heappushpop if len(self._kept) >= POOL_SIZE else heappush)(self._kept, entry)

    @cached_property
    def _replies(self) -> list[Reply]:
        return sorted(reply for _, reply in self._kept)

    @cached_property
    def _owners(self) -> list[ParticipantKey]:
        return [owner for owner, *_ in self._replies]

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Every text that can be drawn; the last is the neutral draft, for where there is no other participant's."""
        return (*(text for *_, text in self._replies), NEUTRAL_DRAFT)

    def draw(self, owner: ParticipantKey, stream: Stream, key: CallKey) -> Whole:
        """Draw replies of others than `owner`, uniformly, for one draft call: places in `texts`, shape (draws,)."""
        start = bisect_left(self._owners, owner)
        end = bisect_left(self._owners, (owner[0], owner[1] + "\0"), lo=start)
        others = len(self._owners) - (end - start)
        if not others:
            return np.full(len(stream.draws), len(self._owners))
        place = draw_place(stream, key, others)
        return place + (end - start) * (place >= start)
