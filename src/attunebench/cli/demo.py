"""`attunebench demo`: the whole chain on the bundled conversations, without a key."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from attunebench.errors import UsageError

MARK = ".attunebench-demo"
"""Marks a folder whose contents the next demo may replace."""


def demo(
    out: Annotated[
        Path, typer.Option(help="Folder for the run and its scores; an earlier demo there is replaced.")
    ] = Path("build/demo"),
) -> None:
    """Evaluate the five baselines on the bundled made-up conversations and print the leaderboard."""
    from attunebench.baselines import BASELINES
    from attunebench.dataset.demo import demo_folder
    from attunebench.dataset.load import load_dataset
    from attunebench.display import make_display
    from attunebench.report.formats import print_tables
    from attunebench.report.leaderboard import leaderboard
    from attunebench.run.engine import run
    from attunebench.run.plan import RunPlan
    from attunebench.score.score_files import score_files

    runs, scores = out / "run", out / "scores"
    _clear(out, (runs, scores))
    console = Console()
    with demo_folder() as data:
        plan = RunPlan(dataset=load_dataset(data), models=[f"baseline/{name}" for name in BASELINES], out=runs)
        run(plan, lambda calls: make_display(console, calls))
        scored = score_files(data, [runs], scores)
    print_tables(leaderboard(scored), console)
    typer.echo(f"Records in {runs}, scores in {scores}.")


def _clear(out: Path, folders: Sequence[Path]) -> None:
    """Remove an earlier demo's folders, and nothing that is not known to be one's."""
    mark = out / MARK
    if any(folder.exists() for folder in folders) and not mark.exists():
        raise UsageError(f"--out: {out} holds a run or scores of something else than a demo, choose another folder")
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    try:
        out.mkdir(parents=True, exist_ok=True)
        mark.touch()
    except OSError as error:
        raise UsageError(f"--out: {out} cannot be written ({error.strerror})") from None
