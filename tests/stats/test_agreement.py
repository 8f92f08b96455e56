"""Claims about Krippendorff's alpha."""

import krippendorff
import numpy as np
import pytest

from attunebench.stats.agreement import krippendorff_alpha
from attunebench.stats.resample import draw_weights

RNG = np.random.default_rng
NAN = np.nan
KRIPPENDORFF_2011 = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)
"""Four observers, twelve units: the example of Computing Krippendorff's Alpha-Reliability, section C."""


def agreement(ratings, scale, clusters=None, resamples=200):
    clusters = np.arange(ratings.shape[1]) if clusters is None else clusters
    return krippendorff_alpha(ratings, clusters, draw_weights(int(clusters.max()) + 1, resamples, RNG(1)), scale=scale)


def test_the_published_example():
    assert agreement(KRIPPENDORFF_2011, "nominal").alpha == pytest.approx(0.743, abs=5e-4)
    assert agreement(KRIPPENDORFF_2011, "interval").alpha == pytest.approx(0.849, abs=5e-4)
    assert agreement(KRIPPENDORFF_2011, "nominal").units == 11


@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_in_each_resample_it_is_that_of_the_library(scale):
    rng = RNG(2)
    ratings = np.clip(rng.integers(1, 8, size=30) + rng.integers(-1, 2, size=(4, 30)), 1, 7).astype(float)
    ratings[rng.random(ratings.shape) < 0.3] = NAN
    clusters = np.sort(rng.integers(0, 12, size=30))
    weights = draw_weights(12, 100, rng)
    found = krippendorff_alpha(ratings, clusters, weights, scale=scale)
    units = [[u for u in range(30) for _ in range(int(row[clusters[u]]))] for row in weights]
    expected = [krippendorff.alpha(ratings[:, each], level_of_measurement=scale) for each in units]
    assert found.alpha == pytest.approx(krippendorff.alpha(ratings, level_of_measurement=scale))
    assert (found.lower, found.upper) == pytest.approx(tuple(np.quantile(expected, [0.025, 0.975])))


def test_agreement_is_1_and_systematic_disagreement_is_below_0():
    ratings = RNG(3).integers(1, 8, size=20).astype(float)
    for scale in ("nominal", "interval"):
        assert agreement(np.array([ratings, ratings]), scale).alpha == 1
    assert agreement(np.array([ratings, 8 - ratings]), "interval").alpha < -0.5


def test_chance_is_about_0():
    ratings = RNG(4).integers(1, 4, size=(3, 4000)).astype(float)
    assert agreement(ratings, "nominal", resamples=2).alpha == pytest.approx(0, abs=0.03)


def test_an_interval_scale_has_no_origin_or_unit_and_a_nominal_one_no_order():
    interval, nominal = agreement(KRIPPENDORFF_2011, "interval"), agreement(KRIPPENDORFF_2011, "nominal")
    assert agreement(1e6 - 3 * KRIPPENDORFF_2011, "interval").lower == pytest.approx(interval.lower)
    renamed = np.array([NAN, 7, 1, 9, 2, 4])[np.nan_to_num(KRIPPENDORFF_2011).astype(int)]
    assert agreement(renamed, "nominal").upper == pytest.approx(nominal.upper)


def test_units_of_a_person_are_drawn_together():
    """All in one cluster but one unit: resamples are of two kinds of clusters, and of few values."""
    clusters = np.array([0] * 11 + [1])
    found = agreement(KRIPPENDORFF_2011, "nominal", clusters)
    assert found.clusters == 1 and np.isnan(found.lower)  # the twelfth unit was rated once
    assert agreement(KRIPPENDORFF_2011, "nominal", np.arange(12) // 6).clusters == 2


@pytest.mark.parametrize("scale", ["nominal", "interval"])
@pytest.mark.parametrize("ratings", [[[1.0, NAN], [NAN, 2]], [[0.1, 0.1], [0.1, 0.1]], [[1.0, 2.0]]])
def test_nothing_rated_twice_or_no_variation_has_no_alpha(scale, ratings):
    found = agreement(np.array(ratings), scale)
    assert np.isnan([found.alpha, found.lower, found.upper]).all()


def test_no_rating_at_all_has_no_alpha():
    assert np.isnan(agreement(np.full((2, 3), NAN), "interval").alpha)
