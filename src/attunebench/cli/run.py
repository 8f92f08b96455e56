"""`attunebench run`: ask models."""

from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from attunebench.cli.options import (
    BlindOption,
    DataPath,
    ModeOption,
    PromptsOption,
    QuestionsOption,
    StrategyOption,
    StructuredOption,
    SwapOption,
)

if TYPE_CHECKING:
    from attunebench.run.progress import Tally

_WHAT = "Which conversations, how often, and who judges"
_HOW = "How it is asked"
_KEPT = "Going on, cost, and what is kept"


def _temperature(text: str) -> float | None:
    try:
        value = None if text == "none" else float(text)
    except ValueError:
        value = -1.0
    if value is not None and not 0 <= value < inf:
        raise typer.BadParameter(f"must be a number from 0 up, or none, got {text!r}")
    return value


def run_models(
    data: DataPath,
    model: Annotated[
        list[str],
        typer.Option(
            help="A model by Inspect's names (openai/…, anthropic/…, openai-api/NAME/…) or baseline/NAME; may repeat."
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the records, the ledger and Inspect's logs.")],
    mode: ModeOption = "default",
    panas: StrategyOption = "absolute",
    prompts: PromptsOption = None,
    questions: QuestionsOption = None,
    limit: Annotated[
        int | None, typer.Option(help="Only the first so many conversations.", rich_help_panel=_WHAT)
    ] = None,
    ids: Annotated[
        str | None, typer.Option(help="Only these conversations, separated by commas.", rich_help_panel=_WHAT)
    ] = None,
    epochs: Annotated[
        int, typer.Option(min=1, help="How often each model reads each conversation.", rich_help_panel=_WHAT)
    ] = 1,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="A model that judges every draft, by Inspect's names; several are a panel.", rich_help_panel=_WHAT
        ),
    ] = None,
    max_connections: Annotated[
        int, typer.Option(min=1, help="Calls in flight at once, per model.", rich_help_panel=_HOW)
    ] = 10,
    workers: Annotated[
        int,
        typer.Option(
            min=1, help="Processes that ask, for models that answer faster than one can ask.", rich_help_panel=_HOW
        ),
    ] = 1,
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest reply, in tokens.", rich_help_panel=_HOW)] = 2048,
    temperature: Annotated[
        float | None,
        typer.Option(
            parser=_temperature, metavar="NUMBER", help="From 0 up, or none: the provider's own.", rich_help_panel=_HOW
        ),
    ] = 0.0,
    attempts: Annotated[
        int, typer.Option(min=1, help="How often to ask while a reply cannot be read.", rich_help_panel=_HOW)
    ] = 3,
    max_retries: Annotated[
        int,
        typer.Option(
            min=0, help="Requests more after a rate limit or a server error, per attempt.", rich_help_panel=_HOW
        ),
    ] = 6,
    attempt_timeout: Annotated[
        int, typer.Option(min=1, help="Longest a request may take, in seconds.", rich_help_panel=_HOW)
    ] = 300,
    timeout: Annotated[
        int, typer.Option(min=1, help="Seconds after which an attempt sends no more requests.", rich_help_panel=_HOW)
    ] = 1800,
    prices: Annotated[
        Path | None,
        typer.Option(help="Prices per million tokens, a TOML file; see docs/running.md.", rich_help_panel=_KEPT),
    ] = None,
    max_cost: Annotated[
        float | None,
        typer.Option(min=0, help="End before all runs into OUT cost more; needs --prices.", rich_help_panel=_KEPT),
    ] = None,
    *,
    cache: Annotated[
        bool,
        typer.Option(
            "--cache", help="Take replies that are kept on this machine, and keep new ones.", rich_help_panel=_KEPT
        ),
    ] = False,
    prefix_cache: Annotated[
        bool,
        typer.Option(
            "--prefix-cache",
            help="Make a conversation's calls in turn, for the provider's prompt cache.",
            rich_help_panel=_HOW,
        ),
    ] = False,
    batch: Annotated[
        bool, typer.Option("--batch", help="Use the provider's batch interface.", rich_help_panel=_HOW)
    ] = False,
    redact: Annotated[
        bool,
        typer.Option(
            "--redact", help="Keep no texts of replies and errors in the ledger, only hashes.", rich_help_panel=_KEPT
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Say what is left to ask, and about what it costs; send nothing.", rich_help_panel=_KEPT
        ),
    ] = False,
    retry_failed: Annotated[
        bool,
        typer.Option(
            "--retry-failed",
            help="Ask calls again that the provider failed in an earlier run into OUT.",
            rich_help_panel=_KEPT,
        ),
    ] = False,
    blind: BlindOption = False,
    swap: SwapOption = False,
    structured: StructuredOption = False,
    log_samples: Annotated[
        bool,
        typer.Option(
            "--log-samples", help="Keep all messages in Inspect's logs too, for `inspect view`.", rich_help_panel=_KEPT
        ),
    ] = False,
) -> None:
    """Ask models to read a data set's conversations; exit 0 once every call has ended, failed ones included.

    The same command goes on where an earlier one stopped: nothing that was answered is asked again.
    """
    from attunebench.cli.estimates import estimate_tables
    from attunebench.dataset.load import load_dataset
    from attunebench.display import make_display
    from attunebench.models.settings import Settings
    from attunebench.protocol.prompts import load_judge_prompts, load_prompts
    from attunebench.report.formats import print_tables
    from attunebench.run.engine import run
    from attunebench.run.estimate import expected_calls
    from attunebench.run.plan import RunPlan
    from attunebench.run.prices import load_prices

    found = load_prices(prices) if prices else None
    plan = RunPlan(
        dataset=load_dataset(data),
        ids=None if ids is None else tuple(name.strip() for name in ids.split(",")),
        limit=limit,
        epochs=epochs,
        workers=workers,
        models=model,
        out=out,
        mode=mode,
        strategy=panas,
        judges=judge or (),
        retry_failed=retry_failed,
        prices=found,
        max_cost=inf if max_cost is None else max_cost,
        cache=cache,
        redact=redact,
        blind=blind,
        swap=swap,
        structured=structured,
        prompts=load_prompts(prompts, questions),
        judge_prompts=load_judge_prompts(prompts, questions),
        log_samples=log_samples,
        settings=Settings(
            temperature=temperature,
            max_tokens=max_tokens,
            max_connections=max_connections,
            max_retries=max_retries,
            attempt_timeout=attempt_timeout,
            timeout=timeout,
            attempts=attempts,
            prefix_cache=prefix_cache,
            batch=batch,
        ),
    )
    if dry_run:
        print_tables(estimate_tables(expected_calls(plan), found.currency if found else None), Console())
        return
    console = Console(stderr=True)
    tally = run(plan, lambda calls: make_display(console, calls))
    print_ends(tally, out, retried=retry_failed)


def print_ends(tally: "Tally", out: Path, *, retried: bool) -> None:
    """Print how calls ended, and what to do about those that the provider failed."""
    for state, count in sorted(tally.states.items()):
        typer.echo(f"{state}: {count:,}")
    typer.echo(f"{tally.states.total():,} calls, {tally}; results in {out}")
    if not retried and (failed := tally.states["provider_error"]):
        typer.echo(f"{failed:,} calls failed at the provider: --retry-failed asks them again", err=True)
