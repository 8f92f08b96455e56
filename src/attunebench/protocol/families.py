"""Which models are kin: of one family by their names, so that one may judge the other too kindly. Pure.

A name is cut into words at every sign that is no letter or digit. Its first part, the provider, says where a model is
served and not what it is; it is left out. A model is of a family if a word is one of the family's, or one followed by
a number ("llama3", "gpt4o"). A model made of two, such as a distilled one, is of both families.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final, Literal, TypeAlias

Kinship: TypeAlias = Literal["itself", "family"]

FAMILIES: Final[Mapping[str, tuple[str, ...]]] = {
    "OpenAI": ("gpt", "chatgpt", "o1", "o3", "o4", "codex"),
    "Claude": ("claude",),
    "Google": ("gemini", "gemma", "palm"),
    "Llama": ("llama", "codellama"),
    "Qwen": ("qwen", "qwq", "qvq"),
    "DeepSeek": ("deepseek",),
    "Mistral": ("mistral", "mixtral", "ministral", "magistral", "codestral", "devstral", "pixtral"),
    "Grok": ("grok",),
    "Command": ("command", "aya"),
    "Phi": ("phi",),
    "Nova": ("nova",),
    "GLM": ("glm", "chatglm"),
    "Kimi": ("kimi", "moonshot"),
    "Granite": ("granite",),
    "SmolLM": ("smollm", "smolvlm"),
    "OLMo": ("olmo", "olmoe", "tulu"),
    "Yi": ("yi",),
    "Jamba": ("jamba",),
    "MiniMax": ("minimax",),
}
"""Words that begin the names of a family's models, in lower case."""

_WORD = re.compile(r"[a-z0-9]+")


@cache
def families(model: str) -> frozenset[str]:
    """Return the families that a model's name speaks of; empty for one that is not known."""
    provider, _, rest = model.lower().partition("/")
    words = _WORD.findall(rest or provider)
    return frozenset(family for family, begins in FAMILIES.items() if any(_is_of(word, begins) for word in words))


def _is_of(word: str, begins: Iterable[str]) -> bool:
    return any(word == begin or (word.startswith(begin) and word[len(begin)].isdigit()) for begin in begins)


def kinship(judge: str, evaluated: str) -> Kinship | None:
    """Return whether a judge is the evaluated model itself, or of a family with it."""
    if judge == evaluated:
        return "itself"
    return "family" if families(judge) & families(evaluated) else None


def closest_kin(judges: Iterable[str], evaluated: str) -> Kinship | None:
    """Return the closest kinship that any judge of a panel has to the evaluated model."""
    found = {kinship(judge, evaluated) for judge in judges}
    return "itself" if "itself" in found else "family" if "family" in found else None
