"""All scores of a set of run records: computed, written as `scores.json` and `scores.parquet`, and read back."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attunebench.dataset.load import DataSet
from attunebench.dataset.schema import Conversation
from attunebench.errors import RecordError
from attunebench.protocol.records import RunRecord
from attunebench.score.aggregate import GROUP, Row, aggregate
from attunebench.score.floors import floor_rows
from attunebench.score.profiles import score
from attunebench.score.tidy import tidy_table

SCORES_FILE = "scores.json"
TIDY_FILE = "scores.parquet"


@dataclass(frozen=True)
class Scores:
    """Scores of many records.

    `conversations`: one object a conversation x model x mode x strategy x condition, under the public names.
    `aggregates`: one row a model x mode x strategy x condition. `floors`: one row a baseline x strategy, over all
    conversations that any record covers. `made_up`: whether the data set says of itself that it is made up.
    """

    conversations: Sequence[Mapping[str, Any]]
    aggregates: Sequence[Row]
    floors: Sequence[Row]
    made_up: bool = False


def score_records(dataset: DataSet, records: Sequence[RunRecord]) -> Scores:
    """Score every record against its conversation, and the baselines on the same conversations."""
    conversations = {c.conversation_id: c for c in dataset.conversations}
    scored = [_score(conversations[record.conversation_id], record) for record in records]
    aggregates = aggregate(scored)
    for row in aggregates:
        row["calls"] = _count_calls(one for one in scored if all(one[name] == row[name] for name in GROUP))
    covered = {record.conversation_id for record in records}
    chosen = [c for c in dataset.conversations if c.conversation_id in covered]
    floors = [row for strategy in sorted({r.strategy for r in records}) for row in floor_rows(chosen, strategy)]
    return Scores(scored, aggregates, floors, any(_is_made_up(c) for c in chosen))


def _score(conversation: Conversation, record: RunRecord) -> dict[str, Any]:
    calls: dict[str, Counter[str]] = {}
    for call in record.calls or ():
        calls.setdefault(call.call, Counter())[call.state] += 1
    return score(conversation, record) | {"calls": calls}


def _count_calls(scored: Iterable[Mapping[str, Any]]) -> dict[str, Counter[str]]:
    """Add up how calls ended, by kind of call and state."""
    total: dict[str, Counter[str]] = {}
    for one in scored:
        for kind, states in one["calls"].items():
            total.setdefault(kind, Counter()).update(states)
    return total


def _is_made_up(conversation: Conversation) -> bool:
    extra = conversation.metadata.model_extra if conversation.metadata else None
    return bool((extra or {}).get("made_up"))


def write_scores(scores: Scores, folder: Path) -> None:
    """Write `scores.json`, everything, and `scores.parquet`, tidy: one row a value.

    Raises:
        RecordError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / SCORES_FILE).open("w", encoding="utf-8") as file:
            json.dump(vars(scores), file, ensure_ascii=False)
        tidy_table(scores.conversations, scores.aggregates, scores.floors).write_parquet(folder / TIDY_FILE)
    except OSError as error:
        raise RecordError([f"{folder}: cannot be written ({error.strerror})"]) from error


def read_scores(folder: Path) -> Scores:
    """Read what `write_scores` wrote; `folder` may be the file itself.

    Raises:
        RecordError: there is no such file, or it holds something else.
    """
    path = folder / SCORES_FILE if folder.is_dir() else folder
    try:
        return Scores(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise RecordError([f"{path}: does not exist; `attunebench score` writes it"]) from None
    except (OSError, ValueError, TypeError) as error:
        raise RecordError([f"{path}: must be a file that `attunebench score` wrote ({error})"]) from None
