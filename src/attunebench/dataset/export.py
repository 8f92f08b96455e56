"""Conversations back to files, under the present names; what is read back equals what was written."""

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from attunebench.dataset.files import PARQUET_ID, PARQUET_TEXT
from attunebench.dataset.problems import shorten
from attunebench.dataset.schema import Conversation
from attunebench.errors import UsageError

_LONGEST_NAME = 100
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+|^[.-]+")
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def dump_conversation(conversation: Conversation) -> dict[str, Any]:
    """Return a conversation as JSON values: what was given, unknown keys included, and nothing that was not."""
    return conversation.model_dump(mode="json", by_alias=True, exclude_unset=True)


def write_conversations(conversations: Iterable[Conversation], folder: str | Path) -> list[Path]:
    """Write one `<conversationId>.json` a conversation into a new or empty folder; return the files.

    Ids that make no safe file name get a similar one that ends in a part of the id's SHA-256.

    Raises:
        UsageError: the folder is a file or holds anything, or two conversations have the same id; nothing is written.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"folder: must be a folder, got the file {shorten(str(folder))}")
    if folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"folder: must be new or empty, got {shorten(str(folder))}")
    texts: dict[str, str] = {}
    for conversation in conversations:
        name = conversation.conversation_id
        if name in texts:
            raise UsageError(f"conversations: each conversationId must be there once, got {shorten(name)} again")
        texts[name] = json.dumps(dump_conversation(conversation), ensure_ascii=False, indent=2)
    folder.mkdir(parents=True, exist_ok=True)
    written, taken = list[Path](), set[str]()
    for name, text in texts.items():
        file = folder / f"{_file_name(name, taken)}.json"
        file.write_text(text + "\n", encoding="utf-8", newline="\n")
        written.append(file)
    return written


def write_parquet(conversations: Iterable[Conversation], file: str | Path) -> None:
    """Write conversations to one parquet file with the columns `conversationId` and `conversation` (JSON text).

    Raises:
        UsageError: the name does not end in `.parquet`, by which such a file is recognised.
    """
    import polars

    if Path(file).suffix.lower() != ".parquet":
        raise UsageError(f"file: must end in .parquet, got {shorten(str(file))}")
    rows = [(c.conversation_id, json.dumps(dump_conversation(c), ensure_ascii=False)) for c in conversations]
    schema = {PARQUET_ID: polars.String, PARQUET_TEXT: polars.String}
    polars.DataFrame(rows, schema=schema, orient="row").write_parquet(file)


def _file_name(name: str, taken: set[str]) -> str:
    """Return a name that every file system bears and that differs from those taken, in any letter case."""
    safe = _UNSAFE.sub("_", name)[:_LONGEST_NAME]
    if safe != name or safe.lower() in taken or _RESERVED.fullmatch(safe):
        safe = f"{safe}-{hashlib.sha256(name.encode()).hexdigest()[:12]}"
        if _RESERVED.fullmatch(safe):
            safe = f"_{safe}"
    taken.add(safe.lower())
    return safe
