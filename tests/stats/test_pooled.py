"""Claims about pairs of models on rates of pooled counts."""

import numpy as np
import pytest

from attunebench.stats.multiple import adjust
from attunebench.stats.pooled import compare_pooled, pooled_rates
from attunebench.stats.resample import draw_weights, percentile_bounds
from attunebench.stats.signflip import all_flips, draw_flips, sign_flip_p
from attunebench.stats.sums import add_by_cluster, ratio

RNG = np.random.default_rng


def shares(counts):
    """Right answers of all, and of right ones and false alarms: the latter is no linear function of the counts."""
    right, answers, false = counts
    return np.stack([ratio(right, answers), ratio(right, right + false)])


@pytest.fixture
def answers():
    """Three models: right answers, answers (ten each time) and false alarms, 40 conversations of 20 people."""
    rng = RNG(1)
    right = rng.binomial(10, np.array([0.5, 0.5, 0.8])[:, None], size=(3, 40))
    return np.stack([right, np.full_like(right, 10), rng.binomial(10, 0.3, size=(3, 40))], axis=-1).astype(float)


def compare(counts, clusters, seed=2):
    rng, k = RNG(seed), int(clusters.max()) + 1
    return compare_pooled(counts, shares, clusters, draw_weights(k, 1000, rng), draw_flips(k, 1000, rng))


def test_a_planted_difference_is_found_and_nothing_else(answers):
    found = compare(answers, np.arange(40) // 2)
    assert found.pairs[found.distinguished[:, 0]].tolist() == [[0, 2], [1, 2]]
    assert (found.upper[[1, 2], 0] < 0).all()


def test_a_rate_that_is_a_mean_has_the_p_of_the_mean(answers):
    """As many answers in every conversation: the sign-flip test of their sums, exact below 14 clusters too."""
    for clusters in (np.arange(40) // 2, np.arange(40) // 4):
        k = clusters.max() + 1
        flips = draw_flips(k, 1000, RNG(3))
        found = compare_pooled(answers, shares, clusters, draw_weights(k, 100, RNG(4)), flips)
        for place, (a, b) in enumerate(found.pairs):
            sums = add_by_cluster(answers[a, :, :1] - answers[b, :, :1], clusters)
            assert found.p[place, 0] == pytest.approx(sign_flip_p(sums, flips)[0])


def test_each_models_rates_are_those_of_its_counts_and_their_intervals_of_its_resamples(answers):
    answers[0, :20] = np.nan
    clusters, weights = np.arange(40) // 2, draw_weights(20, 300, RNG(7))
    found = pooled_rates(answers, shares, clusters, weights)
    assert found.value[0] == pytest.approx(shares(answers[0, 20:].sum(axis=0)))
    assert found.n.tolist() == [20, 40, 40] and found.clusters.tolist() == [10, 20, 20]
    lower, upper = percentile_bounds(shares((weights @ add_by_cluster(answers[1], clusters)).T).T)
    assert found.lower[1] == pytest.approx(lower) and found.upper[1] == pytest.approx(upper)


def test_rates_are_computed_again_in_each_flip(answers):
    """Clusters' counts change sides, and only then are they divided."""
    clusters, few = np.arange(40) // 4, answers[:2]
    found = compare(few, clusters)
    sums = np.array([add_by_cluster(each, clusters) for each in few])
    observed = abs(found.difference[0, 1])
    far = 0
    for flip in all_flips(10) > 0:
        one = np.where(flip[:, None], sums[0], sums[1]).sum(axis=0)
        other = np.where(flip[:, None], sums[1], sums[0]).sum(axis=0)
        far += abs(shares(one)[1] - shares(other)[1]) >= observed - 1e-9
    assert found.p[0, 1] == far / 1024


def test_corrections_are_over_the_pairs_of_one_rate(answers):
    found = compare(answers, np.arange(40) // 2)
    for place in range(2):
        assert found.p_holm[:, place] == pytest.approx(adjust(found.p[:, place], "holm"))


def test_models_are_compared_on_the_conversations_both_have(answers):
    answers[0, :20] = np.nan
    found = compare(answers, np.arange(40) // 2)
    assert found.n[:, 0].tolist() == [20, 20, 40] and found.clusters[:, 0].tolist() == [10, 10, 20]
    only = compare_pooled(
        answers[:2, 20:], shares, np.arange(20) // 2, draw_weights(10, 5, RNG(5)), draw_flips(10, 5, RNG(6))
    )
    assert found.difference[0] == pytest.approx(only.difference[0])
    assert found.p[0] == pytest.approx(only.p[0])


def test_one_cluster_or_a_rate_of_nothing_is_not_tested(answers):
    assert np.isnan(compare(answers, np.zeros(40, dtype=int)).p).all()
    answers[:, :, [0, 2]] = 0
    found = compare(answers, np.arange(40) // 2)
    assert np.isnan([found.difference[:, 1], found.p[:, 1], found.lower[:, 1]]).all()
    assert found.p[:, 0].tolist() == [1, 1, 1]


def test_beyond_13_clusters_p_is_b_plus_1_over_m_plus_1_of_the_flips_given(answers):
    clusters, flips = np.arange(40) // 2, draw_flips(20, 300, RNG(8))
    found = compare_pooled(answers[:2], shares, clusters, draw_weights(20, 5, RNG(9)), flips)
    observed, far = abs(found.difference[0, 1]), 0
    for flip in flips:
        keep = (flip[clusters] > 0)[:, None]
        one, other = np.where(keep, answers[0], answers[1]), np.where(keep, answers[1], answers[0])
        far += abs(shares(one.sum(axis=0))[1] - shares(other.sum(axis=0))[1]) >= observed - 1e-12
    assert found.p[0, 1] == (far + 1) / 301


def test_the_interval_of_a_difference_is_of_a_loop_that_draws_whole_clusters_of_the_common_conversations(answers):
    answers[0, :7] = np.nan
    clusters, weights = np.arange(40) // 2, draw_weights(20, 200, RNG(10))
    found = compare_pooled(answers[:2], shares, clusters, weights, draw_flips(20, 5, RNG(11)))
    samples = []
    for drawn in weights[:, clusters[7:]].astype(int):
        one, other = (np.repeat(each[7:], drawn, axis=0).sum(axis=0) for each in answers[:2])
        samples.append(shares(one) - shares(other))
    lower, upper = np.quantile(samples, [0.025, 0.975], axis=0)
    assert found.lower[0] == pytest.approx(lower) and found.upper[0] == pytest.approx(upper)
    assert found.se[0] == pytest.approx(np.std(samples, axis=0, ddof=1))


def test_models_without_a_conversation_in_common_are_not_compared_and_a_single_one_has_no_pairs(answers):
    answers[0, :20], answers[1, 20:] = np.nan, np.nan
    found = compare(answers, np.arange(40) // 2)
    assert np.isnan([found.difference[0], found.p[0], found.lower[0]]).all()
    assert found.n[0].tolist() == found.clusters[0].tolist() == [0, 0]
    assert not np.isnan(found.p[1:]).any()
    assert compare(answers[:1], np.arange(40) // 2).p_holm.shape == (0, 2)
