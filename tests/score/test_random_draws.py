"""The random baseline's draws, scored all at once, are those of its replies, read and scored one by one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from score_strategies import raw_conversations

from attunebench.baselines import Learned, answer_conversation
from attunebench.dataset.demo import load_demo
from attunebench.dataset.schema import Conversation
from attunebench.protocol.calls import STRATEGIES, Condition
from attunebench.protocol.prompts import load_prompts
from attunebench.score import score
from attunebench.score.draws import RandomScorer
from attunebench.score.draws.draft import Bags
from attunebench.score.text import jaccard, words
from score_examples import conversation, turn

PROMPTS = load_prompts()
DEMO = load_demo().conversations
SOMEBODY = Conversation.model_validate(
    {
        "conversationId": "c2",
        "turns": [
            {"turnNumber": n, "userMessage": "hi", "llmResponse": text} for n, text in enumerate(["a b", "c d e"])
        ],
    }
)


def plain(learned, told, strategy, seed):
    """Both profiles of one draw, through text, flat."""
    condition = Condition(strategy=strategy, prompt_version=PROMPTS.version, prompt_hash=PROMPTS.sha256)
    record = answer_conversation(learned.baseline("random", seed=seed), told, condition, PROMPTS)
    scored = score(told, record)
    reference = {}
    for name, value in {**scored, **scored["post_score"]}.items():
        if isinstance(value, dict) and name not in {"strict", "post_score"}:
            reference |= {f"{name}.{part}": number for part, number in value.items()}
        elif name != "epoch" and (value is None or isinstance(value, int | float)):
            reference[name] = value
    return reference, {name: value["value"] for name, value in scored["strict"].items()}


def assert_same(plain_scores, drawn, row, where):
    values = {name: numbers[row] for name, numbers in drawn.items()}
    assert values.keys() <= plain_scores.keys(), where
    for name, value in plain_scores.items():
        found = values.get(name, math.nan)
        assert (None if np.isnan(found) else found) == (None if value is None else pytest.approx(value, abs=1e-9)), (
            f"{where}: {name}"
        )


def check(told, others, strategy, draws):
    learned = Learned([told, *others])
    found = RandomScorer(learned.pool).score(told, strategy, draws)
    for row, seed in enumerate(draws):
        reference, strict = plain(learned, told, strategy, seed)
        where = f"{told.conversation_id}, {strategy}, draw {seed}"
        assert_same(reference, found.reference, row, f"{where}, reference")
        assert_same(strict, found.strict, row, f"{where}, strict")


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("told", DEMO, ids=lambda c: c.conversation_id)
def test_on_the_demo_data_every_number_of_a_draw_is_that_of_its_replies(told, strategy):
    check(told, [other for other in DEMO if other is not told], strategy, range(3))


@given(raw_conversations(), st.sampled_from(STRATEGIES), st.integers(0, 1000), st.booleans())
def test_every_number_of_a_draw_is_that_of_its_replies(told, strategy, first, alone):
    check(Conversation.model_validate(told), [] if alone else [SOMEBODY], strategy, range(first, first + 3))


def test_a_question_without_an_id_is_reported_but_never_asked():
    judged = [{"observedBehavior": said, "preferredBehavior": said} for said in ("yes", "no")]
    for one in judged:
        asked = turn(binaryJudgements=[one, {"questionId": "B1"} | judged[0]])
        check(conversation(asked), [SOMEBODY], "absolute", range(3))


TEXTS = st.integers(0, 600).flatmap(lambda first: st.integers(1, 600).map(lambda n: range(first, first + n)))


@given(st.lists(TEXTS, min_size=1, max_size=3), TEXTS)
def test_texts_are_as_near_as_two_by_two_however_long_they_are(pool, other):
    pool, other = [" ".join(map(str, words)) for words in pool], " ".join(map(str, other))
    expected = [jaccard(words(text), words(other)) for text in pool]
    assert Bags(pool).jaccard(other).tolist() == pytest.approx(expected, abs=1e-12)


def test_a_draw_does_not_depend_on_which_draws_are_made_with_it():
    scorer = RandomScorer(Learned(DEMO).pool)
    for part in ("reference", "strict"):
        many, few = (getattr(scorer.score(DEMO[0], "absolute", draws), part) for draws in (range(40), range(30, 33)))
        for name, values in few.items():
            np.testing.assert_array_equal(values, many[name][30:33], err_msg=name)
