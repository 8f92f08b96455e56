"""Made-up conversations as raw JSON values, and short ways to write and read them."""

import json
from pathlib import Path
from typing import Any

from attunebench.dataset.reading import Reading, read_conversation
from attunebench.dataset.schema import Conversation


def turn(number: int = 1, **changes: Any) -> dict[str, Any]:
    return {"turnNumber": number, "userMessage": "I am late.", "llmResponse": "For what?"} | changes


def annotated(**annotations: Any) -> dict[str, Any]:
    return turn(annotations=annotations)


def conversation(name: str = "c1", turns: Any = None, **changes: Any) -> dict[str, Any]:
    return {"conversationId": name, "turns": [turn()] if turns is None else turns} | changes


def write(file: Path, value: Any) -> Path:
    file.write_text(json.dumps(value), encoding="utf-8")
    return file


def read(raw: Any) -> Conversation:
    reading = read_conversation(raw, file="a.json")
    assert reading.conversation is not None, lines(reading)
    return reading.conversation


def lines(reading: Reading) -> list[str]:
    return [str(problem) for problem in reading.problems]


def problems(raw: Any) -> list[str]:
    """The problems of one raw conversation, each without its file and, where that is c1, its conversation."""
    return [line.removeprefix("a.json: conversation c1: ") for line in lines(read_conversation(raw, file="a.json"))]
