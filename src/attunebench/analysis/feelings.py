"""One turn's emotions, felt or predicted: where they lie in valence and arousal, and which word stands for which."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

import numpy as np
import polars as pl
from scipy.optimize import linear_sum_assignment

from attunebench.instrument import EMOTION_INDEX, EMOTION_WORDS, EMOTIONS, SIMILARITY
from attunebench.protocol.lean_records import AnyPredictedTag
from attunebench.score.emotion import Tag, read_tags
from attunebench.stats.sums import Floats

OTHER: Final = "(other)"
"""Stands for a predicted word that is none of the 20."""

WORDS: Final = pl.Enum([*EMOTION_WORDS, OTHER])

TURN_SCHEMA: Final = {
    "turn": pl.Int64(),
    "position": pl.Int64(),
    "length": pl.Int64(),
    "answered": pl.Boolean(),
    "felt": pl.Int64(),
    "named": pl.Int64(),
    "valence": pl.Float64(),
    "arousal": pl.Float64(),
    "predicted_valence": pl.Float64(),
    "predicted_arousal": pl.Float64(),
}
EMOTION_SCHEMA: Final = {
    "turn": pl.Int64(),
    "word": WORDS,
    "predicted": WORDS,
    "intensity": pl.Int64(),
    "predicted_intensity": pl.Int64(),
}
"""The columns of `Evidence.turns` and `Evidence.emotions`, beside those that every frame has."""

Pairs: TypeAlias = tuple[tuple[str | None, str | None], ...]

_MIDDLE: Final = 4
"""Of the intensities 1 to 7."""


class Feelings:
    """The different words of a list of emotions; the last intensity of a repeated one counts."""

    def __init__(self, tags: Iterable[Tag]) -> None:
        self._intensities: dict[str, int | None] = {}
        for word, intensity in tags:
            place = EMOTION_INDEX.get(word)
            self._intensities[OTHER if place is None else EMOTION_WORDS[place]] = intensity

    def __len__(self) -> int:
        return len(self._intensities)

    @property
    def words(self) -> tuple[str, ...]:
        """The words, of the 20 or `OTHER`."""
        return tuple(self._intensities)

    def get(self, word: str | None) -> int | None:
        """Return a word's intensity, 1 to 7, if it has one."""
        return None if word is None else self._intensities.get(word)

    @property
    def mean(self) -> tuple[float | None, float | None]:
        """Mean valence and arousal, each 0 to 1, of the words of the 20; none where there is none.

        Weighted by intensity; a word without one weighs as much as the middle of the scale, 4.
        """
        known = [(EMOTIONS[EMOTION_INDEX[w.lower()]], i or _MIDDLE) for w, i in self._intensities.items() if w != OTHER]
        weight = sum(intensity for _, intensity in known)
        if not weight:
            return None, None
        return (
            sum(emotion.valence * intensity for emotion, intensity in known) / weight,
            sum(emotion.arousal * intensity for emotion, intensity in known) / weight,
        )


def read_feelings(tags: Iterable[AnyPredictedTag] | None) -> Feelings:
    """Return predicted emotions; neutral words are none."""
    return Feelings(read_tags(tags))


@lru_cache(maxsize=2**14)  # participants feel the same few words again and again
def pair_words(felt: tuple[str, ...], named: tuple[str, ...]) -> Pairs:
    """Pair felt and predicted words one to one: the same words first, the others so that they are most alike in all.

    Likeness is `instrument.similarity`. What one side has more is paired with none. A pair of the same words never
    stands in the way of the best assignment, since distances obey the triangle inequality.
    """
    same = [word for word in felt if word in named]
    left, right = [w for w in felt if w not in named], [w for w in named if w not in felt]
    rows, columns = linear_sum_assignment(_likeness(left, right), maximize=True)
    matched = {left[i]: right[j] for i, j in zip(rows, columns, strict=True)}
    taken = set(matched.values())
    return (
        *((word, word) for word in same),
        *((word, matched.get(word)) for word in left),
        *((None, word) for word in right if word not in taken),
    )


def _likeness(rows: Sequence[str], columns: Sequence[str]) -> Floats:
    """Return similarities, shape (rows, columns); 0 with a word that is none of the 20."""
    places = [np.array([EMOTION_INDEX.get(w.lower(), -1) for w in words], dtype=np.int64) for words in (rows, columns)]
    padded = np.pad(SIMILARITY, ((0, 1), (0, 1)))  # place -1
    return np.asarray(padded[np.ix_(*places)], dtype=np.float64)
