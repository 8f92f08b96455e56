"""The baselines' scores of the conversations that records cover, done in jobs as the scores of records are."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from attunebench.baselines import Learned
from attunebench.baselines.others import OthersAnswers, Own
from attunebench.dataset.files import RawText
from attunebench.dataset.problems import Problem
from attunebench.dataset.reading import read_canonical, read_conversation
from attunebench.dataset.schema import Conversation
from attunebench.protocol.calls import Strategy
from attunebench.score.cutting import Pairing
from attunebench.score.floors import FloorScorer, FloorScores, join_floors
from attunebench.score.jobs import Engine, Job
from attunebench.score.shards import Shard


@dataclass(frozen=True, slots=True)
class FloorJob(Job):
    """A shard of conversations without records; `own` is what each participant of them answered."""

    own: Own


@dataclass
class FloorTask:
    """Scores the baselines on a job's conversations.

    `common` is what they know of all conversations covered but of no single participant: so a worker holds little,
    however many there are. With `swap`, comparisons are asked in both orders.
    """

    common: Learned
    strategies: Sequence[Strategy]
    swap: bool = False

    @cached_property
    def _scorers(self) -> Mapping[Strategy, FloorScorer]:
        return {strategy: FloorScorer(self.common, strategy, swap=self.swap) for strategy in self.strategies}

    def __call__(self, job: FloorJob) -> Mapping[Strategy, FloorScores]:
        """Return the scores by strategy."""
        self.common.others.know(job.own)
        conversations = [*_conversations(job.read())]
        return {strategy: scorer.score(conversations) for strategy, scorer in self._scorers.items()}


def _conversations(shard: Shard) -> Iterator[Conversation]:
    """Yield conversations that have been found to be usable."""
    for work in shard:
        found = work.conversation.parse() if isinstance(work.conversation, RawText) else None
        if found is not None and not isinstance(found, Problem):
            conversation = read_canonical(found.value) or read_conversation(found.value).conversation
            if conversation is not None:
                yield conversation


def do_floor_jobs(
    engine: Engine,
    learned: Learned,
    pairing: Pairing,
    strategies: Sequence[Strategy],
    *,
    swap: bool,
    progress: Callable[[int], object],
) -> Mapping[Strategy, FloorScores]:
    """Return the scores by strategy; `progress` is told again and again how many conversations are done."""
    parts: dict[Strategy, list[FloorScores]] = {strategy: [] for strategy in strategies}
    done = 0
    for scored in engine(FloorTask(learned.common(), strategies, swap), _floor_jobs(pairing, learned.others)):
        for strategy, part in scored.items():
            parts[strategy].append(part)
        done += len(scored[strategies[0]].places)
        progress(done)
    return {strategy: join_floors(found) for strategy, found in parts.items()}


def _floor_jobs(pairing: Pairing, others: OthersAnswers) -> Iterator[FloorJob]:
    participants = iter(others.participants)  # in the order of the conversations covered
    for job in pairing.covered():
        yield FloorJob(job.number, job.work, others.own_answers(islice(participants, len(job.work))))
