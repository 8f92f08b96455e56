"""The two profiles agree with an independent implementation on 120 made-up cases."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from attunebench.dataset.schema import Conversation
from attunebench.protocol.records import RunRecord
from attunebench.score import score, score_reference, score_strict

GOLDEN = Path(__file__).parents[1] / "reference" / "golden_cases.jsonl.gz"
CASES = [json.loads(line) for line in gzip.decompress(GOLDEN.read_bytes()).splitlines()]
ROUNDED = {"composite_score", "equal_weight_composite"}
IDENTITY = {"panas_strategy", "condition", "epoch"}


def read(case: dict[str, Any]) -> tuple[Conversation, RunRecord]:
    return Conversation.model_validate(case["conversation"]), RunRecord.model_validate(case["run"])


def differences(expected: Any, got: Any, path: str = "", tolerance: float = 1e-9) -> Iterator[str]:
    """Yield where two values differ, every key on either side included."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in expected.keys() ^ got.keys():
            yield f"{path}.{key}: on one side only"
        for key in expected.keys() & got.keys():
            near = 0.01 + 1e-9 if key in ROUNDED else 1e-9
            yield from differences(expected[key], got[key], f"{path}.{key}", near)
    elif isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        for position, pair in enumerate(zip(expected, got, strict=True)):
            yield from differences(*pair, f"{path}[{position}]")
    elif isinstance(expected, int | float) and isinstance(got, int | float):
        if not abs(expected - got) <= tolerance:
            yield f"{path}: expected {expected}, got {got}"
    elif expected != got:
        yield f"{path}: expected {expected!r}, got {got!r}"


def test_there_are_120_cases() -> None:
    assert len(CASES) == 120


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["conversation"]["conversationId"])
def test_reference_scores_agree_key_by_key(case: dict[str, Any]) -> None:
    got = score_reference(*read(case))
    assert list(differences(case["expected"], {k: v for k, v in got.items() if k not in IDENTITY})) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["conversation"]["conversationId"])
def test_strict_values_agree(case: dict[str, Any]) -> None:
    got = score_strict(*read(case))
    expected = case["expected_strict"]
    for name, value in expected.items():
        assert got[name]["value"] == (None if value is None else pytest.approx(value, abs=1e-9)), name


@pytest.mark.parametrize("case", CASES[:40], ids=lambda case: case["conversation"]["conversationId"])
def test_the_order_of_turns_in_either_file_does_not_matter(case: dict[str, Any]) -> None:
    conversation, run = case["conversation"], case["run"]
    turned = {
        "conversation": conversation | {"turns": conversation["turns"][::-1]},
        "run": run | {"turns": run["turns"][::-1]},
    }
    assert score(*read(turned)) == score(*read(case))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["conversation"]["conversationId"])
def test_strict_bounds_enclose_the_value_and_meet_where_nothing_failed(case: dict[str, Any]) -> None:
    for name, scored in score_strict(*read(case)).items():
        value, lower, upper = scored["value"], scored["lower"], scored["upper"]
        assert (value is None) == (scored["n"] == 0), name
        if value is None or lower is None or upper is None:
            continue
        assert lower - 1e-9 <= value <= upper + 1e-9, name
        if scored["n_failed"] == 0:
            assert lower == pytest.approx(upper, abs=1e-9), name


def test_both_profiles_at_once_are_the_profiles_one_by_one() -> None:
    conversation, run = read(CASES[0])
    together = score(conversation, run)
    assert together.pop("strict") == score_strict(conversation, run)
    assert together == score_reference(conversation, run)
