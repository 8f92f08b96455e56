"""Claims about one question to a model: a reply or a named failure, never an exception. Inspect's own fake model."""

import asyncio

import pytest
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    ModelOutput,
    ModelUsage,
    ResponseSchema,
    get_model,
)
from inspect_ai.util import JSONSchema

from attunebench.models.ask import ModelReply, ProviderFailure, Usage, ask, chat_message
from attunebench.models.baseline import open_baseline
from attunebench.models.settings import Settings
from attunebench.protocol.answers import CallState
from attunebench.protocol.calls import Message

HELLO = [chat_message(Message("user", "Hello."))]
UNUSED = ModelUsage()


def output(content="Hi.", stop="stop", usage=UNUSED):
    message = ChatMessageAssistant(content=content)
    return ModelOutput(model="m", choices=[ChatCompletionChoice(message=message, stop_reason=stop)], usage=usage)


def asked(reply):
    """Ask a model that replies so; a function is called with what a model gets."""
    model = get_model("mockllm/model", custom_outputs=reply if callable(reply) else [reply], memoize=False)
    return asyncio.run(ask(model, HELLO))


@pytest.mark.parametrize(
    ("stop", "means"),
    [
        ("stop", "stop"),
        ("max_tokens", "length"),
        ("model_length", "context_overflow"),
        ("content_filter", "refused"),
        ("tool_calls", "other"),
        ("unknown", "other"),
    ],
)
def test_a_reply_says_why_it_stopped(stop, means):
    reply = asked(output(stop=stop))
    assert isinstance(reply, ModelReply)
    assert (reply.text, reply.stop) == ("Hi.", means)
    assert reply.latency >= 0


def test_a_text_that_is_marked_as_a_refusal_is_one():
    assert asked(output([ContentText(text="No.", refusal=True)])).stop == "refused"
    assert asked(output([ContentText(text="No.")])).stop == "stop"


def test_reasoning_that_stands_apart_is_left_out():
    assert asked(output([ContentReasoning(reasoning="{}"), ContentText(text="Hi.")])).text == "Hi."


def test_tokens_written_to_a_cache_are_charged_and_those_read_from_it_come_on_top():
    usage = ModelUsage(
        input_tokens=10, output_tokens=7, input_tokens_cache_write=200, input_tokens_cache_read=3000, reasoning_tokens=5
    )
    assert asked(output(usage=usage)).usage == Usage(input=210, cached_input=3000, output=7, reasoning=5)


def test_a_reply_without_choices_is_an_empty_one():
    reply = asked(ModelOutput(model="m", choices=[], usage=UNUSED))
    assert (reply.text, reply.stop) == ("", "other")


def test_what_a_provider_raises_is_a_failure_that_says_it():
    def fail(*_):
        raise ConnectionError("the line is dead " + "x" * 2000)

    failure = asked(fail)
    assert isinstance(failure, ProviderFailure)
    assert failure.state is CallState.PROVIDER_ERROR
    assert failure.error.startswith("ConnectionError: the line is dead x")
    assert len(failure.error) == 1000


class StatusError(Exception):
    def __init__(self, status_code, message):
        super().__init__(message)
        self.status_code = status_code


@pytest.mark.parametrize(
    ("status", "message", "state"),
    [
        (400, "This model's maximum context length is 8192 tokens.", "context_overflow"),  # vLLM
        (
            400,
            "request (9000 tokens) exceeds the available context size (8192 tokens)",
            "context_overflow",
        ),  # llama.cpp
        (413, "The input exceeds the context window.", "context_overflow"),
        (400, "unknown parameter", "provider_error"),
        (500, "no memory for this context length", "provider_error"),
    ],
)
def test_a_context_that_is_too_long_is_known_by_what_servers_say(status, message, state):
    def fail(*_):
        raise StatusError(status, message)

    failure = asked(fail)
    assert failure.state == state
    assert failure.error == f"StatusError: {message}"


@pytest.mark.parametrize("schema", [None, ResponseSchema(name="draft", json_schema=JSONSchema(type="object"))])
def test_a_schema_goes_to_the_provider_with_its_call(schema):
    seen = []

    def reply(messages, tools, tool_choice, config):
        seen.append(config.response_schema)
        return output()

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    asyncio.run(ask(model, HELLO, schema=schema))
    assert seen == [schema]


def test_messages_keep_role_and_text():
    messages = [chat_message(Message(role, f"  {role}\n")) for role in ("system", "user", "assistant")]
    assert [(m.role, m.content) for m in messages] == [(m.role, f"  {m.role}\n") for m in messages]


def test_settings_reach_the_provider_and_only_some_are_a_condition():
    settings = Settings(temperature=None, max_tokens=5, max_connections=3, max_retries=1, attempt_timeout=2, timeout=4)
    config = settings.generate_config()
    assert (config.temperature, config.max_tokens, config.max_connections) == (None, 5, 3)
    assert (config.max_retries, config.attempt_timeout, config.timeout) == (1, 2, 4)
    assert settings.condition() == {"temperature": None, "max_tokens": 5}
    assert Settings().generate_config().max_retries is not None
    assert Settings().generate_config().timeout is not None


def test_a_baseline_answers_calls_of_the_protocol_only():
    model = open_baseline(
        "null", lambda conversation, key: f"{conversation} {key.turn} {key.kind}", Settings().generate_config()
    )
    label = {"conversation": "c1", "turn": 2, "kind": "draft"}
    reply = asyncio.run(ask(model, [ChatMessageUser(content="?", metadata=label)]))
    assert reply.text == "c1 2 draft"
    assert reply.usage == Usage(0, None, 0, None)
    assert "attunebench run" in asyncio.run(ask(model, HELLO)).error
    assert str(model) == "baseline/null"
