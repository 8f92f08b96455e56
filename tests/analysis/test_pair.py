"""Claims about two models on one metric, and how it is put into words."""

import numpy as np
import pytest

from analysis_examples import inputs_from, inputs_of_scores, rows_of, table
from attunebench.analysis.compared import compare_settings
from attunebench.analysis.differences import differences
from attunebench.analysis.pair import compare_two
from attunebench.errors import UsageError
from attunebench.report.pair import pair_tables

COMPOSITE, ERROR = "reference/composite_score", "strict/panas_item_mae"
RNG = np.random.default_rng


def planted(*levels, conversations=40):
    rng = RNG(1)
    return np.array(levels)[:, None] + rng.normal(size=conversations) + rng.normal(size=(len(levels), conversations))


def words(results):
    return [" ".join([shown.title, *shown.notes]) for shown in pair_tables(results, "participant")]


def test_a_pair_is_the_row_of_the_table_of_pairs_whichever_comes_first():
    inputs = inputs_of_scores({COMPOSITE: planted(10, 10.3, 12)})
    row = table(differences(compare_settings(inputs)), "pairs").filter(model_a="m1", model_b="m2").row(0, named=True)
    (one,) = compare_two(inputs, "composite_score", ("m1", "m2"))
    (other,) = compare_two(inputs, "composite_score", ("m2", "m1"))
    for name in ("difference", "lower", "upper", "p", "p_holm"):
        assert getattr(one, name) == pytest.approx(row[name])
    assert (other.difference, other.lower, other.upper) == pytest.approx((-one.difference, -one.upper, -one.lower))
    assert (one.p, one.p_holm, one.n, one.family) == (other.p, other.p_holm, 40, 3)
    assert (one.one, one.other) == (other.other, other.one)


def test_the_better_model_is_named_also_where_less_is_better():
    scores = planted(10, 13)
    (text,) = words(compare_two(inputs_of_scores({COMPOSITE: scores}), "composite_score", ("m1", "m2")))
    assert "m2 is better than m1" in text and "more is better" in text
    (text,) = words(compare_two(inputs_of_scores({ERROR: scores}), "panas_item_mae", ("m1", "m2")))
    assert "m1 is better than m2" in text and "less is better" in text


def test_what_is_not_distinguished_is_never_called_equal_and_equivalence_needs_a_margin():
    inputs = inputs_of_scores({COMPOSITE: planted(10, 10.02)})
    (text,) = words(compare_two(inputs, "composite_score", ("m1", "m2")))
    assert "Not distinguished" in text and "they may still differ" in text
    assert "equal" not in text.lower() and "equivalent" not in text
    (text,) = words(compare_two(inputs, "composite_score", ("m1", "m2"), margin=2))
    assert "Within a margin of 2: equivalent (two one-sided t-tests" in text
    (text,) = words(compare_two(inputs, "composite_score", ("m1", "m2"), margin=0.01))
    assert "Within a margin of 0.01: equivalence is not shown" in text


def test_models_without_a_conversation_in_common_cannot_be_compared():
    scores = planted(10, 11)
    scores[0, :20], scores[1, 20:] = np.nan, np.nan
    (text,) = words(compare_two(inputs_of_scores({COMPOSITE: scores}), "composite_score", ("m1", "m2"), margin=1))
    assert "they cannot be compared" in text


def test_one_cluster_and_no_variation_are_told():
    one = inputs_of_scores({COMPOSITE: planted(10, 11)}, participants=["p"] * 40)
    (text,) = words(compare_two(one, "composite_score", ("m1", "m2"), margin=1))
    assert "Not tested: fewer than 2 clusters in common." in text
    assert "cannot be tested" in text
    same = inputs_of_scores({COMPOSITE: np.full((2, 9), 5.0)})
    (text,) = words(compare_two(same, "composite_score", ("m1", "m2"), margin=1))
    assert "Not distinguished (p = 1" in text and "equivalent" not in text


def test_every_setting_and_profile_that_has_both_gives_a_table():
    rows = [*rows_of("a", "b"), *rows_of("a", "b", mode="verbose"), *rows_of("a", mode="omniscient")]
    scores = planted(1, 2, 3, 4, 5)
    inputs = inputs_of_scores({COMPOSITE: scores, "strict/composite_score": scores}, rows=rows)
    found = compare_two(inputs, "composite_score", ("a", "b"))
    assert [(each.one.row.mode, each.metric.profile) for each in found] == [
        (mode, profile) for mode in ("default", "verbose") for profile in ("reference", "strict")
    ]


@pytest.mark.parametrize(
    ("metric", "models", "problem"),
    [
        ("composite", ("m1", "m2"), "--metric: .*perhaps composite_score; got composite"),
        ("compsite_score", ("m1", "m2"), "--metric: .*perhaps composite_score; got compsite_score"),
        ("nonsense", ("m1", "m2"), "--metric: .*leaderboard.csv; got nonsense"),
        ("composite_score", ("m1", "gpt"), "--models: must be in the scores, which have m1, m2, got gpt"),
        ("composite_score", ("m1", "m1"), "--models: must be two different models, got m1 twice"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(metric, models, problem):
    with pytest.raises(UsageError, match=problem) as refused:
        compare_two(inputs_of_scores({COMPOSITE: planted(1, 2)}), metric, models)
    assert "\n" not in str(refused.value)


def test_models_that_never_met_under_one_condition_are_told():
    rows = [*rows_of("a"), *rows_of("b", condition="d")]
    with pytest.raises(UsageError, match="a and b were not run under the same condition"):
        compare_two(inputs_of_scores({COMPOSITE: planted(1, 2)}, rows=rows), "composite_score", ("a", "b"))


@pytest.mark.parametrize("metric", ["pooled_binary_om_metrics.mcc", "panas_skill", "avg_emotion_f1"])
def test_pooled_rates_and_means_of_the_demo_are_the_rows_of_the_table_of_pairs(scores_folder, few_resamples, metric):
    inputs = inputs_from(scores_folder)
    models = ("baseline/lexicon", "baseline/majority")
    rows = table(differences(compare_settings(inputs)), "pairs").filter(
        metric=metric, model_a=models[0], model_b=models[1]
    )
    found = compare_two(inputs, metric, models)
    assert len(found) == rows.height > 0
    for each in found:
        row = rows.filter(mode=each.one.row.mode, profile=each.metric.profile).row(0, named=True)
        for name in ("difference", "lower", "upper", "p", "p_holm"):
            assert getattr(each, name) == pytest.approx(row[name], abs=1e-9)
