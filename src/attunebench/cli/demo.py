"""`attunebench demo`: the whole chain on the bundled conversations, without a key."""

import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console


def demo(
    out: Annotated[
        Path, typer.Option(help="Folder for the run and its scores; an earlier demo there is replaced.")
    ] = Path("build/demo"),
) -> None:
    """Evaluate the five baselines on the bundled made-up conversations and print the leaderboard."""
    from attunebench.baselines import BASELINES
    from attunebench.dataset.demo import load_demo
    from attunebench.report.formats import print_tables
    from attunebench.report.leaderboard import leaderboard
    from attunebench.run.engine import RunPlan, run
    from attunebench.run.progress import make_display
    from attunebench.score.run_files import load_records
    from attunebench.score.table import score_records, write_scores

    runs, scores = out / "run", out / "scores"
    for folder in (runs, scores):
        shutil.rmtree(folder, ignore_errors=True)
    console = Console()
    dataset = load_demo()
    plan = RunPlan(dataset=dataset, models=[f"baseline/{name}" for name in BASELINES], out=runs)
    run(plan, lambda calls: make_display(console, calls))
    scored = score_records(dataset, load_records([runs], dataset))
    write_scores(scored, scores)
    print_tables(leaderboard(scored), console)
    console.print(f"Records in {runs}, scores in {scores}.", highlight=False)
