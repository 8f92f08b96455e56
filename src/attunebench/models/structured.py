"""Structured output: a JSON schema of the reply that goes to the provider with the messages."""

from collections.abc import Iterable
from typing import Final

from inspect_ai.model import ResponseSchema
from inspect_ai.util import JSONSchema

from attunebench.errors import UsageError
from attunebench.protocol.calls import Call
from attunebench.protocol.reply_schema import reply_schema

WITHOUT_SCHEMA: Final = frozenset(
    {
        "azureai",
        "deepseek",
        "hf",
        "nnterp",
        "openai-api-completions",
        "transformer_lens",
        "vllm-completions",
    }
)
"""Providers to which Inspect sends no schema; it would go missing without a word."""


def response_schema(call: Call) -> ResponseSchema:
    """Return the schema of a call's reply as Inspect takes it."""
    return ResponseSchema(name=call.key.kind, json_schema=JSONSchema.model_validate(reply_schema(call)), strict=True)


def require_schema_support(names: Iterable[str]) -> None:
    """Refuse models whose provider is known to get no schema; whether a server heeds one cannot be known.

    Raises:
        UsageError: the provider is one of `WITHOUT_SCHEMA`, or it is Bedrock and the model is not a Claude.
    """
    if refused := [name for name in names if not _takes_schema(name)]:
        rule = "--structured: the provider must take a JSON schema, which Inspect does not send to"
        raise UsageError(f"{rule} {', '.join(refused)}")


def _takes_schema(name: str) -> bool:
    provider, _, model = name.partition("/")
    return provider not in WITHOUT_SCHEMA and (provider != "bedrock" or "claude" in model.lower())
