"""From one raw JSON document to a conversation, or to everything that is wrong with it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails, PydanticSerializationError, to_json

from attunebench.dataset.checks import find_warnings
from attunebench.dataset.json_text import MAX_DEPTH, may_be_extreme
from attunebench.dataset.problems import Kind, NoValue, PathStep, Problem, spell_path
from attunebench.dataset.schema import Conversation
from attunebench.dataset.spelling import find_in_file

_SURROGATE = re.compile("[\ud800-\udfff]")

_RULES: Mapping[str, tuple[Kind, str]] = {
    "missing": ("missing field", "is required"),
    "string_type": ("wrong type", "must be a text"),
    "string_too_short": ("bad value", "must not be empty"),
    "int_type": ("wrong type", "must be a whole number"),
    "list_type": ("wrong type", "must be a list"),
    "dict_type": ("wrong type", "must be an object"),
    "model_type": ("wrong type", "must be an object"),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What one document gave: a conversation, if it has no error, and its errors and warnings in reading order.

    A file that could not be read (on) is a reading without a conversation, at position 0.
    """

    file: str
    position: int
    conversation: Conversation | None
    problems: tuple[Problem, ...] = ()


def read_conversation(raw: Any, *, file: str = "", position: int = 1) -> Reading:
    """Read one conversation from JSON values; `file` and `position` (from 1) only serve messages.

    Never raises: what is wrong is in the reading. Two conversations with the same id are not its business.
    """
    if canonical := read_canonical(raw):
        return Reading(file, position, canonical, tuple(find_warnings(raw, canonical, file)))
    name = conversation_name(raw, position)

    def problem(path: str, kind: Kind, rule: str, value: Any) -> Problem:
        return Problem(severity="error", file=file, conversation=name, path=path, rule=rule, value=value, kind=kind)

    unsound = [] if _is_sound(raw) else [problem(spell_path(path), *rest) for path, *rest in _unsound(raw)]
    if any(p.kind == "nested too deeply" for p in unsound):
        return Reading(file, position, None, tuple(unsound))
    broken = {p.path for p in unsound}
    try:
        conversation = Conversation.model_validate(_mended(raw) if unsound else raw, by_alias=True, by_name=False)
    except ValidationError as failed:
        errors = [e for e in failed.errors(include_url=False) if e["type"] != "same_turn_number"]
        rules = [problem(*_explain(error, raw)) for error in errors]
        repeats = [problem(*repeat) for repeat in _repeated_turns(raw)]
        return Reading(file, position, None, (*unsound, *(p for p in rules if p.path not in broken), *repeats))
    if unsound:
        return Reading(file, position, None, tuple(unsound))
    return Reading(file, position, conversation, tuple(find_warnings(raw, conversation, file)))


def read_canonical(raw: Any) -> Conversation | None:
    """Read a conversation that is spelled as we write them, fast and without looking for warnings.

    None for every other, be it wrong or just spelled otherwise; `read_conversation` says which.
    """
    try:
        conversation = Conversation.model_validate(raw, strict=True, by_alias=True, by_name=False)
    except ValidationError:
        return None
    return conversation if _is_sound(raw) else None


def read_canonical_text(data: bytes) -> Conversation | None:
    """Read what `read_canonical` reads straight from JSON, faster still; none for every other text too."""
    if may_be_extreme(data):
        return None
    try:  # this decoder takes no lone surrogates, and less nesting than `MAX_DEPTH`
        return Conversation.model_validate_json(data, strict=True, by_alias=True, by_name=False)
    except ValidationError:
        return None


def conversation_name(raw: Any, position: int) -> str:
    """Return the id of a raw conversation, or its position where it has none."""
    given = raw.get("conversationId") if isinstance(raw, dict) else None
    return given if isinstance(given, str) and given else f"#{position}"


def _explain(error: ErrorDetails, raw: Any) -> tuple[str, Kind, str, Any]:
    """Return where, in the file's own spelling, and in plain words what pydantic found."""
    kind, rule = _RULES.get(error["type"], ("bad value", error["msg"]))
    if error["type"] == "value_error":
        rule = str(error["ctx"]["error"])
    if error["type"] == "missing":  # the name to write is the present one
        parent, _ = find_in_file(raw, error["loc"][:-1])
        return spell_path((*parent, error["loc"][-1])), kind, rule, NoValue.ABSENT
    path, value = find_in_file(raw, error["loc"])
    return spell_path(path), kind, rule, value


def _repeated_turns(raw: Any) -> Iterator[tuple[str, Kind, str, Any]]:
    turns = raw.get("turns") if isinstance(raw, dict) else None
    first: dict[int, int] = {}
    for place, turn in enumerate(turns if isinstance(turns, list) else []):
        number = turn.get("turnNumber") if isinstance(turn, dict) else None
        if type(number) is not int:
            continue
        if number in first:
            rule = f"must differ from that of turns[{first[number]}]"
            yield f"turns[{place}].turnNumber", "same turnNumber", rule, number
        first.setdefault(number, place)


def _is_sound(raw: Any) -> bool:
    """Whether `_unsound` would find nothing: pydantic's writer refuses just that, and is much faster."""
    try:
        to_json(raw)
    except PydanticSerializationError:
        return False
    return True


def _unsound(raw: Any) -> Iterator[tuple[tuple[PathStep, ...], Kind, str, Any]]:
    """Find lone surrogates, in values and keys, known or unknown, and nesting without end."""
    waiting: list[tuple[tuple[PathStep, ...], Any]] = [((), raw)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            if not value.isascii() and _SURROGATE.search(value):
                yield path, "lone surrogate", "must be Unicode text without lone surrogates", value
        elif isinstance(value, dict | list):
            if len(path) >= MAX_DEPTH:
                yield (
                    path[:3],
                    "nested too deeply",
                    f"must not be nested more than {MAX_DEPTH} levels deep",
                    NoValue.UNSAID,
                )
                return
            for key in value if isinstance(value, dict) else ():
                if not key.isascii() and _SURROGATE.search(key):
                    rule = "must have a key without lone surrogates"
                    yield (*path, key), "lone surrogate", rule, key
            inner = value.items() if isinstance(value, dict) else enumerate(value)
            waiting.extend(reversed([((*path, step), child) for step, child in inner]))


def _mended(raw: Any) -> Any:
    """Return a copy without lone surrogates, so that all other errors can be found too."""
    if isinstance(raw, str):
        return _SURROGATE.sub("\ufffd", raw)
    if isinstance(raw, dict):
        return {_mended(key): _mended(value) for key, value in raw.items()}
    return [_mended(value) for value in raw] if isinstance(raw, list) else raw
