"""`attunebench data`: check, describe and import data sets."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from attunebench.dataset.validate import ValidationReport

app = typer.Typer(no_args_is_help=True, help="Check, describe and import data sets.")
imports = typer.Typer(no_args_is_help=True, help="Turn other people's data into a data set.")
app.add_typer(imports, name="import")

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")]
DataArgument = Annotated[Path, typer.Argument(help="A folder of .json files, or a .json, .jsonl or .parquet file.")]
ImportOut = Annotated[Path, typer.Option(help="New folder for the conversations, one file each.")]


@app.command()
def validate(path: DataArgument, *, as_json: AsJson = False) -> None:
    """Report every error and warning of a data set, one a line; exit 1 if there is an error."""
    from attunebench.dataset.validate import validate as check

    report = check(path)
    if as_json:
        typer.echo(json.dumps(_as_dict(report), ensure_ascii=False, indent=2))
    else:
        for problem in report.errors:
            typer.echo(str(problem))
        for problem in report.warnings:
            typer.echo(f"warning: {problem}")
        nouns = {"conversation": report.conversations, "error": len(report.errors), "warning": len(report.warnings)}
        typer.echo(", ".join(_count(count, noun) for noun, count in nouns.items()), err=True)
    if not report.ok:
        raise typer.Exit(1)


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _as_dict(report: "ValidationReport") -> dict[str, object]:
    problems = {
        name: [{"text": str(one), "kind": one.kind, "file": one.file, "path": one.path} for one in found]
        for name, found in (("errors", report.errors), ("warnings", report.warnings))
    }
    return {"conversations": report.conversations, "ok": report.ok, **problems, "counts": dict(report.counts)}


@app.command()
def describe(path: DataArgument, *, as_json: AsJson = False) -> None:
    """Count what a data set holds: conversations, answers, comparisons, emotions, groups, gaps."""
    from attunebench.dataset.describe import describe as count
    from attunebench.dataset.load import load_dataset
    from attunebench.dataset.show import show

    description = count(load_dataset(path))
    if as_json:
        typer.echo(json.dumps(description.as_dict(), ensure_ascii=False, indent=2))
    else:
        show(description)


@imports.command("topical-chat")
def topical_chat(
    path: Annotated[Path, typer.Argument(help="A Topical-Chat conversations file, or a folder of them.")],
    out: ImportOut,
    participant: Annotated[
        Literal["agent_1", "agent_2"], typer.Option(help="Who is the participant; the other stands for the model.")
    ] = "agent_1",
) -> None:
    """Turn Topical-Chat into a data set; records that cannot be imported are listed with the reason."""
    from attunebench.dataset.export import write_conversations
    from attunebench.dataset.importers.topical_chat import SOURCE, import_topical_chat

    result = import_topical_chat(path, participant)
    write_conversations(result.conversations, out)
    for refusal in result.refusals:
        typer.echo(f"refused: {refusal}")
    records = len(result.conversations) + len(result.refusals)
    made = _count(len(result.conversations), "conversation")
    typer.echo(f"{_count(records, 'record')}: {made} in {out}, {len(result.refusals):,} refused")
    typer.echo(f"Source: {SOURCE}. Keep its licence with whatever you publish of it.")
