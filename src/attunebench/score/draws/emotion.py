"""Emotions of all turns and draws; see `attunebench.score.emotion` for the formulas."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from attunebench.baselines.draws import MOST_WORDS, EmotionDraws, Truths, Whole
from attunebench.instrument import EMOTION_INDEX, EMOTION_WORDS, SIMILARITY
from attunebench.score.arrays.means import Numbers, ratio
from attunebench.score.emotion import EMOTION_METRICS, INTENSITY_RANGE, WORD_WEIGHT, Tag

Tags: TypeAlias = Sequence[Tag]

_SIMILARITY = SIMILARITY.ravel()


def emotion_draws(truth: Sequence[Tags], drawn: EmotionDraws) -> dict[str, Numbers]:
    """Return every metric of `EMOTION_METRICS`, shape (turns, draws); `truth` and `drawn` have an entry a turn."""
    if not truth:
        return {}
    # Turns from many tags to few: what a turn's nth tag adds is computed for the first turns only.
    order = sorted(range(len(truth)), key=lambda turn: -len(truth[turn]))
    truth = [truth[turn] for turn in order]
    words = np.ascontiguousarray(drawn.words[order].swapaxes(1, 2))
    guessed = drawn.intensities[order].swapaxes(1, 2).astype(np.float64)
    named = np.arange(MOST_WORDS)[:, None] < drawn.count[order][:, None, :]
    found = (*_words(truth, words, guessed, named), *_va(truth, words, guessed, named))
    back = np.argsort(order)
    return {name: values[back] for name, values in zip(EMOTION_METRICS, found, strict=True)}


def _words(truth: Sequence[Tags], words: Whole, guessed: Numbers, named: Truths) -> list[Numbers]:
    """Return the metrics of words and intensities, in the order of `EMOTION_METRICS`, shape (turns, draws).

    `words`, `guessed` and `named` are of shape (turns, words, draws).
    """
    felt, intensity = _felt(truth)
    at = np.arange(len(truth))[:, None, None]
    shared = felt[at, words] & named
    n_shared = shared.sum(axis=1).astype(np.float64)
    n_named = named.sum(axis=1).astype(np.float64)
    n_felt = felt.sum(axis=1).astype(np.float64)[:, None]
    neither = ((n_named == 0) & (n_felt == 0)).astype(np.float64)
    recall = np.where(n_felt > 0, n_shared / np.maximum(n_felt, 1), neither)
    precision = np.where(n_named > 0, n_shared / np.maximum(n_named, 1), neither)
    f1 = ratio(2 * precision * recall, precision + recall, 0.0)
    gaps = np.abs(intensity[at, words] - guessed)
    known = shared & ~np.isnan(gaps)
    mae = ratio(np.where(known, gaps, 0.0).sum(axis=1), known.sum(axis=1).astype(np.float64))
    nearness = np.where(np.isnan(mae), neither, 1 - mae / INTENSITY_RANGE)
    return [recall, mae, precision, recall, f1, f1 * nearness]


def _felt(truth: Sequence[Tags]) -> tuple[Truths, Numbers]:
    """Return whether each word was felt and how strongly, shapes (turns, 20); the last of a repeated word counts."""
    felt = np.zeros((len(truth), len(EMOTION_WORDS)), dtype=bool)
    intensity = np.full(felt.shape, np.nan)
    for turn, tags in enumerate(truth):
        for word, strength in tags:
            felt[turn, EMOTION_INDEX[word]] = True
            intensity[turn, EMOTION_INDEX[word]] = np.nan if strength is None else strength
    return felt, intensity


def _va(truth: Sequence[Tags], words: Whole, guessed: Numbers, named: Truths) -> Numbers:
    """Return the valence-arousal score without and with intensity, shape (2, turns, draws).

    The best assignment, one reported tag after the other: `best` holds, for each set of drawn words (an axis a word:
    1 is in), the greatest total of pairs that use no other words. No similarity is below 0, so a word or a tag
    without a partner is never better than a pair, and may stand in the totals as one that adds 0.
    """
    turns, _, draws = words.shape
    best = np.zeros((2,) * MOST_WORDS + (2, turns, draws))
    for place in range(len(truth[0])):
        having = sum(len(tags) > place for tags in truth)
        gains = _gains([tags[place] for tags in truth[:having]], words[:having], guessed[:having], named[:having])
        after = best[..., :having, :]
        before = after.copy()
        for word in range(MOST_WORDS):
            without, with_it = ((slice(None),) * word + (used,) for used in (0, 1))
            np.maximum(after[with_it], before[without] + gains[:, :, word], out=after[with_it])
    size = np.maximum(named.sum(axis=1), np.array([len(tags) for tags in truth])[:, None]).astype(np.float64)
    return np.where(size == 0, 1.0, best[(1,) * MOST_WORDS] / np.maximum(size, 1))


def _gains(tags: Tags, words: Whole, guessed: Numbers, named: Truths) -> Numbers:
    """Return what pairing one reported tag of each turn with each drawn word gains, shape (2, turns, words, draws)."""
    row = np.array([EMOTION_INDEX[word] for word, _ in tags])[:, None, None] * len(EMOTION_WORDS)
    strength = np.array([0.0 if strength is None else strength for _, strength in tags])[:, None, None]
    known = np.array([strength is not None for _, strength in tags])[:, None, None]
    gains = np.empty((2, *words.shape))
    np.multiply(_SIMILARITY.take(row + words), named, out=gains[0])
    near = (1 - np.abs(strength - guessed) / INTENSITY_RANGE) * (named & known)
    np.add(WORD_WEIGHT * gains[0], (1 - WORD_WEIGHT) * near, out=gains[1])
    return gains
