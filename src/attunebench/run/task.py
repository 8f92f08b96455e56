"""The Inspect task: a sample a conversation, a solver that makes its calls, a scorer that counts their ends."""

import time
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import get_model
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from attunebench.dataset.load import DataSet
from attunebench.models.settings import Settings
from attunebench.protocol.answers import ANSWERED
from attunebench.protocol.assemble import CallEnd, RunFacts, build_record
from attunebench.protocol.calls import CallKey, Condition
from attunebench.protocol.prompts import Prompts
from attunebench.run.journal import Journal
from attunebench.run.solver import Asker


def conversation_task(
    dataset: DataSet, condition: Condition, prompts: Prompts, settings: Settings, journal: Journal
) -> Task:
    """Build the task for one run; what it learns goes to the journal, Inspect's log holds the traffic."""
    samples = [Sample(id=c.conversation_id, input=c.conversation_id, target="") for c in dataset.conversations]
    conversations = {c.conversation_id: c for c in dataset.conversations}
    ended = Counter[str]()

    @solver(name="conversation_calls")
    def conversation_solver() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            conversation = conversations[str(state.sample_id)]
            model = get_model()
            asker = Asker(model, settings, condition, prompts, journal)
            timestamp, started = datetime.now(UTC).isoformat(), time.monotonic()
            try:
                ends = await asker.conversation(conversation)
            finally:
                ended[str(model)] += 1
                if ended[str(model)] == len(samples):  # Inspect leaves its connections open
                    await model.api.aclose()
            facts = RunFacts(
                model=str(model),
                source_file=dataset.sources.get(conversation.conversation_id),
                timestamp=timestamp,
                duration=round(time.monotonic() - started, 3),
                program_version=version("attunebench"),
            )
            journal.recorded(build_record(conversation, ends, condition, facts))
            state.metadata["states"] = _states(ends)
            state.completed = True
            return state

        return solve

    return Task(
        name="attunebench",
        dataset=MemoryDataset(samples, name="attunebench"),
        solver=conversation_solver(),
        scorer=calls_read(),
    )


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
