"""`attunebench score` and `attunebench report`: from run records to numbers, from numbers to tables."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from attunebench.errors import UsageError

Format = Literal["terminal", "markdown", "csv"]
Engine = Literal["local", "ray"]

SECONDS_WITHOUT_PROGRESS = 2.0


def score(
    data: Annotated[
        str, typer.Option(help="Data set: a folder of .json, .jsonl or .parquet files, or such a file; or its address.")
    ],
    runs: Annotated[
        list[str], typer.Option(help="A run's folder, or files with run records, or their address; may repeat.")
    ],
    out: Annotated[str, typer.Option(help="Folder for scores.json and scores.parquet, or its address.")],
    *,
    engine: Annotated[Engine, typer.Option(help="Score on this machine, or on a Ray cluster.")] = "local",
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that score; by default as many as there are cores.")
    ] = None,
    ray_address: Annotated[
        str | None,
        typer.Option(help="A Ray cluster that is there already; by default RAY_ADDRESS, or one started here."),
    ] = None,
    shards: Annotated[
        bool, typer.Option("--shards", help="Leave scored conversations in OUT/shards, .jsonl and .parquet files.")
    ] = False,
) -> None:
    """Score run records against the participants' own answers. Addresses are fsspec's: s3://…, https://…, file://…"""
    from attunebench.score.engine_ray import ray_engine
    from attunebench.score.score_files import score_files
    from attunebench.score.skill import below_floor

    if ray_address is not None and engine != "ray":
        raise UsageError(f"--ray-address: needs --engine ray, got {engine}")
    cluster = ray_engine(ray_address, workers) if engine == "ray" else nullcontext()
    with _progress(Console(stderr=True)) as progress, cluster as engine_used:
        totals = score_files(data, runs, out, workers=workers, shards=shards, engine=engine_used, progress=progress)
    for row in totals.aggregates:
        for warning in below_floor(row, row.get("skill") or {"reference": {}, "strict": {}}):
            typer.echo(f"warning: {warning}", err=True)
    records = sum(row["n"]["composite_score"] for row in totals.aggregates)  # it is defined in every record
    typer.echo(f"{records:,} records of {len(totals.aggregates)} rows scored; results in {out}")


@dataclass(frozen=True)
class _Done:
    """How many of something are done, in so many seconds."""

    done: int
    seconds: float

    def __str__(self) -> str:
        return f"{self.done / self.seconds:,.0f} a second"


@contextmanager
def _progress(console: Console) -> Iterator[Callable[[str, int, int], None]]:
    """Yield what is to be told of what how many of how many are done; it shows them once that takes a while."""
    from attunebench.display import Display, make_display

    begin = told = time.monotonic()
    starts: dict[str, float] = {}
    shown: dict[str, Display] = {}
    with ExitStack() as stack:

        def show(what: str, done: int, total: int) -> None:
            nonlocal told
            start = starts.setdefault(what, told)
            told = now = time.monotonic()
            if what not in shown and now - begin > SECONDS_WITHOUT_PROGRESS:
                stack.close()
                shown[what] = stack.enter_context(make_display(console, total, what))
            if what in shown:
                shown[what].update(_Done(done, now - start))

        yield show


def report(
    scores: Annotated[Path, typer.Argument(help="The folder that `attunebench score` wrote.")],
    *,
    as_format: Annotated[Format, typer.Option("--format", help="How to show it.")] = "terminal",
    out: Annotated[Path | None, typer.Option(help="File to write instead of printing; Markdown unless CSV.")] = None,
) -> None:
    """Show the leaderboard: composite, pillars, floors, ceiling, failed calls."""
    from attunebench.report.formats import print_tables, to_markdown
    from attunebench.report.leaderboard import leaderboard, to_csv
    from attunebench.score.table import read_totals

    found = read_totals(scores)
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
