"""What does not change a score: order, names, spelling, unknown keys, duplication; and where every score lies."""

import json
import math
from collections.abc import Iterator, Mapping
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from score_strategies import ANSWER_FIELDS, Raw, raw_cases, raw_records, read

from attunebench.dataset.schema import Judgement
from attunebench.score import aggregate, score

CASES = raw_cases()
SHUFFLES = st.randoms(use_true_random=False)
steady = settings(deadline=None, derandomize=True, max_examples=50)
of_many = settings(steady, max_examples=30)

ROUNDED = ("composite_score", "equal_weight_composite")
A_ROUNDING_STEP = 0.01 + 1e-9


def scored(told: Raw, run: Raw) -> Raw:
    return score(*read(told, run))


def differences(one: Any, other: Any, path: str = "", tolerance: float = 1e-9) -> Iterator[str]:
    """Yield where two scores differ, by more than what another order of additions explains."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in one.keys() | other.keys():
            step = A_ROUNDING_STEP if key in ROUNDED else 1e-9
            yield from differences(one.get(key), other.get(key), f"{path}.{key}", step)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, pair in enumerate(zip(one, other, strict=True)):
            yield from differences(*pair, f"{path}[{place}]")
    elif isinstance(one, int | float) and isinstance(other, int | float):
        if not abs(one - other) <= tolerance:
            yield f"{path}: {one} and {other}"
    elif one != other:
        yield f"{path}: {one!r} and {other!r}"


def assert_same(one: Any, other: Any) -> None:
    assert list(differences(one, other)) == []


def annotations(told: Raw) -> Iterator[Raw]:
    return (turn["annotations"] for turn in told["turns"] if turn.get("annotations"))


@steady
@given(CASES, SHUFFLES)
def test_the_order_of_turns_does_not_matter(case, shuffles):
    told, run = deepcopy(case)
    shuffles.shuffle(told["turns"])
    shuffles.shuffle(run["turns"])
    shuffles.shuffle(run.get("calls", []))
    assert scored(told, run) == scored(*case)


@steady
@given(CASES, SHUFFLES)
def test_the_order_of_judgements_of_distinct_questions_does_not_matter(case, shuffles):
    told, run = deepcopy(case)
    for part in annotations(told):
        part["binaryJudgements"] = list({j["questionId"]: j for j in part.get("binaryJudgements") or []}.values())
    before = scored(told, run)
    for part in annotations(told):
        shuffles.shuffle(part["binaryJudgements"])
    assert scored(told, run) == before


@steady
@given(CASES, SHUFFLES)
def test_the_order_of_comparisons_does_not_matter_if_the_selections_move_along(case, shuffles):
    told, run = deepcopy(case)
    replies = {reply["turnNumber"]: reply for reply in run["turns"]}
    for turn in told["turns"]:
        compared = (turn.get("annotations") or {}).get("pairwiseComparisons")
        if not compared:
            continue
        order = shuffles.sample(range(len(compared)), len(compared))
        turn["annotations"]["pairwiseComparisons"] = [compared[old] for old in order]
        reply = replies.get(turn["turnNumber"], {})
        if said := reply.get("em_pairwise_selections"):
            reply["em_pairwise_selections"] = {
                str(new): said[str(old)] for new, old in enumerate(order) if str(old) in said
            }
    assert scored(told, run) == scored(*case)


@steady
@given(CASES, SHUFFLES)
def test_the_order_of_distinct_emotions_does_not_matter(case, shuffles):
    told, run = deepcopy(case)
    owners = [(turn, "moodShiftTags") for turn in told["turns"]] + [(turn, "em_emotion_tags") for turn in run["turns"]]
    tagged = [(owner, name) for owner, name in owners if owner.get(name)]
    for owner, name in tagged:
        owner[name] = list({tag["emotion"]: tag for tag in owner[name]}.values())
    before = scored(told, run)
    for owner, name in tagged:
        shuffles.shuffle(owner[name])
    assert_same(scored(told, run), before)


@steady
@given(CASES)
def test_sides_may_be_swapped_with_winner_assignment_and_prediction(case):
    told, run = deepcopy(case)
    other: dict[Any, Any] = {"A": "B", "B": "A"}
    for part in annotations(told):
        for compared in part.get("pairwiseComparisons") or []:
            sides = compared.get("responseA"), compared.get("responseB")
            compared["responseB"], compared["responseA"] = sides
            compared["winner"] = other.get(compared.get("winner"))
    for reply in run["turns"]:
        if said := reply.get("em_pairwise_selections"):
            reply["em_pairwise_selections"] = {place: other.get(letter) for place, letter in said.items()}
            reply["pairwise_assignment"] = {place: {"A": "human", "B": "original"} for place in said}
    assert scored(told, run) == scored(*case)


@steady
@given(CASES, st.text(max_size=5))
def test_a_models_name_does_not_matter(case, name):
    told, run = case
    renamed = scored(told | {"metadata": {"model": name}}, run | {"em_model": name})
    assert renamed | {"em_model": "m"} == scored(told, run)


OPEN_ENDED = (*ANSWER_FIELDS, "em_draft_judge_scores", "em_draft_binary_assessment")
"""Objects whose keys are answers, not names of fields."""


def with_unknown_keys(raw: Any) -> Any:
    if isinstance(raw, list):
        return [with_unknown_keys(value) for value in raw]
    if not isinstance(raw, dict):
        return raw
    grown = {key: value if key in OPEN_ENDED else with_unknown_keys(value) for key, value in raw.items()}
    return {"Unknown": {"winner": "A"}, **grown, "note": "yes"}


@steady
@given(CASES)
def test_unknown_keys_do_not_matter(case):
    told, run = case
    assert scored(with_unknown_keys(told), with_unknown_keys(run)) == scored(told, run)


@steady
@given(CASES)
def test_answers_to_questions_that_were_not_asked_do_not_matter(case):
    told, run = deepcopy(case)
    for reply in run["turns"]:
        for name in ANSWER_FIELDS:
            if reply.get(name) is not None:
                reply[name]["B98"] = "yes"
    assert scored(told, run) == scored(*case)


def spelled_otherwise(raw: Any, chance: Random, older: Mapping[str, tuple[str, ...]], key: str = "") -> Any:
    """The same values in other spellings that are read alike: letter case, spaces, words, the older names of fields."""
    if isinstance(raw, dict):
        spellings = Judgement.older_spellings if "questionId" in raw else older
        names = {k: chance.choice((k, *spellings.get(k, ()))) for k in raw}
        return {names[k]: spelled_otherwise(value, chance, older, k) for k, value in raw.items()}
    if isinstance(raw, list):
        return [spelled_otherwise(value, chance, older, key) for value in raw]
    if not raw or key not in SPELLED or raw == "elsewhere":
        return raw
    return chance.choice((*OTHER_TEXTS.get(raw, ()), raw, raw.upper(), raw.lower(), f" {raw} ".title()))


OLDER: Mapping[str, tuple[str, ...]] = {
    "llmImproved": ("alternate1",),
    "humanEdited": ("alternate2",),
    "responseA": ("response_1",),
    "responseB": ("response_2",),
    "q1_lookingFor": ("Q1",),
    "q2_emotionClarity": ("Q2",),
    "q3_modelFit": ("Q3",),
}
OTHER_TEXTS: dict[Any, tuple[Any, ...]] = {
    "yes": (True, "1", "Y"),
    "no": (False, "0", "N"),
    "na": ("N/A", "not_applicable"),
    "A": ("response_1",),
    "B": ("Response_2",),
    "alternate": ("alternate1",),
    "human": ("alternate2",),
}
SPELLED = frozenset({
    "emotion", "llmValue", "observedBehavior", "preferredBehavior", "winner", "responseA", "responseB",
    "llmResponse", "llmImproved", "humanEdited", "em_drafted_response",
    "q1_lookingFor", "q2_emotionClarity", "q3_modelFit", "q3_followUp_whatFeltOff",
    "B1", "B2", "B3", "B501", "0", "1", "2", "3",
})  # fmt: skip


@steady
@given(CASES, SHUFFLES)
def test_letter_case_and_older_spellings_do_not_matter(case, chance):
    told, run = case
    assert scored(spelled_otherwise(told, chance, OLDER), spelled_otherwise(run, chance, {})) == scored(*case)


@st.composite
def many_scored(draw: st.DrawFn) -> list[Raw]:
    """Scored conversations of up to two models."""
    cases = draw(st.lists(CASES, min_size=1, max_size=3))
    every = [scored(told, run) | {"conversationId": str(place)} for place, (told, run) in enumerate(cases)]
    others = [scored(told, draw(raw_records(told)) | {"em_model": "other"}) for told, _ in cases[1:]]
    return every + others


@of_many
@given(many_scored(), SHUFFLES)
def test_the_order_of_conversations_does_not_matter(every, shuffles):
    assert aggregate(shuffles.sample(every, len(every))) == aggregate(every)


COUNTS = ("n", "n_failed", "n_conversations", "se_composite", "tp", "tn", "fp", "fn")


def without_counts(raw: Any) -> Any:
    if isinstance(raw, dict):
        return {key: without_counts(value) for key, value in raw.items() if key not in COUNTS}
    return [without_counts(value) for value in raw] if isinstance(raw, list) else raw


@of_many
@given(many_scored())
def test_conversations_twice_leave_every_mean_alone_and_double_the_counts(every):
    once, twice = (
        aggregate(every),
        aggregate(every + [one | {"conversationId": f"{one['conversationId']} again"} for one in every]),
    )
    for row, doubled in zip(once, twice, strict=True):
        # z is over rows, of which there are as many as before
        assert_same(without_counts(doubled), without_counts(row))
        assert doubled["n_conversations"] == 2 * row["n_conversations"]
        assert doubled["n"] == {name: 2 * n for name, n in row["n"].items()}
        for name, value in row["strict"].items():
            assert (doubled["strict"][name]["n"], doubled["strict"][name]["n_failed"]) == (
                2 * value["n"],
                2 * value["n_failed"],
            )


ZERO_TO_ONE = (0.0, 1.0)
SIGNED = (-1.0, 1.0)
ENDLESS = (-math.inf, math.inf)
TOTAL_ERROR = (0.0, 69.0)
"""0 to 60 of two whole totals; a total summed from a few items, as low as 1, can be farther from 70."""


def documented_range(name: str) -> tuple[float, float]:
    """Return the range of a metric, told by its name."""
    plain = name.removeprefix("avg_")
    if plain in ("emotion_intensity_mae", "panas_item_mae", "four_branch_mae"):
        return 0.0, 6.0
    if plain in ("panas_mae", "panas_pa_mae", "panas_na_mae", "panas_error", "panas_change"):
        return TOTAL_ERROR
    if plain in ("tp", "tn", "fp", "fn", "hp_perspective_alignment", "se_composite"):
        return 0.0, math.inf
    if plain in ("hp_perspective_alignment_mcc", "z_score"):
        return ENDLESS
    if plain == "panas_skill":
        return -math.inf, 1.0
    if plain in ROUNDED:
        return 0.0, 100.0
    if plain == "q3_model_fit_ordinal_distance":
        return 0.0, 3.0
    if plain == "hp_perspective_gap_mcc":
        return -2.0, 2.0
    signed = plain.endswith(("baseline_adjusted", "kendall_tau", "perspective_gap")) or "mcc" in plain
    return SIGNED if signed else ZERO_TO_ONE


def lies_in_range(name: str, value: float | None) -> bool:
    low, high = documented_range(name)
    return value is None or (math.isfinite(value) and low - 1e-9 <= value <= high + 1e-9)


def numbers(raw: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Yield the reference scores with their names."""
    if isinstance(raw, dict):
        for key, value in raw.items():
            if key == "panas_item_errors" or key == "four_branch_per_branch":
                yield from (("four_branch_mae", error) for error in value.values())
            elif key not in ("strict", "n", "n_conversations", "turnNumber", "epoch", "epochs"):
                yield from numbers(value, key)
    elif isinstance(raw, list):
        for value in raw:
            yield from numbers(value, name)
    elif isinstance(raw, int | float):
        yield name, raw


