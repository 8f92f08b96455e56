"""`attunebench prompts`: see precisely what would be sent."""

from typing import Annotated

import typer

from attunebench.cli.options import DataPath, ModeOption, StrategyOption
from attunebench.protocol.calls import CallKind

app = typer.Typer(no_args_is_help=True, help="Look at the prompts.")


@app.command()
def show(
    data: DataPath,
    conversation: Annotated[str, typer.Option(help="The conversation's id.")],
    call: Annotated[CallKind, typer.Option(help="Which of the turn's calls, or the outcome.")],
    turn: Annotated[int | None, typer.Option(help="The turn's number; not for the outcome.")] = None,
    mode: ModeOption = "default",
    panas: StrategyOption = "absolute",
) -> None:
    """Print the messages of one call, precisely as they would be sent."""
    from attunebench.dataset.load import load_dataset
    from attunebench.errors import UsageError
    from attunebench.protocol.calls import CallKey, Condition
    from attunebench.protocol.prompts import load_prompts
    from attunebench.protocol.render import conversation_calls

    prompts = load_prompts()
    condition = Condition(mode=mode, strategy=panas, prompt_version=prompts.version, prompt_hash=prompts.sha256)
    (chosen,) = load_dataset(data).select(ids=[conversation]).conversations
    calls = {found.key: found for found in conversation_calls(chosen, condition, prompts)}
    key = CallKey(None if call == "outcome" else turn, call)
    if key not in calls:
        has = sorted({k.turn for k in calls if k.kind == call and k.turn is not None})
        raise UsageError(f"--turn: {conversation} has a {call} call in turns {has}, got {turn}")
    for message in calls[key].messages:
        typer.echo(f"=== {message.role}\n{message.content}\n")
