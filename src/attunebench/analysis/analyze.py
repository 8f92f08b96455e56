"""The whole analysis of a folder of scores: every part, in order, and what the data do not allow."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from attunebench.analysis.claims import claims
from attunebench.analysis.compared import compare_settings
from attunebench.analysis.costs import costs
from attunebench.analysis.differences import differences
from attunebench.analysis.discrimination import discrimination
from attunebench.analysis.failures import failures
from attunebench.analysis.filters import choose, read_filter
from attunebench.analysis.groupings import Grouping, fields_of, grouping_for, read_groupings
from attunebench.analysis.inputs import Inputs, narrow, read_inputs
from attunebench.analysis.judges import judges
from attunebench.analysis.modes import modes
from attunebench.analysis.mood import mood
from attunebench.analysis.panas_items import panas_items
from attunebench.analysis.planning import planning
from attunebench.analysis.position import position
from attunebench.analysis.ranking import ranking
from attunebench.analysis.separable import separable
from attunebench.analysis.shape import shape
from attunebench.analysis.subgroups import subgroups
from attunebench.analysis.tables import Part, Table
from attunebench.errors import UsageError

SEED = 0


@dataclass(frozen=True)
class Options:
    """What is asked of an analysis.

    `by`: groupings, by name or by path; none for those of the mapping. `where`: filters. `groups`: a mapping file.
    `data`, `runs`: where the data set and runs are, if not where the scores say.
    """

    by: Sequence[str] = ()
    where: Sequence[str] = ()
    groups: Path | None = None
    seed: int = SEED
    data: str | None = None
    runs: Sequence[str] = ()


@dataclass(frozen=True)
class Analysis:
    """An analysis: its parts, and what all of their numbers share.

    `about`: conversations, clusters and what they are, seed, resamples, filters, groupings, whether data are made up.
    """

    parts: Sequence[Part]
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def tables(self) -> dict[str, Table]:
        """All tables by name."""
        return {table.name: table for part in self.parts for table in part.tables}


def analyze(folder: Path, options: Options = Options()) -> Analysis:
    """Analyse the scores in a folder.

    Raises:
        UsageError: an option makes no sense for these data, or nothing is left of them.
        RecordError: there are no scores.
        DataError: the data set cannot be used.
    """
    inputs = read_narrowed(folder, options)
    chosen = _groupings(read_groupings(options.groups), inputs, options)
    with threadpool_limits(1, user_api="blas"):  # its threads wait for each other longer than these products take
        parts = _parts(inputs, chosen)
    return Analysis([claims(parts), *parts], _about(inputs, chosen, options))


def _parts(inputs: Inputs, chosen: Sequence[Grouping]) -> list[Part]:
    settings = compare_settings(inputs)
    return [
        ranking(inputs, settings),
        costs(inputs),
        separable(inputs),
        differences(settings),
        discrimination(inputs, settings),
        subgroups(inputs, chosen),
        modes(inputs),
        position(inputs),
        shape(inputs, settings),
        panas_items(inputs),
        mood(inputs),
        judges(inputs),
        planning(settings),
        failures(inputs),
    ]


def read_narrowed(folder: Path, options: Options) -> Inputs:
    """Read what an analysis is made of, as far as the filters let it through.

    Raises:
        UsageError, RecordError, DataError: as `analyze`.
    """
    read = read_inputs(folder, data=options.data, runs=options.runs)
    groupings = read_groupings(options.groups)
    people = {one.conversation_id: fields_of(one) for one in read.dataset.conversations}
    chosen, rows = choose([read_filter(text) for text in options.where], people, groupings)
    inputs = narrow(read, chosen, rows, seed=options.seed)
    if not inputs.cube.conversations:
        raise UsageError(f"--where: nothing is left of the scores by {' and '.join(options.where) or 'these data'}")
    return inputs


def _groupings(known: dict[str, Grouping], inputs: Inputs, options: Options) -> list[Grouping]:
    people = [fields_of(one) for one in inputs.conversations.values()]
    return [grouping_for(name, known, people) for name in dict.fromkeys(options.by or known)]


def _about(inputs: Inputs, groupings: Sequence[Grouping], options: Options) -> dict[str, Any]:
    cube = inputs.cube
    return {
        "made_up": inputs.totals.made_up,
        "conversations": len(cube.conversations),
        "clusters": cube.cluster_count,
        "cluster": cube.cluster_kind,
        "rows": [row._asdict() for row in cube.rows],
        "seed": inputs.seed,
        "resamples": len(inputs.weights),
        "flips": len(inputs.flips),
        "where": list(options.where),
        "groups": {
            each.name: {
                "path": each.path,
                "reference": each.reference,
                "patterns": {name: pattern.pattern for name, pattern in (each.patterns or {}).items()},
            }
            for each in groupings
        },
    }
