"""The strict profile turn by turn: only what the participant answered counts, and a missing answer is wrong."""

from typing import Final

from attunebench.score import behaviour, draft, preference
from attunebench.score.behaviour import NO_ANSWERS, Confusion
from attunebench.score.calls import Calls
from attunebench.score.emotion import EMOTION_METRICS
from attunebench.score.items import Items, StrictValue
from attunebench.score.pairing import TurnPair

_TAU = "pairwise_kendall_tau"
_MAE = "emotion_intensity_mae"
_TAGGED_ONLY = "emotion_hit_rate_tagged_only"
_ACCURACIES = {
    "om": "binary_om_accuracy",
    "human": "binary_human_accuracy",
    "om_hp": "binary_om_accuracy_hp",
    "human_hp": "binary_human_accuracy_hp",
}
_ZERO_TO_ONE: Final = (
    *(name for name in EMOTION_METRICS if name != _MAE),
    _TAGGED_ONLY,
    *_ACCURACIES.values(),
    "pairwise_accuracy",
    "response_similarity",
    *draft.REPLIES.values(),
    "response_preference_alignment",
    "draft_judge_score",
    "draft_binary_alignment",
)


class Pool:
    """Confusion counts added up over turns."""

    def __init__(self) -> None:
        self._answered: list[Confusion] = []
        self._failed: list[Confusion] = []

    def add(self, counts: Confusion, *, failed: bool) -> None:
        """Add a turn's counts; those of a failed call, all wrong, apart."""
        (self._failed if failed else self._answered).append(counts)

    def results(self, name: str) -> dict[str, StrictValue]:
        """Return every rate of the counts: failed calls taken as all wrong, and as all right in `upper`.

        An upper bound that is undefined is the top of the range, 1.
        """
        lost = behaviour.pooled(self._failed)
        actual = behaviour.pooled([*self._answered, lost])
        rates = best = actual.rates()
        if lost.total:
            as_right = Confusion(tp=lost.tp + lost.fn, tn=lost.tn + lost.fp)
            best = behaviour.pooled([*self._answered, as_right]).rates()
        plain = name.removesuffix("_hp")
        ending = name.removeprefix(plain)
        values: dict[str, StrictValue] = {}
        for rate, value in rates.items():
            upper = None if value is None else 1.0 if best[rate] is None else best[rate]
            n = 0 if value is None else actual.total
            values[f"pooled_binary_{plain}_{rate}{ending}"] = {
                "value": value,
                "n": n,
                "n_failed": lost.total,
                "lower": value,
                "upper": upper,
            }
        return values


