"""Emotion recognition, one turn: which emotions the participant felt, and how strongly.

Source: AttuneBench, arXiv 2605.21739. Words are compared trimmed and lower-cased. A prediction of a neutral word is
no prediction.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import Final, TypeAlias

from attunebench.dataset.lean import AnyTag
from attunebench.instrument import EMOTION_INDEX, NEUTRAL_WORDS, SIMILARITY
from attunebench.protocol.lean_records import AnyPredictedTag
from attunebench.score.means import harmonic, mean
from attunebench.score.text import folded

Tag: TypeAlias = tuple[str, int | None]
"""A folded word and its intensity, 1 to 7 or none."""

Matrix: TypeAlias = list[list[float]]

EMOTION_METRICS = (
    "emotion_hit_rate",
    "emotion_intensity_mae",
    "emotion_precision",
    "emotion_recall",
    "emotion_f1",
    "emotion_f1_intensity",
    "emotion_va_score",
    "emotion_va_intensity_score",
)
"""What `emotion_scores` returns; all but the mean absolute error are 0 to 1, up is better."""

_SIMILARITY: Final[Mapping[str, Mapping[str, float]]] = {
    word: {other: float(SIMILARITY[row][column]) for other, column in EMOTION_INDEX.items()}
    for word, row in EMOTION_INDEX.items()
}
_UNKNOWN: Final[Mapping[str, float]] = {}

INTENSITY_RANGE = 6
WORD_WEIGHT = 0.7


def read_tags(tags: Iterable[AnyTag | AnyPredictedTag] | None) -> list[Tag]:
    """Return the tags with their words folded, repeats kept; absent tags are none."""
    folded_tags = [(folded(tag.emotion), tag.intensity) for tag in tags or ()]
    return [tag for tag in folded_tags if tag[0] not in NEUTRAL_WORDS]


def emotion_scores(truth: Sequence[Tag], predicted: Sequence[Tag]) -> dict[str, float | None]:
    """Score one turn's emotions by every metric of `EMOTION_METRICS`.

    With G, P the sets of reported and predicted words: hit rate and recall = |G & P|/|G|, precision = |G & P|/|P|
    (0 if undefined), F1 their harmonic mean. Both sets empty: all 1. Intensities i, j of a shared word, the last
    where a word is repeated: MAE = mean |i - j| (0 to 6, down is better; none without a shared word that has both);
    F1-intensity = F1 x mean(1 - |i - j|/6), and 0 without such a word. For the two VA scores see `va_scores`.
    """
    if not truth or not predicted:
        same = float(not truth and not predicted)
        return dict.fromkeys(EMOTION_METRICS, same) | {"emotion_intensity_mae": None}
    intensities, guesses = dict(truth), dict(predicted)
    shared = [(intensities[word], guesses[word]) for word in intensities if word in guesses]
    gaps = [abs(i - j) for i, j in shared if i is not None and j is not None]
    recall, precision = len(shared) / len(intensities), len(shared) / len(guesses)
    f1 = harmonic(precision, recall)
    mae = mean(gaps)
    nearness = 0.0 if mae is None else 1 - mae / INTENSITY_RANGE
    va_score, va_intensity_score = va_scores(truth, predicted)
    return {
        "emotion_hit_rate": recall,
        "emotion_intensity_mae": mae,
        "emotion_precision": precision,
        "emotion_recall": recall,
        "emotion_f1": f1,
        "emotion_f1_intensity": f1 * nearness,
        "emotion_va_score": va_score,
        "emotion_va_intensity_score": va_intensity_score,
    }


def va_scores(truth: Sequence[Tag], predicted: Sequence[Tag]) -> tuple[float, float]:
    """Return the valence-arousal score without and with intensity, each 0 to 1, up is better.

    n reported and m predicted tags, repeats kept, are paired one to one so that the total similarity of the
    min(n, m) pairs is greatest; score = total/min(n, m) x min(n, m)/max(n, m) = total/max(n, m). Both lists empty
    1, one empty 0. Similarity of a pair is `instrument.similarity`; with intensity, 0.7 of it plus
    0.3 (1 - |i - j|/6), the second term 0 where an intensity is missing, under an assignment of its own.
    """
    if not truth or not predicted:
        same = float(not truth and not predicted)
        return same, same
    rows = [_SIMILARITY.get(word, _UNKNOWN) for word, _ in truth]
    plain = [[row.get(guess, 0.0) for guess, _ in predicted] for row in rows]
    intense = [
        [WORD_WEIGHT * s + near[j or 0] for s, (_, j) in zip(row, predicted, strict=True)]
        for row, near in zip(plain, [_WEIGHTED_NEARNESS[i or 0] for _, i in truth], strict=True)
    ]
    size = max(len(truth), len(predicted))
    return greatest_total(plain) / size, greatest_total(intense) / size


def greatest_total(matrix: Matrix) -> float:
    """Return the greatest total of a one-to-one assignment of rows to columns, min(n, m) pairs."""
    rows, columns = len(matrix), len(matrix[0])
    if rows == 1:
        return max(matrix[0])
    if columns == 1:
        return max([row[0] for row in matrix])
    if columns == 2:
        matrix, rows, columns = [list(column) for column in zip(*matrix, strict=True)], 2, rows
    if rows == 2:
        first, second = matrix
        return max([a + b for i, a in enumerate(first) for j, b in enumerate(second) if i != j])
    if rows == columns == 3:
        first, second, third = matrix
        return max([first[i] + second[j] + third[k] for i, j, k in _ORDERS_OF_3])
    return _assign(matrix)


_ORDERS_OF_3 = tuple(permutations(range(3)))


def _assign(matrix: Matrix) -> float:
    from scipy.optimize import linear_sum_assignment  # a third of the program's start, and seldom needed

    rows, columns = linear_sum_assignment(matrix, maximize=True)
    return sum(matrix[i][j] for i, j in zip(rows.tolist(), columns.tolist(), strict=True))


def _nearness(i: int, j: int) -> float:
    return 1 - abs(i - j) / INTENSITY_RANGE if i and j else 0.0


_WEIGHTED_NEARNESS: Final = [[(1 - WORD_WEIGHT) * _nearness(i, j) for j in range(8)] for i in range(8)]
"""The second term of a pair of intensities; 0 stands for one that is missing."""
