"""What runs cost: failed calls, tokens, money, time."""

from pathlib import Path

import polars as pl

from attunebench.analysis.cube import ROW_COLUMNS
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.tables import Missing, Part, Table

TITLE = "Calls and cost"
_ANSWERED = ("parsed", "repaired")
_UNJUDGED = pl.col("condition").str.split("+").list.first()
"""The condition without the panel that judged it."""

_METHOD = (
    "Counts over all readings, no estimates. failed: calls that ended without a usable answer. seconds: the sum of "
    "the conversations' times, which overlap. cost: as the run priced its calls; null where it had no price. Tokens "
    "are those of all attempts, judges' apart, from the runs' ledgers."
)


def costs(inputs: Inputs) -> Part:
    """Return calls, failures, cost and time of every row."""
    calls = _calls(inputs)
    if calls.is_empty():
        return Part(TITLE, missing=[Missing("costs", "the records do not tell how their calls ended")])
    missing = []
    if isinstance(inputs.records, str):
        missing.append(Missing("cost and time", inputs.records))
    else:
        calls = calls.join(_spent(inputs), on=ROW_COLUMNS, how="left", maintain_order="left")
    tokens = _tokens(inputs)
    if tokens is None:
        missing.append(Missing("tokens", "no ledger (calls.jsonl) stands beside the run records"))
    else:
        calls = (
            calls.with_columns(asked=_UNJUDGED)
            .join(tokens, on=["model", "asked"], how="left", maintain_order="left")
            .drop("asked")
        )
    return Part(TITLE, [Table("costs", "Calls, failures, tokens, cost and time", _METHOD, calls, "count")], missing)


def _calls(inputs: Inputs) -> pl.DataFrame:
    failed = ~pl.col("state").is_in(_ANSWERED)
    counted = inputs.calls.group_by(ROW_COLUMNS).agg(
        n=pl.col("conversation").n_unique(), calls=pl.col("count").sum(), failed=pl.col("count").filter(failed).sum()
    )
    return counted.sort(ROW_COLUMNS)


def _spent(inputs: Inputs) -> pl.DataFrame:
    rows = [
        (
            record.em_model,
            record.mode,
            record.strategy,
            record.condition or "",
            record.api_cost,
            record.duration_seconds,
        )
        for record in inputs.records
        if not isinstance(record, str)
    ]
    schema = dict.fromkeys(ROW_COLUMNS, pl.String) | {"cost": pl.Float64, "seconds": pl.Float64}
    spent = pl.DataFrame(rows, schema=schema, orient="row").group_by(ROW_COLUMNS)
    known = pl.when(pl.col("cost").is_not_null().any()).then(pl.col("cost").sum())
    return spent.agg(
        cost=known, cost_known=pl.col("cost").is_not_null().sum(), seconds=pl.col("seconds").sum().round(3)
    )


def _tokens(inputs: Inputs) -> pl.DataFrame | None:
    files = [file for run in inputs.runs if (file := Path(run) / "calls.jsonl").is_file()]
    if not files:
        return None
    kinds = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens")
    schema = dict.fromkeys(("model", "role", "condition", "conversation"), pl.String) | dict.fromkeys(kinds, pl.Int64)
    ledger = pl.concat([pl.scan_ndjson(file, schema=schema, ignore_errors=True) for file in files])
    asked = ledger.filter(pl.col("role") == "evaluated", pl.col("conversation").is_in([*inputs.cube.conversations]))
    tokens: pl.DataFrame = asked.group_by("model", asked=_UNJUDGED).agg(pl.col(kinds).sum()).collect()
    return tokens
