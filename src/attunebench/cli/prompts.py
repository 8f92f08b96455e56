"""`attunebench prompts`: see precisely what would be sent."""

import json
from typing import Annotated

import typer

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
from attunebench.protocol.calls import Call, CallKey, CallKind

app = typer.Typer(no_args_is_help=True, help="Look at the prompts.")


@app.command()
def show(
    data: DataPath,
    conversation: Annotated[str, typer.Option(help="The conversation's id.")],
    call: Annotated[CallKind, typer.Option(help="Which of the turn's calls, or the outcome.")],
    turn: Annotated[int | None, typer.Option(help="The turn's number; not for the outcome.")] = None,
    mode: ModeOption = "default",
    panas: StrategyOption = "absolute",
    prompts: PromptsOption = None,
    questions: QuestionsOption = None,
    *,
    blind: BlindOption = False,
    swap: SwapOption = False,
    structured: StructuredOption = False,
) -> None:
    """Print the messages of one call, and the schema of its reply, precisely as they would be sent."""
    from attunebench.dataset.load import load_dataset
    from attunebench.protocol.calls import Condition
    from attunebench.protocol.prompts import load_prompts
    from attunebench.protocol.render import conversation_calls
    from attunebench.protocol.reply_schema import reply_schema

    loaded = load_prompts(prompts, questions)
    condition = Condition(
        mode=mode,
        strategy=panas,
        blind=blind,
        swap=swap,
        structured=structured,
        prompt_version=loaded.version,
        prompt_hash=loaded.sha256,
    )
    dataset = load_dataset(data)
    loaded.require_wordings(dataset.conversations)
    (chosen,) = dataset.select(ids=[conversation]).conversations
    found = _find(conversation_calls(chosen, condition, loaded), CallKey(None if call == "outcome" else turn, call))
    for message in found.messages:
        typer.echo(f"=== {message.role}\n{message.content}\n")
    if structured:
        typer.echo(f"=== schema\n{json.dumps(reply_schema(found), ensure_ascii=False, indent=2)}\n")


def _find(calls: tuple[Call, ...], key: CallKey) -> Call:
    from attunebench.errors import UsageError

    named = calls[0].conversation_id
    of_kind = {call.key.turn: call for call in calls if call.key.kind == key.kind}
    if not of_kind:
        raise UsageError(f"--call: {named} has no {key.kind} call under this condition")
    if key.turn not in of_kind:
        turns = sorted(turn for turn in of_kind if turn is not None)
        raise UsageError(f"--turn: {named} has a {key.kind} call in turns {turns}, got {key.turn}")
    return of_kind[key.turn]
