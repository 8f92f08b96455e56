"""The strict profile turn by turn: only what the participant answered counts, and a missing answer is wrong."""

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from attunebench.score import draft
from attunebench.score.behaviour import Confusion, all_wrong, pooled
from attunebench.score.calls import Calls
from attunebench.score.emotion import EMOTION_METRICS
from attunebench.score.items import Items, StrictValue
from attunebench.score.pairing import TurnPair

TAU = "pairwise_kendall_tau"
MAE = "emotion_intensity_mae"
TAGGED_ONLY = "emotion_hit_rate_tagged_only"
KINDS: Final = (
    ("om", "", "review"),
    ("human", "", "review"),
    ("om", "_hp", "perspective"),
    ("human", "_hp", "perspective"),
)
"""What is asked of a yes/no question, the ending of its names, and the call; in the order of `TurnPair.behaviours`."""

_ZERO_TO_ONE: Final = (
    *(name for name in EMOTION_METRICS if name != MAE),
    TAGGED_ONLY,
    *(f"binary_{what}_accuracy{ending}" for what, ending, _ in KINDS),
    "pairwise_accuracy",
    "response_similarity",
    *draft.REPLIES.values(),
    "response_preference_alignment",
    "draft_judge_score",
    "draft_binary_alignment",
)


Turns: TypeAlias = Sequence[TurnPair]
ItemsByName: TypeAlias = dict[str, Items]


class Pooled(NamedTuple):
    """Yes/no answers of one kind over all turns: those given counted, and those lost to failed calls as all wrong."""

    counted: Confusion
    lost: Confusion


def strict_turns(pairs: Turns, calls: Calls) -> tuple[ItemsByName, list[Pooled]]:
    """Return the items of `avg_*` of every metric, and the answers of each of `KINDS`, for `pooled_rates`.

    Every metric is a mean over the turns where it was asked. A turn or an answer that is missing gives 0. Left out, and
    only counted where the call failed, are what has no wrong answer (intensity error, tau) and drafts that a judge
    failed to judge.
    """
    items = new_items()
    _add_emotions(items, [pair for pair in pairs if pair.truth.felt_asked], calls)
    answers = _add_behaviours(items, pairs, calls)
    _add_pairwise(items, pairs, calls)
    _add_drafts(items, pairs, calls)
    return {f"avg_{name}": collected for name, collected in items.items()}, answers


def new_items() -> ItemsByName:
    """Return the items of no turns, in the order of the scores."""
    items = {name: Items() for name in _ZERO_TO_ONE}
    items[MAE] = Items(0.0, 6.0, worst=6.0)
    items[TAU] = Items(-1.0, 1.0, worst=-1.0)
    return items


def _add_emotions(items: ItemsByName, asked: Turns, calls: Calls) -> None:
    answered: list[TurnPair] = []
    for pair in asked:
        given = pair.reply.em_emotion_tags
        failed = calls.failed(pair.truth.number, "review", given)
        if given is None or failed:
            _miss_emotions(items, pair, failed=failed)
        else:
            answered.append(pair)
    columns = zip(*[pair.emotions.values() for pair in answered], strict=True)
    for name, values in zip(EMOTION_METRICS, columns, strict=False):  # no columns where none was answered
        items[name].add(values)
    items[TAGGED_ONLY].add([pair.emotions["emotion_hit_rate"] for pair in answered if pair.truth.tags])


def _miss_emotions(items: ItemsByName, pair: TurnPair, *, failed: bool) -> None:
    for name in EMOTION_METRICS:
        if name != MAE:
            items[name].miss(failed=failed)
    if pair.truth.tags:
        items[TAGGED_ONLY].miss(failed=failed)
    if failed and any(intensity is not None for _, intensity in pair.truth.tags):
        items[MAE].leave_out()


def _add_behaviours(items: ItemsByName, pairs: Turns, calls: Calls) -> list[Pooled]:
    """Add accuracies; return the answers."""
    answers: list[Pooled] = []
    for kind, (what, ending, call) in enumerate(KINDS):
        counted: list[Confusion] = []
        lost: list[Confusion] = []
        for pair in pairs:
            told = pair.truth.own_told[kind]
            if not told.yes and not told.no:
                continue
            if calls.failed(pair.truth.number, call, pair.answers[kind]):
                lost.append(all_wrong(told))
            else:
                counted.append(pair.own_behaviours[kind])
        accuracies = items[f"binary_{what}_accuracy{ending}"]
        accuracies.add([counts.accuracy for counts in counted])
        accuracies.miss(len(lost), failed=True)
        answers.append(Pooled(pooled(counted), pooled(lost)))
    return answers


