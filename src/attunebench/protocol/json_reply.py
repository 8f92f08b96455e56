"""Finding the JSON object in a model's reply."""

import json
import re
import sys
from typing import Any, Final

import json_repair

from attunebench.dataset.values import clamp

_TAG_OR_BRACE = re.compile(r"<think>|</think>|\{", re.IGNORECASE)
_CLOSING_TAG = re.compile(r"</think>", re.IGNORECASE)
_FENCE = re.compile(r"```[a-zA-Z0-9_-]*[^\S\n]*\n(.*?)```", re.DOTALL)
_OPENING_FENCE = re.compile(r"```[a-zA-Z0-9_-]*\s*(?=[\[{])")
_NOTHING: Final = object()
_MOST_BRACES: Final = 1000
"""Text with more opening braces is not mended: no answer has so many, and the time grows with their square."""


def _real(digits: str) -> float:
    # A number beyond a float's range is still a number: it is clamped later, like any other that is out of range.
    return clamp(float(digits), -sys.float_info.max, sys.float_info.max)


def _integer(digits: str) -> float:
    return int(digits) if len(digits) < 300 else _real(digits)


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_real)


def strip_reasoning(text: str) -> str:
    """Drop `<think>` blocks, also one whose opening tag is missing or whose closing tag never came.

    A tag inside a JSON object is part of somebody's text and stays.
    """
    if "think>" not in text.lower():
        return text.strip()
    kept: list[str] = []
    start = place = 0
    while found := _TAG_OR_BRACE.search(text, place):
        place = found.end()
        if found.group() == "{":
            place = max(place, _object_end(text, found.start()))
        elif found.group().lower() == "</think>":
            kept, start = [], place
        else:
            kept.append(text[start : found.start()])
            closing = _CLOSING_TAG.search(text, place)
            start = place = closing.end() if closing else len(text)
    return "".join([*kept, text[start:]]).strip()


def _object_end(text: str, start: int) -> int:
    try:
        return _DECODER.raw_decode(text, start)[1]
    except ValueError:
        return start
    except RecursionError:
        return len(text)


def find_object(text: str) -> tuple[Any, bool] | None:
    """Return the JSON value of a reply and whether it had to be repaired; none if there is none.

    Tried in this order: the whole text, fenced blocks, the outermost braces, a repair. A list whose first element is
    an object counts as that object. Any other value is returned only if it is all there is.
    """
    whole = _load(text)
    if whole is not _NOTHING:
        return _first_object(whole), False
    others = []
    for candidate in (*_FENCE.findall(text), _outermost_braces(text)):
        value = _first_object(_load(candidate))
        if isinstance(value, dict):
            return value, False
        if value is not _NOTHING:
            others.append(value)
    mended = _repair(text)
    if mended is not None:
        return mended, True
    return (others[0], False) if others else None


def _first_object(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else value


def _load(text: str) -> Any:
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        return _NOTHING


def _outermost_braces(text: str) -> str:
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else ""


def _repair(text: str) -> dict[str, Any] | None:
    """Mend the object that starts at the first opened fence, else at the first brace; of several the first counts."""
    fence = _OPENING_FENCE.search(text)
    start = text.find("{", fence.end() if fence else 0)
    if start < 0:
        return None
    try:
        value = _DECODER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        value = _mend(text[start:])
    value = _first_object(value)
    return value if isinstance(value, dict) and value else None


def _mend(text: str) -> Any:
    if text.count("{") > _MOST_BRACES:
        return None
    try:
        return json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None


def without_lone_surrogates(text: str) -> str:
    """Return the text with surrogate pairs joined and lone surrogates replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