class StrictTurns:
    """Collects the turns of one conversation; every metric is a mean over the turns where it was asked.

    A turn or an answer that is missing gives 0. Left out, and only counted where the call failed, are what has no
    wrong answer (intensity error, tau) and drafts that a judge failed to judge.
    """

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._items = {name: Items() for name in _ZERO_TO_ONE}
        self._items[_MAE] = Items(0.0, 6.0, worst=6.0)
        self._items[_TAU] = Items(-1.0, 1.0, worst=-1.0)
        self._pools = {name: Pool() for name in _ACCURACIES}

    def add(self, pair: TurnPair) -> None:
        """Add one turn and what the model answered."""
        if pair.truth.felt_asked:
            self._add_emotions(pair)
        self._add_behaviours(pair)
        self._add_pairwise(pair)
        self._add_draft(pair)

    def results(self) -> dict[str, StrictValue]:
        """Return `avg_*` of every metric, and `pooled_binary_*` rates of the confusion counts of all turns."""
        values = {f"avg_{name}": items.result() for name, items in self._items.items()}
        for name, pool in self._pools.items():
            values |= pool.results(name)
        return values

    def _add_emotions(self, pair: TurnPair) -> None:
        items = self._items
        tags, failed = self._calls.answer(pair.truth.number, "review", pair.reply.em_emotion_tags)
        if tags is not None:
            for name, value in pair.emotions.items():
                items[name].add(value)
            if pair.truth.tags:
                items[_TAGGED_ONLY].add(pair.emotions["emotion_hit_rate"])
            return
        for name in pair.emotions:
            if name != _MAE:
                items[name].miss(failed=failed)
        if pair.truth.tags:
            items[_TAGGED_ONLY].miss(failed=failed)
        if failed and any(intensity is not None for _, intensity in pair.truth.tags):
            items[_MAE].leave_out()

    def _add_behaviours(self, pair: TurnPair) -> None:
        number, reply = pair.truth.number, pair.reply
        observed, preferred = pair.truth.own_observed, pair.truth.own_preferred
        for name, truth, call, given in (
            ("om", observed, "review", reply.em_binary_om_assessment),
            ("human", preferred, "review", reply.em_binary_human_prediction),
            ("om_hp", observed, "perspective", reply.em_binary_om_assessment_hp),
            ("human_hp", preferred, "perspective", reply.em_binary_human_prediction_hp),
        ):
            if not truth:
                continue
            answers, failed = self._calls.answer(number, call, given)
            _, counts = pair.confusions(truth, answers or NO_ANSWERS)
            self._pools[name].add(counts, failed=failed)
            self._items[_ACCURACIES[name]].add_or_miss(None if failed else counts.accuracy, failed=failed)

    def _add_pairwise(self, pair: TurnPair) -> None:
        comparisons, decided = pair.truth.comparisons, pair.truth.decided
        if not decided:
            return
        _, failed = self._calls.answer(pair.truth.number, "pairwise", pair.reply.em_pairwise_selections)
        truth, guessed, right = pair.truth.wins, pair.guessed_wins, pair.share_right
        if len(decided) < len(comparisons):
            letters = [letter for c, letter in zip(comparisons, pair.letters, strict=True) if c.winner]
            truth = preference.wins(decided, [c.winner for c in decided])
            guessed, right = preference.wins(decided, letters), preference.share_right(decided, letters)
        accuracy, tau = self._items["pairwise_accuracy"], self._items[_TAU]
        if failed:
            accuracy.miss(failed=True)
            if len(set(truth.values())) > 1:
                tau.leave_out()
        else:
            accuracy.add(right)
            tau.add(preference.kendall_tau_b(truth, guessed))

    def _add_draft(self, pair: TurnPair) -> None:
        _, failed = self._calls.answer(pair.truth.number, "draft", pair.reply.em_drafted_response)
        near = pair.near
        scores = {name: near[label] for label, name in draft.REPLIES.items() if label in near}
        scores["response_similarity"] = max(near.values(), default=0.0)
        aligned = draft.preference_alignment(near, pair.truth.wins)
        if aligned is not None:
            scores["response_preference_alignment"] = aligned
        for name, value in scores.items():
            self._items[name].add_or_miss(None if failed else value, failed=failed)
        if self._calls.judged:
            self._add_judge(pair, draft_failed=failed)

    def _add_judge(self, pair: TurnPair, *, draft_failed: bool) -> None:
        """Add what a judge said: a draft that failed is the model's failure, a judgement that failed the judge's."""
        preferred = pair.truth.own_preferred
        scores, findings = pair.reply.em_draft_judge_scores, pair.reply.em_draft_binary_assessment
        aligned = draft.behaviour_alignment(preferred, findings)
        for name, judgeable, given, value in (
            ("draft_judge_score", "human" in pair.near, scores, draft.judge_score(scores)),
            ("draft_binary_alignment", bool(preferred), findings, aligned),
        ):
            items = self._items[name]
            _, judge_failed = self._calls.answer(pair.truth.number, "judge", given)
            if draft_failed and judgeable:
                items.miss(failed=True)
            elif not draft_failed and judge_failed and judgeable:
                items.leave_out()
            elif not draft_failed and not judge_failed:
                items.add(value)
