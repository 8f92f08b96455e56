"""What no skill and what perfect knowledge earn on the same conversations, through the same reading and scoring.

`null`, `random` and `majority` are the floors, `oracle` is the ceiling; `lexicon` stands beside them. No model is
called: the baselines answer the calls directly.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from attunebench.baselines import BASELINES, answer_calls, make_baseline
from attunebench.dataset.schema import Conversation
from attunebench.protocol.calls import Condition, Strategy, planned_calls
from attunebench.score.aggregate import Row, aggregate
from attunebench.score.profiles import score

RANDOM_DRAWS = 200
"""Over so many draws the random floor is the mean."""

FLOORS = ("null", "random", "majority")
CEILING = "oracle"


def floor_rows(conversations: Sequence[Conversation], strategy: Strategy, *, draws: int = RANDOM_DRAWS) -> list[Row]:
    """Return one aggregate row a baseline, named under `floor`, over these conversations.

    The random row is the mean over `draws` draws; `draws` stands in it, and its standard error over conversations is
    not defined.
    """
    rows = []
    for name in BASELINES:
        seeds = range(draws if name == "random" else 1)
        (row,) = aggregate(_scores(name, conversations, strategy, seeds))
        row |= {"floor": name, "draws": len(seeds), "n_conversations": len(conversations), "z_score": None}
        row |= {"mode": None, "condition": None}  # the same in all of them
        if len(seeds) > 1:
            row["se_composite"] = None
        rows.append(row)
    return rows


def _scores(
    name: str, conversations: Sequence[Conversation], strategy: Strategy, seeds: Sequence[int]
) -> Iterator[dict[str, Any]]:
    condition = Condition(strategy=strategy, prompt_version="", prompt_hash="")
    plans = [planned_calls(conversation, strategy) for conversation in conversations]
    for seed in seeds:
        baseline = make_baseline(name, conversations, seed=seed)
        for conversation, calls in zip(conversations, plans, strict=True):
            scored = score(conversation, answer_calls(baseline, conversation, calls, condition))
            del scored["turn_scores"]
            yield scored
