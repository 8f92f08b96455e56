"""The Inspect task: a sample a conversation, a solver that makes its calls, a scorer that counts their ends."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import Model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from attunebench.dataset.load import DataSet
from attunebench.dataset.schema import Conversation
from attunebench.protocol.answers import ANSWERED
from attunebench.protocol.assemble import CallEnd, RunFacts, build_record
from attunebench.protocol.calls import CallKey
from attunebench.run.ledger import SampleKey
from attunebench.run.prices import Price
from attunebench.run.resume import Earlier
from attunebench.run.solver import Asker, Terms, dropped_settings


@dataclass(frozen=True)
class Work:
    """What the tasks of a run share: the data, what earlier runs left, the terms of all calls, prices by model."""

    dataset: DataSet
    earlier: Earlier
    terms: Terms
    prices: Mapping[str, Price]


def conversation_task(work: Work, model: Model, keys: Sequence[SampleKey]) -> Task:
    """Build one model's task; what it learns goes to the journal, Inspect's log holds the traffic.

    `keys` are the samples that have no record yet, at least one.
    """
    conversations = {c.conversation_id: c for c in work.dataset.conversations}
    left = len(keys)

    @solver(name="conversation_calls")
    def conversation_solver() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            nonlocal left
            key = keys[int(state.sample_id) - 1]
            try:
                ends = await _read_conversation(work, model, conversations[key.conversation], key)
            finally:
                left -= 1
                if not left or work.terms.journal.halted:  # Inspect leaves its connections open
                    await model.api.aclose()
            state.metadata["states"] = _states(ends)
            state.completed = True
            return state

        return solve

    samples = [Sample(id=place, input=key.conversation, target="") for place, key in enumerate(keys, start=1)]
    return Task(
        name="attunebench",
        dataset=MemoryDataset(samples, name="attunebench"),
        solver=conversation_solver(),
        scorer=calls_read(),
        model=model,
    )


async def _read_conversation(
    work: Work, model: Model, conversation: Conversation, key: SampleKey
) -> Mapping[CallKey, CallEnd]:
    """Have one conversation read, and put its record into the journal."""
    asker = Asker(model, work.terms, work.prices.get(key.model), key.epoch)
    earlier = work.earlier.attempts.get(key, {})
    timestamp, started = datetime.now(UTC).isoformat(), time.monotonic()
    ends = await asker.conversation(conversation, earlier)
    dropped = dropped_settings(ends.values())
    facts = RunFacts(
        model=key.model,
        source_file=work.dataset.sources.get(key.conversation),
        timestamp=min((made[0].started_at for made in earlier.values()), default=timestamp),
        duration=None if earlier else round(time.monotonic() - started, 3),
        program_version=version("attunebench"),
        epoch=key.epoch,
        cost=sum(end.cost or 0.0 for end in ends.values()) if asker.price else None,
        extra={"dropped": dropped} if dropped else {},
    )
    work.terms.journal.recorded(build_record(conversation, ends, work.terms.condition, facts))
    return ends


def _states(ends: Mapping[CallKey, CallEnd]) -> dict[str, str]:
    return {f"{key.kind} {key.turn or ''}".strip(): end.reading.state.value for key, end in ends.items()}


@scorer(metrics=[mean()], name="calls_read")
def calls_read() -> Scorer:
    """Share of a conversation's calls whose reply could be read; the scores that count are made from the records."""

    async def score(state: TaskState, target: Target) -> Score:
        states: dict[str, str] = state.metadata["states"]
        read = sum(state in ANSWERED for state in states.values())
        return Score(value=read / len(states), metadata={"states": states})

    return score
