"""Options that several commands share."""

from pathlib import Path
from typing import Annotated

import typer

from attunebench.protocol.calls import Mode, Strategy

DataPath = Annotated[
    Path, typer.Option("--data", help="Data set: a folder of .json files, or a .json, .jsonl or .parquet file.")
]
ModeOption = Annotated[Mode, typer.Option("--mode", help="What the model is shown and asked for.")]
StrategyOption = Annotated[Strategy, typer.Option("--panas", help="How affect after the conversation is asked for.")]
