"""The strict profile: no credit for what was not measured, and no failure hidden.

The names are those of the reference profile, flat, as far as they make sense; added are `pooled_binary_*` rates (for
instance `pooled_binary_om_mcc_hp`), `panas_error` and `panas_change`, and where comparisons were asked in both orders
`pooled_pairwise_flip_rate` and `pooled_pairwise_agreement_score`. Rules: what the participant did not answer is
left out; what they answered and the model did not is wrong; only the participant's own answers count; undefined is
none, and nothing is rounded.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from attunebench.dataset.lean import AnyConversation
from attunebench.protocol.lean_records import AnyRecord
from attunebench.score.calls import Calls
from attunebench.score.composite import Parts, compose, panas_score
from attunebench.score.items import Items, StrictValue, derived
from attunebench.score.pairing import TurnPair, pair_turns
from attunebench.score.strict_outcome import strict_outcome
from attunebench.score.strict_turn import pooled_rates, strict_turns
from attunebench.score.swap import asked_in_both_orders, strict_orders

OBSERVED, PREFERRED = "avg_binary_om_accuracy", "avg_binary_human_accuracy"
_TRACKING: Final = ("avg_emotion_f1",)
_BEHAVIOUR: Final = (OBSERVED, PREFERRED, "avg_pairwise_accuracy")
_OUTCOME: Final = (
    "panas_baseline_adjusted",
    "q1_looking_for_score",
    "q2_emotion_clarity_match",
    "q3_model_fit_match",
    "q3_follow_up_score",
    "four_branch_normalized",
)
SOURCES: Final[Mapping[str, Sequence[str]]] = {
    "emotion_tracking": _TRACKING,
    "evaluation_quality": _BEHAVIOUR,
    "turn_level_average": (*_TRACKING, *_BEHAVIOUR),
    "holistic_comprehension": _OUTCOME,
    "conversation_wide_average": _OUTCOME,
    "composite_score": (*_TRACKING, *_BEHAVIOUR, *_OUTCOME),
    "equal_weight_composite": (*_TRACKING, *_BEHAVIOUR, *_OUTCOME),
}
"""Whose items are the items of a composite. F1 and VA are measured on the same turns, which count once."""


def score_strict(
    conversation: AnyConversation, record: AnyRecord, *, pairs: Sequence[TurnPair] | None = None
) -> dict[str, StrictValue]:
    """Score one conversation of one run; every value with its items, failed calls and bounds.

    `pairs` are the paired turns, if they are at hand already.
    """
    calls = Calls(record)
    turns = pair_turns(conversation, record) if pairs is None else pairs
    items, answers = strict_turns(turns, calls)
    values = {name: collected.result() for name, collected in items.items()} | pooled_rates(answers)
    others = strict_others(conversation, record, turns, calls)
    values |= {name: collected.result() for name, collected in others.items()}
    return values | _perspective(values) | _composites(values)


def strict_others(
    conversation: AnyConversation, record: AnyRecord, turns: Sequence[TurnPair], calls: Calls
) -> dict[str, Items]:
    """Return the items of all that is not measured turn by turn: of comparisons in both orders, and of the outcome."""
    orders = strict_orders(turns, calls) if asked_in_both_orders(record) else {}
    return orders | strict_outcome(conversation, record.post_conversation, calls)


def _perspective(values: Mapping[str, StrictValue]) -> dict[str, StrictValue]:
    """Compare preferred accuracy and MCC from the review and from the perspective call, as in reference.

    An alignment (their ratio) is not defined unless the review's is above 0.
    """
    pairs = {
        "": (values[PREFERRED], values["avg_binary_human_accuracy_hp"]),
        "_mcc": (values["pooled_binary_human_mcc"], values["pooled_binary_human_mcc_hp"]),
    }
    compared: dict[str, StrictValue] = {}
    for ending, (review, perspective) in pairs.items():
        sources = (review, perspective)
        gap = _difference(review["value"], perspective["value"])
        least = _difference(review["lower"], perspective["upper"])
        most = _difference(review["upper"], perspective["lower"])
        compared[f"hp_perspective_gap{ending}"] = derived(gap, least, most, sources)
        corners = [
            _ratio(above, below)
            for above in (perspective["lower"], perspective["upper"])
            for below in (review["lower"], review["upper"])
        ]
        known = [corner for corner in corners if corner is not None]
        bounded = len(known) == len(corners)
        low, high = (min(known), max(known)) if bounded else (None, None)
        ratio = _ratio(perspective["value"], review["value"])
        compared[f"hp_perspective_alignment{ending}"] = derived(ratio, low, high, sources)
    return compared


def _difference(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _ratio(above: float | None, below: float | None) -> float | None:
    return None if above is None or below is None or below <= 0 else above / below


def _composites(values: Mapping[str, StrictValue]) -> dict[str, StrictValue]:
    parts = _parts(values, "value")
    least, most = _parts(values, "lower"), _parts(values, "upper")
    value = compose(parts)
    lower, upper = (value if bound == parts else compose(bound) for bound in (least, most))
    return {
        name: derived(value[name], lower[name], upper[name], [values[source] for source in sources])
        for name, sources in SOURCES.items()
    }


def _parts(values: Mapping[str, StrictValue], end: Literal["value", "lower", "upper"]) -> Parts:
    return Parts(
        emotion_f1=values["avg_emotion_f1"][end],
        emotion_va=values["avg_emotion_va_score"][end],
        observed=values[OBSERVED][end],
        preferred=values[PREFERRED][end],
        pairwise=values["avg_pairwise_accuracy"][end],
        panas=panas_score(values["panas_baseline_adjusted"][end]),
        looking_for=values["q1_looking_for_score"][end],
        clarity=values["q2_emotion_clarity_match"][end],
        fit=values["q3_model_fit_match"][end],
        follow_up=values["q3_follow_up_score"][end],
        branches=values["four_branch_normalized"][end],
    )
