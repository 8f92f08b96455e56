"""Claims about floors and ceiling: what no skill and what perfect knowledge earn on the same conversations."""

from statistics import fmean

import pytest
from file_examples import one
from score_examples import comparison, turn

from attunebench.baselines import answer_conversation, make_baseline
from attunebench.dataset.demo import load_demo
from attunebench.protocol.calls import STRATEGIES, Condition
from attunebench.protocol.prompts import load_prompts
from attunebench.score import score_reference
from attunebench.score.floors import floor_rows

PROMPTS = load_prompts()
PAIR = (one("c1"), one("c2", turns=3))


def floors(conversations, strategy="absolute", **options):
    return {row["floor"]: row for row in floor_rows(conversations, strategy, **options)}


def draw(conversation, conversations, name="random", seed=0, strategy="absolute"):
    condition = Condition(strategy=strategy, prompt_version=PROMPTS.version, prompt_hash=PROMPTS.sha256)
    baseline = make_baseline(name, conversations, seed=seed)
    return score_reference(conversation, answer_conversation(baseline, conversation, condition, PROMPTS))


def test_there_are_five_and_each_says_what_it_is():
    rows = floors(PAIR, draws=3)
    assert list(rows) == ["null", "random", "majority", "lexicon", "oracle"]
    assert {name: row["draws"] for name, row in rows.items()} == {
        "null": 1, "random": 3, "majority": 1, "lexicon": 1, "oracle": 1,
    }  # fmt: skip
    for row in rows.values():
        assert row["n_conversations"] == 2
        assert (row["mode"], row["condition"], row["z_score"], row["panas_strategy"]) == (None, None, None, "absolute")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_they_are_the_same_each_time(strategy):
    assert floor_rows(PAIR, strategy, draws=5) == floor_rows(PAIR, strategy, draws=5)


def test_they_do_not_depend_on_the_order_of_conversations():
    forth, back = floors(PAIR, draws=5), floors(PAIR[::-1], draws=5)
    for name, row in forth.items():
        assert row["composite_score"] == pytest.approx(back[name]["composite_score"], abs=1e-12)


def test_random_is_the_mean_over_its_draws_and_has_no_standard_error():
    row = floors(PAIR, draws=4)["random"]
    each = [draw(c, PAIR, seed=seed) for seed in range(4) for c in PAIR]
    for name in ("composite_score", "avg_emotion_f1", "avg_pairwise_accuracy"):
        assert row[name] == pytest.approx(fmean(scored[name] for scored in each), abs=1e-12)
    assert row["se_composite"] is None


@pytest.mark.parametrize("name", ["null", "majority", "lexicon", "oracle"])
def test_the_others_are_what_the_baseline_earns_through_rendering_and_reading(name):
    row = floors(PAIR, draws=1)[name]
    each = [draw(c, PAIR, name)["composite_score"] for c in PAIR]
    assert row["composite_score"] == pytest.approx(fmean(each), abs=1e-12)


def test_null_earns_what_the_arithmetic_says():
    row = floors([one()], draws=1)["null"]
    # No emotions named: F1 0, VA 0. Missing yes/no is "no": observed (yes, no) half right, preferred (no, no) right.
    assert row["emotion_tracking"] == 0
    assert (row["avg_binary_om_accuracy"], row["avg_binary_human_accuracy"]) == (0.5, 1)
    # No letters: no comparison is right. B = 0.75, evaluation = 0.375.
    assert row["evaluation_quality"] == 0.375
    # PANAS undefined: 0.5. q1 to q3 wrong, no follow-up on either side is right: 1/4. Branches 7, taken as 4: 1 - 3/6.
    assert row["holistic_comprehension"] == pytest.approx(0.4 * 0.5 + 0.3 * 0.25 + 0.3 * 0.5)
    assert row["composite_score"] == pytest.approx(round(49 * 0.375 + 27 * 0.425, 2))


def test_the_ceiling_is_100_but_for_comparisons_that_were_left_open():
    assert floors([one(turns=1)], draws=1)["oracle"]["composite_score"] == 100
    row = floors([one(turns=2)], draws=1)["oracle"]
    # Of turn 2's comparisons one is undecided and never right: pairwise (1 + 0.5)/2, evaluation (1 + 0.75)/2.
    assert row["composite_score"] == pytest.approx(24 + 49 * 0.875 + 27, abs=0.006)
    assert row["strict"]["composite_score"]["value"] == pytest.approx(100)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_conversation_in_which_nothing_was_asked_has_floors_all_the_same(strategy):
    bare = one().model_validate(
        {"conversationId": "bare", "turns": [turn(pairwiseComparisons=[comparison("a", "b", None)])]}
    )
    assert set(floors([bare], strategy, draws=2)) == {"null", "random", "majority", "lexicon", "oracle"}


DEMO = load_demo().conversations


@pytest.mark.parametrize("one_of", DEMO, ids=lambda c: c.conversation_id)
def test_on_the_demo_data_the_oracle_is_right_wherever_the_participant_answered(one_of):
    """Turn by turn: emotions, both behaviours from both calls, and comparisons where all are decided."""
    scores = draw(one_of, DEMO, "oracle")
    by_number = {scored["turnNumber"]: scored for scored in scores["turn_scores"]}
    assert len(by_number) == len(one_of.turns)
    for asked in one_of.turns:
        scored = by_number[asked.turn_number]
        if asked.mood_shift_tags is not None:
            assert (scored["emotion_f1"], scored["emotion_va_score"]) == (1, 1)
        for names, answers in (
            (("binary_om_accuracy", "binary_om_accuracy_hp"), [j.observed_behavior for j in asked.judgements]),
            (("binary_human_accuracy", "binary_human_accuracy_hp"), [j.preferred_behavior for j in asked.judgements]),
        ):
            if {"yes", "no"} & set(answers):
                assert [scored[name] for name in names] == [1, 1]
        if all(comparison.winner for comparison in asked.comparisons):
            assert scored["pairwise_accuracy"] == 1


def test_the_demo_data_has_something_to_be_right_about():
    turns = [asked for c in DEMO for asked in c.turns]
    assert len(DEMO) == 14
    assert any(asked.mood_shift_tags for asked in turns)
    assert any(asked.comparisons and all(c.winner for c in asked.comparisons) for asked in turns)
    assert any({"yes", "no"} & {j.observed_behavior for j in asked.judgements} for asked in turns)
