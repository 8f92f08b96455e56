"""How single values of a data set are read: yes/no, intensities, PANAS numbers, labels, older spellings.

Every reader takes the raw JSON value and returns the value we work with, or raises `ValueError` with the rule that
was broken, as a predicate ("must be …"). The same readers serve people's answers and models' replies.
"""

import math
import re
import sys
from collections.abc import Mapping
from typing import Any, Final, Literal

from attunebench.instrument import BRANCHES, EMOTION_WORDS, canonical_emotion

PANAS_ITEMS_KEY: Final = "(items)"
"""Where `read_panas` puts the gathered items; not a name that a file would use for something else."""

PANAS_NESTS: Final = ("items", "responses")
"""The keys under which PANAS items and totals may be nested; the later one wins, and flat keys win over both."""

PANAS_NAMES: Final[Mapping[str, str]] = {
    name.lower(): name for name in (*EMOTION_WORDS, "totalPositiveAffect", "totalNegativeAffect")
}
"""Lower-cased name of every PANAS item and total to the name it has in files."""

_PANAS_SPELLINGS = frozenset(PANAS_NAMES.values())
_TOTALS = _PANAS_SPELLINGS - frozenset(EMOTION_WORDS)
_YES_NO: Mapping[str, Literal["yes", "no", "na"]] = {
    **dict.fromkeys(("true", "yes", "y", "1"), "yes"),
    **dict.fromkeys(("false", "no", "n", "0"), "no"),
    **dict.fromkeys(("na", "n/a", "not_applicable"), "na"),
}
_WINNERS: Mapping[str, Literal["A", "B"]] = {"a": "A", "b": "B", "response_1": "A", "response_2": "B"}
_INTENSITY_WORDS = {"mild": 2, "moderate": 4, "intense": 6}
_LABELS = {
    "original": "original",
    "alternate": "alternate",
    "alternate1": "alternate",
    "human": "human",
    "alternate2": "human",
}
_GREATEST = sys.float_info.max
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


def read_yes_no(raw: Any) -> Literal["yes", "no", "na"] | None:
    """Read a yes/no/na answer; a text that is none of them, and null, is no answer."""
    if isinstance(raw, list | dict):
        raise ValueError("must be yes, no or na")
    return _YES_NO.get(str(raw).strip().lower())


def read_number(raw: Any) -> float:
    """Read a finite number, or a string of digits that is one; beyond a float's range it is the greatest float."""
    if isinstance(raw, str) and _NUMBER.fullmatch(raw.strip()):
        return clamp(float(raw), -_GREATEST, _GREATEST)
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not abs(raw) < math.inf:
        raise ValueError("must be a number")
    return float(clamp(raw, -_GREATEST, _GREATEST))


def clamp(value: float, low: float, high: float) -> float:
    """Return `value`, or the end of [low, high] it lies beyond."""
    return min(max(value, low), high)


def read_intensity(raw: Any) -> int | None:
    """Read an intensity of 1 to 7; null, "" and "None" are none, mild 2, moderate 4, intense 6."""
    if raw is None:
        return None
    if isinstance(raw, str):
        text = raw.strip().lower()
        if text in {"", "none"}:
            return None
        if text in _INTENSITY_WORDS:
            return _INTENSITY_WORDS[text]
    try:
        return round(clamp(read_number(raw), 1, 7))
    except ValueError:
        raise ValueError("must be 1 to 7, mild, moderate, intense or empty") from None


def read_emotion(raw: Any) -> str:
    """Read one of the 20 emotion words, in any letter case, and return its canonical spelling."""
    word = canonical_emotion(raw) if isinstance(raw, str) else None
    if word is None:
        raise ValueError("must be one of the 20 emotion words")
    return word


def read_winner(raw: Any) -> Literal["A", "B"] | None:
    """Read the winner of a comparison; any text that names neither side is no winner."""
    if raw is None:
        return None
    if not isinstance(raw, str):
        raise ValueError("must be A, B or null")
    return _WINNERS.get(raw.strip().lower())


def read_label(raw: str | None) -> str | None:
    """Return the canonical label of a reply (original, alternate, human); other texts stay as they are."""
    return None if raw is None else _LABELS.get(raw.strip().lower(), raw)


