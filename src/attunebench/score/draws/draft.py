"""How near the pool's replies are to a turn's; see `attunebench.score.draft` for the formulas."""

from collections.abc import Sequence

import numpy as np

from attunebench.score.arrays.means import Numbers
from attunebench.score.text import words


class Bags:
    """Texts as bags of words, none without any, to be held against another text all at once."""

    def __init__(self, texts: Sequence[str]) -> None:
        bags = [words(text) for text in texts]
        self._place = {word: place for place, word in enumerate(sorted(set().union(*bags)))}
        self._sizes = np.array([len(bag) for bag in bags], dtype=np.float64)
        self._holds = np.zeros((len(self._place), len(texts)), dtype=np.uint8)
        for column, bag in enumerate(bags):
            self._holds[[self._place[word] for word in bag], column] = 1

    def jaccard(self, text: str) -> Numbers:
        """Return the word Jaccard of a text with each of the texts, shape (texts,)."""
        bag = words(text)
        known = [self._place[word] for word in bag if word in self._place]
        # Bytes add up fastest, as far as they go.
        width = np.uint8 if len(known) < 256 else np.uint32
        shared = self._holds.take(known, axis=0).sum(axis=0, dtype=width).astype(np.float64)
        # Never 0/0: no text here is without words.
        near: Numbers = shared / (self._sizes + len(bag) - shared)
        return near
