"""The numbers on docs/scoring.md are those of the program, on the conversation and the record beside the page."""

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from attunebench.dataset.load import load_dataset
from attunebench.score import score
from attunebench.score.run_files import load_records
from attunebench.score.table import Scores, score_records

PAGE = Path(__file__).parents[2] / "docs" / "scoring.md"
DATA = PAGE.parent / "scoring" / "conversation.json"
RECORD = PAGE.parent / "scoring" / "record.json"

METRICS = ("metric", "range", "better", "what it says")
COMPARED = ("metric", "reference", "how", "strict", "how")
BOUNDED = ("strict metric", "value", "n", "n_failed", "lower", "upper")
FLOORS = ("profile", "metric", "null", "random", "majority", "oracle", "record", "skill")
DIFFERENCES = ("#", "case", "reference", "strict", "why")

UNDEFINED = "–"
NUMBER = re.compile(r"-?\d+\.\d{4}")
POOLED = re.compile(r"(pooled_binary_(?:om|human))_(accuracy|precision|recall|f1|mcc)(_hp)?")
FROM_OTHERS = "All that is made of these"
"""Begins the item that lists the scores computed from other scores."""


class Row(NamedTuple):
    heading: str
    cells: tuple[str, ...]

    @property
    def name(self) -> str:
        return next(cell.strip("`") for cell in self.cells if cell.startswith("`"))


def lines() -> list[str]:
    return PAGE.read_text(encoding="utf-8").splitlines()


def rows(header: tuple[str, ...]) -> Iterator[Row]:
    """Yield the rows of all tables with these column headings, each with the heading it stands under."""
    heading, columns = "", None
    for line in lines():
        if line.startswith("#"):
            heading = line.lstrip("# ")
        if not line.startswith("|"):
            columns = None
            continue
        cells = tuple(cell.strip() for cell in line.strip("|").split("|"))
        if columns is None:
            columns = cells
        elif columns == header and not cells[0].startswith("--"):
            yield Row(heading, cells)


@cache
def scored() -> Scores:
    """Score what the page's command scores."""
    dataset = load_dataset(DATA)
    return score_records(dataset, load_records([RECORD], dataset))


@cache
def scored_turn(number: int) -> Mapping[str, Any]:
    """Score one turn as if the conversation had no other: strict scores are not given turn by turn."""
    dataset = load_dataset(DATA)
    (conversation,), (record,) = dataset.conversations, load_records([RECORD], dataset)
    return score(
        conversation.model_copy(update={"turns": [t for t in conversation.turns if t.turn_number == number]}),
        record.model_copy(update={"turns": [t for t in record.turns if t.turn_number == number]}),
    )


def flat_reference(scores: Mapping[str, Any]) -> dict[str, Any]:
    return {**scores, **scores.get("post_score", {})}


def reference_value(scores: Mapping[str, Any], name: str) -> float | None:
    if pooled := POOLED.fullmatch(name):
        plain, rate, ending = pooled.groups(default="")
        return scores[f"{plain}_metrics{ending}"][rate]
    return flat_reference(scores)[name]


def values(row: Row) -> tuple[float | None, float | None]:
    """Return the reference and the strict value of a row's metric."""
    if turn := re.fullmatch(r"Turn (\d)", row.heading):
        one = scored_turn(int(turn[1]))
        return one["turn_scores"][0][row.name], one["strict"][f"avg_{row.name}"]["value"]
    (whole,) = scored().conversations
    return reference_value(whole, row.name), whole["strict"][row.name]["value"]


def bounded_values(row: Row) -> list[Any]:
    level = scored().aggregates if row.heading == "Aggregates" else scored().conversations
    value = level[0]["strict"][row.name]
    return [value[column] for column in BOUNDED[1:]]


def floor_values(row: Row) -> list[float | None]:
    """Return null, random, majority, oracle, record and skill of a row's metric."""
    floors = {floor["floor"]: floor for floor in scored().floors}
    levels = [*(floors[name] for name in FLOORS[2:6]), scored().aggregates[0]]
    if row.cells[0] == "strict":
        found = [level["strict"][row.name]["value"] for level in levels]
    else:
        found = [reference_value(level, row.name) for level in levels]
    *lowest, ceiling, value = found
    best = min if row.name.endswith("_mae") else max
    floor = best(one for one in lowest if one is not None)
    skill = None if value is None or ceiling == floor else 100 * (value - floor) / (ceiling - floor)
    return [*found, skill]


def check(cell: str, value: float | None) -> None:
    if value is None:
        assert cell == UNDEFINED
    elif cell.lstrip("-").isdigit():
        assert int(cell) == value
    else:
        assert NUMBER.fullmatch(cell), f"{cell}: must have 4 decimals"
        assert float(cell) == pytest.approx(value, abs=5.0001e-5)


