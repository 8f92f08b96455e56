"""One conversation scored for many draws of the random baseline, in both profiles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attunebench.baselines.drafts import DraftPool
from attunebench.baselines.draws import OutcomeDraws, Stream, draw_outcome
from attunebench.dataset.lean import AnyQuestions
from attunebench.dataset.schema import Conversation
from attunebench.protocol.calls import CallKey, Strategy
from attunebench.score import behaviour
from attunebench.score.arrays.composite import Parts, compose, panas_score
from attunebench.score.arrays.means import Numbers, exact_sum, mean_present, ratio
from attunebench.score.draws.draft import Bags
from attunebench.score.draws.panas import Guesses, Report, Values, guesses, reference_panas, strict_panas
from attunebench.score.draws.questions import reference_questions, strict_questions
from attunebench.score.draws.turns import ByTurn, Judgements, TurnDraws
from attunebench.score.questions import NO_QUESTIONS
from attunebench.score.reference import AVERAGED, AVERAGED_WHERE_DEFINED, ROUNDED

_KINDS = (("binary_om", ""), ("binary_human", ""), ("binary_om", "_hp"), ("binary_human", "_hp"))
"""Begin and end of the names of the four answers to a yes/no question; see `Judgements.said`."""

_COMPOSED = ("emotion_f1", "emotion_va_score", "binary_om_accuracy", "binary_human_accuracy", "pairwise_accuracy")
"""Turn metrics that the composites are made of."""

_AVERAGED = {*AVERAGED, *AVERAGED_WHERE_DEFINED} - {*_COMPOSED}


@dataclass(frozen=True)
class DrawScores:
    """Scores by name, each of shape (draws,), NaN where not defined; a name that is missing is defined in no draw.

    The names of `reference` are those of a scored conversation, with those of its `post_score`; what is an object there
    has a name a part here, such as `pooled_binary_om_metrics.tp`.
    """

    reference: Mapping[str, Numbers]
    strict: Mapping[str, Numbers]


class RandomScorer:
    """Scores conversations for draws of the random baseline that takes its drafts from `pool`."""

    def __init__(self, pool: DraftPool) -> None:
        self._pool = pool

    @cached_property
    def _bags(self) -> Bags:
        return Bags(self._pool.texts)

    def score(self, conversation: Conversation, strategy: Strategy, draws: range) -> DrawScores:
        """Score all draws: the numbers that writing, reading and scoring each draw's replies would give."""
        stream = Stream(conversation.conversation_id, draws)
        turns = TurnDraws(conversation, stream)
        emotions, judgements = turns.emotions(), turns.judgements()
        compared, drafted = turns.comparisons(), turns.drafts(self._pool, self._bags)
        outcome = _Outcome(conversation, draw_outcome(stream, CallKey(None, "outcome"), strategy), strategy)
        return DrawScores(
            _reference(turns, emotions | compared[0] | drafted[0], judgements, outcome),
            _strict(turns, emotions, compared[1] | drafted[1], judgements, outcome),
        )


@dataclass(frozen=True)
class _Outcome:
    """What is drawn and scored after the conversation."""

    conversation: Conversation
    drawn: OutcomeDraws
    strategy: Strategy

    @cached_property
    def _panas(self) -> tuple[Report, Report, Guesses]:
        before, after = Report.of(self.conversation.pre_panas), Report.of(self.conversation.post_panas)
        return before, after, guesses(self.drawn.items, before, self.strategy)

    @property
    def _asked(self) -> AnyQuestions:
        return self.conversation.conversation_wide_questions or NO_QUESTIONS

    def reference(self) -> Values:
        return reference_panas(*self._panas) | reference_questions(self._asked, self.drawn)

    def strict(self) -> Values:
        return strict_panas(*self._panas) | strict_questions(self._asked, self.drawn)


def _reference(turns: TurnDraws, by_turn: ByTurn, judgements: Judgements, outcome: _Outcome) -> dict[str, Numbers]:
    counts = judgements.confusions(
        behaviour.observed_with_fallback, behaviour.preferred_with_fallback, missing_is_no=True
    )
    unasked = np.array([[0.0 if reported else 1.0] for reported in judgements.reported]).reshape(-1, 1)
    for (name, ending), accuracy in zip(_KINDS, counts.accuracy, strict=True):
        otherwise = 0.0 * unasked if ending else unasked
        by_turn[f"{name}_accuracy{ending}"] = np.where(np.isnan(accuracy), otherwise, accuracy)
    by_turn["pairwise_accuracy"] = np.nan_to_num(by_turn["pairwise_accuracy"], nan=1.0)
    averages = _mean_over_turns({name: values for name, values in by_turn.items() if name in _AVERAGED})
    if turns.conversation.turns:
        composed = _exact_mean_over_turns(np.stack([by_turn[name] for name in _COMPOSED]))
        averages |= {f"avg_{name}": values for name, values in zip(_COMPOSED, composed, strict=True)}
    else:
        averages |= {f"avg_{name}": np.zeros(turns.shape[1]) for name in AVERAGED}
    tagged_only = _mean_of(by_turn, ["emotion_hit_rate"], turns.tagged).get("avg_emotion_hit_rate")
    pooled = counts.pooled().published()
    scores: Values = {**averages, "avg_emotion_hit_rate_tagged_only": tagged_only}
    for kind, (name, ending) in enumerate(_KINDS):
        scores |= {f"pooled_{name}_metrics{ending}.{rate}": values[kind] for rate, values in pooled.items()}
    after = outcome.reference()
    scores |= after | _perspective(averages, pooled["mcc"], otherwise=0.0)
    parts = _parts(scores, turns.shape[1])
    composites = compose(parts._replace(panas=np.where(np.isnan(parts.panas), 0.5, parts.panas)))
    scores |= {name: _rounded(values) if name in ROUNDED else values for name, values in composites.items()}
    return _defined(scores)


