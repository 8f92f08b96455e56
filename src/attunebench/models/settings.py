"""How a model is asked: generation settings, retries and limits."""

from dataclasses import dataclass
from typing import Any

from inspect_ai.model import GenerateConfig

DEFAULT_CONNECTIONS = 10
BATCH_CONNECTIONS = 100_000
"""Calls that wait for a batch hold no connection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of every call of a run.

    `temperature` and `max_tokens` (tokens of the reply) shape the answers and are part of a run's condition. The rest
    does not: `max_connections` calls at once per model; `max_retries` requests more after a rate limit, a server error
    or a broken connection, the first after `first_wait` seconds, each other after about twice as many, or when the
    server says; `attempt_timeout` seconds for one request, and no request begins `timeout` seconds after the first;
    `attempts` at a call whose reply cannot be read. `batch` sends calls through the provider's batch interface, whose
    answers take up to a day: all calls wait together, without limits of connections and time. `prefix_cache` makes a
    conversation's calls one after another, so that each finds what those before it left in the provider's cache of
    prompts, and marks prompts for providers that want marks; without it no marks are set, as writing to such a cache
    costs and nothing would be read from it.
    """

    temperature: float | None = 0.0
    max_tokens: int = 2048
    max_connections: int = DEFAULT_CONNECTIONS
    max_retries: int = 6
    first_wait: float = 3.0
    attempt_timeout: int = 300
    timeout: int = 1800
    attempts: int = 3
    batch: bool = False
    prefix_cache: bool = False

    @property
    def connections(self) -> int:
        """How many calls may be under way at once, per model."""
        return BATCH_CONNECTIONS if self.batch else self.max_connections

    def condition(self) -> dict[str, Any]:
        """Return the settings that results depend on."""
        return {"temperature": self.temperature, "max_tokens": self.max_tokens}

    def generate_config(self) -> GenerateConfig:
        """Return the settings as Inspect takes them."""
        return GenerateConfig(
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            max_connections=self.connections,
            max_retries=self.max_retries,
            attempt_timeout=None if self.batch else self.attempt_timeout,
            timeout=None if self.batch else self.timeout,
            batch=self.batch or None,
            cache_prompt=self.prefix_cache,
        )
