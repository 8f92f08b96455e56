"""Claims about modes: paired by conversation and by model, on the conversations both modes cover."""

import numpy as np
import pytest
from scipy.stats import ttest_rel

from analysis_examples import cells, inputs_of_scores, rows_of, table
from attunebench.analysis.modes import modes

COMPOSITE = "reference/composite_score"
RNG = np.random.default_rng
ROWS = [*rows_of("a", "b"), *rows_of("a", "b", mode="verbose", condition="v")]


@pytest.fixture
def scores():
    """Conversations differ by 10; the verbose mode helps model a by 1 and model b not at all."""
    hard = 10 * RNG(1).normal(size=30)
    return hard + np.array([0, 0, 1, 0])[:, None] + RNG(2).normal(size=(4, 30)) * 0.5


def modes_of(scores, rows=ROWS, **more):
    return modes(inputs_of_scores({COMPOSITE: scores}, rows=rows, **more))


def test_a_planted_gain_is_found_though_conversations_differ_far_more(scores):
    found = table(modes_of(scores), "modes")
    assert cells(found, "model", column="distinguished") == {"a": True, "b": False}
    apart = cells(found, "model", column="difference")
    assert apart == pytest.approx({"a": (scores[2] - scores[0]).mean(), "b": (scores[3] - scores[1]).mean()})
    p = cells(found, "model", column="p")
    assert p["b"] == pytest.approx(ttest_rel(scores[3], scores[1]).pvalue, abs=0.02)


def test_only_conversations_that_both_modes_cover_count(scores):
    scores[2, :10], scores[0, 25:] = np.nan, np.nan
    row = table(modes_of(scores), "modes").filter(model="a").row(0, named=True)
    assert row["difference"] == pytest.approx((scores[2] - scores[0])[10:25].mean())
    assert (row["n"], row["clusters"]) == (15, 15)


def test_holm_is_over_the_models_of_a_mode(scores):
    found = table(modes_of(scores), "modes")
    p = np.sort(found["p"].to_numpy())
    assert np.sort(found["p_holm"].to_numpy()) == pytest.approx([2 * p[0], max(2 * p[0], p[1])])


def test_every_condition_of_a_mode_is_compared_with_every_default_one(scores):
    rows = [*rows_of("a"), *rows_of("a", condition="d"), *rows_of("a", mode="verbose"), *rows_of("b", mode="verbose")]
    found = table(modes_of(scores, rows), "modes")
    assert found.select("model", "condition", "condition_default").rows() == [("a", "c", "c"), ("a", "c", "d")]


def test_modes_without_a_conversation_in_common_are_shown_as_not_defined(scores):
    scores[2, :15], scores[0, 15:] = np.nan, np.nan
    row = table(modes_of(scores), "modes").filter(model="a").row(0, named=True)
    assert row["difference"] is row["p"] is row["lower"] is None
    assert (row["n"], row["note"], row["distinguished"]) == (0, "not defined in any conversation", False)


def test_one_mode_alone_is_told(scores):
    part = modes_of(scores[:2], rows_of("a", "b"))
    assert not part.tables
    assert part.missing[0].reason == "no model was run both in mode default and in another, but in default"
