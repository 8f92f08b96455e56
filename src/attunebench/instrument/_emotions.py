"""The 20 PANAS items, where they lie in valence and arousal, and how near two of them are.

Items: Watson, Clark & Tellegen 1988. Coordinates: the AttuneBench benchmark, arXiv 2605.21739.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from attunebench.instrument._data import read_data


@dataclass(frozen=True, slots=True)
class Emotion:
    """One PANAS item; participants rate each 1-7.

    `valence` runs from 0 (unpleasant) to 1 (pleasant), `arousal` from 0 (calm) to 1 (stirred). `affect` says
    which total, positive or negative, the item counts towards.
    """

    word: str
    affect: Literal["positive", "negative"]
    valence: float
    arousal: float


_FILE = json.loads(read_data("emotions.json"))

EMOTIONS: Final[tuple[Emotion, ...]] = tuple(Emotion(**item) for item in _FILE["items"])
"""The 20 items in the order they are asked."""

EMOTION_WORDS: Final[tuple[str, ...]] = tuple(e.word for e in EMOTIONS)
"""The canonical spellings, in item order."""

POSITIVE_ITEMS: Final[tuple[str, ...]] = tuple(e.word for e in EMOTIONS if e.affect == "positive")
"""The ten words whose ratings sum to total positive affect (10-70), in item order."""

NEGATIVE_ITEMS: Final[tuple[str, ...]] = tuple(e.word for e in EMOTIONS if e.affect == "negative")
"""The ten words whose ratings sum to total negative affect (10-70), in item order."""

NEUTRAL_WORDS: Final[frozenset[str]] = frozenset(_FILE["neutral_words"])
"""Lower-case predictions that mean "no shift", that is an empty list of emotions."""

EMOTION_INDEX: Final[Mapping[str, int]] = MappingProxyType({w.lower(): i for i, w in enumerate(EMOTION_WORDS)})
"""Lower-cased word to its row and column in `SIMILARITY`."""


def _find(text: str) -> Emotion | None:
    index = EMOTION_INDEX.get(text.strip().lower())
    return None if index is None else EMOTIONS[index]


def canonical_emotion(text: str) -> str | None:
    """Return the canonical spelling of one of the 20 words, given in any case with any space around it.

    None for every other text, the neutral words included.
    """
    emotion = _find(text)
    return emotion.word if emotion else None


def similarity(a: str, b: str) -> float:
    """Return how near two emotion words are: 1 - d / sqrt(2), rounded to 4 decimals.

    d is the Euclidean distance between the words' (valence, arousal) points; sqrt(2) is the diagonal of the
    unit square. Range 0-1, 1 for the same word; 0 if either is not one of the 20. Case and outer space do not
    matter.
    """
    first, second = _find(a), _find(b)
    if first is None or second is None:
        return 0.0
    distance = math.hypot(first.valence - second.valence, first.arousal - second.arousal)
    return round(1 - distance / math.sqrt(2), 4)


SIMILARITY: Final[NDArray[np.float64]] = np.array([[similarity(a, b) for b in EMOTION_WORDS] for a in EMOTION_WORDS])
"""`similarity` of every pair, shape (20, 20), in item order, symmetric, read-only."""

SIMILARITY.setflags(write=False)
