"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from attunebench.protocol.calls import Mode, Strategy

CONDITION = "Condition: what the model is shown and asked"

DataPath = Annotated[
    Path, typer.Option("--data", help="Data set: a folder of .json files, or a .json, .jsonl or .parquet file.")
]
ModeOption = Annotated[
    Mode, typer.Option("--mode", help="What the model is shown and asked for.", rich_help_panel=CONDITION)
]
StrategyOption = Annotated[
    Strategy, typer.Option("--panas", help="How affect after the conversation is asked for.", rich_help_panel=CONDITION)
]
BlindOption = Annotated[
    bool,
    typer.Option(
        "--blind",
        help="Give the compared replies neutral names, in an order that tells nothing.",
        rich_help_panel=CONDITION,
    ),
]
SwapOption = Annotated[
    bool, typer.Option("--swap", help="Ask every comparison in both orders.", rich_help_panel=CONDITION)
]
StructuredOption = Annotated[
    bool,
    typer.Option("--structured", help="Send a JSON schema of the reply with every call.", rich_help_panel=CONDITION),
]
PromptsOption = Annotated[
    Path | None, typer.Option("--prompts", help="Your own folder of prompt templates.", rich_help_panel=CONDITION)
]
QuestionsOption = Annotated[
    Path | None, typer.Option("--questions", help="Your own wordings of the questions.", rich_help_panel=CONDITION)
]
