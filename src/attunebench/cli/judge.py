"""`attunebench judge`: have saved drafts judged."""

from math import inf
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from attunebench.cli.options import DataPath, PromptsOption, QuestionsOption
from attunebench.cli.run import print_ends


def judge_drafts(
    data: DataPath,
    runs: Annotated[
        list[Path], typer.Option(help="A run's folder, or files with run records, all of one condition; may repeat.")
    ],
    out: Annotated[Path, typer.Option(help="Folder for the judged records, the ledger and Inspect's logs.")],
    judge: Annotated[
        list[str], typer.Option(help="A model that judges every draft, by Inspect's names; several are a panel.")
    ],
    prompts: PromptsOption = None,
    questions: QuestionsOption = None,
    max_connections: Annotated[int, typer.Option(min=1, help="Calls in flight at once, per judge.")] = 10,
    max_tokens: Annotated[int, typer.Option(min=1, help="Longest reply, in tokens.")] = 2048,
    attempts: Annotated[int, typer.Option(min=1, help="How often to ask while a reply cannot be read.")] = 3,
    prices: Annotated[
        Path | None, typer.Option(help="Prices per million tokens, a TOML file; see docs/running.md.")
    ] = None,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="End before all calls into OUT cost more; needs --prices.")
    ] = None,
    *,
    cache: Annotated[
        bool, typer.Option("--cache", help="Take replies that are kept on this machine, and keep new ones.")
    ] = False,
    batch: Annotated[bool, typer.Option("--batch", help="Use the provider's batch interface.")] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Ask calls again that the provider failed earlier.")
    ] = False,
    log_samples: Annotated[
        bool, typer.Option("--log-samples", help="Keep all messages in Inspect's logs too, for `inspect view`.")
    ] = False,
) -> None:
    """Have a panel judge the drafts of saved records; those stay as they are, and judged ones go to OUT.

    The same command goes on where an earlier one stopped. Score both folders, and the panels stand side by side.
    """
    from attunebench.dataset.load import load_dataset
    from attunebench.display import make_display
    from attunebench.models.settings import Settings
    from attunebench.protocol.prompts import load_judge_prompts
    from attunebench.run.judging import JudgePlan
    from attunebench.run.judging import judge as judge_records
    from attunebench.run.prices import load_prices
    from attunebench.score.run_files import load_records

    dataset = load_dataset(data)
    plan = JudgePlan(
        dataset=dataset,
        records=load_records(runs, dataset),
        judges=judge,
        out=out,
        prompts=load_judge_prompts(prompts, questions),
        settings=Settings(max_connections=max_connections, max_tokens=max_tokens, attempts=attempts, batch=batch),
        retry_failed=retry_failed,
        prices=load_prices(prices) if prices else None,
        max_cost=inf if max_cost is None else max_cost,
        cache=cache,
        log_samples=log_samples,
    )
    console = Console(stderr=True)
    tally = judge_records(plan, lambda calls: make_display(console, calls))
    print_ends(tally, out, retried=retry_failed)
