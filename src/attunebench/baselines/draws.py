"""The draws of the random baseline: answers to one call, for many draws at once.

A draw is a number, 0 or greater: the seed of the baseline. Every part of every call has a stream of its own, which
follows from the conversation's id, the call and the part's name; draw d is row d of it, whichever rows are made. All
arrays have the draws as their first axis.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.random import PCG64
from numpy.typing import NDArray

from attunebench.instrument import BRANCHES, CLARITY_OPTIONS, EMOTION_WORDS, FIT_OPTIONS, LOOKING_FOR_OPTIONS
from attunebench.protocol.calls import CallKey, Strategy

MOST_WORDS: Final = 4
"""The greatest number of emotion words drawn for a turn."""

_PERIOD: Final = 2**128
_BITS: Final = 64

Floats: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = NDArray[np.int64]
Truths: TypeAlias = NDArray[np.bool_]


class Stream:
    """Rows of one conversation's streams: those of `draws`, a range of step 1.

    All streams lie on PCG64's one sequence of 2^128 numbers, each at a place that is the hash of what it is for: so
    far apart that they never meet.
    """

    def __init__(self, conversation_id: str, draws: range) -> None:
        self.draws = draws
        self._conversation_id = conversation_id
        self._bits = PCG64(0)
        self._at = 0

    def uniform(self, key: CallKey, part: str, columns: int) -> Floats:
        """Return numbers in [0, 1), shape (draws, columns)."""
        return (self._raw(key, part, columns) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def even(self, key: CallKey, part: str, columns: int) -> Truths:
        """Return truths at even odds, shape (draws, columns)."""
        raw = self._raw(key, part, -(-columns // _BITS))
        places = np.arange(columns)
        return (raw[:, places // _BITS] >> (places % _BITS).astype(np.uint64) & np.uint64(1)).astype(bool)

    def _raw(self, key: CallKey, part: str, columns: int) -> NDArray[np.uint64]:
        """Return raw bits, which NumPy keeps the same for good, unlike what `Generator` makes of them."""
        # repr keeps the fields apart, whatever the conversation's id holds.
        identity = repr((self._conversation_id, *key, part)).encode("utf-8", "surrogatepass")
        start = int.from_bytes(hashlib.sha256(identity).digest()[:16]) + self.draws.start * columns
        rows = len(self.draws)
        self._bits.advance((start - self._at) % _PERIOD)
        self._at = start + rows * columns
        return self._bits.random_raw(rows * columns).reshape(rows, columns)


@dataclass(frozen=True, slots=True)
class EmotionDraws:
    """`words` are places in `EMOTION_WORDS`, of which the first `count` were drawn; intensities 1 to 7.

    Shapes (calls, draws), (calls, draws, MOST_WORDS), (calls, draws, MOST_WORDS).
    """

    count: Whole
    words: Whole
    intensities: Whole


@dataclass(frozen=True, slots=True)
class OutcomeDraws:
    """Draws for the time after the conversation.

    `items`: PANAS items, or their changes, shape (draws, 20); `looking_for`: whether an option was drawn, shape
    (draws, options); `clarity` and `fit`: the option's place; `branches`: shape (draws, 4).
    """

    items: Whole
    looking_for: Truths
    clarity: Whole
    fit: Whole
    branches: Whole


def draw_emotions(stream: Stream, keys: Sequence[CallKey]) -> EmotionDraws:
    """Draw, for each call, 0 to 4 different words (how many is uniform, then which), each with an intensity."""
    columns = 1 + 2 * MOST_WORDS
    numbers = np.empty((len(keys), len(stream.draws), columns))
    for place, key in enumerate(keys):
        numbers[place] = stream.uniform(key, "emotions", columns)
    left = len(EMOTION_WORDS) - np.arange(MOST_WORDS)
    return EmotionDraws(
        count=_whole(numbers[:, :, 0], MOST_WORDS + 1),
        words=_places_without_repeats(_whole(numbers[:, :, 1 : 1 + MOST_WORDS], left)),
        intensities=1 + _whole(numbers[:, :, 1 + MOST_WORDS :], 7),
    )


def _places_without_repeats(picks: Whole) -> Whole:
    """Turn picks among the places still free, along the last axis, into places; each pick has one place less."""
    places = picks.copy()
    for nth in range(1, places.shape[-1]):
        place = places[..., nth]
        for taken in np.moveaxis(np.sort(places[..., :nth], axis=-1), -1, 0):
            place += place >= taken
    return places


def draw_judgements(stream: Stream, key: CallKey, questions: int) -> tuple[Truths, Truths]:
    """Draw whether the answer is yes: observed and preferred, each of shape (draws, questions)."""
    yes = stream.even(key, "judgements", 2 * questions)
    return yes[:, :questions], yes[:, questions:]


def draw_sides(stream: Stream, key: CallKey, comparisons: int) -> Truths:
    """Draw whether the letter is A, shape (draws, comparisons)."""
    return stream.even(key, "selections", comparisons)


def draw_place(stream: Stream, key: CallKey, size: int) -> Whole:
    """Draw one of `size` places, shape (draws,)."""
    return _whole(stream.uniform(key, "draft", 1)[:, 0], size)


def draw_outcome(stream: Stream, key: CallKey, strategy: Strategy) -> OutcomeDraws:
    """Draw every item, option and branch; of the options looked for, any subset but the empty one."""
    words, options, branches = len(EMOTION_WORDS), len(LOOKING_FOR_OPTIONS), len(BRANCHES)
    numbers = stream.uniform(key, "outcome", words + 3 + branches)
    subset, clarity, fit = numbers[:, words : words + 3].T
    low, high = (1, 7) if strategy == "absolute" else (-6, 6)
    chosen = 1 + _whole(subset, 2**options - 1)
    return OutcomeDraws(
        items=low + _whole(numbers[:, :words], high - low + 1),
        looking_for=(chosen[:, None] >> np.arange(options) & 1).astype(bool),
        clarity=_whole(clarity, len(CLARITY_OPTIONS)),
        fit=_whole(fit, len(FIT_OPTIONS)),
        branches=1 + _whole(numbers[:, words + 3 :], 7),
    )


def _whole(numbers: Floats, size: int | Whole) -> Whole:
    """Turn numbers in [0, 1) into whole ones, 0 to size - 1."""
    return (numbers * size).astype(np.int64)
