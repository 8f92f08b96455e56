"""What tokens cost: prices from a user's file, by model.

The file is TOML: `currency` (any text), and a table a model with prices per million tokens, for example

    currency = "USD"
    ["openai/gpt-4o"]
    input = 2.50            # tokens charged in full
    cached_input = 1.25     # tokens read from the provider's cache; without it, as `input`
    output = 10.00          # reasoning included
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf, isfinite
from pathlib import Path
from typing import Any

from attunebench.errors import UsageError
from attunebench.models.baseline import PREFIX

_MILLION = 1_000_000
_NAMES = ("input", "cached_input", "output")


@dataclass(frozen=True, slots=True)
class Price:
    """Prices of one model, per million tokens."""

    input: float
    cached_input: float
    output: float

    def cost(self, tokens_in: int, cached: int, tokens_out: int) -> float:
        """Return what so many tokens cost: charged in full, read from a cache (on top of those), written."""
        return (tokens_in * self.input + cached * self.cached_input + tokens_out * self.output) / _MILLION


FREE = Price(0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by model's name, all in one currency."""

    currency: str
    models: Mapping[str, Price]


def price_list(models: Iterable[str], prices: Prices | None, max_cost: float) -> dict[str, Price]:
    """Return the price of every model by name; of none without prices. Baselines cost nothing.

    Raises:
        UsageError: there are prices, but not for all models, or a limit without prices.
    """
    if prices is None:
        if max_cost < inf:
            raise UsageError("--max-cost needs --prices, got none")
        return {}
    found = {model: FREE if model.startswith(PREFIX) else prices.models.get(model) for model in models}
    if missing := [model for model, price in found.items() if price is None]:
        raise UsageError(f"--prices must have a price for every model, got none for {', '.join(missing)}")
    return {model: price for model, price in found.items() if price}


def load_prices(file: Path) -> Prices:
    """Read prices.

    Raises:
        UsageError: the file cannot be read, or is not of the form above.
    """
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"--prices: {file} cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"--prices: {file} must be TOML ({error})") from None
    currency = found.pop("currency", "USD")
    if not isinstance(currency, str):
        raise UsageError(f"--prices: {file}: currency must be a text, got {currency!r}")
    return Prices(currency, {model: _read_price(table, f"{file}: {model}") for model, table in found.items()})


def _read_price(table: Any, place: str) -> Price:
    if not isinstance(table, dict):
        raise UsageError(f"--prices: {place} must be a table of {', '.join(_NAMES)}, got {table!r}")
    for name, value in table.items():
        if name not in _NAMES:
            raise UsageError(f"--prices: {place}: must hold {', '.join(_NAMES)}, got {name}")
        if not isinstance(value, int | float) or isinstance(value, bool) or not isfinite(value) or value < 0:
            raise UsageError(f"--prices: {place}: {name} must be a number of 0 or more, got {value!r}")
    for name in ("input", "output"):
        if name not in table:
            raise UsageError(f"--prices: {place}: must hold {name}, which is missing")
    return Price(table["input"], table["cached_input"] if "cached_input" in table else table["input"], table["output"])
