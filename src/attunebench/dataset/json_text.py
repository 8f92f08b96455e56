"""JSON by the standard: no NaN, no infinities, and every error with its place."""

import json
import math
import re
from typing import Any, NoReturn

MAX_DEPTH = 254
"""Deeper nesting is refused: pydantic cannot write it, and what walks a document must not run out of stack."""

_LONGEST_INTEGER = 4300  # Python's own limit for reading digits
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"?|-?Infinity|NaN|-?\d[\d.eE+-]*|[\[\]{}]')

_DIGITS_AS_0 = bytes.maketrans(b"123456789E", b"000000000e")
_MANY_DIGITS = b"0" * 200
_GREAT_EXPONENT = b"e000"


class NotJsonError(ValueError):
    """A text that is not JSON: what is wrong, at which line and column (from 1), and what stands there."""

    def __init__(self, text: str, offset: int, reason: str) -> None:
        self.line = text.count("\n", 0, offset) + 1
        self.column = offset - text.rfind("\n", 0, offset)
        self.reason = reason
        self.found = text[offset : offset + 20]
        super().__init__(reason)


def parse_json(text: str) -> Any:
    """Return the value that `text` holds.

    Raises:
        NotJsonError: not JSON, or JSON that holds a number too great for a double, an integer of more than 4,300
            digits, or more nesting than Python's decoder bears.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise NotJsonError(text, error.pos, error.msg) from None
    except (ValueError, RecursionError):
        raise _locate(text) from None


def may_be_extreme(data: bytes) -> bool:
    """Whether a JSON text may hold NaN, an infinity, or a number too great for a double.

    For decoders that take these for numbers. True now and then where a text only speaks of such a number.
    """
    if b"NaN" in data or b"Infinity" in data:
        return True
    digits = data.translate(_DIGITS_AS_0, b"+")
    if _MANY_DIGITS in digits:
        return True
    at = digits.find(_GREAT_EXPONENT)
    while at >= 0:
        before = digits[:at].rstrip(b"0.-")  # of a number, not of letters and digits mixed
        if len(before) < at and before[-1:] in b":,[ \t\r\n":
            return True
        at = digits.find(_GREAT_EXPONENT, at + 1)
    return False


def _locate(text: str) -> NotJsonError:
    """Find what made the decoder give up without saying where."""
    depth = 0
    for token in _TOKEN.finditer(text):
        start = token[0][0]
        if start == '"':
            continue
        if start in "[{":
            depth += 1
        elif start in "]}":
            depth -= 1
        elif token[0].lstrip("-") in ("NaN", "Infinity"):
            return NotJsonError(text, token.start(), f"{token[0]} is not a JSON number")
        elif len(token[0]) > _LONGEST_INTEGER or math.isinf(float(token[0])):
            return NotJsonError(text, token.start(), "Number too great")
        if depth > MAX_DEPTH:
            return NotJsonError(text, token.start(), f"Nested more than {MAX_DEPTH} levels deep")
    return NotJsonError(text, 0, "Cannot be read")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _read_float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(digits)
    return number


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_read_float)
