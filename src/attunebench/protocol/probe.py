"""What each template is given, and whether it uses what its call cannot do without.

A template uses a variable if its text depends on it: with another value, it must come out different.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from attunebench.instrument import BRANCHES, EMOTION_WORDS, OUTCOME_IDS
from attunebench.protocol.answers import RATINGS

_TURN: Final = {"turn": 1, "message": "a message", "verbose": True}
_JUDGED: Final = {
    **_TURN,
    "reply": "a reply",
    "emotion_words": list(EMOTION_WORDS),
    "yes_no": [{"id": "B1", "text": "Is it so?"}, {"id": "B2", "text": "Is it not?"}],
    "not_applicable": ["B3"],
}
_TOTALS: Final = {"positive": 30, "negative": 20}

FULL: Final[Mapping[str, Mapping[str, Any]]] = {
    "system": {},
    "draft": {**_TURN, "background": "a background"},
    "review": _JUDGED,
    "perspective": _JUDGED,
    "pairwise": {
        **_TURN,
        "replies": {"reply1": "one reply", "reply2": "another"},
        "comparisons": [{"index": "0", "text": "Which one?", "a": "reply1", "b": "reply2"}],
    },
    "outcome": {
        "panas": "absolute",
        "emotion_words": list(EMOTION_WORDS),
        "totals_before": _TOTALS,
        "options": {name: [f"a {name}", f"another {name}"] for name in ("looking_for", "clarity", "fit")},
        "wording": {name: f"{name}?" for name in OUTCOME_IDS},
        "branches": [{"id": name, "text": f"{name}?"} for name in BRANCHES],
    },
    "background": {"answers": [("age", "34")], "totals_before": _TOTALS},
    "judge_system": {},
    "judge": {
        "code": "0123",
        "message": "a message",
        "draft": "a draft",
        "reference": "a reference",
        "ratings": list(RATINGS),
        "yes_no": _JUDGED["yes_no"],
    },
}
"""Values for every variable of every template: those that rendering gives."""

_NONE: Final[Mapping[str, Any]] = {
    "message": "",
    "background": None,
    "yes_no": [],
    "not_applicable": [],
    "replies": {},
    "answers": [],
    "reference": None,
    "ratings": [],
}
_NO_TOTALS: Final[Mapping[str, Any]] = {"outcome": None, "background": {"positive": None, "negative": None}}

_NEEDED: Final[Mapping[str, Sequence[str]]] = {
    "system": (),
    "draft": ("message", "verbose", "background"),
    "review": ("message", "reply", "verbose", "emotion_words", "yes_no.id", "yes_no.text", "not_applicable"),
    "perspective": ("yes_no.id", "yes_no.text", "not_applicable"),
    "pairwise": ("message", "replies", *(f"comparisons.{part}" for part in ("index", "text", "a", "b"))),
    "outcome": (
        "panas",
        "emotion_words",
        *(f"totals_before.{side}" for side in _TOTALS),
        *(f"options.{name}" for name in ("looking_for", "clarity", "fit")),
        *(f"wording.{name}" for name in OUTCOME_IDS),
        "branches.id",
        "branches.text",
    ),
    "background": ("answers", *(f"totals_before.{side}" for side in _TOTALS)),
    "judge_system": (),
    "judge": ("message", "draft", "reference", "ratings", "yes_no.id", "yes_no.text"),
}

_OTHER_STRATEGY: Final = {"absolute": "delta"}

Render = Callable[[Mapping[str, Any]], str]


def unused_variables(name: str, render: Render) -> list[str]:
    """Return the needed variables that a template's text does not depend on; `x.y` is the part y of each x.

    Whatever `render` raises goes through: for a template that cannot be rendered, with everything or with nothing.
    """
    full = FULL[name]
    render({variable: _nothing(name, variable, value) for variable, value in full.items()})
    text = render(full)
    return [path for path in _NEEDED[name] if any(render(other) == text for other in _others(full, path.split(".")))]


def _nothing(name: str, variable: str, value: Any) -> Any:
    return _NO_TOTALS[name] if variable == "totals_before" else _NONE.get(variable, value)


def _others(value: Any, path: Sequence[str]) -> Iterator[Any]:
    """Yield `value` with what lies at the path changed, in each of the ways in which it can be."""
    if not path:
        yield from _changed(value)
    elif isinstance(value, list):
        yield from (list(changed) for changed in zip(*(_others(entry, path) for entry in value), strict=True))
    else:
        first, *rest = path
        yield from ({**value, first: changed} for changed in _others(value[first], rest))


def _changed(value: Any) -> Iterator[Any]:
    match value:
        case bool():
            yield not value
        case int():
            yield value + 1
        case str():
            yield _OTHER_STRATEGY.get(value, f"{value}, changed")
        case tuple():  # a name and what bears it
            name, named = value
            yield from ((name, other) for other in _changed(named))
            yield from ((other, named) for other in _changed(name))
        case list():
            yield from (list(changed) for changed in zip(*map(_changed, value), strict=True))
        case dict():
            yield from (dict(changed) for changed in _changed(list(value.items())))
