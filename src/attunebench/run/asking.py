"""Asking a model one question until its reply can be read: every attempt on record, none beyond the budget."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from math import ceil

from inspect_ai.model import CachePolicy, ChatMessage, Model, ResponseSchema

from attunebench.errors import UnusableModelError
from attunebench.models.ask import ModelReply, ProviderFailure, ask
from attunebench.models.settings import Settings
from attunebench.protocol.answers import ASKED_AGAIN, CallState, Failed, Reading
from attunebench.protocol.assemble import CallEnd
from attunebench.run.budget import BYTES_A_TOKEN, Budget
from attunebench.run.halt import Halt
from attunebench.run.journal import Journal
from attunebench.run.ledger import Attempt
from attunebench.run.prices import Price
from attunebench.run.resume import Patience, Reader, read_again

DROPPED = "_dropped"
"""End of a counter's name: the setting before it was asked for and not sent, as the model does not take it."""


@dataclass(frozen=True, slots=True)
class Question:
    """One call as it is put to a model.

    `row` makes a ledger row of what an attempt brought; it knows all that is the same in every attempt. `kept_at` says
    where a reply is kept on this machine, from the number of the attempt and of kept replies passed over. `sent` is all
    text that goes out, that of the `schema` of the reply included, if there is one.
    """

    messages: Sequence[ChatMessage]
    read: Reader
    row: Callable[..., Attempt]
    kept_at: Callable[[int, int], CachePolicy]
    sent: Sequence[str]
    schema: ResponseSchema | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What all calls of a run have in common: how they are asked, where their ends go, and prices by model's name.

    `cache` takes replies that are kept on this machine.
    """

    settings: Settings
    patience: Patience
    journal: Journal
    budget: Budget
    halt: Halt
    prices: Mapping[str, Price]
    cache: bool = False

    def ready(self, models: Mapping[str, Model]) -> dict[str, "Asking"]:
        """Return models, by name, ready to be asked on these terms."""
        return {name: Asking(model, self, self.prices.get(name)) for name, model in models.items()}


@dataclass(frozen=True, slots=True)
class Asking:
    """One model, ready to be asked."""

    model: Model
    terms: Terms
    price: Price | None

    async def end(self, question: Question, earlier: Sequence[Attempt] = ()) -> CallEnd | None:
        """Ask until the call is at its end, and return how it ended; none if the model is of no use: the run halts.

        A call that is at its end after its `earlier` attempts is not asked again; any other goes on where it stood.
        """
        made = list(earlier)
        if self.terms.patience.is_over(made):
            return _end(read_again(question.read, made[-1]), made)
        while True:
            try:
                reading, is_last = await self._attempt(question, made)
            except UnusableModelError as error:
                self.terms.halt.stop(error)
                return None
            if is_last:
                return _end(reading, made)

    async def _attempt(self, question: Question, made: list[Attempt]) -> tuple[Reading, bool]:
        """Ask once, and add the attempt to those made; return what came and whether the call is at its end."""
        terms = self.terms
        terms.journal.check()
        max_tokens = self._max_tokens(made)
        async with terms.budget.reserve(self._greatest_cost(question, max_tokens)) as reserved:
            started_at = datetime.now(UTC).isoformat()
            number = made[-1].attempt + 1 if made else 1
            reply, reading = await self._ask(question, max_tokens, number)
            attempt = question.row(attempt=number, started_at=started_at, **self._columns(reply, reading))
            made.append(attempt)
            is_last = reading.state not in ASKED_AGAIN or terms.patience.is_over(made)
            reserved.is_spent = isinstance(reply, ModelReply) and attempt.cost is None
            terms.journal.attempted(attempt, is_last=is_last)
        return reading, is_last

    async def _ask(
        self, question: Question, max_tokens: int, number: int
    ) -> tuple[ModelReply | ProviderFailure, Reading]:
        """Ask once; with a cache, take the first reply that is kept and can be read, else one that was not kept."""
        for replay in count():
            cache = question.kept_at(number, replay) if self.terms.cache else None
            reply = await ask(self.model, question.messages, max_tokens=max_tokens, cache=cache, schema=question.schema)
            reading = _read(question.read, reply)
            is_kept = isinstance(reply, ModelReply) and reply.cache_hit
            if not is_kept or reading.state.is_answer:
                break
        return reply, reading

    def _greatest_cost(self, question: Question, max_tokens: int) -> float:
        if self.price is None:
            return 0.0
        size = sum(len(text.encode()) for text in question.sent)
        return self.price.cost(ceil(size / BYTES_A_TOKEN), 0, max_tokens)

    def _max_tokens(self, made: Sequence[Attempt]) -> int:
        """Return the room for a reply: twice as much after every one that was cut off."""
        return int(self.terms.settings.max_tokens * 2 ** sum(attempt.state == CallState.TRUNCATED for attempt in made))

    def _columns(self, reply: ModelReply | ProviderFailure, reading: Reading) -> dict[str, object]:
        """Return the ledger's columns that tell of a reply."""
        came = reply if isinstance(reply, ModelReply) else None
        return {
            "state": reading.state.value,
            "stop_reason": came.stop if came else None,
            "input_tokens": came.usage.input if came else None,
            "cached_input_tokens": came.usage.cached_input if came else None,
            "output_tokens": came.usage.output if came else None,
            "reasoning_tokens": came.usage.reasoning if came else None,
            "cost": self._cost(came) if came else None,
            "latency_s": round(reply.latency, 4),
            "cache_hit": came.cache_hit if came else False,
            "text": came.text if came else None,
            "error": reading.reason if isinstance(reading, Failed) else None,
            "counters": reading.counters,
        }

    def _cost(self, reply: ModelReply) -> float | None:
        """Return what a reply cost: nothing from our own cache; none if that cannot be known."""
        if self.price is None:
            return None
        if reply.cache_hit:
            return 0.0
        usage = reply.usage
        if usage.input is None or usage.output is None:
            return None
        return self.price.cost(usage.input, usage.cached_input or 0, usage.output)


def _end(reading: Reading, made: Sequence[Attempt]) -> CallEnd:
    return CallEnd(reading, made[-1].attempt, sum(attempt.cost or 0.0 for attempt in made))


def _read(read: Reader, reply: ModelReply | ProviderFailure) -> Reading:
    if isinstance(reply, ProviderFailure):
        return Failed(reply.state, reply.error)
    reading = read(reply.text, reply.stop)
    dropped = {f"{setting}{DROPPED}": 1 for setting in reply.dropped}
    return replace(reading, counters={**reading.counters, **dropped}) if dropped else reading


def dropped_settings(ends: Iterable[CallEnd]) -> list[str]:
    """Return the generation settings without which any of these calls was made."""
    counted = {name for end in ends for name in end.reading.counters}
    return sorted(name.removesuffix(DROPPED) for name in counted if name.endswith(DROPPED))
