"""The Inspect task: a sample a conversation, a solver that has it read and judged, a scorer that counts calls."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TypeAlias

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from attunebench.dataset.load import DataSet
from attunebench.dataset.schema import Conversation
from attunebench.protocol.answers import ANSWERED
from attunebench.protocol.assemble import RunFacts, build_record
from attunebench.protocol.calls import Condition
from attunebench.protocol.prompts import Prompts
from attunebench.protocol.records import RunRecord
from attunebench.run.asking import Asking, dropped_settings
from attunebench.run.journal import Journal
from attunebench.run.jury import Hearing, Jury
from attunebench.run.ledger import SampleKey
from attunebench.run.resume import Earlier
from attunebench.run.solver import Asker

MakeRecord: TypeAlias = Callable[[SampleKey], Awaitable[RunRecord]]
"""What is to be done for a sample; the record that comes of it is in the journal by then."""


@dataclass(frozen=True)
class Work:
    """What the tasks of a run share: data, condition and prompts, what earlier runs left, who judges the drafts."""

    dataset: DataSet
    condition: Condition
    prompts: Prompts
    earlier: Earlier
    journal: Journal
    jury: Jury | None


def conversation_task(work: Work, asking: Asking, keys: Sequence[SampleKey]) -> Task:
    """Build one model's task; what it learns goes to the journal, Inspect's log holds the traffic.

    `keys` are the samples that have no record yet, at least one.
    """
    conversations = {c.conversation_id: c for c in work.dataset.conversations}
    left = len(keys)

    async def make_record(key: SampleKey) -> RunRecord:
        nonlocal left
        try:
            return await _read_conversation(work, asking, conversations[key.conversation], key)
        finally:
            left -= 1
            if not left or work.journal.halted:  # Inspect leaves its connections open
                await asking.model.api.aclose()
            if work.jury:
                await work.jury.leave()

    return sample_task("attunebench", asking.model, keys, make_record)


def sample_task(name: str, model: Model, keys: Sequence[SampleKey], make_record: MakeRecord) -> Task:
    """Build a task of Inspect's that has a record made of each sample; its log tells how the calls ended."""

    @solver(name=name)
    def sample_solver() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            record = await make_record(keys[int(state.sample_id) - 1])
            state.metadata["states"] = call_states(record)
            state.completed = True
            return state

        return solve

    samples = [Sample(id=place, input=key.conversation, target="") for place, key in enumerate(keys, start=1)]
    return Task(
        name=name,
        dataset=MemoryDataset(samples, name=name),
        solver=sample_solver(),
        scorer=calls_read(),
        model=model,
    )


async def _read_conversation(work: Work, asking: Asking, conversation: Conversation, key: SampleKey) -> RunRecord:
    """Have one conversation read and its drafts judged, and put the record into the journal."""
    asker = Asker(asking, work.condition, work.prompts, key.epoch)
    earlier = work.earlier.attempts.get(key, {})
    hearing = work.jury and Hearing(work.jury, conversation, key, work.condition.id, work.earlier.judged.get(key, {}))
    timestamp, started = datetime.now(UTC).isoformat(), time.monotonic()
    ends = await asker.conversation(conversation, earlier, hearing.call_ended if hearing else None)
    dropped = dropped_settings(ends.values())
    facts = RunFacts(
        model=key.model,
        source_file=work.dataset.sources.get(key.conversation),
        timestamp=min((made[0].started_at for made in earlier.values()), default=timestamp),
        duration=None if earlier else round(time.monotonic() - started, 3),
        program_version=version("attunebench"),
        epoch=key.epoch,
        cost=sum(end.cost or 0.0 for end in ends.values()) if asking.price else None,
        extra={"dropped": dropped} if dropped else {},
    )
    record = build_record(conversation, ends, work.condition, facts)
    if hearing:
        record = hearing.judged(record)
    work.journal.recorded(record)
    return record


def call_states(record: RunRecord) -> dict[str, str]:
    """Return how the calls of a record ended, by kind and turn."""
    return {f"{call.call} {call.turn or ''}".strip(): call.state for call in record.calls or ()}


@scorer(metrics=[mean()], name="calls_read")
def calls_read() -> Scorer:
    """Share of a conversation's calls whose reply could be read; the scores that count are made from the records."""

    async def score(state: TaskState, target: Target) -> Score:
        states: dict[str, str] = state.metadata["states"]
        read = sum(state in ANSWERED for state in states.values())
        return Score(value=read / len(states), metadata={"states": states})

    return score
