"""The command line, called in this process the way the console script calls it."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from attunebench.cli import main

DEMO = str(files("attunebench.dataset.demo"))


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def run_main(*words: object) -> Ended:
    """Run a command on a screen of 80 columns; it never shows a traceback."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["attunebench", *map(str, words)])
        patch.setenv("COLUMNS", "80")
        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    assert "Traceback" not in out.getvalue() + err.getvalue()
    return Ended(code, out.getvalue(), err.getvalue())


def tiny(name: str, **changes: Any) -> dict[str, Any]:
    return {"conversationId": name, "turns": [{"turnNumber": 1, "userMessage": "a", "llmResponse": "b"}]} | changes


def write(file: Path, value: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value), encoding="utf-8")
    return file
