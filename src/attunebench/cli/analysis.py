"""`attunebench analyze` and `attunebench compare`: from scores to statements about who differs from whom."""

from math import inf
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from attunebench.errors import UsageError

Scores = Annotated[Path, typer.Argument(help="The folder that `attunebench score` wrote.")]
Where = Annotated[
    list[str] | None,
    typer.Option(
        help="FIELD=VALUE, to narrow it: id, model, mode, diagnosis, or a path such as metadata.subtopic; may repeat."
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Of all resampling: one seed, the same numbers.")]
Data = Annotated[str | None, typer.Option(help="The data set, if it is not where the scores say.")]
Runs = Annotated[list[str] | None, typer.Option(help="The runs, if they are not where the scores say; may repeat.")]


def analyze(
    scores: Scores,
    *,
    out: Annotated[Path, typer.Option(help="Folder for the tables, and all of it as analysis.json.")],
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="Groups to compare: diagnosis, topic, age (all three by default), or a path to a field; may repeat."
        ),
    ] = None,
    where: Where = None,
    groups: Annotated[Path | None, typer.Option(help="A mapping file of your own for groups, TOML.")] = None,
    seed: Seed = 0,
    data: Data = None,
    runs: Runs = None,
) -> None:
    """Say who differs from whom, on what, for whom, and how sure that is; every part as a table."""
    from attunebench.analysis.analyze import Options, analyze
    from attunebench.analysis.files import write_analysis
    from attunebench.report.formats import print_tables, to_markdown
    from attunebench.report.summary import summary

    options = Options(by or (), where or (), groups, seed, data, runs or ())
    found = analyze(scores, options)
    write_analysis(found, out)
    tables = summary(found)
    try:
        (out / "analysis.md").write_text(to_markdown(tables), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--out: {out} cannot be written ({error.strerror})") from None
    print_tables(tables, Console())
    typer.echo(f"{len(found.tables)} tables in {out}, everything in {out / 'analysis.json'}")


def compare(
    scores: Scores,
    *,
    metric: Annotated[str, typer.Option(help="A metric by its name in scores.parquet, such as composite_score.")],
    models: Annotated[tuple[str, str], typer.Option(help="Two models.")],
    margin: Annotated[
        float | None, typer.Option(help="Test also whether they are equivalent within this difference.")
    ] = None,
    where: Where = None,
    seed: Seed = 0,
    data: Data = None,
) -> None:
    """Compare two models on one metric, in one screen."""
    from attunebench.analysis.analyze import Options, read_narrowed
    from attunebench.analysis.pair import compare_two
    from attunebench.report.formats import print_tables
    from attunebench.report.pair import pair_tables

    if margin is not None and not 0 < margin < inf:
        raise UsageError(f"--margin: must be above 0, got {margin:g}")
    inputs = read_narrowed(scores, Options(where=where or (), seed=seed, data=data))
    found = compare_two(inputs, metric, models, margin=margin)
    print_tables(pair_tables(found, inputs.cube.cluster_kind), Console())