def pooled_rates(answers: Sequence[Pooled]) -> dict[str, StrictValue]:
    """Return `pooled_binary_*`, every rate of added counts: those lost taken as all wrong, and as all right in `upper`.

    An upper bound that is undefined is the top of the range, 1.
    """
    values: dict[str, StrictValue] = {}
    for (what, ending, _), (counted, lost) in zip(KINDS, answers, strict=True):
        for rate, value in _pooled_rates(counted, lost).items():
            values[rate_name(what, rate, ending)] = value
    return values


def rate_name(what: str, rate: str, ending: str) -> str:
    """Return the name of a rate of one of `KINDS`."""
    return f"pooled_binary_{what}_{rate}{ending}"


def _pooled_rates(counted: Confusion, wrong: Confusion) -> dict[str, StrictValue]:
    actual = pooled([counted, wrong])
    best = pooled([counted, Confusion(tp=wrong.fn, tn=wrong.fp)]).rates
    total, n_failed = actual.total, wrong.total
    values: dict[str, StrictValue] = {}
    for rate, value in actual.rates.items():
        if value is None:
            values[rate] = {"value": None, "n": 0, "n_failed": n_failed, "lower": None, "upper": None}
        else:
            upper = best[rate]
            upper = 1.0 if upper is None else upper
            values[rate] = {"value": value, "n": total, "n_failed": n_failed, "lower": value, "upper": upper}
    return values


def _add_pairwise(items: ItemsByName, pairs: Turns, calls: Calls) -> None:
    accuracy, tau = items["pairwise_accuracy"], items[TAU]
    for pair in pairs:
        scores = pair.pairwise
        if scores.decided_accuracy is None:
            continue
        if calls.failed(pair.truth.number, "pairwise", pair.reply.em_pairwise_selections):
            accuracy.miss(failed=True)
            if pair.truth.winners_differ:
                tau.leave_out()
        else:
            accuracy.values.append(scores.decided_accuracy)
            tau.add([scores.decided_tau])


def _add_drafts(items: ItemsByName, pairs: Turns, calls: Calls) -> None:
    failures = [calls.failed(pair.truth.number, "draft", pair.reply.em_drafted_response) for pair in pairs]
    drafted = [pair for pair, failed in zip(pairs, failures, strict=True) if not failed]
    lost = [pair for pair, failed in zip(pairs, failures, strict=True) if failed]
    for label, name in draft.REPLIES.items():
        items[name].add([pair.near.get(label) for pair in drafted])
        items[name].miss(sum([label in pair.near for pair in lost]), failed=True)
    items["response_similarity"].add([pair.similarity for pair in drafted])
    items["response_similarity"].miss(len(lost), failed=True)
    items["response_preference_alignment"].add([pair.aligned for pair in drafted])
    items["response_preference_alignment"].miss(sum([pair.aligned is not None for pair in lost]), failed=True)
    if calls.judged:
        for pair, failed in zip(pairs, failures, strict=True):
            _add_judge(items, pair, calls, draft_failed=failed)


def _add_judge(items: ItemsByName, pair: TurnPair, calls: Calls, *, draft_failed: bool) -> None:
    """Add what a judge said: a draft that failed is the model's failure, a judgement that failed the judge's."""
    preferred = pair.truth.own_told[1]
    scores, findings = pair.reply.em_draft_judge_scores, pair.reply.em_draft_binary_assessment
    aligned = draft.behaviour_alignment(preferred, findings)
    for name, judgeable, given, value in (
        ("draft_judge_score", "human" in pair.near, scores, draft.judge_score(scores)),
        ("draft_binary_alignment", bool(preferred.yes or preferred.no), findings, aligned),
    ):
        judge_failed = calls.failed(pair.truth.number, "judge", given)
        if draft_failed and judgeable:
            items[name].miss(failed=True)
        elif not draft_failed and judge_failed and judgeable:
            items[name].leave_out()
        elif not draft_failed and not judge_failed:
            items[name].add([value])
