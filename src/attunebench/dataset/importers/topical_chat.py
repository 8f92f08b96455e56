"""Topical-Chat: chats of two crowdworkers about something to read, with the feeling behind each message.

Gopalakrishnan et al., Interspeech 2019, `alexa/Topical-Chat`, CDLA-Sharing-1.0: whoever publishes what this makes
keeps that licence. One of the two people becomes the participant, the other's messages stand where a model's would.

What becomes of a chat
    - Messages of one person in a row are one message, joined by a line feed; their emotions are united in order.
    - The participant's own label of a message is its emotion (`data/topical_chat_emotions.json`), no intensity.
    - Where the partner speaks first, turn 1 has an empty user message, and no emotion was asked; where the participant
      speaks last, the last turn has an empty reply. Both are warnings of the format: every message is kept.
    - Labels, the participant's ratings of the partner's messages and of the chat, and what the chat was about are
      in `metadata.topical_chat`. The partner's labels and ratings are not the participant's, and are left out.
    - Nobody asked about affect before or after, behaviours or preferences: all that is absent, "not asked".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from attunebench.dataset.files import RawDocument, data_files, read_file
from attunebench.dataset.importers._topical_chat_emotions import load_emotions
from attunebench.dataset.problems import NoValue, Problem, one_line, shorten
from attunebench.dataset.reading import read_conversation
from attunebench.dataset.schema import Conversation
from attunebench.errors import DataError, UsageError

Agent: TypeAlias = Literal["agent_1", "agent_2"]

SOURCE: Final = (
    "Topical-Chat (Gopalakrishnan et al., Interspeech 2019), Community Data License Agreement - Sharing - "
    "Version 1.0 (CDLA-Sharing-1.0)"
)
CATEGORY: Final = "topical-chat"

_AGENTS: tuple[str, ...] = get_args(Agent)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A record that was not imported: its file, its id there, and the reason."""

    file: str
    record: str
    reason: str

    def __str__(self) -> str:
        """Return all three on one line."""
        return one_line(f"{self.file}: record {self.record}: {self.reason}")


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What became of each source record: a conversation or a refusal, each in the order of the source."""

    conversations: tuple[Conversation, ...]
    refusals: tuple[Refusal, ...]


class _RefusedError(ValueError):
    """The reason why a record cannot be imported."""


@dataclass(slots=True)
class _Draft:
    """A turn in the making."""

    user: list[str] = field(default_factory=list)
    sentiments: list[str] = field(default_factory=list)
    reply: list[str] = field(default_factory=list)
    ratings: list[str] = field(default_factory=list)


def import_topical_chat(path: str | Path, participant: Agent = "agent_1") -> ImportResult:
    """Import a Topical-Chat conversations file, or all of a folder, from the view of one of the two people.

    Conversation ids are the record's id, "-", and the participant, so that both views fit into one data set.

    Raises:
        UsageError: no such participant.
        DataError: a file cannot be read, is not JSON or no object of records; every problem is one line.
    """
    if participant not in _AGENTS:
        raise UsageError(f"participant: must be agent_1 or agent_2, got {shorten(participant)}")
    emotions = load_emotions()
    conversations, refusals, seen = list[Conversation](), list[Refusal](), set[str]()
    for file, records in _read_files(path):
        for name, record in records.items():
            try:
                if name in seen:
                    raise _RefusedError("must be the only record with this id")
                conversations.append(_conversation(name, record, participant, emotions))
                seen.add(name)
            except _RefusedError as refused:
                refusals.append(Refusal(file, name, str(refused)))
    return ImportResult(tuple(conversations), tuple(refusals))


def _read_files(path: str | Path) -> list[tuple[str, dict[str, Any]]]:
    found, problems = list[tuple[str, dict[str, Any]]](), list[Problem]()
    for file in data_files(path):
        for document in read_file(file):
            # a single record would pass for records named "content", "config", …
            if isinstance(document, RawDocument) and _holds_records(document.value):
                found.append((document.file, document.value))
            else:
                problems.append(document if isinstance(document, Problem) else _no_records(document))
    if problems or not found:
        raise DataError([str(problem) for problem in problems] or [f"{one_line(str(path))}: no conversations found"])
    return found


def _holds_records(value: Any) -> bool:
    return isinstance(value, dict) and not isinstance(value.get("content"), list)


def _no_records(document: RawDocument) -> Problem:
    return Problem(
        severity="error",
        file=document.file,
        conversation=None,
        path="$",
        rule="must be an object of records by id",
        value=document.value,
        kind="wrong type",
    )


def _conversation(name: str, record: Any, participant: Agent, emotions: Mapping[str, tuple[str, ...]]) -> Conversation:
    drafts = _turns(_messages(record), participant)
    raw = {
        "conversationId": f"{name}-{participant}",
        "metadata": {
            "category": CATEGORY,
            "turnCount": len(drafts),
            "source": SOURCE,
            "topical_chat": _particulars(name, record, participant, drafts),
        },
        "turns": [_turn(number, draft, emotions) for number, draft in enumerate(drafts, start=1)],
    }
    reading = read_conversation(raw)
    if reading.conversation is None:
        first = reading.problems[0]
        shown = "" if first.value is NoValue.UNSAID else f", got {shorten(first.value)}"
        raise _RefusedError(f"{first.path}: {first.rule}{shown}")
    return reading.conversation


def _messages(record: Any) -> list[dict[str, Any]]:
    """Return the messages of a record, or refuse it."""
    content = record.get("content") if isinstance(record, dict) else None
    if not isinstance(content, list) or not content:
        raise _RefusedError(f"content: must be a list of messages, not empty, got {shorten(content)}")
    for place, message in enumerate(content):
        if not isinstance(message, dict):
            raise _RefusedError(f"content[{place}]: must be an object, got {shorten(message)}")
        for key in ("message", "agent", "sentiment"):
            if not isinstance(value := message.get(key), str):
                raise _RefusedError(f"content[{place}].{key}: must be a text, got {shorten(value)}")
        if not isinstance(rating := message.get("turn_rating", ""), str):
            raise _RefusedError(f"content[{place}].turn_rating: must be a text, got {shorten(rating)}")
        if message["agent"] not in _AGENTS:
            raise _RefusedError(f"content[{place}].agent: must be agent_1 or agent_2, got {shorten(message['agent'])}")
    return content


def _turns(messages: list[dict[str, Any]], participant: Agent) -> list[_Draft]:
    drafts = list[_Draft]()
    for agent, run in groupby(messages, key=lambda message: message["agent"]):
        said = list(run)
        if agent == participant or not drafts:
            drafts.append(_Draft())
        if agent == participant:
            drafts[-1].user = [message["message"] for message in said]
            drafts[-1].sentiments = [message["sentiment"] for message in said]
        else:
            drafts[-1].reply = [message["message"] for message in said]
            drafts[-1].ratings = [message.get("turn_rating", "") for message in said]
    if not any(draft.user for draft in drafts):
        raise _RefusedError(f"content: must hold messages of {participant}, got none")
    return drafts


def _turn(number: int, draft: _Draft, emotions: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    turn: dict[str, Any] = {
        "turnNumber": number,
        "userMessage": "\n".join(draft.user),
        "llmResponse": "\n".join(draft.reply),
    }
    if not draft.sentiments:
        return turn
    if unknown := [label for label in draft.sentiments if label not in emotions]:
        raise _RefusedError(f"turn {number}: sentiment must be one of the {len(emotions)}, got {shorten(unknown[0])}")
    words = dict.fromkeys(word for label in draft.sentiments for word in emotions[label])
    return turn | {"moodShiftTags": [{"emotion": word, "intensity": None} for word in words]}


def _particulars(name: str, record: dict[str, Any], participant: Agent, drafts: list[_Draft]) -> dict[str, Any]:
    """Return what Topical-Chat knows and the format has no place for; turns by number, one entry a message."""
    ratings = record.get("conversation_rating")
    return {
        "record": name,
        "participant": participant,
        "article_url": record.get("article_url"),
        "config": record.get("config"),
        "conversation_rating": ratings.get(participant) if isinstance(ratings, dict) else None,
        "turn_ratings": {str(n): d.ratings for n, d in enumerate(drafts, start=1) if d.ratings},
        "sentiments": {str(n): d.sentiments for n, d in enumerate(drafts, start=1) if d.sentiments},
    }
