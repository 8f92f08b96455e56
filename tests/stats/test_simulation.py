"""Claims about how often the statistics are right, on seeded scores with a known truth (large: bench/coverage.py).

A share of replications may be off by 3 of its Monte-Carlo standard errors.
"""

import numpy as np
import pytest

from attunebench.stats.groups import compare_groups, draw_orders, draw_stratified
from attunebench.stats.multiple import adjust
from attunebench.stats.pairs import pairs_of
from attunebench.stats.power import power_of
from attunebench.stats.resample import bootstrap_t, draw_weights, percentile_bounds, resample
from attunebench.stats.separability import corrected_correlations
from attunebench.stats.signflip import draw_flips, sign_flip_p
from attunebench.stats.sums import add_by_cluster, mean_sums

RNG = np.random.default_rng
KINDS = {
    "normal": (lambda rng, size: rng.normal(3, 1, size=size), 3),
    "skewed": (lambda rng, size: rng.gamma(2, size=size), 2),
    "bounded": (lambda rng, size: rng.beta(4, 1, size=size), 0.8),
}


def conversations(people, rng):
    return np.repeat(np.arange(people), rng.integers(1, 5, size=people))


def people_and_scores(kind, people, replications, rng):
    """Half of the variance is the person's; mean as in KINDS."""
    clusters = conversations(people, rng)
    draw, mean = KINDS[kind]
    return clusters, (draw(rng, (people, replications))[clusters] + draw(rng, (len(clusters), replications))) / 2, mean


def off(share, replications):
    return 3 * np.sqrt(share * (1 - share) / replications)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("people", [30, 100])
def test_intervals_of_means_cover_as_often_as_they_say(kind, people):
    replications, rng, covered = 2000, RNG(1), 0
    for _ in range(10):
        clusters, x, mean = people_and_scores(kind, people, replications // 10, rng)
        found = bootstrap_t(mean_sums(x, clusters), draw_weights(people, 999, rng))
        covered += ((found.lower <= mean) & (mean <= found.upper)).sum()
    assert 0.93 - off(0.93, replications) < covered / replications < 0.97 + off(0.97, replications)


def test_percentile_intervals_of_few_skewed_scores_do_not():
    covered, rng = 0, RNG(2)
    for _ in range(10):
        clusters, x, mean = people_and_scores("skewed", 20, 200, rng)
        lower, upper = percentile_bounds(resample(mean_sums(x, clusters), draw_weights(20, 999, rng)))
        covered += ((lower <= mean) & (mean <= upper)).sum()
    assert covered / 2000 < 0.93


@pytest.mark.parametrize("kind", KINDS)
def test_of_13_equal_models_a_pair_is_distinguished_in_at_most_5_of_100(kind):
    replications, people, rng, wrong, pairs = 400, 30, RNG(3), 0, pairs_of(13)
    for _ in range(4):
        clusters, common, _ = people_and_scores(kind, people, 100, rng)
        x = add_by_cluster(
            (common[:, None] + KINDS[kind][0](rng, (len(clusters), 13, 100))).reshape(-1, 1300), clusters
        )
        x = x.reshape(people, 13, 100)
        differences = (x[:, pairs[:, 0]] - x[:, pairs[:, 1]]).reshape(people, -1)
        p = sign_flip_p(differences, draw_flips(people, 3120, rng)).reshape(78, 100)
        wrong += sum((adjust(each, "holm") < 0.05).any() for each in p.T)
    assert wrong / replications < 0.05 + off(0.05, replications)


def test_few_of_the_findings_under_bh_are_false():
    """Ten models, five of them better: of 45 pairs 20 are of equals."""
    replications, people, rng, shares, pairs = 400, 40, RNG(4), [], pairs_of(10)
    better = np.arange(10) >= 5
    equal = better[pairs[:, 0]] == better[pairs[:, 1]]
    flips = draw_flips(people, 1999, rng)
    for _ in range(replications):
        x = rng.normal(size=(people, 10)) + 0.8 * better
        found = adjust(sign_flip_p(x[:, pairs[:, 0]] - x[:, pairs[:, 1]], flips), "bh") < 0.05
        shares.append((found & equal).sum() / max(found.sum(), 1))
    assert np.mean(shares) < 0.05 + 3 * np.std(shares) / np.sqrt(replications)


@pytest.mark.parametrize("people", [30, 100])
def test_a_difference_is_found_about_as_often_as_predicted(people):
    replications, rng = 2000, RNG(5)
    clusters = conversations(people, rng)
    x = rng.normal(size=(people, replications))[clusters] + rng.normal(size=(len(clusters), replications))
    found = bootstrap_t(mean_sums(x, clusters), draw_weights(people, 2, rng))
    se, k = np.sqrt((found.se**2).mean(keepdims=True)), np.array([people])
    p = sign_flip_p(add_by_cluster(x + 2.8 * se, clusters), draw_flips(people, 1999, rng))
    assert (p < 0.05).mean() == pytest.approx(power_of(2.8 * se, se, k, at=k)[0], abs=0.05)


@pytest.mark.parametrize("kind", KINDS)
def test_equal_groups_differ_in_5_of_100_and_intervals_cover(kind):
    replications, rng = 1000, RNG(6)
    labels, wrong, covered = np.repeat([0, 1], [40, 15]), 0, 0
    for _ in range(5):
        clusters, x, _ = people_and_scores(kind, 55, replications // 5, rng)
        orders, weights = draw_orders(55, 499, rng), draw_stratified(labels, 999, rng)
        found = compare_groups(mean_sums(x, clusters), labels, weights, orders)
        wrong += (found.p[1] < 0.05).sum()
        covered += ((found.difference_lower[1] <= 0) & (found.difference_upper[1] >= 0)).sum()
    assert wrong / replications == pytest.approx(0.05, abs=off(0.05, replications))
    assert covered / replications > 0.93 - off(0.93, replications)


def separable_shares(ability_of, replications=150, people=40, noise=1.5):
    called, values = 0, []
    for seed in range(replications):
        rng = RNG(seed)
        common, own = rng.normal(size=(11, people, 1)), rng.normal(size=(11, people, 2))
        values_here = ability_of(rng)[:, None] + noise * (common + own)
        found = corrected_correlations(values_here, np.arange(people), draw_weights(people, 300, rng))
        called += found.separable[0, 1]
        values.append(found.value[0, 1])
    return called / replications, float(np.median(values))


def test_one_ability_is_hardly_ever_called_two_and_two_independent_ones_mostly_are():
    one, correlation = separable_shares(lambda rng: np.repeat(rng.normal(size=(11, 1)), 2, axis=1))
    assert one < 0.025 + off(0.025, 150) and correlation == pytest.approx(1, abs=0.05)
    two, _ = separable_shares(lambda rng: rng.normal(size=(11, 2)))
    assert two > 0.7
