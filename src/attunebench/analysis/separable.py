"""Are capabilities separable: do models that are good at one also come out good at another?

The published benchmark's main finding is that they are nearly independent. A low correlation can be mere noise, so
beside it stand how reliably each capability was measured, and the correlation with that noise taken off.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl

from attunebench.analysis.cube import RowKey
from attunebench.analysis.frames import RATE, interval_note, numbers
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.metrics import capabilities_of
from attunebench.analysis.tables import Missing, Part, Table
from attunebench.stats.correlation import LEAST_MODELS, rank_correlations
from attunebench.stats.covariance import model_sums
from attunebench.stats.dimensions import independent_abilities, one_ability, participation_ratio
from attunebench.stats.reliability import split_half
from attunebench.stats.resample import percentile_bounds, resample
from attunebench.stats.separability import corrected_correlations
from attunebench.stats.sums import Floats

TITLE = "Separable capabilities"
PROFILES = ("reference", "strict")
RELIABLE = 0.8
"""Below, two capabilities can be called neither separable nor one: docs/statistics.md, table 6."""

_UNRELIABLE = f"below {RELIABLE}: whether it is separable from others can hardly be told"
_PART = 2

_CORRELATIONS = (
    "Rank correlations, over models, of two capabilities' means (Spearman; Kendall's tau-b), with percentile "
    "intervals over clusters, 95 %. corrected: the correlation between models' capabilities with the noise of "
    "conversations taken off, from disjoint halves of the clusters; its interval is not defined where a capability's "
    "variance between models cannot be told from 0. separable: whether that interval lies below 1; otherwise nothing "
    "is claimed."
)
_RELIABILITY = (
    "Split-half reliability: correlation over models between means on disjoint halves of the clusters, averaged over "
    "splits, raised to the full length by Spearman and Brown. metrics: what stands for the capability."
)
_DIMENSIONS = (
    "Participation ratio of the eigenvalues of the Spearman matrix: 1, one dimension, to the number of capabilities. "
    "It means something only between its two references, simulated for as many models: one ability measured this "
    "unreliably, and independent abilities; each with the range of 95 % of simulations."
)


def separable(inputs: Inputs) -> Part:
    """Return correlations between capabilities, their reliabilities and the number of dimensions."""
    frames: list[tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]] = []
    missing: list[Missing] = []
    for places in inputs.cube.settings().values():
        for profile in PROFILES:
            found = _examine(inputs, places, profile)
            if isinstance(found, Missing):
                missing.append(found)
            else:
                frames.append(found)
    if not frames:
        return Part(TITLE, missing=missing)
    names = ("capability_correlations", "capability_reliability", "capability_dimensions")
    titles = (
        "Capabilities of models, correlated",
        "How reliably capabilities tell models apart",
        "How many dimensions",
    )
    methods = (_CORRELATIONS, _RELIABILITY, _DIMENSIONS)
    joined = (pl.concat(each, how="diagonal_relaxed") for each in zip(*frames, strict=True))
    return Part(TITLE, [Table(*each) for each in zip(names, titles, methods, joined, strict=True)], missing)


def _examine(
    inputs: Inputs, places: Sequence[int], profile: str
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame] | Missing:
    row, clusters = inputs.cube.rows[places[0]], inputs.cube.clusters
    metrics, scores = capabilities_of(inputs.cube.with_rows(places), profile)
    measured = np.asarray(~np.isnan(scores).all(axis=(0, 1)))
    scored = np.asarray(~np.isnan(scores).all(axis=1))[:, measured]
    complete = scored.all(axis=1)
    if complete.sum() < LEAST_MODELS or measured.sum() < 2:
        reason = f"needs {LEAST_MODELS} models with 2 capabilities measured, got {complete.sum()} with {measured.sum()}"
        return Missing("separable capabilities", f"{row.under}, {profile}: {reason}")
    names = [name for name, known in zip(metrics, measured, strict=True) if known]
    values = scores[complete][:, :, measured]
    setting = _setting(row, profile, len(values), values, clusters)
    reliability = split_half(values, clusters, inputs.rng(_PART)).reliability
    observed, correlations = _correlations(inputs, values, names)
    return (
        correlations.with_columns(**setting).with_columns(note=interval_note("spearman", "spearman_lower")),
        _reliability(names, metrics, reliability).with_columns(**setting),
        _dimensions(inputs, observed, reliability, len(values)).with_columns(**setting),
    )


def _setting(row: RowKey, profile: str, models: int, values: Floats, clusters: np.ndarray) -> Mapping[str, pl.Expr]:
    scored = ~np.isnan(values).all(axis=(0, 2))
    return {
        "mode": pl.lit(row.mode),
        "panas_strategy": pl.lit(row.panas_strategy),
        "condition": pl.lit(row.condition),
        "profile": pl.lit(profile),
        "models": pl.lit(models),
        "n": pl.lit(int(scored.sum())),
        "clusters": pl.lit(len(np.unique(clusters[scored]))),
        "method": pl.lit(RATE),
    }


def _correlations(inputs: Inputs, values: Floats, names: Sequence[str]) -> tuple[Floats, pl.DataFrame]:
    """Return the Spearman matrix, and a row a pair of capabilities."""
    sums = model_sums(values, inputs.cube.clusters)
    shape = (-1, len(values), len(names))
    found = [each[0] for each in rank_correlations(sums.value.reshape(shape))]
    bounds = [percentile_bounds(each) for each in rank_correlations(resample(sums, inputs.weights).reshape(shape))]
    corrected = corrected_correlations(values, inputs.cube.clusters, inputs.weights)
    pairs = [*combinations(range(len(names)), 2)]
    at = tuple(np.array(pairs).T)
    columns = {
        "spearman": found[0],
        "spearman_lower": bounds[0][0],
        "spearman_upper": bounds[0][1],
        "kendall": found[1],
        "kendall_lower": bounds[1][0],
        "kendall_upper": bounds[1][1],
        "corrected": corrected.value,
        "corrected_lower": corrected.lower,
        "corrected_upper": corrected.upper,
        "corrected_defined": corrected.defined,
    }
    frame = pl.DataFrame(
        {
            "capability_a": [names[a] for a, _ in pairs],
            "capability_b": [names[b] for _, b in pairs],
            **{name: numbers(each[at]) for name, each in columns.items()},
            "separable": corrected.separable[at],
        }
    )
    return found[0], frame


def _reliability(names: Sequence[str], metrics: Mapping[str, Sequence[str]], reliability: Floats) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "capability": names,
            "metrics": [" + ".join(metrics[name]) for name in names],
            "reliability": numbers(reliability),
        }
    ).with_columns(note=pl.when(pl.col("reliability") < RELIABLE).then(pl.lit(_UNRELIABLE)))


def _dimensions(inputs: Inputs, observed: Floats, reliability: Floats, models: int) -> pl.DataFrame:
    one = one_ability(reliability, models, inputs.rng(_PART))
    independent = independent_abilities(len(reliability), models, inputs.rng(_PART))
    return pl.DataFrame(
        {
            "capabilities": [len(reliability)],
            "participation_ratio": numbers([float(participation_ratio(observed))]),
            "one_ability": numbers([one.mean]),
            "one_ability_lower": numbers([one.lower]),
            "one_ability_upper": numbers([one.upper]),
            "independent": numbers([independent.mean]),
            "independent_lower": numbers([independent.lower]),
            "independent_upper": numbers([independent.upper]),
        }
    )
