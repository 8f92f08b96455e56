"""Claims about reliabilities."""

import numpy as np
import pytest

from attunebench.stats.reliability import draw_halves, generalisability, split_half

RNG = np.random.default_rng


def planted(models, clusters, between, noise, seed, metrics=1):
    rng = RNG(seed)
    ability = rng.normal(scale=np.sqrt(between), size=(models, 1, metrics))
    hardness = 10 * rng.normal(size=(1, clusters, metrics))
    return 50 + ability + hardness + rng.normal(scale=np.sqrt(noise), size=(models, clusters, metrics))


def test_variance_components_by_hand():
    """Models score 1 3 and 5 5 on two clusters: means 2 and 5, between models MS 9, left over MS 1, so 4 and 1/2."""
    found = generalisability(np.array([[1.0, 3], [5, 5]]), np.arange(2))
    assert (found.between, found.error, found.coefficient) == pytest.approx((4, 0.5, 8 / 9))
    assert not found.negative


def test_with_one_conversation_a_cluster_it_is_cronbachs_alpha():
    scores = planted(12, 9, 1, 4, 1)[:, :, 0]
    alpha = 9 / 8 * (1 - scores.var(axis=0, ddof=1).sum() / scores.sum(axis=1).var(ddof=1))
    assert generalisability(scores, np.arange(9)).coefficient == pytest.approx(alpha)


def test_what_clusters_do_to_all_models_alike_does_not_matter():
    scores = planted(6, 20, 1, 2, 2)[:, :, 0]
    harder = scores + RNG(3).normal(scale=100, size=20)
    clusters = np.arange(20) // 2
    assert generalisability(harder, clusters).coefficient == pytest.approx(
        generalisability(scores, clusters).coefficient
    )


def test_conversations_of_one_person_count_as_one():
    """Said twice, the same scores are no better known."""
    scores = planted(6, 20, 1, 2, 2)[:, :, 0]
    once, twice = (
        generalisability(scores, np.arange(20)),
        generalisability(np.tile(scores, 2), np.tile(np.arange(20), 2)),
    )
    assert twice.coefficient == pytest.approx(once.coefficient)
    assert generalisability(np.tile(scores, 2), np.arange(40)).error < 0.6 * once.error


def test_planted_components_are_found_without_bias_though_scores_are_missing():
    rng, found = RNG(4), []
    for seed in range(300):
        scores = planted(10, 30, 1, 6, seed)[:, :, 0]
        scores[rng.random(scores.shape) < 0.1] = np.nan
        scores -= np.nanmean(scores, axis=0)
        found.append(generalisability(scores, np.arange(30)))
    between = np.array([each.between for each in found])
    assert between.mean() == pytest.approx(1, abs=3 * between.std() / np.sqrt(300))
    assert np.mean([each.error for each in found]) == pytest.approx(6 / 30 / 0.9, rel=0.05)


def test_equal_models_have_coefficients_near_0_and_negative_variances_are_0_and_said():
    found = [generalisability(planted(8, 20, 0, 1, seed)[:, :, 0], np.arange(20)) for seed in range(100)]
    assert {each.coefficient == 0 for each in found if each.negative} == {True}
    assert 0.3 < np.mean([each.negative for each in found]) < 0.8


@pytest.mark.parametrize("scores", [[[1.0, 2, 3]], [[1.0], [2]], [[1.0, 2], [np.nan, np.nan]], [[1.0, 1], [1, 1]]])
def test_one_model_one_cluster_or_no_variation_has_no_coefficient(scores):
    assert np.isnan(generalisability(np.array(scores), np.arange(len(scores[0]))).coefficient)


def test_halves_are_halves_and_disjoint():
    first = draw_halves(7, 50, RNG(5))
    assert (first.sum(axis=1) == 3).all()
    assert set(np.unique(first)) == {0, 1} and len(np.unique(first, axis=0)) > 20


def test_split_half_is_the_plain_correlation_averaged_and_stepped_up():
    values, clusters = planted(6, 8, 1, 3, 6, metrics=2), np.arange(8) // 2
    found = split_half(values, clusters, RNG(7), splits=40)
    plain = []
    for first in draw_halves(4, 40, RNG(7)).astype(bool):
        inside = first[clusters]
        one, other = values[:, inside].mean(axis=1), values[:, ~inside].mean(axis=1)
        plain.append([np.corrcoef(one[:, metric], other[:, metric])[0, 1] for metric in range(2)])
    r = np.mean(plain, axis=0)
    assert found.half == pytest.approx(r)
    assert found.reliability == pytest.approx(np.where(r > 0, 2 * r / (1 + r), r))


def test_split_half_finds_the_planted_reliability():
    values = planted(400, 30, 1, 30, 8)
    assert split_half(values, np.arange(30), RNG(9), splits=200).reliability == pytest.approx([0.5], abs=0.08)


def test_split_half_agrees_with_the_generalisability_of_many_models():
    values = planted(200, 40, 1, 40, 10)
    stepped_up = split_half(values, np.arange(40), RNG(11)).reliability[0]
    assert stepped_up == pytest.approx(generalisability(values[:, :, 0], np.arange(40)).coefficient, abs=0.02)


def test_two_models_one_cluster_or_no_variation_have_no_split_half():
    for values in (planted(2, 10, 1, 1, 12), planted(5, 1, 1, 1, 12), np.ones((5, 10, 1))):
        assert np.isnan(split_half(values, np.arange(values.shape[1]), RNG(13), splits=20).reliability).all()
