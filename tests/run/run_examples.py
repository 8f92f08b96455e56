"""Tiny conversations, a script of replies, and a provider that plays it."""

import io
import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Barrier, BrokenBarrierError
from typing import Any

from rich.console import Console

from attunebench.baselines import make_baseline
from attunebench.dataset.load import DataSet
from attunebench.dataset.schema import Conversation
from attunebench.display import LineDisplay
from attunebench.protocol.calls import Call, CallKey, Condition
from attunebench.protocol.prompts import load_prompts
from attunebench.protocol.render import conversation_calls
from attunebench.run.engine import run
from attunebench.run.plan import RunPlan
from attunebench.run.progress import Tally
from servers import Reply, completion

PROMPTS = load_prompts()
CONDITION = Condition(prompt_version=PROMPTS.version, prompt_hash=PROMPTS.sha256)
ORACLE = make_baseline("oracle", [])
SERVED = "openai-api/local/x"

ODD = '  "quoted" </message> {{ x }} \x00 \r\n\t 🙂 שלום \u2028 \u202e <think> & \\u0041  '


def conversation(name: str, turns: int) -> Conversation:
    """A conversation whose every turn has all four calls; texts differ from any other's."""
    return Conversation.model_validate(
        {
            "conversationId": name,
            "turns": [_turn(name, number) for number in range(1, turns + 1)],
            "prePanas": {"totalPositiveAffect": 25, "totalNegativeAffect": 31},
            "postPanas": {"totalPositiveAffect": 30, "totalNegativeAffect": 20},
            "conversationWideQuestions": {"q3_modelFit": "Mostly well-matched", "fourBranchScores": {"managing": 5}},
        }
    )


def _turn(name: str, number: int) -> dict[str, Any]:
    return {
        "turnNumber": number,
        "userMessage": f"{name} {number}{ODD}",
        "llmResponse": f"Reply.{ODD}",
        "moodShiftTags": [{"emotion": "Upset", "intensity": number}],
        "annotations": {
            "binaryJudgements": [{"questionId": "B1", "observedBehavior": "yes", "preferredBehavior": "no"}],
            "alternateResponses": {"llmImproved": "Better.", "humanEdited": "Best."},
            "pairwiseComparisons": [
                {"questionId": "general", "responseA": "original", "responseB": "human", "winner": "B"}
            ],
        },
    }


def calls_of(one: Conversation, condition: Condition = CONDITION) -> dict[CallKey, Call]:
    return {call.key: call for call in conversation_calls(one, condition, PROMPTS)}


def on_the_wire(call: Call) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in call.messages]


@dataclass(frozen=True)
class Ask:
    """One request as the provider understands it: which call, and the how-manieth time it is asked."""

    conversation: str
    key: CallKey
    nth: int
    body: Mapping[str, Any]


@dataclass
class Provider:
    """Answers like the oracle, but for what `script` says for a call: its replies in turn, the last one for ever.

    The first requests of the conversations named in `held` wait for each other; `gathered` tells those which all
    came together. Replies then leave in the order of the thread, or the other way round for names in `backwards`.
    """

    conversations: Sequence[Conversation]
    script: Mapping[tuple[str, int | None, str], Sequence[Reply]] = field(default_factory=dict)
    held: Sequence[str] = ()
    backwards: Sequence[str] = ()
    gathered: set[str] = field(default_factory=set)
    asks: list[Ask] = field(default_factory=list)
    condition: Condition = CONDITION

    def __post_init__(self) -> None:
        self._of = {one.conversation_id: one for one in self.conversations}
        self._calls = {name: calls_of(one, self.condition) for name, one in self._of.items()}
        self._known = {_identity(on_the_wire(call)): call for calls in self._calls.values() for call in calls.values()}
        self._barriers = {name: Barrier(len(self._calls[name])) for name in self.held}
        self._counts = Counter[tuple[str, CallKey]]()

    def __call__(self, body: dict[str, Any]) -> Reply:
        call = self._known[_identity(body["messages"])]
        name, key = call.conversation_id, call.key
        self._counts[name, key] += 1
        nth = self._counts[name, key]
        self.asks.append(Ask(name, key, nth, body))
        if nth == 1 and name in self._barriers:
            self._wait(name, key)
        replies = self.script.get((name, *key))
        return replies[min(nth, len(replies)) - 1] if replies else self.right(call)

    def right(self, call: Call) -> Reply:
        return completion(ORACLE.reply(self._of[call.conversation_id], call))

    def of(self, name: str, turn: int | None, kind: str) -> list[Ask]:
        """All requests for one call, in the order they came."""
        return [ask for ask in self.asks if (ask.conversation, *ask.key) == (name, turn, kind)]

    def _wait(self, name: str, key: CallKey) -> None:
        try:
            self._barriers[name].wait(timeout=20)
        except BrokenBarrierError:
            return
        self.gathered.add(name)
        rank = list(self._calls[name]).index(key)
        time.sleep(0.01 * (len(self._calls[name]) - rank if name in self.backwards else rank))


def _identity(messages: Sequence[Mapping[str, str]]) -> str:
    return json.dumps([[message["role"], message["content"]] for message in messages])


def run_quietly(plan: RunPlan) -> Tally:
    return run(plan, lambda calls: LineDisplay(Console(file=io.StringIO()), calls))


def dataset(*conversations: Conversation) -> DataSet:
    return DataSet(conversations, {one.conversation_id: f"{one.conversation_id}.json" for one in conversations})
