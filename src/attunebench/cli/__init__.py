"""The command line: each command parses its arguments, calls one function of the library, and prints.

`main` is the only place where an error becomes a message and an exit code.
"""

import sys

import typer

from attunebench.cli.analysis import analyze, compare
from attunebench.cli.data import app as data
from attunebench.cli.demo import demo
from attunebench.cli.judge import judge_drafts
from attunebench.cli.prompts import app as prompts
from attunebench.cli.run import run_models
from attunebench.cli.scores import report, score
from attunebench.errors import AttuneError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Measure how well language models read people: emotion, behaviour, preference and outcome, turn by turn.",
)
app.add_typer(data, name="data")
app.add_typer(prompts, name="prompts")
app.command("run")(run_models)
app.command("judge")(judge_drafts)
app.command("score")(score)
app.command("analyze")(analyze)
app.command("compare")(compare)
app.command("report")(report)
app.command("demo")(demo)


@app.callback(invoke_without_command=True)
def about(*, version: bool = typer.Option(False, "--version", help="Print the version and exit.")) -> None:
    """Handle the options that stand before a command."""
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"attunebench {installed('attunebench')}")
        raise typer.Exit


def main() -> None:
    """Run the command line; an `AttuneError` is printed as it is, and its exit code is ours."""
    try:
        app(prog_name="attunebench")
    except AttuneError as error:
        typer.echo(f"attunebench: {error}", err=True)
        sys.exit(error.exit_code)
