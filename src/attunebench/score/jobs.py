"""A job: a shard whose texts may still stand in their files, and what a worker, wherever it is, does with one."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from attunebench.dataset.files import RawText
from attunebench.dataset.places import Place, Text, read_texts
from attunebench.dataset.problems import Problem
from attunebench.score.blocks import Blocks
from attunebench.score.parts import Parts
from attunebench.score.shards import Shard, ShardResult, Work, score_shard


@dataclass(frozen=True, slots=True)
class Unread:
    """A conversation and its records, as in `Work`, of which texts may be places."""

    conversation: Text | Problem | None
    records: Sequence[tuple[int, Text]] = ()
    first_file: str | None = None

    def texts(self) -> Iterator[Text]:
        """Iterate over the conversation's text, if there is one, and the records'."""
        if isinstance(self.conversation, RawText | Place):
            yield self.conversation
        yield from (text for _, text in self.records)


@dataclass(frozen=True, slots=True)
class Job:
    """A shard; `number` counts from 1 in the order of the data set."""

    number: int
    work: Sequence[Unread]

    def read(self) -> Shard:
        """Return the shard, read from where its texts stand.

        Raises:
            DataError: a file cannot be read, or has changed since it was indexed.
        """
        texts = iter(read_texts(text for work in self.work for text in work.texts()))

        def read(work: Unread) -> Work:
            conversation = work.conversation if isinstance(work.conversation, Problem | None) else next(texts)
            return Work(conversation, [(number, next(texts)) for number, _ in work.records], work.first_file)

        return [read(work) for work in self.work]

    def __str__(self) -> str:
        """Return what a person finds the shard by: its first conversation, or its first record where it has none."""
        for work in self.work:
            if isinstance(work.conversation, Problem):
                return f"shard {self.number} (from {work.conversation.file})"
            for text in work.texts():
                kind = "record" if work.conversation is None else "conversation"
                return f"shard {self.number} (from {text.file}: {kind} {text.position})"
        return f"shard {self.number}"


AnyJob = TypeVar("AnyJob", bound=Job)
Result = TypeVar("Result")


class Engine(Protocol):
    """What has workers do jobs."""

    def __call__(self, task: Callable[[AnyJob], Result], jobs: Iterable[AnyJob], /) -> Iterator[Result]:
        """Iterate over the results of jobs in their order, with a few jobs held at a time."""


@dataclass(frozen=True, slots=True)
class ScoreTask:
    """Scores a job, and writes its lines and table to `parts` instead of returning them; see `score_shard`."""

    parts: Parts
    learn: bool

    def __call__(self, job: Job) -> ShardResult:
        """Return what else the shard gave."""
        result = score_shard(job.read(), learn=self.learn)
        if result.records:
            self.parts.write(job.number, result)
        result.lines, result.rows = b"", Blocks()
        return result
