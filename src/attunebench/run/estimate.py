"""What a run will take, without sending anything: calls, tokens and cost of what is left to ask.

Tokens are guessed, as no tokenizer is at hand: one for four characters, as for English text. A reply is taken to be as
long as the participant's own answers would be, and at most as long as the limit; reasoning is not foreseen.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil

from attunebench.baselines import Baseline, make_baseline
from attunebench.dataset.schema import Conversation
from attunebench.protocol.answers import RATINGS
from attunebench.protocol.calls import Call, CallKey
from attunebench.protocol.judge import BEHAVIOURS, JudgeCall, judge_asked, judge_call
from attunebench.protocol.panel import CALL
from attunebench.protocol.render import conversation_calls
from attunebench.protocol.reply_schema import sent_texts
from attunebench.run.ledger import JudgeKey
from attunebench.run.plan import RunPlan
from attunebench.run.resume import Earlier, read_earlier

CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Expected:
    """One call that is left to make, with guesses.

    `model` is who is to be asked. `tokens_in` and `tokens_out` as far as can be foreseen, `most_out` the limit; `cost`
    and `most_cost` likewise, none without prices.
    """

    model: str
    turn: int | None
    kind: str
    call: Call | JudgeCall
    tokens_in: int
    tokens_out: int
    most_out: int
    cost: float | None
    most_cost: float | None


@dataclass(frozen=True, slots=True)
class _Guess:
    """One call, all text that goes out with it, and how long its reply may be in characters."""

    turn: int | None
    kind: str
    call: Call | JudgeCall
    sent: Sequence[str]
    reply: int


def expected_calls(plan: RunPlan) -> list[Expected]:
    """Return every call that `run` would make for a plan, if each were answered at once and had a draft to judge.

    Raises:
        UsageError, RunError: as `run` does for a plan that cannot start.
    """
    samples = plan.samples()
    earlier = read_earlier(plan.out, set(samples), plan.patience) if plan.out.exists() else Earlier()
    conversations = {c.conversation_id: c for c in plan.chosen.conversations}
    oracle = make_baseline("oracle", ())
    expect = _expecting(plan)

    @cache
    def guesses(name: str) -> tuple[list[tuple[CallKey, _Guess]], list[tuple[int, _Guess]]]:
        return list(_calls(conversations[name], plan, oracle)), list(_judgements(conversations[name], plan))

    found: list[Expected] = []
    for sample in samples:
        if sample in earlier.recorded:
            continue
        made, judged = earlier.attempts.get(sample, {}), earlier.judged.get(sample, {})
        calls, judgements = guesses(sample.conversation)
        found += (expect(sample.model, g) for key, g in calls if not plan.patience.is_over(made.get(key, ())))
        for judge in plan.judges:
            left = (g for n, g in judgements if not plan.patience.is_over(judged.get(JudgeKey(n, judge), ())))
            found += (expect(judge, guess) for guess in left)
    return found


def _expecting(plan: RunPlan) -> Callable[[str, _Guess], Expected]:
    """Return what tells the tokens and the cost of a call to a model."""
    prices, most = plan.prices_by_model(), plan.settings.max_tokens

    def expect(model: str, guess: _Guess) -> Expected:
        tokens_in = _tokens(sum(map(len, guess.sent)))
        tokens_out = min(_tokens(guess.reply), most)
        price = prices.get(model)
        return Expected(
            model=model,
            turn=guess.turn,
            kind=guess.kind,
            call=guess.call,
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            most_out=most,
            cost=price.cost(tokens_in, 0, tokens_out) if price else None,
            most_cost=price.cost(tokens_in, 0, most) if price else None,
        )

    return expect


def _calls(conversation: Conversation, plan: RunPlan, oracle: Baseline) -> Iterator[tuple[CallKey, _Guess]]:
    for call in conversation_calls(conversation, plan.condition, plan.prompts):
        sent = sent_texts(call, plan.condition)
        yield call.key, _Guess(*call.key, call, sent, len(oracle.reply(conversation, call)))


def _judgements(conversation: Conversation, plan: RunPlan) -> Iterator[tuple[int, _Guess]]:
    """Yield what a judge would be asked if every draft were the reply that the participant wanted."""
    for turn in conversation.ordered_turns if plan.judges else ():
        if asked := judge_asked(turn):
            call = judge_call(conversation, turn, turn.reply("human") or turn.llm_response, plan.judge_prompts)
            reply = {**dict.fromkeys(RATINGS if asked.rates else (), 4), BEHAVIOURS: dict.fromkeys(asked.yes_no, "yes")}
            sent = [message.content for message in call.messages]
            yield call.turn, _Guess(call.turn, CALL, call, sent, len(json.dumps(reply)))


def _tokens(characters: int) -> int:
    return ceil(characters / CHARACTERS_A_TOKEN)
