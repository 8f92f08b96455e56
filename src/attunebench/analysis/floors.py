"""Floors, ceiling and skill of rows, computed again in every resample.

Source: this project's scoring, Floors and ceiling.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from attunebench.analysis.cube import Cube, Metric
from attunebench.score.floor_table import column_name
from attunebench.score.floors import CEILING, FLOORS
from attunebench.score.skill import direction
from attunebench.stats.resample import resample
from attunebench.stats.sums import Floats, mean_sums

_SAME: Final = 1e-9


@dataclass(frozen=True)
class Floors:
    """The baselines' scores of a cube's conversations, by strategy and baseline: shape (conversations, metrics)."""

    metrics: tuple[Metric, ...]
    scores: Mapping[tuple[str, str], Floats]

    def of(self, strategy: str, name: str, metric: Metric) -> Floats:
        """Return a baseline's scores of one metric, shape (conversations,); NaN where there are none."""
        return self.scores[strategy, name][:, self.metrics.index(metric)]


def floors_of(table: pl.DataFrame, cube: Cube, metrics: Sequence[Metric]) -> Floors:
    """Return the baselines' scores of some metrics from `floors.parquet`, in the cube's order of conversations."""
    known = [metric for metric in metrics if column_name(*metric) in table.columns]
    order = pl.DataFrame({"conversation": cube.conversations}, schema={"conversation": pl.String})
    names = [column_name(*metric) for metric in known]
    scores = {
        (str(strategy), str(floor)): order.join(rows, on="conversation", how="left", maintain_order="left")
        .select(names)
        .to_numpy()
        .astype(np.float64)
        for (strategy, floor), rows in table.group_by("panas_strategy", "floor")
    }
    return Floors(tuple(known), scores)


def best_floor(floors: Mapping[str, Floats], metric: Metric) -> Floats:
    """Return the best floor in the metric's direction, of one shape; NaN where no floor is defined."""
    stacked = np.stack([floors[name] for name in FLOORS])
    worst = np.inf if direction(metric.name) == "down" else -np.inf
    filled = np.where(np.isnan(stacked), worst, stacked)
    best = filled.min(axis=0) if direction(metric.name) == "down" else filled.max(axis=0)
    return np.where(np.isinf(best), np.nan, best)


def skill(value: Floats, floor: Floats, ceiling: Floats, metric: Metric) -> Floats:
    """Return 100 x (value - floor)/(ceiling - floor); NaN where the ceiling is no better than the floor."""
    sign = -1 if direction(metric.name) == "down" else 1
    gain = ceiling - floor
    better = sign * gain > _SAME * np.maximum(np.abs(ceiling), np.abs(floor))
    found: Floats = np.full(np.broadcast(value, gain).shape, np.nan)
    np.divide(100 * (value - floor), gain, out=found, where=better)
    return found


@dataclass(frozen=True)
class Skill:
    """Skill of one row in one metric: as it is, and in each resample; with the floor and ceiling it stands between."""

    value: float
    floor: float
    ceiling: float
    samples: Floats


def skill_of_row(
    values: Floats,
    covered: NDArray[np.bool],
    floors: Floors,
    strategy: str,
    metric: Metric,
    cube: Cube,
    weights: Floats,
) -> Skill:
    """Return the skill of one row, floor and ceiling on the very conversations that it covers.

    Args:
        values: the row's scores, shape (conversations,).
        covered: which conversations the row has a record of.
        floors: the baselines' scores.
        strategy: the row's PANAS strategy.
        metric: of what.
        cube: gives the clusters.
        weights: shape (resamples, clusters).
    """
    names = (*FLOORS, CEILING)
    columns = [values, *(np.where(covered, floors.of(strategy, name, metric), np.nan) for name in names)]
    sums = mean_sums(np.stack(columns, axis=1), cube.clusters)
    points, samples = _split(sums.value[None], names), _split(resample(sums, weights), names)
    found = skill(points["value"], best_floor(points, metric), points[CEILING], metric)
    return Skill(
        float(found[0]),
        float(best_floor(points, metric)[0]),
        float(points[CEILING][0]),
        skill(samples["value"], best_floor(samples, metric), samples[CEILING], metric),
    )


def _split(columns: Floats, names: Sequence[str]) -> dict[str, Floats]:
    return dict(zip(("value", *names), columns.T, strict=True))
