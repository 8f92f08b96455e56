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

_BOUNDS: Final = (*FLOORS, CEILING)
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
class Skills:
    """Skill of rows in one metric, with the floor and ceiling that each stands between, all of shape (rows,).

    `samples`: skill in each resample, shape (resamples, rows).
    """

    value: Floats
    floor: Floats
    ceiling: Floats
    samples: Floats


def skills_of(
    values: Floats,
    covered: NDArray[np.bool],
    floors: Floors,
    strategy: str,
    metric: Metric,
    cube: Cube,
    weights: Floats,
) -> Skills:
    """Return the skill of rows, floor and ceiling on the very conversations that each covers.

    Args:
        values: the rows' scores, shape (rows, conversations).
        covered: which conversations each row is to be judged on, of the same shape.
        floors: the baselines' scores.
        strategy: the rows' PANAS strategy.
        metric: of what.
        cube: gives the clusters.
        weights: shape (resamples, clusters).
    """
    rows = len(values)
    value, floor, ceiling = (np.full(rows, np.nan) for _ in range(3))
    samples = np.full((len(weights), rows), np.nan)
    for pattern in np.unique(covered, axis=0):  # mostly one for all rows
        places = np.flatnonzero((covered == pattern).all(axis=1))
        columns = [*values[places], *(floors.of(strategy, name, metric) for name in _BOUNDS)]
        sums = mean_sums(np.where(pattern[:, None], np.stack(columns, axis=1), np.nan), cube.clusters)
        point = _skill_of_means(sums.value[None], metric)
        value[places], floor[places], ceiling[places] = (each[0] for each in point)
        samples[:, places] = _skill_of_means(resample(sums, weights), metric)[0]
    return Skills(value, floor, ceiling, samples)


def _skill_of_means(means: Floats, metric: Metric) -> tuple[Floats, Floats, Floats]:
    """Return skill, shape (…, rows), floor and ceiling, (…, 1), from means of rows and after them the baselines."""
    values, bounds = means[:, : -len(_BOUNDS)], means[:, -len(_BOUNDS) :]
    known = {name: bounds[:, [place]] for place, name in enumerate(_BOUNDS)}
    floor = best_floor(known, metric)
    return skill(values, floor, known[CEILING], metric), floor, known[CEILING]
