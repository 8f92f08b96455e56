"""Claims about comparing all pairs of models."""

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from attunebench.stats.multiple import adjust
from attunebench.stats.pairs import compare_pairs
from attunebench.stats.resample import bootstrap_t, draw_weights
from attunebench.stats.signflip import draw_flips, sign_flip_p
from attunebench.stats.sums import add_by_cluster, mean_sums


@pytest.fixture
def scores():
    """Four models on 60 conversations of 30 people; the last model is better on the first metric alone."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(1, 60, 1)) + rng.normal(size=(4, 60, 2)) * 0.5
    values[3, :, 0] += 1
    return values, np.arange(60) // 2


def compare(values, clusters, seed=2):
    rng = np.random.default_rng(seed)
    k = clusters.max() + 1
    return compare_pairs(values, clusters, draw_weights(k, 2000, rng), draw_flips(k, 2000, rng))


def test_a_planted_difference_is_found_and_nothing_else(scores):
    found = compare(*scores)
    assert found.pairs[found.distinguished[:, 0]].tolist() == [[0, 3], [1, 3], [2, 3]]
    assert not found.distinguished[:, 1].any()
    assert (found.upper[[2, 4, 5], 0] < 0).all()


def test_each_pair_is_what_it_would_be_alone(scores):
    values, clusters = scores
    rng = np.random.default_rng(2)
    weights, flips = draw_weights(30, 2000, rng), draw_flips(30, 2000, rng)
    found = compare(values, clusters)
    for place, (a, b) in enumerate(found.pairs):
        difference = values[a] - values[b]
        alone = bootstrap_t(mean_sums(difference, clusters), weights)
        assert found.difference[place] == pytest.approx(difference.mean(axis=0))
        assert found.lower[place] == pytest.approx(alone.lower)
        assert found.p[place] == pytest.approx(sign_flip_p(add_by_cluster(difference, clusters), flips))


def test_corrections_are_over_the_pairs_of_one_metric(scores):
    found = compare(*scores)
    for metric in range(2):
        p = np.sort(found.p[:, metric])
        by_hand = np.minimum(np.maximum.accumulate(p * np.arange(6, 0, -1)), 1)
        assert np.sort(found.p_holm[:, metric]) == pytest.approx(by_hand)
        stepped = np.minimum(np.minimum.accumulate((p * 6 / np.arange(1, 7))[::-1])[::-1], 1)
        assert np.sort(found.p_bh[:, metric]) == pytest.approx(stepped)


def test_models_are_compared_on_the_conversations_both_have(scores):
    values, clusters = scores
    values[0, :20] = np.nan
    values[1, 40:, 1] = np.nan
    found = compare(values, clusters)
    assert found.n.tolist() == [[40, 20], [40, 40], [40, 40], [60, 40], [60, 40], [60, 60]]
    assert found.clusters[0].tolist() == [20, 10]
    assert found.difference[0, 1] == pytest.approx((values[0] - values[1])[20:40, 1].mean())


def test_models_without_a_conversation_in_common_are_not_compared(scores):
    values, clusters = scores
    values[0, :30], values[1, 30:] = np.nan, np.nan
    found = compare(values, clusters)
    assert found.n[0].tolist() == [0, 0]
    assert np.isnan([*found.difference[0], *found.p[0], *found.p_holm[0]]).all()
    assert not np.isnan(found.p[1:]).any()


def test_the_order_of_models_turns_the_sign_alone(scores):
    values, clusters = scores
    found, turned = compare(values, clusters), compare(values[::-1], clusters)
    places = [[3 - b, 3 - a] for a, b in turned.pairs.tolist()]
    same = [places.index(pair) for pair in found.pairs.tolist()]
    assert turned.difference[same] == pytest.approx(-found.difference)
    assert turned.lower[same] == pytest.approx(-found.upper)
    assert turned.p[same] == pytest.approx(found.p)


def test_the_order_of_conversations_within_clusters_changes_nothing(scores):
    values, clusters = scores
    order = np.random.default_rng(3).permutation(60)
    found, mixed = compare(values, clusters), compare(values[:, order], clusters[order])
    assert mixed.lower == pytest.approx(found.lower)
    assert mixed.p == pytest.approx(found.p)


@pytest.mark.parametrize("method", ["holm", "bh"])
def test_adjusted_p_values_are_those_of_statsmodels(method):
    p = np.random.default_rng(4).beta(0.3, 2, size=40)
    p[7] = p[3]
    expected = multipletests(p, method={"holm": "holm", "bh": "fdr_bh"}[method])[1]
    assert adjust(p, method) == pytest.approx(expected)


def test_what_is_no_test_is_not_counted_in_a_family():
    assert adjust(np.array([0.01, np.nan, 0.02]), "holm") == pytest.approx([0.02, np.nan, 0.02], nan_ok=True)
    assert np.isnan(adjust(np.array([np.nan, np.nan]), "bh")).all()