def _strict(
    turns: TurnDraws, emotions: ByTurn, others: ByTurn, judgements: Judgements, outcome: _Outcome
) -> dict[str, Numbers]:
    counts = judgements.confusions(behaviour.observed, behaviour.preferred, missing_is_no=False)
    accuracies = {
        f"{name}_accuracy{ending}": accuracy for (name, ending), accuracy in zip(_KINDS, counts.accuracy, strict=True)
    }
    averages = _mean_over_turns(others | accuracies)
    tagged_only = _mean_of(emotions, ["emotion_hit_rate"], turns.tagged).get("avg_emotion_hit_rate")
    scores: Values = {**averages, "avg_emotion_hit_rate_tagged_only": tagged_only}
    scores |= _mean_of(emotions, list(emotions), turns.felt_asked)
    pooled = counts.pooled().rates()
    for kind, (name, ending) in enumerate(_KINDS):
        scores |= {f"pooled_{name}_{rate}{ending}": values[kind] for rate, values in pooled.items()}
    after = outcome.strict()
    scores |= after | _perspective(averages, pooled["mcc"], otherwise=np.nan)
    return _defined({**scores, **compose(_parts(scores, turns.shape[1]))})


def _mean_of(by_turn: ByTurn, names: Sequence[str], among: Sequence[bool]) -> dict[str, Numbers]:
    """Return means over some turns; nothing without any."""
    chosen = np.array(among, dtype=bool)
    return _mean_over_turns({name: by_turn[name][chosen] for name in names}) if any(among) else {}


def _perspective(averages: ByTurn, mcc: Numbers, *, otherwise: float) -> Values:
    """Compare preferred accuracy and MCC from the review and from the perspective call: gaps and ratios."""
    review, perspective = averages["avg_binary_human_accuracy"], averages["avg_binary_human_accuracy_hp"]
    compared: Values = {}
    for ending, one, other in (("", review, perspective), ("_mcc", mcc[1], mcc[3])):
        compared[f"hp_perspective_gap{ending}"] = one - other
        compared[f"hp_perspective_alignment{ending}"] = np.where(one > 0, ratio(other, one), otherwise)
    return compared


def _parts(scores: Values, draws: int) -> Parts:
    def numbers(name: str) -> Numbers:
        found = scores.get(name)
        return np.full(draws, np.nan) if found is None else found

    return Parts(
        emotion_f1=numbers("avg_emotion_f1"),
        emotion_va=numbers("avg_emotion_va_score"),
        observed=numbers("avg_binary_om_accuracy"),
        preferred=numbers("avg_binary_human_accuracy"),
        pairwise=numbers("avg_pairwise_accuracy"),
        panas=panas_score(numbers("panas_baseline_adjusted")),
        looking_for=numbers("q1_looking_for_score"),
        clarity=numbers("q2_emotion_clarity_match"),
        fit=numbers("q3_model_fit_match"),
        follow_up=numbers("q3_follow_up_score"),
        branches=numbers("four_branch_normalized"),
    )


def _mean_over_turns(by_turn: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """Return the mean over turns of several metrics, under names that begin with `avg_`."""
    if not by_turn:
        return {}
    means = mean_present(np.stack(list(by_turn.values())), axis=-2)
    return {f"avg_{name}": values for name, values in zip(by_turn, means, strict=True)}


def _exact_mean_over_turns(values: Numbers) -> Numbers:
    """Return the mean over turns, the axis before the last, of defined values; there must be a turn."""
    turns = values.shape[-2]
    total: Numbers = exact_sum([values[..., turn, :] for turn in range(turns)]) / turns
    return total


def _rounded(values: Numbers) -> Numbers:
    """Return values rounded to 2 decimals as Python does; NumPy goes another way, and ends elsewhere now and then."""
    return np.array([round(value, 2) for value in values.tolist()])


def _defined(scores: Values) -> dict[str, Numbers]:
    return {name: values for name, values in scores.items() if values is not None}
