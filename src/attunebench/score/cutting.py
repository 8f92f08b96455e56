"""Conversations and the records that name them, brought together from their files and cut into jobs."""

from collections.abc import Iterable, Iterator, Sequence

from attunebench.dataset.files import DataFile
from attunebench.dataset.places import index, size
from attunebench.dataset.problems import Problem
from attunebench.score.jobs import Job, Unread
from attunebench.score.record_store import Kept, RecordStore, TextStore

SHARD_BYTES = 2**20
"""About so much text makes a shard."""


class Pairing:
    """Pairs the conversations of `files` with records, in one pass over the files; see `index` for `remote`."""

    def __init__(
        self, files: Sequence[DataFile], records: RecordStore, texts: TextStore, *, remote: bool = False
    ) -> None:
        self._files, self._records, self._texts, self._remote = files, records, texts, remote
        self._covered: list[Kept] = []

    def jobs(self) -> Iterator[Job]:
        """Iterate over all conversations in order, then over the records that name none of them."""
        return _cut(self._pair())

    @property
    def covered_count(self) -> int:
        """How many conversations have records."""
        return len(self._covered)

    def covered(self) -> Iterator[Job]:
        """Iterate over the conversations that have records, without those, once `jobs` has come to its end."""
        return _cut(Unread(self._texts.get(kept)) for kept in self._covered)

    def _pair(self) -> Iterator[Unread]:
        first_files: dict[str, str] = {}
        for found in (found for file in self._files for found in index(file, remote=self._remote)):
            if isinstance(found, Problem):
                yield Unread(found)
            elif found.conversation_id is None:
                yield Unread(found.text)
            elif found.conversation_id in first_files:
                yield Unread(found.text, first_file=first_files[found.conversation_id])
            else:
                first_files[found.conversation_id] = found.text.file
                records = self._records.take(found.conversation_id)
                if records:
                    self._covered.append(self._texts.keep(found.text))
                yield Unread(found.text, records)
        for records in self._records.rest():
            yield Unread(None, records)


def _cut(work: Iterable[Unread]) -> Iterator[Job]:
    """Cut work into jobs of about `SHARD_BYTES`; a conversation and its records stay together."""
    shard: list[Unread] = []
    number, held = 1, 0
    for one in work:
        shard.append(one)
        held += sum(size(text) for text in one.texts())
        if held >= SHARD_BYTES:
            yield Job(number, shard)
            shard, held = [], 0
            number += 1
    if shard:
        yield Job(number, shard)
