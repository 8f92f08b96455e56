"""All calls of one conversation at once, each asked again while its reply cannot be read, each attempt on record."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from math import ceil

import anyio
from inspect_ai.model import ChatMessage, ChatMessageUser, Model

from attunebench.dataset.schema import Conversation
from attunebench.errors import UnusableModelError
from attunebench.models.ask import ModelReply, ProviderFailure, ask, chat_message
from attunebench.models.cache import cache_policy
from attunebench.models.settings import Settings
from attunebench.models.structured import response_schema
from attunebench.protocol.answers import ASKED_AGAIN, CallState, Failed, Reading
from attunebench.protocol.assemble import CallEnd
from attunebench.protocol.calls import Call, CallKey, Condition
from attunebench.protocol.parse import read_reply
from attunebench.protocol.prompts import Prompts
from attunebench.protocol.render import conversation_calls
from attunebench.protocol.reply_schema import sent_texts
from attunebench.run.budget import BYTES_A_TOKEN, Budget
from attunebench.run.halt import Halt
from attunebench.run.journal import Journal
from attunebench.run.ledger import Attempt
from attunebench.run.prices import Price
from attunebench.run.resume import Patience, read_again

DROPPED = "_dropped"
"""End of a counter's name: the setting before it was asked for and not sent, as the model does not take it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What all calls of a run have in common: how they are asked, and where their ends go."""

    settings: Settings
    condition: Condition
    prompts: Prompts
    patience: Patience
    journal: Journal
    budget: Budget
    halt: Halt
    cache: bool = False


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks one model the calls of a run's conversations and writes every attempt to the journal.

    A model that is of no use halts the run.
    """

    model: Model
    terms: Terms
    price: Price | None = None
    epoch: int = 1

    async def conversation(
        self, conversation: Conversation, earlier: Mapping[CallKey, Sequence[Attempt]] | None = None
    ) -> Mapping[CallKey, CallEnd]:
        """Make all calls of a conversation at once; return how each ended, in the order of the thread.

        Calls that are at their end after their `earlier` attempts are not made again; others go on where they stood.

        Raises:
            AttuneError: the run has been halted, on account of this model or another.
        """
        calls = conversation_calls(conversation, self.terms.condition, self.terms.prompts)
        shared = {id(message): message for call in calls for message in call.messages}
        thread = {key: chat_message(message) for key, message in shared.items()}
        ends: dict[CallKey, CallEnd | None] = {call.key: None for call in calls}

        async def end(call: Call) -> None:
            made = (earlier or {}).get(call.key, ())
            if self.terms.patience.is_over(made):
                ends[call.key] = _end(read_again(call, made[-1]), made)
                return
            try:
                ends[call.key] = await self._call(call, _labelled(call, thread), made)
            except UnusableModelError as error:
                self.terms.halt.stop(error)

        with self.terms.halt.reach():
            async with anyio.create_task_group() as group:
                for call in calls:
                    group.start_soon(end, call)
        return {key: call_end for key, call_end in ends.items() if call_end}

    async def _call(self, call: Call, messages: list[ChatMessage], earlier: Sequence[Attempt]) -> CallEnd:
        made = list(earlier)
        while True:
            self.terms.journal.check()
            max_tokens = self._max_tokens(made)
            async with self.terms.budget.reserve(self._greatest_cost(call, max_tokens)) as reserved:
                started_at = datetime.now(UTC).isoformat()
                number = made[-1].attempt + 1 if made else 1
                reply, reading = await self._ask(call, messages, max_tokens, number)
                attempt = self._row(call, number, started_at, reply, reading)
                made.append(attempt)
                is_last = reading.state not in ASKED_AGAIN or self.terms.patience.is_over(made)
                reserved.is_spent = isinstance(reply, ModelReply) and attempt.cost is None
                self.terms.journal.attempted(attempt, is_last=is_last)
            if is_last:
                return _end(reading, made)

    async def _ask(
        self, call: Call, messages: list[ChatMessage], max_tokens: int, number: int
    ) -> tuple[ModelReply | ProviderFailure, Reading]:
        """Ask once; with a cache, take the first reply that is kept and can be read, else one that was not kept."""
        schema = response_schema(call) if self.terms.condition.structured else None
        for replay in count():
            cache = cache_policy(self.terms.condition.id, self.epoch, number, replay) if self.terms.cache else None
            reply = await ask(self.model, messages, max_tokens=max_tokens, cache=cache, schema=schema)
            reading = _read(call, reply)
            is_kept = isinstance(reply, ModelReply) and reply.cache_hit
            if not is_kept or reading.state.is_answer:
                break
        return reply, reading

    def _greatest_cost(self, call: Call, max_tokens: int) -> float:
        if self.price is None:
            return 0.0
        size = sum(len(text.encode()) for text in sent_texts(call, self.terms.condition))
        return self.price.cost(ceil(size / BYTES_A_TOKEN), 0, max_tokens)

    def _max_tokens(self, made: Sequence[Attempt]) -> int:
        """Return the room for a reply: twice as much after every one that was cut off."""
        return int(self.terms.settings.max_tokens * 2 ** sum(attempt.state == CallState.TRUNCATED for attempt in made))

    def _row(
        self, call: Call, attempt: int, started_at: str, reply: ModelReply | ProviderFailure, reading: Reading
    ) -> Attempt:
        came = reply if isinstance(reply, ModelReply) else None
        return Attempt(
            conversation=call.conversation_id,
            turn=call.key.turn,
            call=call.key.kind,
            model=str(self.model),
            condition=self.terms.condition.id,
            epoch=self.epoch,
            attempt=attempt,
            state=reading.state.value,
            stop_reason=came.stop if came else None,
            input_tokens=came.usage.input if came else None,
            cached_input_tokens=came.usage.cached_input if came else None,
            output_tokens=came.usage.output if came else None,
            reasoning_tokens=came.usage.reasoning if came else None,
            cost=self._cost(came) if came else None,
            latency_s=round(reply.latency, 4),
            cache_hit=came.cache_hit if came else False,
            prompt_version=self.terms.condition.prompt_version,
            prompt_hash=self.terms.condition.prompt_hash,
            started_at=started_at,
            text=came.text if came else None,
            error=reading.reason if isinstance(reading, Failed) else None,
            counters=reading.counters,
        )

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


def _read(call: Call, reply: ModelReply | ProviderFailure) -> Reading:
    if isinstance(reply, ProviderFailure):
        return Failed(reply.state, reply.error)
    reading = read_reply(call, reply.text, reply.stop)
    dropped = {f"{setting}{DROPPED}": 1 for setting in reply.dropped}
    return replace(reading, counters={**reading.counters, **dropped}) if dropped else reading


def dropped_settings(ends: Iterable[CallEnd]) -> list[str]:
    """Return the generation settings without which any of these calls was made."""
    counted = {name for end in ends for name in end.reading.counters}
    return sorted(name.removesuffix(DROPPED) for name in counted if name.endswith(DROPPED))


def _labelled(call: Call, thread: Mapping[int, ChatMessage]) -> list[ChatMessage]:
    """Return a call's messages; the last one carries which call it is, for the log and for scripted models."""
    *history, last = call.messages
    label = {"conversation": call.conversation_id, "turn": call.key.turn, "kind": call.key.kind}
    return [*(thread[id(message)] for message in history), ChatMessageUser(content=last.content, metadata=label)]
