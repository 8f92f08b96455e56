"""Opening a model by Inspect's own names: `openai/…`, `anthropic/…`, `openai-api/SERVICE/…` and all the others."""

import os
from typing import Final

from inspect_ai._util.error import PrerequisiteError
from inspect_ai.model import Model, get_model
from rich.console import Console

from attunebench.errors import RunError, UsageError
from attunebench.models.guard import guard
from attunebench.models.lean_openai import skip_transform
from attunebench.models.secrets import Secrets
from attunebench.models.settings import Settings

BATCH_PROVIDERS: Final = ("anthropic", "google", "grok", "openai", "together")
"""Providers whose batch interface Inspect speaks."""


def open_model(name: str, settings: Settings, option: str = "--model") -> Model:
    """Open a provider's model; `option` is where its name was given.

    Raises:
        UsageError: the name is not of the form PROVIDER/MODEL, or the provider has no batch interface and needs one.
        RunError: the provider is unknown, its client is not installed, or its key or address is not set.
    """
    provider, _, model = name.partition("/")
    if not provider or not model:
        examples = "openai/gpt-4o or baseline/null" if option == "--model" else "openai/gpt-4o"
        raise UsageError(f"{option} must be PROVIDER/MODEL, for example {examples}, got {name!r}")
    secrets = Secrets.of()
    try:
        opened = get_model(name, config=settings.generate_config(), memoize=False)
    except PrerequisiteError as error:
        raise RunError(f"{name}: {secrets.scrub(_plain(error.message))}") from None
    except Exception as error:  # whatever a provider's client finds wrong with what it was given
        raise RunError(f"{name}: {secrets.scrub(str(error))}") from None
    if settings.batch and provider not in BATCH_PROVIDERS:
        raise UsageError(f"--batch: {name} must be of a provider with a batch interface ({', '.join(BATCH_PROVIDERS)})")
    skip_transform(opened)
    guard(opened, settings, Secrets.of(os.environ, opened.api.api_key))
    return opened


def _plain(message: object) -> str:
    """Return a message that Inspect marked up for the terminal as plain text on one line."""
    console = Console(width=10_000, no_color=True)
    with console.capture() as capture:
        console.print(message)
    return " ".join(capture.get().split()).removeprefix("ERROR: ")
