"""From a field's present name back to the spelling that its file uses."""

from collections.abc import Mapping, Sequence
from typing import Any

from attunebench.dataset.problems import PathStep
from attunebench.dataset.schema import Alternates, Comparison, ConversationQuestions, Judgement
from attunebench.dataset.values import PANAS_ITEMS_KEY, PANAS_NAMES, PANAS_NESTS
from attunebench.instrument import BRANCHES

_OLDER: Mapping[str, tuple[str, ...]] = {
    name: spellings
    for part in (Judgement, Alternates, Comparison, ConversationQuestions)
    for name, spellings in part.older_spellings.items()
}
_IN_ANY_CASE = frozenset(PANAS_NAMES.values()) | frozenset(BRANCHES)
_IN_NESTS = frozenset(PANAS_NAMES.values())


def find_in_file(raw: Any, steps: Sequence[PathStep]) -> tuple[tuple[PathStep, ...], Any]:
    """Follow a path of present names through a raw document; return the path as spelled there, and its value.

    Where the file has several spellings of a field, the one that is read is followed. A step that leads nowhere
    keeps its name, and the value is None.
    """
    node, path = raw, list[PathStep]()
    for place, step in enumerate(steps):
        if step == PANAS_ITEMS_KEY and place + 1 < len(steps):
            continue
        for spelled in _spellings(node, step):
            path.append(spelled)
            node = _child(node, spelled)
    return tuple(path), node


def _child(node: Any, step: PathStep) -> Any:
    if isinstance(step, int):
        return node[step] if isinstance(node, list) and step < len(node) else None
    return node.get(step) if isinstance(node, dict) else None


def _spellings(node: Any, step: PathStep) -> tuple[PathStep, ...]:
    """Return the key or keys under which `node` holds what is called `step`."""
    if isinstance(step, int) or not isinstance(node, dict):
        return (step,)
    if step == PANAS_ITEMS_KEY:  # the error is that a nest is no object
        return next(((n,) for n in reversed(PANAS_NESTS) if not isinstance(node.get(n), dict | None)), (step,))
    for key in (step, *_OLDER.get(step, ())):
        if node.get(key) is not None and step not in _IN_ANY_CASE:
            return (key,)
    if step in _IN_ANY_CASE:
        nests = tuple((nest,) for nest in reversed(PANAS_NESTS)) if step in _IN_NESTS else ()
        for nest in ((), *nests):
            found = _any_case(node.get(nest[0]) if nest else node, step)
            if found is not None:
                return (*nest, found)
    return (step,)


def _any_case(source: Any, name: str) -> str | None:
    if not isinstance(source, dict):
        return None
    found = [k for k, v in source.items() if v is not None and k.strip().lower() == name.lower()]
    return found[-1] if found else None
