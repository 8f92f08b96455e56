"""What no skill and what perfect knowledge earn on the same conversations, through the same reading and scoring.

`null`, `random` and `majority` are the floors, `oracle` is the ceiling; `lexicon` stands beside them. No model is
called: the baselines answer the calls directly.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from attunebench.baselines import BASELINES, Learned, answer_calls
from attunebench.dataset.schema import Conversation
from attunebench.protocol.calls import Condition, Strategy, planned_calls
from attunebench.score.aggregate import Row
from attunebench.score.arrays.means import Numbers, mean_present
from attunebench.score.draws import RandomScorer
from attunebench.score.flat import COLUMNS, ERROR_ITEMS, Column, flatten
from attunebench.score.floor_row import floor_row
from attunebench.score.panas import reported_totals
from attunebench.score.preference import shown
from attunebench.score.profiles import score
from attunebench.score.swap import AGREEMENT, FLIP_RATE, ORDERS, even_guesses

RANDOM_DRAWS: Final = 200
"""Over so many draws the random floor is the mean."""

FLOORS: Final = ("null", "random", "majority")
CEILING: Final = "oracle"

Values: TypeAlias = NDArray[np.float64]

_PLACE: Final[Mapping[Column, int]] = {column: place for place, column in enumerate(COLUMNS)}


@dataclass(frozen=True)
class FloorScores:
    """Every baseline's scores of every conversation, under one PANAS strategy.

    `places` maps a conversation's id to its row of `values`, by baseline, shape (conversations, columns of
    `attunebench.score.flat.COLUMNS`); NaN where not defined. Those of `random` are means over `draws` draws.
    """

    strategy: Strategy
    draws: int
    places: Mapping[str, int]
    values: Mapping[str, Values]

    def scores(self, name: str, conversation_id: str) -> dict[str, dict[str, float | None]]:
        """Return one baseline's scores of one conversation, by profile (reference, strict) and name."""
        row = self.values[name][self.places[conversation_id]].tolist()
        found: dict[str, dict[str, float | None]] = {"reference": {}, "strict": {}}
        for (profile, metric), value in zip(COLUMNS, row, strict=True):
            found[profile][metric] = None if np.isnan(value) else value
        return found

    def rows(self, conversation_ids: Iterable[str] | None = None) -> list[Row]:
        """Return one aggregate row a baseline, named under `floor`, over these conversations, by default all.

        A model's row is to be held against the floors on the very conversations that it covers. The random row is the
        mean over `draws` draws; its standard error over conversations is not defined. A conversation that stands twice,
        as in a resample, counts twice.

        Raises:
            KeyError: a conversation was not scored.
        """
        ids = self.places if conversation_ids is None else conversation_ids
        chosen = [self.places[one] for one in ids]
        return [
            floor_row(name, self.values[name][chosen], self.strategy, draws=self.draws if name == "random" else 1)
            for name in BASELINES
        ]


class FloorScorer:
    """Scores conversations for every baseline under one PANAS strategy.

    `learned` is what the baselines know of the data set: one pass over it, before the first conversation is scored.
    With `swap`, comparisons are asked in both orders.
    """

    def __init__(self, learned: Learned, strategy: Strategy, *, swap: bool = False, draws: int = RANDOM_DRAWS) -> None:
        self._strategy, self._draws = strategy, draws
        self._baselines = [learned.baseline(name) for name in BASELINES if name != "random"]
        self._random = RandomScorer(learned.pool)
        self._condition = Condition(strategy=strategy, swap=swap, prompt_version="", prompt_hash="")

    def score(self, conversations: Iterable[Conversation]) -> FloorScores:
        """Score conversations, one that comes again once; holds numbers only, about 10 kB a conversation."""
        places: dict[str, int] = {}
        values: dict[str, list[Values]] = {name: [] for name in BASELINES}
        for conversation in conversations:
            if conversation.conversation_id not in places:
                places[conversation.conversation_id] = len(places)
                for name, row in self._rows(conversation):
                    values[name].append(row)
        stacked = {name: np.array(rows).reshape(-1, len(COLUMNS)) for name, rows in values.items()}
        return FloorScores(self._strategy, self._draws, places, stacked)

    def _rows(self, conversation: Conversation) -> Iterator[tuple[str, Values]]:
        calls = planned_calls(conversation, self._condition)
        for baseline in self._baselines:
            scored = score(conversation, answer_calls(baseline, conversation, calls, self._condition))
            yield baseline.name, _row(flatten(scored))
        yield "random", self._score_random(conversation)

    def _score_random(self, conversation: Conversation) -> Values:
        """Return the means over draws, each over the draws in which the score is defined."""
        drawn = self._random.score(conversation, self._strategy, range(self._draws))
        found: dict[Column, Numbers] = {("reference", name): values for name, values in drawn.reference.items()}
        found |= {("strict", name): values for name, values in drawn.strict.items()}
        means = mean_present(np.stack(list(found.values())), axis=-1)
        known: dict[Column, float | None] = dict(zip(found, means.tolist(), strict=True))
        if self._condition.swap:
            known |= _expected_orders(conversation)
        return _row(known | {ERROR_ITEMS: _count_totals(conversation)})


def _expected_orders(conversation: Conversation) -> dict[Column, float | None]:
    """Return what random earns in both orders on average over all draws there could be."""
    compared = [comparison for turn in conversation.turns for comparison in shown(turn.comparisons)]
    expected = even_guesses(compared)
    found: dict[Column, float | None] = {("reference", f"{ORDERS}.{name}"): value for name, value in expected.items()}
    return found | {("strict", FLIP_RATE): expected["flip_rate"], ("strict", AGREEMENT): expected["agreement_score"]}


def _count_totals(conversation: Conversation) -> int:
    """Return how many totals were reported both before and after."""
    before, after = reported_totals(conversation.pre_panas), reported_totals(conversation.post_panas)
    return sum(None not in pair for pair in zip(before, after, strict=True))


def _row(scores: Mapping[Column, float | None]) -> Values:
    row = np.full(len(COLUMNS), np.nan)
    for column, value in scores.items():
        if value is not None:
            row[_PLACE[column]] = value
    return row


def score_floors(
    conversations: Iterable[Conversation], strategy: Strategy, *, swap: bool = False, draws: int = RANDOM_DRAWS
) -> FloorScores:
    """Score every baseline on conversations, which are iterated over twice: a list, or what can be read again."""
    return FloorScorer(Learned(conversations), strategy, swap=swap, draws=draws).score(conversations)


def join_floors(parts: Sequence[FloorScores]) -> FloorScores:
    """Return the scores of different conversations, scored apart for the same data set and strategy, as one."""
    places: dict[str, int] = {}
    for part in parts:
        places |= {name: len(places) + place for name, place in part.places.items()}
    values = {name: np.concatenate([part.values[name] for part in parts]) for name in BASELINES}
    return FloorScores(parts[0].strategy, parts[0].draws, places, values)


def floor_rows(conversations: Sequence[Conversation], strategy: Strategy, *, draws: int = RANDOM_DRAWS) -> list[Row]:
    """Return one aggregate row a baseline, named under `floor`, over these conversations; see `FloorScores.rows`."""
    return score_floors(conversations, strategy, draws=draws).rows()
