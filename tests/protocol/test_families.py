"""Claims about which models are kin by their names."""

import pytest

from attunebench.protocol.families import FAMILIES, closest_kin, families, kinship


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("openai/gpt-4o", "OpenAI"),
        ("openai/GPT4o-mini", "OpenAI"),
        ("openai/o3-mini", "OpenAI"),
        ("openai/chatgpt-4o-latest", "OpenAI"),
        ("openrouter/openai/gpt-5", "OpenAI"),
        ("anthropic/claude-sonnet-4", "Claude"),
        ("bedrock/us.anthropic.claude-3-5-sonnet-20241022-v2:0", "Claude"),
        ("google/gemini-2.5-pro", "Google"),
        ("ollama/gemma3:4b", "Google"),
        ("together/meta-llama/Llama-3.3-70B-Instruct", "Llama"),
        ("ollama/llama3.2", "Llama"),
        ("vllm/Qwen/Qwen2.5-7B", "Qwen"),
        ("openai-api/deepseek/deepseek-chat", "DeepSeek"),
        ("mistral/open-mixtral-8x22b", "Mistral"),
        ("mistral/mistral-large-latest", "Mistral"),
        ("grok/grok-4", "Grok"),
        ("openrouter/cohere/command-r-plus", "Command"),
        ("hf/microsoft/Phi-4", "Phi"),
        ("openai-api/local/SmolLM2-135M-Instruct", "SmolLM"),
        ("gpt-4o", "OpenAI"),
        ("Claude Opus 4", "Claude"),
    ],
)
def test_a_name_tells_its_family(name, family):
    assert families(name) == {family}


@pytest.mark.parametrize(
    "name",
    ["baseline/null", "openai-api/local/x", "grok/x", "groq/x", "llama-cpp/x", "a/philosopher", "a/egpt", "", "/"],
)
def test_other_names_tell_none(name):
    assert families(name) == frozenset()


def test_a_model_made_of_two_is_of_both_families():
    assert families("groq/deepseek-r1-distill-llama-70b") == {"DeepSeek", "Llama"}


def test_every_family_knows_its_own_words():
    for family, begins in FAMILIES.items():
        for begin in begins:
            assert families(f"any/{begin}-1") == families(f"any/{begin.upper()}9x") == {family}


def test_kin_is_the_model_itself_or_one_of_its_family():
    assert kinship("openai/gpt-4o", "openai/gpt-4o") == "itself"
    assert kinship("openai/o3", "openrouter/openai/gpt-4o") == "family"
    assert kinship("anthropic/claude-3", "openai/gpt-4o") is None
    assert kinship("openai-api/a/x", "openai-api/a/x") == "itself"
    assert kinship("openai-api/a/x", "openai-api/a/y") is None


def test_a_panel_s_closest_kin_counts():
    assert closest_kin(["anthropic/claude-3", "openai/o3", "openai/gpt-4o"], "openai/gpt-4o") == "itself"
    assert closest_kin(["anthropic/claude-3", "openai/o3"], "openai/gpt-4o") == "family"
    assert closest_kin(["anthropic/claude-3"], "openai/gpt-4o") is None
    assert closest_kin([], "openai/gpt-4o") is None
