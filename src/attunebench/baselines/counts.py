"""Counting how often each answer was given, so that one participant's answers can be taken out again.

Everything is a whole number in a counter, but a branch's value: counts add and subtract exactly, and do not depend on
the order of the conversations. One pass over the data; a participant's own counts take a pass over theirs.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeAlias, TypeVar, get_args

from attunebench.baselines.truth import Aspect, judgements_by_id, reported, wide_questions
from attunebench.dataset.schema import Conversation, Panas, Turn, YesNo
from attunebench.instrument import EMOTION_INDEX

Words: TypeAlias = tuple[str, ...]
"""A set of emotion words, in instrument order."""

K = TypeVar("K", bound=Hashable)

TOTALS = ("positive", "negative")
"""The keys under which changes of the totals are counted, beside the 20 words."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each answer was given. `None` in place of a question counts over all questions."""

    judgements: Counter[tuple[Aspect, str | None, YesNo]] = field(default_factory=Counter)
    wins: Counter[tuple[str | None, str, str]] = field(default_factory=Counter)
    """By question, winning label, losing label."""
    words: Counter[Words] = field(default_factory=Counter)
    """By the set of words that a turn was given; turns whose emotions were not asked are not counted."""
    intensities: Counter[tuple[Words, str, int]] = field(default_factory=Counter)
    """By set, word of the set, and intensity."""
    looking_for: Counter[str | None] = field(default_factory=Counter)
    """By option; `None` counts who answered at all."""
    clarity: Counter[str] = field(default_factory=Counter)
    fit: Counter[str] = field(default_factory=Counter)
    branches: Counter[tuple[str, float]] = field(default_factory=Counter)
    change_sums: Counter[str] = field(default_factory=Counter)
    """After - before, summed, by emotion word or total."""
    changes: Counter[str] = field(default_factory=Counter)
    """How many conversations have both ratings."""


def count_answers(conversations: Iterable[Conversation]) -> Counts:
    """Count the answers of all participants of some conversations."""
    counts = Counts()
    for conversation in conversations:
        for turn in conversation.turns:
            _count_judgements(turn, counts)
            _count_wins(turn, counts)
            _count_emotions(turn, counts)
        _count_wide(conversation, counts)
        _count_changes(conversation.pre_panas or Panas(), conversation.post_panas or Panas(), counts)
    return counts


def _count_judgements(turn: Turn, counts: Counts) -> None:
    for question, judgement in judgements_by_id(turn).items():
        for aspect in get_args(Aspect):
            answer = reported(judgement, aspect)
            if answer is not None and answer != "na":
                counts.judgements.update([(aspect, question, answer), (aspect, None, answer)])


def _count_wins(turn: Turn, counts: Counts) -> None:
    for comparison in turn.comparisons:
        winner = comparison.winning_label
        loser = comparison.response_b if comparison.winner == "A" else comparison.response_a
        if winner and loser and winner != loser:
            counts.wins.update([(comparison.question_id, winner, loser), (None, winner, loser)])


def _count_emotions(turn: Turn, counts: Counts) -> None:
    if turn.mood_shift_tags is None:
        return
    intensities = {tag.emotion: tag.intensity for tag in turn.mood_shift_tags}
    words = tuple(sorted(intensities, key=lambda word: EMOTION_INDEX[word.lower()]))
    counts.words[words] += 1
    counts.intensities.update((words, word, felt) for word, felt in intensities.items() if felt is not None)


def _count_wide(conversation: Conversation, counts: Counts) -> None:
    wide = wide_questions(conversation)
    if wide.looking_for is not None:
        counts.looking_for.update([None, *{option_key(option) for option in wide.looking_for}])
    counts.clarity.update(option_key(text) for text in [wide.emotion_clarity] if text)
    counts.fit.update(option_key(text) for text in [wide.model_fit] if text)
    counts.branches.update((wide.four_branch_scores or {}).items())


def _count_changes(before: Panas, after: Panas, counts: Counts) -> None:
    changes = {word: rating - before.items[word] for word, rating in after.items.items() if word in before.items}
    for name in TOTALS:
        old, new = getattr(before, f"{name}_affect"), getattr(after, f"{name}_affect")
        if old is not None and new is not None:
            changes[name] = new - old
    counts.change_sums.update(changes)
    counts.changes.update(changes.keys())


def option_key(option: str) -> str:
    """Return an option as it is compared: trimmed and lower-cased, as in scoring."""
    return option.strip().lower()


def ranked(total: Counter[K], order: Callable[[K], tuple[int, ...]]) -> list[K]:
    """Return the values from the most to the least frequent, ties in the order given."""
    return sorted(total, key=lambda value: (-total[value], order(value)))


def commonest(
    ranking: Sequence[K], total: Counter[K], own: Counter[K], order: Callable[[K], tuple[int, ...]]
) -> K | None:
    """Return the commonest value once `own` is taken out of `total`, ties in the order given; none if none is left.

    Walks the ranking only as far as the first value that `own` lacks: no later one can be more frequent than it.
    """
    seen: list[K] = []
    for value in ranking:
        seen.append(value)
        if value not in own:
            break
    best = min(seen, key=lambda value: (own[value] - total[value], order(value)), default=None)
    return best if best is not None and total[best] > own[best] else None


def median(histogram: Mapping[float, int]) -> float | None:
    """Return the median of counted values (the mean of the middle two), or none for no values."""
    n = sum(histogram.values())
    return (_at(histogram, (n - 1) // 2) + _at(histogram, n // 2)) / 2 if n else None


def _at(histogram: Mapping[float, int], place: int) -> float:
    """Return the value at a 0-based place of the sorted values."""
    reached = accumulate(histogram[value] for value in sorted(histogram))
    return next(value for value, count in zip(sorted(histogram), reached, strict=True) if place < count)