def read_question_id(raw: Any) -> Any:
    """Read a question id; null is none, which is the empty text."""
    return "" if raw is None else raw


def read_age(raw: Any) -> Any:
    """Read an age given as a number as text ("34"); ranges are texts already."""
    if isinstance(raw, float) and raw.is_integer():
        return str(int(raw))
    return str(raw) if isinstance(raw, int | float) and not isinstance(raw, bool) else raw


def read_panas_item(raw: Any) -> int:
    """Read a PANAS item: rounded and clamped to 1-7."""
    return round(clamp(read_number(raw), 1, 7))


def read_panas_total(raw: Any) -> int | None:
    """Read a PANAS total: rounded and clamped to 10-70; null and "" are no total."""
    return None if raw in (None, "") else round(clamp(read_number(raw), 10, 70))


def read_branch_score(raw: Any) -> float:
    """Read one branch score: clamped to 1-7."""
    return clamp(read_number(raw), 1, 7)


def gather_branch_scores(raw: Any) -> Any:
    """Return the raw scores of the four branches, named in any letter case; null and "" are left out."""
    if not isinstance(raw, dict):
        return raw
    lowered = {_fold(key): value for key, value in raw.items() if value is not None}
    return {branch: lowered[branch] for branch in BRANCHES if lowered.get(branch, "") != ""}


def other_branch_scores(raw: Any) -> dict[str, Any]:
    """Return what `gather_branch_scores` leaves behind: the keys that name no branch."""
    return {key: value for key, value in raw.items() if _fold(key) not in BRANCHES} if isinstance(raw, dict) else {}


def read_branch_scores(raw: Any) -> Any:
    """Read the four branch scores, each clamped to 1-7; null and unknown branches are left out."""
    scores = gather_branch_scores(raw)
    return {b: read_branch_score(v) for b, v in scores.items()} if isinstance(scores, dict) else scores


def read_panas(raw: Any) -> Any:
    """Gather a PANAS report's items and totals, flat or one level down, any letter case; flat keys win.

    Null falls through to a nested spelling, an empty text does not: it is an item asked and not rated. Unknown
    keys stay where they were.
    """
    if not isinstance(raw, dict):
        return raw
    if raw.keys() <= _PANAS_SPELLINGS and None not in raw.values():  # nearly always
        report = {name: raw[name] for name in raw if name in _TOTALS}
        items = {name: value for name, value in raw.items() if name not in _TOTALS and value != ""}
        return report | {PANAS_ITEMS_KEY: items}
    return _gather_panas(raw)


def _gather_panas(raw: dict[str, Any]) -> dict[str, Any]:
    report: dict[str, Any] = {}
    values: dict[str, Any] = {}
    items: Any = None
    for nest in PANAS_NESTS:
        nested = raw.get(nest)
        if isinstance(nested, dict):
            if rest := _take_panas(nested, values):
                report[nest] = rest
        elif nested is not None:
            items = nested
    report |= _take_panas({key: value for key, value in raw.items() if key not in PANAS_NESTS}, values)
    report |= {name: value for name, value in values.items() if name in _TOTALS}
    if items is None:
        items = {name: value for name, value in values.items() if name not in _TOTALS and value != ""}
    return report | {PANAS_ITEMS_KEY: items}


def _take_panas(source: Mapping[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """Move the items and totals of `source` that are not null into `values`; return the other keys."""
    rest = {}
    for key, value in source.items():
        name = PANAS_NAMES.get(_fold(key))
        if name is None:
            rest[key] = value
        elif value is not None:
            values[name] = value
    return rest


def _fold(key: Any) -> str:
    return str(key).strip().lower()


def resolve_older_spellings(raw: Any, older: Mapping[str, tuple[str, ...]]) -> Any:
    """Move the first non-null value among a field's spellings to its present name.

    A null falls through to the next older spelling; an empty string does not.
    """
    if not isinstance(raw, dict):
        return raw
    resolved = raw
    for name, spellings in older.items():
        if raw.get(name) is not None:
            continue
        for spelling in spellings:
            if spelling not in raw:
                continue
            if resolved is raw:
                resolved = dict(raw)
            if (value := resolved.pop(spelling)) is not None:
                resolved[name] = value
                break
    return resolved
