"""Which metric tells models apart: how many pairs it distinguishes, and how much of its variance is between models.

The published claim to check: preference and response quality discriminate models more than emotion labels do.
"""

from collections.abc import Sequence

import numpy as np
import polars as pl

from attunebench.analysis.compared import Compared
from attunebench.analysis.cube import RowKey
from attunebench.analysis.frames import RATE, counts, interval_note, numbers
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.metrics import capabilities_of, is_mean
from attunebench.analysis.tables import Missing, Part, Table
from attunebench.stats.covariance import model_covariances, model_sums
from attunebench.stats.reliability import generalisability
from attunebench.stats.resample import percentile_bounds
from attunebench.stats.sums import ClusterSums, Floats, ratio

TITLE = "Which metric discriminates"
EMOTION = "emotion recognition"
PROFILES = ("reference", "strict")

_METHOD = (
    "share: pairs of models distinguished (sign-flip test by cluster, Holm over the pairs of the metric, .05). "
    "generalisability: variance between models over that plus the error variance of their means, from a crossed "
    "analysis of variance of models and clusters; 0 to 1."
)
_CAPABILITIES = (
    "generalisability as for single metrics; difference: less that of emotion recognition on the same clusters. "
    "Intervals: percentile over clusters, 95 %."
)


def discrimination(inputs: Inputs, settings: Sequence[Compared]) -> Part:
    """Return how well each metric, and each capability, tells models apart."""
    places = {found.rows: [inputs.cube.rows.index(row) for row in found.rows] for found in settings}
    paired = [found for found in settings if len(found.rows) > 1]
    missing = [
        Missing("discrimination", f"{found.rows[0].under}: only one model")
        for found in settings
        if len(found.rows) == 1
    ]
    if not paired:
        return Part(TITLE, missing=missing)
    by_capability = [_capabilities(inputs, places[found.rows], profile) for found in paired for profile in PROFILES]
    return Part(
        TITLE,
        [
            Table(
                "discrimination",
                "How well each metric tells models apart",
                _METHOD,
                pl.concat([_metrics(inputs, found, places[found.rows]) for found in paired]),
                "analysis of variance",
            ),
            Table(
                "capability_discrimination",
                "How well each capability tells models apart, beside emotion recognition",
                _CAPABILITIES,
                pl.concat(by_capability).with_columns(note=interval_note("generalisability")),
            ),
        ],
        missing,
    )


def _metrics(inputs: Inputs, found: Compared, places: Sequence[int]) -> pl.DataFrame:
    cube = inputs.cube.with_metrics(is_mean)
    where = {metric: place for place, metric in enumerate(found.metrics)}
    chosen = [where[metric] for metric in cube.metrics]
    tested = ~np.isnan(found.tests.p[:, chosen])
    told = found.tests.distinguished[:, chosen] & tested
    values = cube.values[list(places)]
    generalised = [generalisability(values[:, :, place], cube.clusters) for place in range(len(cube.metrics))]
    return pl.DataFrame(
        {
            **_setting(found.rows[0]),
            "profile": [metric.profile for metric in cube.metrics],
            "metric": [metric.name for metric in cube.metrics],
            "pairs": counts(tested.sum(axis=0)),
            "distinguished": counts(told.sum(axis=0)),
            "share": numbers(ratio(told.sum(axis=0).astype(np.float64), tested.sum(axis=0).astype(np.float64))),
            "generalisability": numbers([each.coefficient for each in generalised]),
            "variance_between": numbers([each.between for each in generalised]),
            "variance_error": numbers([each.error for each in generalised]),
            "between_below_zero": [each.negative for each in generalised],
            "n": counts((~np.isnan(values)).any(axis=0).sum(axis=0)),
            "clusters": counts(found.clusters[:, chosen].max(axis=0)),
        }
    )


def _setting(row: RowKey) -> dict[str, str]:
    return {"mode": row.mode, "panas_strategy": row.panas_strategy, "condition": row.condition}


def _capabilities(inputs: Inputs, places: Sequence[int], profile: str) -> pl.DataFrame:
    metrics, values = capabilities_of(inputs.cube.with_rows(places), profile)
    names = [*metrics]
    sums = model_sums(values, inputs.cube.clusters)
    value = _generalised(sums, np.ones((1, len(sums.top))), len(values))[0]
    samples = _generalised(sums, inputs.weights, len(values))
    lower, upper = percentile_bounds(samples)
    base = names.index(EMOTION)
    apart = value - value[base]
    apart_lower, apart_upper = percentile_bounds(samples - samples[:, [base]])
    scored = np.asarray(~np.isnan(values).all(axis=0))
    return pl.DataFrame(
        {
            **_setting(inputs.cube.rows[places[0]]),
            "profile": profile,
            "capability": names,
            "metrics": [" + ".join(each) for each in metrics.values()],
            "generalisability": numbers(value),
            "lower": numbers(lower),
            "upper": numbers(upper),
            "difference": numbers(np.where(np.arange(len(names)) == base, np.nan, apart)),
            "difference_lower": numbers(apart_lower),
            "difference_upper": numbers(apart_upper),
            "models": len(values),
            "n": counts(scored.sum(axis=0)),
            "clusters": counts([len(np.unique(inputs.cube.clusters[each])) for each in scored.T]),
            "method": RATE,
        }
    )


def _generalised(sums: ClusterSums, weights: Floats, models: int) -> Floats:
    """Return the coefficients in each resample, shape (resamples, metrics)."""
    found = model_covariances(sums, weights, models)
    between = np.maximum(np.diagonal(found.between, axis1=1, axis2=2), 0.0)
    whole = between + np.diagonal(found.error, axis1=1, axis2=2)
    return ratio(between, np.nan_to_num(whole))
