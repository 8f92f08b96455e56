"""What can be wrong with a data set: one problem is one line."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal, TypeAlias

Severity: TypeAlias = Literal["error", "warning"]

Kind: TypeAlias = Literal[
    # errors
    "unreadable file",
    "not JSON",
    "not UTF-8",
    "no conversations",
    "missing field",
    "wrong type",
    "bad value",
    "lone surrogate",
    "nested too deeply",
    "same conversationId",
    "same turnNumber",
    # warnings
    "turns out of order",
    "no winner",
    "label names no reply",
    "absent reply",
    "unknown question",
    "totals disagree",
    "turn count disagrees",
    "empty message",
    "clamped",
]

PathStep: TypeAlias = str | int

VALUE_LENGTH = 80
"""Values are shortened to this many characters."""

_PLAIN_KEY = re.compile(r"[^\W\d]\w*")
# what a terminal or a line-based tool would take for a line's end, a control, or a change of direction
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class NoValue(Enum):
    """Why a problem shows no value."""

    ABSENT = "the field is not there: `got nothing`"
    UNSAID = "there is nothing to show: the line ends after the rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One error or warning: which file, which conversation, where in it, the rule that was broken, the value found.

    `conversation` is the conversation's id, `#n` for the n-th document of a file if it has none, or None for a
    problem of the whole file; `path` is spelled as in the file, or says `line 2 column 12`. `str()` is one line.
    """

    severity: Severity
    file: str
    conversation: str | None
    path: str
    rule: str
    value: Any
    kind: Kind

    def __str__(self) -> str:
        """Return `FILE: conversation ID: PATH: what is wrong, got VALUE`, without the parts that are empty."""
        place = (self.file, self.conversation and f"conversation {self.conversation}", self.path)
        shown = "" if self.value is NoValue.UNSAID else f", got {shorten(self.value)}"
        return one_line(": ".join([*(part for part in place if part), self.rule])) + shown


def one_line(text: str) -> str:
    """Escape what could break a line or a terminal: controls, line separators, direction marks, surrogates."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shorten(value: Any) -> str:
    """Return a value as compact JSON on one line, cut to about `VALUE_LENGTH` characters."""
    if value is NoValue.ABSENT:
        return "nothing"
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=repr)
    except RecursionError:
        return "a value too deeply nested to show"
    return one_line(text if len(text) <= VALUE_LENGTH else text[: VALUE_LENGTH - 1] + "…")


def spell_path(steps: Sequence[PathStep]) -> str:
    """Return a JSON path such as `turns[2].annotations`; keys that are no plain names are quoted: `a["b c"]`."""
    path = ""
    for step in steps:
        if isinstance(step, str) and _PLAIN_KEY.fullmatch(step):
            path += f".{step}" if path else step
        else:
            path += f"[{json.dumps(step, ensure_ascii=False)}]"
    return one_line(path) or "$"
