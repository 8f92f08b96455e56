"""Groups in a mixed model of the composite, beside the resampled differences."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from attunebench.analysis.cube import Metric, RowKey
from attunebench.analysis.frames import numbers
from attunebench.analysis.group_scores import with_mean
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.metrics import COMPOSITE
from attunebench.analysis.people import Sorted
from attunebench.stats.mixed import mixed_model
from attunebench.stats.sums import Floats, Ints

METHOD = (
    "score ~ group with a random intercept of the cluster, by restricted maximum likelihood; coefficient: difference "
    "from the reference group, p from Wald's z. problem: why there is no estimate."
)


def group_models(inputs: Inputs, found: Sorted, places: Sequence[int]) -> pl.DataFrame:
    """Return the coefficients of the groups that are tested, a model a row and profile of the composite.

    At least two groups must be tested, the reference among them.
    """
    rows, values = with_mean(inputs, places)
    order = [str(found.reference), *(name for name in found.tested if name != found.reference)]
    groups = np.array([order.index(name) if name in order else -1 for name in np.array(found.names)[found.index]])
    kept = groups >= 0
    records = [
        record
        for row, scores in zip(rows, values, strict=True)
        for place, metric in enumerate(inputs.cube.metrics)
        if metric.name == COMPOSITE
        for record in _fitted(
            found.grouping.name, order, row, metric, scores[kept, place], groups[kept], inputs.cube.clusters[kept]
        )
    ]
    frame = pl.DataFrame(records, infer_schema_length=None)
    return frame.with_columns(numbers(frame[name]).alias(name) for name in ("coefficient", "se", "p"))


def _fitted(
    field: str, order: Sequence[str], row: RowKey, metric: Metric, values: Floats, groups: Ints, clusters: Ints
) -> Iterator[dict[str, object]]:
    fit = mixed_model(values, groups, clusters)
    defined = ~np.isnan(values)
    for place, name in enumerate(order[1:], start=1):
        yield {
            **row._asdict(),
            "group_field": field,
            "group": name,
            "reference": order[0],
            "metric": metric.name,
            "profile": metric.profile,
            "coefficient": float(fit.coefficients[place]),
            "se": float(fit.se[place]),
            "p": float(fit.p[place]),
            "n": int(np.count_nonzero(defined)),
            "clusters": len(np.unique(clusters[defined])),
            "converged": fit.converged,
            "problem": fit.problem,
            "method": "linear mixed model, REML",
        }
