"""Under which letters, under which names and in which order a pairwise call shows a turn's replies."""

import hashlib
from collections.abc import Mapping
from typing import Final, TypeAlias

from attunebench.dataset.schema import Letter, Turn

Sides: TypeAlias = Mapping[str, Mapping[Letter, str | None]]
"""For each comparison, by its index as a text, the label of the reply under each letter."""

_OPEN_NAMES: Final = {"original": "original", "alternate": "alternate1", "human": "alternate2"}
_NO_NAME: Final = "unknown"


def turn_sides(turn: Turn, *, swapped: bool = False) -> dict[str, dict[Letter, str | None]]:
    """Return, for each comparison of the turn by its index as a text, the label under each letter.

    The letters are those of the data set; swapped, A stands for what is B there, and B for what is A.
    """
    shown = ((c.response_b, c.response_a) if swapped else (c.response_a, c.response_b) for c in turn.comparisons)
    return {str(index): {"A": a, "B": b} for index, (a, b) in enumerate(shown)}


def reply_names(conversation_id: str, turn: Turn, *, blind: bool, swapped: bool) -> dict[str, str]:
    """Return the name of each of the turn's replies by its label, in the order in which they are shown.

    Named are the replies that the turn has and those that its comparisons mention. Openly, they are original,
    alternate1 and alternate2, in this order. Blind, they are reply1, reply2, … in an order that tells nothing: that of
    the SHA-256 of conversation, turn and label. Swapped, they come the other way round; blind names then change hands.
    """
    compared = [label for c in turn.comparisons for label in (c.response_a, c.response_b) if label]
    labels = [label for label in _OPEN_NAMES if label in compared or turn.reply(label) is not None]
    labels += [label for label in dict.fromkeys(compared) if label not in _OPEN_NAMES]
    if blind:
        labels.sort(key=lambda label: _rank(conversation_id, turn.turn_number, label))
    if swapped:
        labels.reverse()
    if blind:
        return {label: f"reply{place}" for place, label in enumerate(labels, start=1)}
    return {label: _OPEN_NAMES.get(label, label) for label in labels}


def name_of(label: str | None, names: Mapping[str, str]) -> str:
    """Return the name under which a side of a comparison is shown; a side without a label is "unknown"."""
    return names[label] if label else _NO_NAME


def _rank(conversation_id: str, turn: int, label: str) -> bytes:
    # repr keeps the parts apart, whatever the conversation's id holds
    return hashlib.sha256(repr((conversation_id, turn, label)).encode("utf-8", "surrogatepass")).digest()
