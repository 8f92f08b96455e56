"""What a run will take, without sending anything: calls, tokens and cost of what is left to ask.

Tokens are guessed, as no tokenizer is at hand: one for four characters, as for English text. A reply is taken to be as
long as the participant's own answers would be, and at most as long as the limit; reasoning is not foreseen.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from math import ceil

from attunebench.baselines import make_baseline
from attunebench.protocol.calls import Call
from attunebench.protocol.render import conversation_calls
from attunebench.protocol.reply_schema import sent_texts
from attunebench.run.engine import RunPlan
from attunebench.run.ledger import SampleKey
from attunebench.run.prices import Price
from attunebench.run.resume import Earlier, read_earlier

CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Expected:
    """One call that is left to make, with guesses.

    `tokens_in` and `tokens_out` as far as can be foreseen, `most_out` the limit; `cost` and `most_cost` likewise, none
    without prices.
    """

    sample: SampleKey
    call: Call
    tokens_in: int
    tokens_out: int
    most_out: int
    cost: float | None
    most_cost: float | None


def expected_calls(plan: RunPlan) -> list[Expected]:
    """Return every call that `run` would make for a plan, if each were answered at once.

    Raises:
        UsageError, RunError: as `run` does for a plan that cannot start.
    """
    prices = plan.prices_by_model()
    samples = plan.samples()
    earlier = read_earlier(plan.out, set(samples), plan.patience) if plan.out.exists() else Earlier()
    guess = _guesses(plan)
    found: list[Expected] = []
    for sample in samples:
        if sample in earlier.recorded:
            continue
        made = earlier.attempts.get(sample, {})
        for call, tokens_in, tokens_out in guess(sample.conversation):
            if not plan.patience.is_over(made.get(call.key, ())):
                found.append(_expected(sample, call, tokens_in, tokens_out, plan, prices.get(sample.model)))
    return found


def _expected(
    sample: SampleKey, call: Call, tokens_in: int, tokens_out: int, plan: RunPlan, price: Price | None
) -> Expected:
    most = plan.settings.max_tokens
    return Expected(
        sample=sample,
        call=call,
        tokens_in=tokens_in,
        tokens_out=min(tokens_out, most),
        most_out=most,
        cost=price.cost(tokens_in, 0, min(tokens_out, most)) if price else None,
        most_cost=price.cost(tokens_in, 0, most) if price else None,
    )


def _guesses(plan: RunPlan) -> Callable[[str], list[tuple[Call, int, int]]]:
    """Return what gives the calls of a conversation with their tokens in and out; the same for every model."""
    conversations = {c.conversation_id: c for c in plan.chosen.conversations}
    oracle = make_baseline("oracle", ())

    @cache
    def calls(name: str) -> list[tuple[Call, int, int]]:
        conversation = conversations[name]
        return [
            (call, _tokens(sent_texts(call, plan.condition)), _tokens([oracle.reply(conversation, call)]))
            for call in conversation_calls(conversation, plan.condition, plan.prompts)
        ]

    return calls


def _tokens(texts: Iterable[str]) -> int:
    return ceil(sum(map(len, texts)) / CHARACTERS_A_TOKEN)
