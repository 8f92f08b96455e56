"""One question to a model: messages in, a reply or a named failure out. Never raises for what a provider does."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
)
from tenacity import RetryError

from attunebench.protocol.answers import CallState
from attunebench.protocol.calls import Message
from attunebench.protocol.parse import StopReason

_STOP_REASONS: dict[str, StopReason] = {
    "stop": "stop",
    "max_tokens": "length",
    "model_length": "context_overflow",
    "content_filter": "refused",
}


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply as the provider counted them; none where it did not say.

    `input` are those charged in full; `cached_input` come on top. `reasoning` is part of `output`.
    """

    input: int | None = None
    cached_input: int | None = None
    output: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A reply as it came: text, why it stopped, usage, seconds."""

    text: str
    stop: StopReason
    usage: Usage
    latency: float
    cache_hit: bool = False


@dataclass(frozen=True, slots=True)
class ProviderFailure:
    """A call that brought no reply, after the provider client's own retries."""

    state: CallState
    error: str
    latency: float


def chat_message(message: Message) -> ChatMessage:
    """Return a message as Inspect takes it."""
    match message.role:
        case "system":
            return ChatMessageSystem(content=message.content)
        case "assistant":
            return ChatMessageAssistant(content=message.content)
        case "user":
            return ChatMessageUser(content=message.content)


async def ask(
    model: Model, messages: Sequence[ChatMessage], *, max_tokens: int | None = None
) -> ModelReply | ProviderFailure:
    """Ask once. `max_tokens` overrides the run's limit for this call."""
    started = time.monotonic()
    config = GenerateConfig(max_tokens=max_tokens)
    try:
        output = await model.generate(list(messages), config=config)
    except Exception as error:
        return ProviderFailure(CallState.PROVIDER_ERROR, _describe(error), time.monotonic() - started)
    if output.error:
        return ProviderFailure(CallState.PROVIDER_ERROR, output.error, time.monotonic() - started)
    return _reply(output, time.monotonic() - started)


def _reply(output: ModelOutput, latency: float) -> ModelReply:
    text = output.completion if output.choices else ""
    stop = _STOP_REASONS.get(output.stop_reason, "other") if output.choices else "other"
    return ModelReply(text, stop, _usage(output), latency)


def _usage(output: ModelOutput) -> Usage:
    usage = output.usage
    if usage is None:
        return Usage()
    return Usage(usage.input_tokens, usage.input_tokens_cache_read, usage.output_tokens, usage.reasoning_tokens)


def _describe(error: BaseException) -> str:
    if isinstance(error, RetryError):  # says only that it gave up; the last attempt says why
        error = error.last_attempt.exception() or error
    return f"{type(error).__name__}: {error}"[:1000]
