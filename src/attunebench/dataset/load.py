"""Whole data sets: loaded at once, or read conversation by conversation."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from attunebench.dataset.files import RawDocument, read_documents
from attunebench.dataset.problems import NoValue, Problem, shorten
from attunebench.dataset.reading import Reading, conversation_name, read_conversation
from attunebench.dataset.schema import Conversation
from attunebench.errors import DataError, UsageError


@dataclass(frozen=True)
class DataSet:
    """Conversations in order of natural file name and position, where each came from, and what to know of them.

    `sources` maps a conversation's id to the name of its file.
    """

    conversations: tuple[Conversation, ...]
    sources: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[Problem, ...] = ()

    @cached_property
    def sha256(self) -> str:
        """Hex digest of the contents; file names, order, older spellings and absent or null make no difference."""
        digests = sorted(_digest(conversation) for conversation in self.conversations)
        return hashlib.sha256("\n".join(digests).encode()).hexdigest()

    def select(self, *, ids: Iterable[str] | None = None, limit: int | None = None) -> "DataSet":
        """Return the conversations with these ids, then the first `limit` of them; the order stays.

        Raises:
            UsageError: an id that the data set lacks, or a limit below 1.
        """
        wanted = None if ids is None else set(ids)
        known = {conversation.conversation_id for conversation in self.conversations}
        if wanted is not None and (unknown := sorted(wanted - known)):
            raise UsageError(f"ids: the data set has no conversation {', '.join(map(shorten, unknown))}")
        if limit is not None and limit < 1:
            raise UsageError(f"limit: must be at least 1, got {limit}")
        kept = [c for c in self.conversations if wanted is None or c.conversation_id in wanted][:limit]
        left = {conversation.conversation_id for conversation in kept}
        return DataSet(
            conversations=tuple(kept),
            sources={name: file for name, file in self.sources.items() if name in left},
            warnings=tuple(w for w in self.warnings if w.conversation in left),
        )


def load_dataset(path: str | Path) -> DataSet:
    """Load a whole data set.

    Raises:
        DataError: with every error of every file, one a line; also where there is no conversation at all.
    """
    conversations, sources, problems = list[Conversation](), dict[str, str](), list[Problem]()
    for reading in read_conversations(path):
        problems += reading.problems
        if reading.conversation:
            conversations.append(reading.conversation)
            sources[reading.conversation.conversation_id] = reading.file
    errors = [str(problem) for problem in problems if problem.severity == "error"]
    if not conversations and not errors:
        errors.append(str(no_conversations(path)))
    if errors:
        raise DataError(errors)
    return DataSet(tuple(conversations), sources, tuple(problems))


def read_conversations(path: str | Path) -> Iterator[Reading]:
    """Iterate over a data set, holding one conversation (of `.jsonl`) or one file at a time.

    Of several conversations with the same id, the first is read and the others are errors.

    Raises:
        DataError: the path does not exist or is no data set; at the call, not at the first step.
    """
    return _readings(read_documents(path))


def no_conversations(path: str | Path) -> Problem:
    """Return the error that a path without any conversation gets."""
    return Problem(
        severity="error",
        file=str(path),
        conversation=None,
        path="",
        rule="no conversations found",
        value=NoValue.UNSAID,
        kind="no conversations",
    )


def _readings(documents: Iterable[RawDocument | Problem]) -> Iterator[Reading]:
    first: dict[str, str] = {}
    for document in documents:
        if isinstance(document, Problem):
            yield Reading(document.file, 0, None, (document,))
            continue
        reading = read_conversation(document.value, file=document.file, position=document.position)
        name = conversation_name(document.value, document.position)
        if name == f"#{document.position}" and reading.conversation is None:
            yield reading
        elif name in first:
            yield repeated(reading, document.value, first[name])
        else:
            first[name] = document.file
            yield reading


def repeated(reading: Reading, raw: Any, first_file: str) -> Reading:
    """Return the reading of a conversation whose id stands in an earlier file, or earlier in this one: an error."""
    name = conversation_name(raw, reading.position)
    problem = Problem(
        severity="error",
        file=reading.file,
        conversation=name,
        path="conversationId",
        rule=f"must be the only one in the data set, {first_file} has it too",
        value=name,
        kind="same conversationId",
    )
    return Reading(reading.file, reading.position, None, (problem, *reading.problems))


def _digest(conversation: Conversation) -> str:
    written = conversation.model_dump(mode="json", by_alias=True, exclude_none=True)
    return hashlib.sha256(json.dumps(written, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
