"""Claims about structured output: the schema that goes to Inspect, and which providers are known to get none."""

from importlib.resources import files

import pytest

from attunebench.dataset.demo import load_demo
from attunebench.errors import UsageError
from attunebench.models.structured import WITHOUT_SCHEMA, require_schema_support, response_schema
from attunebench.protocol.calls import Condition, planned_calls
from attunebench.protocol.reply_schema import reply_schema

PROVIDERS = files("inspect_ai.model") / "_providers"


def test_inspect_s_schema_is_ours_to_the_last_key():
    condition = Condition(mode="verbose", swap=True, prompt_version="", prompt_hash="")
    for call in planned_calls(load_demo().conversations[0], condition):
        sent = response_schema(call)
        assert sent.json_schema.model_dump(exclude_none=True) == reply_schema(call)
        assert (sent.name, sent.strict) == (call.key.kind, True)


@pytest.mark.parametrize("name", [*sorted(f"{provider}/x" for provider in WITHOUT_SCHEMA), "bedrock/amazon.nova-pro"])
def test_a_provider_without_schemas_is_refused_by_name(name):
    with pytest.raises(UsageError) as caught:
        require_schema_support(["openai/x", name, "baseline/null"])
    rule = "the provider must take a JSON schema, which Inspect does not send to"
    assert str(caught.value) == f"--structured: {rule} {name}"


@pytest.mark.parametrize(
    "name",
    ["openai/gpt-4o", "openai-api/local/x", "anthropic/y", "google/z", "mistral/m", "bedrock/anthropic.claude-4"],
)
def test_other_providers_are_let_through(name):
    require_schema_support([name])


@pytest.mark.parametrize("module", ["azureai", "hf", "nnterp", "transformer_lens", "openai_compatible_completions"])
def test_inspect_still_sends_them_none(module):
    assert "response_schema" not in (PROVIDERS / f"{module}.py").read_text(encoding="utf-8")


def test_inspect_still_sends_deepseek_a_mode_without_the_schema():
    assert '{"type": "json_object"}' in (PROVIDERS / "deepseek.py").read_text(encoding="utf-8")
