"""The strict metrics of turns, of many conversations at once; see `attunebench.score.strict_turn` for the rules."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from attunebench.score import draft
from attunebench.score.arrays.behaviour import Confusions
from attunebench.score.arrays.means import Numbers, exact_sum
from attunebench.score.calls import Calls
from attunebench.score.emotion import EMOTION_METRICS
from attunebench.score.pairing import TurnPair
from attunebench.score.strict_turn import KINDS, MAE, TAGGED_ONLY, TAU, new_items

Flags: TypeAlias = NDArray[np.bool_]
Columns: TypeAlias = Mapping[str, Numbers]

_CALLS: Final = ("review", *(call for _, _, call in KINDS), "pairwise", "draft")
_FAILED: Final = ("review_failed", *(f"answers_{kind}_failed" for kind in range(4)), "pairwise_failed", "draft_failed")
_JUDGE: Final = (
    "judge_score",
    "judge_alignment",
    "judge_score_failed",
    "judge_alignment_failed",
    "rateable",
    "askable",
)
_NOT_JUDGED: Final = (None, None, 0, 0, 0, 0)
_COLUMNS: Final = (
    *EMOTION_METRICS,
    *("decided_accuracy", "decided_tau"),
    "similarity",
    *draft.REPLIES,
    "aligned",
    *_JUDGE,
    *("felt_asked", "tagged", "tags_given"),
    *_FAILED,
    *("intensity_lost", "tau_lost"),
)


class Sums(NamedTuple):
    """What `Items` add up to, each of shape (conversations, metrics)."""

    total: Numbers
    answered: Numbers
    lost: Numbers
    left_out: Numbers


class TurnSums(NamedTuple):
    """All turns of each conversation: the items of `strict_turn.new_items` in their order, and yes/no answers.

    `counted` and `lost` are as in `strict_turn.Pooled`, of shape (conversations, `KINDS`).
    """

    items: Sums
    counted: Confusions
    lost: Confusions


def add_turns(conversations: Sequence[tuple[Sequence[TurnPair], Calls]]) -> TurnSums:
    """Add up what the turns of each conversation, with the calls of its record, measure."""
    rows = [_read(pair, calls) for pairs, calls in conversations for pair in pairs]
    numbers = np.array(rows, dtype=np.float64).reshape(-1, len(_COLUMNS) + 4 * len(KINDS))
    columns = dict(zip(_COLUMNS, numbers.T, strict=False))  # what is left are counts
    counts = Confusions(*np.moveaxis(numbers[:, len(_COLUMNS) :].reshape(-1, len(KINDS), 4), -1, 0))
    adding = _Adding([len(pairs) for pairs, _ in conversations])

    items = _items(columns, counts)
    values, measured, lost, left_out = (
        np.stack(each, axis=1) for each in zip(*map(items.get, new_items()), strict=True)
    )
    sums = Sums(adding.add_exactly(np.where(measured, values, 0.0)), *map(adding.add, (measured, lost, left_out)))
    failed = np.stack([columns[f"answers_{kind}_failed"] for kind in range(4)], axis=1) > 0
    wrong = Confusions(np.zeros_like(counts.fp), np.zeros_like(counts.fp), counts.tn + counts.fp, counts.tp + counts.fn)
    return TurnSums(
        sums,
        Confusions(*(adding.add(np.where(failed, 0.0, each)) for each in counts)),
        Confusions(*(adding.add(np.where(failed, each, 0.0)) for each in wrong)),
    )


class _Adding:
    """Adds up turns, conversation by conversation; `counts` says how many turns each has."""

    def __init__(self, counts: Sequence[int]) -> None:
        self._count = len(counts)
        self._owner = np.repeat(np.arange(len(counts)), counts)
        self._place = np.arange(len(self._owner)) - np.repeat(np.cumsum(counts) - counts, counts)
        self._most = max(counts, default=0)

    def _padded(self, by_turn: NDArray[np.generic]) -> Numbers:
        padded = np.zeros((max(1, self._most), self._count, by_turn.shape[1]))
        padded[self._place, self._owner] = by_turn
        return padded

    def add(self, by_turn: NDArray[np.generic]) -> Numbers:
        """Return sums of counts, of shape (conversations, ...), given (turns, ...)."""
        sums: Numbers = self._padded(by_turn).sum(axis=0)
        return sums

    def add_exactly(self, by_turn: Numbers) -> Numbers:
        """Return sums rounded once."""
        return exact_sum(list(self._padded(by_turn)))


def _read(pair: TurnPair, calls: Calls) -> list[float | None]:
    """Return a turn's numbers: `_COLUMNS`, and its own yes/no answers counted."""
    truth, reply = pair.truth, pair.reply
    given = (reply.em_emotion_tags, *pair.answers, reply.em_pairwise_selections, reply.em_drafted_response)
    failed = calls.failures(truth.number, zip(_CALLS, given, strict=True))
    row: list[float | None] = [
        *pair.emotions.values(),
        pair.pairwise.decided_accuracy,
        pair.pairwise.decided_tau,
        pair.similarity,
        *map(pair.near.get, draft.REPLIES),
        pair.aligned,
        *(_read_judge(pair, calls) if calls.judged else _NOT_JUDGED),
        truth.felt_asked,
        bool(truth.tags),
        given[0] is not None,
        *failed,
        failed[0] and any(intensity is not None for _, intensity in truth.tags),
        failed[5] and truth.winners_differ,
    ]
    for counts in pair.own_behaviours:
        row += counts
    return row


