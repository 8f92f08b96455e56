"""`attunebench score` and `attunebench report`: from run records to numbers, from numbers to tables."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from attunebench.cli.options import DataPath
from attunebench.errors import UsageError

Format = Literal["terminal", "markdown", "csv"]


def score(
    data: DataPath,
    runs: Annotated[list[Path], typer.Option(help="A run's folder, or files with run records; may repeat.")],
    out: Annotated[Path, typer.Option(help="Folder for scores.json and scores.parquet.")],
) -> None:
    """Score run records against the participants' own answers."""
    from attunebench.dataset.load import load_dataset
    from attunebench.score.run_files import load_records
    from attunebench.score.table import score_records, write_scores

    dataset = load_dataset(data)
    records = load_records(runs, dataset)
    scores = score_records(dataset, records)
    write_scores(scores, out)
    typer.echo(f"{len(records):,} records of {len(scores.aggregates)} rows scored; results in {out}")


def report(
    scores: Annotated[Path, typer.Argument(help="The folder that `attunebench score` wrote.")],
    *,
    as_format: Annotated[Format, typer.Option("--format", help="How to show it.")] = "terminal",
    out: Annotated[Path | None, typer.Option(help="File to write instead of printing; Markdown unless CSV.")] = None,
) -> None:
    """Show the leaderboard: composite, pillars, floors, ceiling, failed calls."""
    from attunebench.report.formats import print_tables, to_markdown
    from attunebench.report.leaderboard import leaderboard, to_csv
    from attunebench.score.table import read_scores

    found = read_scores(scores)
    if as_format == "terminal" and out is None:
        print_tables(leaderboard(found), Console())
        return
    text = to_csv(found) if as_format == "csv" else to_markdown(leaderboard(found))
    if out is None:
        typer.echo(text, nl=False)
    else:
        try:
            out.write_text(text, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"--out: {out} cannot be written ({error.strerror})") from None
