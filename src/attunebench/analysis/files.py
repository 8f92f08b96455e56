"""An analysis as files: every table as CSV and Parquet, and all of it as JSON."""

import json
from pathlib import Path
from typing import Final

import polars as pl

from attunebench.analysis.analyze import Analysis
from attunebench.errors import UsageError

ANALYSIS_FILE: Final = "analysis.json"


def write_analysis(analysis: Analysis, folder: Path) -> None:
    """Write `analysis.json`, and of every table NAME `NAME.csv` and `NAME.parquet`, in place of a former analysis.

    Every row carries the seed. Cells of CSV files that a spreadsheet would take for a formula begin with an apostrophe.

    Raises:
        UsageError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_former(folder)
        for name, table in analysis.tables.items():
            frame = table.written.with_columns(seed=pl.lit(analysis.about["seed"]))
            frame.write_parquet(folder / f"{name}.parquet")
            _harmless(frame).write_csv(folder / f"{name}.csv")
        (folder / ANALYSIS_FILE).write_text(json.dumps(_as_json(analysis), ensure_ascii=False) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--out: {folder} cannot be written ({error.strerror or error})") from None


def _remove_former(folder: Path) -> None:
    """Remove the tables that stand in a former `analysis.json`, so that none is taken for one of this analysis."""
    file = folder / ANALYSIS_FILE
    try:
        names = [table["name"] for part in json.loads(file.read_bytes())["parts"] for table in part["tables"]]
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return
    for table in [table for table in folder.iterdir() if table.stem in names and table.suffix in (".csv", ".parquet")]:
        table.unlink()


def _harmless(frame: pl.DataFrame) -> pl.DataFrame:
    texts = pl.col(pl.String)
    return frame.with_columns(
        pl.when(texts.str.contains(r"^[=+\-@\t\r]")).then("'" + texts).otherwise(texts).name.keep()
    )


def _as_json(analysis: Analysis) -> dict[str, object]:
    return {
        **analysis.about,
        "parts": [
            {
                "title": part.title,
                "tables": [
                    {"name": table.name, "title": table.title, "method": table.method, "rows": table.written.to_dicts()}
                    for table in part.tables
                ],
                "missing": [{"part": missing.part, "reason": missing.reason} for missing in part.missing],
            }
            for part in analysis.parts
        ],
    }
