"""One question to a model: messages in, a reply or a named failure out.

Raises for what a provider does only if no other question could fare better.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from inspect_ai.model import (
    CachePolicy,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
)

from attunebench.models.cache import noting_requests
from attunebench.models.faults import read_error, unusable
from attunebench.models.guard import DROPPED
from attunebench.models.secrets import Secrets
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

    `input` are those charged in full, written to a cache or not; `cached_input`, read from one, come on top.
    `reasoning` is part of `output`.
    """

    input: int | None = None
    cached_input: int | None = None
    output: int | None = None
    reasoning: int | None = None


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A reply as it came, without reasoning that stood apart: text, why it stopped, usage, seconds.

    `dropped`: generation settings that were asked for and that the model does not take.
    """

    text: str
    stop: StopReason
    usage: Usage
    latency: float
    cache_hit: bool = False
    dropped: tuple[str, ...] = ()


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
    model: Model,
    messages: Sequence[ChatMessage],
    *,
    max_tokens: int | None = None,
    cache: CachePolicy | None = None,
    schema: ResponseSchema | None = None,
) -> ModelReply | ProviderFailure:
    """Ask once.

    `max_tokens` overrides the run's limit for this call; `cache` says where a reply may be kept; `schema` goes to the
    provider with the messages.

    Raises:
        UnusableModelError: a wrong key, no such model, no credit; all other calls of the model would fail the same way.
    """
    started = time.monotonic()
    config = GenerateConfig(max_tokens=max_tokens, response_schema=schema)
    try:
        with noting_requests() as sending:
            output = await model.generate(list(messages), config=config, cache=cache or False)
    except Exception as error:
        fault = read_error(error, Secrets.of())
        if fault.hopeless:
            raise unusable(model, fault) from None
        return ProviderFailure(fault.state, fault.said, time.monotonic() - started)
    if output.error:
        said = Secrets.of().scrub(output.error)
        return ProviderFailure(CallState.PROVIDER_ERROR, said, time.monotonic() - started)
    is_hit = cache is not None and not sending.happened
    return replace(_reply(output, time.monotonic() - started), cache_hit=is_hit)


def _reply(output: ModelOutput, latency: float) -> ModelReply:
    if not output.choices:
        return ModelReply("", "other", _usage(output), latency)
    stop = "refused" if _is_refusal(output) else _STOP_REASONS.get(output.stop_reason, "other")
    dropped = tuple((output.metadata or {}).get(DROPPED, ()))
    return ModelReply(output.completion, stop, _usage(output), latency, dropped=dropped)


def _is_refusal(output: ModelOutput) -> bool:
    """Whether the reply is marked as a refusal, whatever reason to stop is given beside it."""
    content = output.choices[0].message.content
    return not isinstance(content, str) and any(part.type == "text" and part.refusal for part in content)


def _usage(output: ModelOutput) -> Usage:
    usage = output.usage
    if usage is None:
        return Usage()
    charged = usage.input_tokens + (usage.input_tokens_cache_write or 0)
    return Usage(charged, usage.input_tokens_cache_read, usage.output_tokens, usage.reasoning_tokens)