def check_arithmetic(cell: str, value: float | None) -> None:
    """Check that a sum written out gives the value; an undefined value has a reason in words."""
    if value is None:
        assert cell
        assert not any(character.isdigit() for character in cell)
        return
    assert re.fullmatch(r"(?:sqrt|[-+*/().\d ])+", cell), f"{cell}: must be a sum"
    assert eval(cell, {"__builtins__": {}, "sqrt": sqrt}) == pytest.approx(value, rel=1e-4, abs=1e-4)


def label(row: Row) -> str:
    return f"{row.heading}-{'-'.join(row.cells[:2])}"


@pytest.mark.parametrize("row", list(rows(COMPARED)), ids=label)
def test_compared_values_and_their_arithmetic(row: Row) -> None:
    _, reference_cell, reference_how, strict_cell, strict_how = row.cells
    reference, strict = values(row)
    check(reference_cell, reference)
    check(strict_cell, strict)
    check_arithmetic(reference_how, reference)
    check_arithmetic(strict_how, strict)


@pytest.mark.parametrize("row", list(rows(BOUNDED)), ids=label)
def test_counts_and_bounds(row: Row) -> None:
    for cell, value in zip(row.cells[1:], bounded_values(row), strict=True):
        check(cell, value)


@pytest.mark.parametrize("row", list(rows(FLOORS)), ids=label)
def test_floors_ceiling_and_skill(row: Row) -> None:
    for cell, value in zip(row.cells[2:], floor_values(row), strict=True):
        check(cell, value)


def test_every_part_of_the_worked_conversation_has_rows() -> None:
    parts = {"Turn 1", "Turn 2", "Turn 3", "Means over the turns", "After the conversation", "Pillars and composite"}
    assert {row.heading for row in rows(COMPARED)} == parts
    assert {row.heading for row in rows(BOUNDED)} == {"What was lost", "Aggregates"}
    assert {row.cells[0] for row in rows(FLOORS)} == {"reference", "strict"}


def test_no_table_with_numbers_goes_unchecked() -> None:
    with_numbers = [line for line in lines() if line.startswith("|") and NUMBER.search(line)]
    checked = [row for header in (COMPARED, BOUNDED, FLOORS) for row in rows(header)]
    assert len(with_numbers) > 80
    assert len([row for row in checked if any(NUMBER.fullmatch(cell) for cell in row.cells)]) == len(with_numbers)


def test_both_profiles_give_every_turn_all_its_metrics() -> None:
    for number in (1, 2, 3):
        turn = scored_turn(number)["turn_scores"][0]
        expected = {name for name in turn if f"avg_{name}" in scored_turn(number)["strict"]}
        assert {row.name for row in rows(COMPARED) if row.heading == f"Turn {number}"} == expected


def known_names() -> set[str]:
    (whole,) = scored().conversations
    turns = {name for turn in whole["turn_scores"] for name in turn}
    return (
        turns | flat_reference(whole).keys() | scored().aggregates[0]["strict"].keys() | scored().aggregates[0].keys()
    )


def differing_names() -> dict[str, set[str]]:
    """Return what the list below the table of differences names, by the number or words that begin an item."""
    section = PAGE.read_text(encoding="utf-8").split("## Where the profiles differ")[1].split("\n## ")[0]
    named: dict[str, set[str]] = {}
    for item in section.split("\n- ")[1:]:
        number, text = item.split("\n\n")[0].split(": ", 1)
        named[number] = set(re.findall(r"`([^`]+)`", text))
    return named


def test_every_difference_names_metrics_that_exist() -> None:
    named = differing_names()
    numbers = [row.cells[0] for row in rows(DIFFERENCES)]
    assert numbers == [str(n + 1) for n in range(len(numbers))]
    assert numbers
    assert set(named) == {*numbers, FROM_OTHERS}
    for number, names in named.items():
        assert names, number
        for name in names:
            assert any(fnmatchcase(known, name) for known in known_names()), f"{number}: {name}"


def test_every_metric_that_differs_here_stands_in_the_list_of_differences() -> None:
    (whole,) = scored().conversations
    named = set().union(*differing_names().values())
    differing = []
    for name, strict in whole["strict"].items():
        if name in flat_reference(whole) or POOLED.fullmatch(name):
            reference = reference_value(whole, name)
            if reference != (None if strict["value"] is None else pytest.approx(strict["value"])):
                differing.append(name)
    assert len(differing) > 20
    patterns = {name for name in named if name.startswith("pooled_") or "*" not in name}
    assert [name for name in differing if not any(fnmatchcase(name, pattern) for pattern in patterns)] == []


def test_every_metric_described_exists() -> None:
    described = [name for row in rows(METRICS) for name in re.findall(r"`([^`]+)`", row.cells[0])]
    assert len(described) > 40
    assert [name for name in described if name not in known_names()] == []


def test_lines_are_no_longer_than_120_characters() -> None:
    assert [line for line in lines() if len(line) > 120] == []