def assert_sound(values: Raw) -> None:
    """Assert that reference scores and strict values are numbers of their ranges, and strict bounds in order."""
    json.dumps(values, allow_nan=False)
    assert [pair for pair in numbers(values) if not lies_in_range(*pair)] == []
    for name, strict in values["strict"].items():
        value, n, n_failed, lower, upper = strict.values()
        assert isinstance(n, int), name
        assert n >= 0 <= n_failed, name
        assert (value is None) == (n == 0), name
        assert all(lies_in_range(name, end) for end in (lower, value, upper)), (name, strict)
        assert (lower is None) == (upper is None), (name, strict)
        if value is not None and lower is not None:
            assert lower - 1e-9 <= value <= upper + 1e-9, (name, strict)
            if n_failed == 0:
                assert lower == pytest.approx(upper), (name, strict)


@settings(steady, max_examples=100)
@given(CASES)
def test_every_score_lies_in_its_range_and_can_be_written(case):
    assert_sound(scored(*case))


@of_many
@given(many_scored())
def test_every_aggregate_lies_in_its_range_and_can_be_written(every):
    for row in aggregate(every):
        assert_sound(row)


@steady
@given(CASES, st.floats(-1e9, 1e9))
def test_absurd_predicted_numbers_are_only_wrong(case, number):
    told, run = deepcopy(case)
    run["post_conversation"] = {
        "predicted_post_panas": {"totalPositiveAffect": number, "items": {"Proud": number, "Upset": number}},
        "predicted_conversation_wide": {"fourBranchScores": {"managing": number}},
    }
    run["turns"] = [reply | {"em_draft_judge_scores": {"overall_score": number}} for reply in run["turns"]]
    got = scored(told, run)
    json.dumps(got, allow_nan=False)
    for name in ("composite_score", "holistic_comprehension"):
        assert lies_in_range(name, got[name])
        assert lies_in_range(name, got["strict"][name]["value"])
