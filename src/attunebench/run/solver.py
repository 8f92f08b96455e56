"""All calls of one conversation at once."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import anyio
from inspect_ai.model import ChatMessage, ChatMessageUser

from attunebench.dataset.schema import Conversation
from attunebench.models.ask import chat_message
from attunebench.models.cache import cache_policy
from attunebench.models.structured import response_schema
from attunebench.protocol.assemble import CallEnd
from attunebench.protocol.calls import Call, CallKey, Condition
from attunebench.protocol.parse import read_reply
from attunebench.protocol.prompts import Prompts
from attunebench.protocol.render import conversation_calls
from attunebench.protocol.reply_schema import sent_texts
from attunebench.run.asking import Asking, Question
from attunebench.run.ledger import Attempt

OnEnd: TypeAlias = Callable[[CallKey, CallEnd], Awaitable[None]]
"""What is to be done as soon as a call has ended."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Asks one model the calls of conversations under one condition."""

    asking: Asking
    condition: Condition
    prompts: Prompts
    epoch: int = 1

    async def conversation(
        self,
        conversation: Conversation,
        earlier: Mapping[CallKey, Sequence[Attempt]] | None = None,
        on_end: OnEnd | None = None,
    ) -> Mapping[CallKey, CallEnd]:
        """Make all calls of a conversation and return how each ended, in the order of the thread.

        They are made at once, or, to find prefixes in the provider's cache, one after another along the thread.

        Calls that are at their end after their `earlier` attempts are not made again; others go on where they stood.

        Raises:
            AttuneError: the run has been halted, on account of this model or another.
        """
        calls = conversation_calls(conversation, self.condition, self.prompts)
        shared = {id(message): message for call in calls for message in call.messages}
        thread = {key: chat_message(message) for key, message in shared.items()}
        ends: dict[CallKey, CallEnd | None] = {call.key: None for call in calls}

        async def end(call: Call) -> None:
            ended = await self.asking.end(self._question(call, thread), (earlier or {}).get(call.key, ()))
            ends[call.key] = ended
            if on_end and ended:
                await on_end(call.key, ended)

        with self.asking.terms.halt.reach():
            async with anyio.create_task_group() as group:
                for call in calls:
                    if self.asking.terms.settings.prefix_cache:
                        await end(call)
                    else:
                        group.start_soon(end, call)
        return {key: call_end for key, call_end in ends.items() if call_end}

    def _question(self, call: Call, thread: Mapping[int, ChatMessage]) -> Question:
        row = partial(
            Attempt,
            conversation=call.conversation_id,
            turn=call.key.turn,
            call=call.key.kind,
            model=str(self.asking.model),
            condition=self.condition.id,
            epoch=self.epoch,
            prompt_version=self.condition.prompt_version,
            prompt_hash=self.condition.prompt_hash,
        )
        kept_at = partial(cache_policy, self.condition.id, self.epoch)
        return Question(
            _labelled(call, thread),
            partial(read_reply, call),
            row,
            kept_at,
            sent_texts(call, self.condition),
            response_schema(call) if self.condition.structured else None,
        )


def _labelled(call: Call, thread: Mapping[int, ChatMessage]) -> list[ChatMessage]:
    """Return a call's messages; the last one carries which call it is, for the log and for scripted models."""
    *history, last = call.messages
    label = {"conversation": call.conversation_id, "turn": call.key.turn, "kind": call.key.kind}
    return [*(thread[id(message)] for message in history), ChatMessageUser(content=last.content, metadata=label)]