def _read_judge(pair: TurnPair, calls: Calls) -> tuple[float | None, ...]:
    """Return `_JUDGE`: two values, whether their calls failed, and whether there was anything to rate and to ask."""
    scores, findings = pair.reply.em_draft_judge_scores, pair.reply.em_draft_binary_assessment
    preferred = pair.truth.own_told[1]
    return (
        draft.judge_score(scores),
        draft.behaviour_alignment(preferred, findings),
        *(calls.failed(pair.truth.number, "judge", given) for given in (scores, findings)),
        "human" in pair.near,
        bool(preferred.yes or preferred.no),
    )


class _Item(NamedTuple):
    """An item a turn: its value, and whether it is one, one that is lost, or one that is left out."""

    value: Numbers
    measured: Flags
    lost: Flags
    left_out: Flags


def _item(value: Numbers, failed: Flags, among: Flags) -> _Item:
    return _Item(value, among & ~failed, among & failed, np.zeros_like(failed))


def _items(columns: Columns, counts: Confusions) -> dict[str, _Item]:
    items = _emotions(columns)
    asked = counts.total > 0
    accuracies = counts.accuracy
    for kind, (what, ending, _) in enumerate(KINDS):
        failed = columns[f"answers_{kind}_failed"] > 0
        items[f"binary_{what}_accuracy{ending}"] = _item(accuracies[:, kind], failed, asked[:, kind])
    return items | _pairwise(columns) | _drafts(columns)


def _emotions(columns: Columns) -> dict[str, _Item]:
    failed, asked, given = (columns[name] > 0 for name in ("review_failed", "felt_asked", "tags_given"))
    items = {name: _item(np.where(given, columns[name], 0.0), failed, asked) for name in EMOTION_METRICS}
    items[TAGGED_ONLY] = _item(items["emotion_hit_rate"].value, failed, asked & (columns["tagged"] > 0))
    error = columns[MAE]
    measured = asked & ~failed & given & ~np.isnan(error)
    return items | {MAE: _Item(error, measured, np.zeros_like(failed), asked & (columns["intensity_lost"] > 0))}


def _pairwise(columns: Columns) -> dict[str, _Item]:
    failed, decided = columns["pairwise_failed"] > 0, ~np.isnan(columns["decided_accuracy"])
    tau = columns["decided_tau"]
    measured, left_out = decided & ~failed & ~np.isnan(tau), decided & (columns["tau_lost"] > 0)
    return {
        "pairwise_accuracy": _item(columns["decided_accuracy"], failed, decided),
        TAU: _Item(tau, measured, np.zeros_like(failed), left_out),
    }


def _drafts(columns: Columns) -> dict[str, _Item]:
    failed = columns["draft_failed"] > 0
    values = {name: columns[label] for label, name in draft.REPLIES.items()}
    values |= {"response_similarity": columns["similarity"], "response_preference_alignment": columns["aligned"]}
    items = {name: _item(value, failed, ~np.isnan(value)) for name, value in values.items()}
    for name, value, judgeable in (
        ("draft_judge_score", "judge_score", "rateable"),
        ("draft_binary_alignment", "judge_alignment", "askable"),
    ):
        judge_failed, could_be = columns[f"{value}_failed"] > 0, columns[judgeable] > 0
        measured = ~failed & ~judge_failed & ~np.isnan(columns[value])
        items[name] = _Item(columns[value], measured, failed & could_be, ~failed & judge_failed & could_be)
    return items
