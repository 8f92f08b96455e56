"""The same numbers as R and its packages give, on made-up data: tests/reference/statistics.R."""

import json
from pathlib import Path

import numpy as np
import pytest

from attunebench.stats.agreement import krippendorff_alpha
from attunebench.stats.correlation import rank_correlations
from attunebench.stats.crossed import compare_crossed
from attunebench.stats.equivalence import tost
from attunebench.stats.groups import compare_groups, draw_orders, draw_stratified
from attunebench.stats.letters import letters
from attunebench.stats.mixed import mixed_model
from attunebench.stats.multiple import adjust
from attunebench.stats.power import power_of, smallest_detectable
from attunebench.stats.reliability import generalisability
from attunebench.stats.resample import draw_weights, standard_errors
from attunebench.stats.signflip import draw_flips, sign_flip_p
from attunebench.stats.sums import mean_sums

REFERENCE = Path(__file__).parents[1] / "reference"
GIVEN = json.loads((REFERENCE / "statistics_input.json").read_text())
R = json.loads((REFERENCE / "statistics_output.json").read_text())


@pytest.fixture
def people():
    """Scores, groups of observations (0 for none) and clusters."""
    given = GIVEN["people"]
    groups = np.array([["none", "some"].index(name) for name in given["group"]])
    return np.array(given["score"]), groups, np.array(given["person"]) - 1


def test_it_is_said_what_made_the_reference():
    assert {"R", "lme4", "multcompView", "survey"} <= set(R["versions"])


@pytest.mark.parametrize("method", ["holm", "bh"])
def test_adjusted_p_is_that_of_p_adjust(method):
    assert adjust(np.array(GIVEN["p_values"]), method) == pytest.approx(R[method], rel=1e-10)


def test_the_exact_sign_flip_p_is_that_of_all_ways():
    differences = np.array(GIVEN["paired_differences"])
    p = sign_flip_p(differences[:, None], draw_flips(12, 1, np.random.default_rng(1)))
    assert p == pytest.approx([R["paired_permutation"]])


def test_cluster_robust_standard_errors_are_those_of_survey(people):
    score, _, person = people
    sums = mean_sums(score[:, None], person)
    assert sums.value == pytest.approx([R["cluster_robust"]["mean"]])
    assert standard_errors(sums) == pytest.approx([R["cluster_robust"]["se"]])


def test_the_difference_of_groups_is_that_of_survey(people):
    score, group, person = people
    groups = group[np.unique(person, return_index=True)[1]]
    rng = np.random.default_rng(2)
    weights, orders = draw_stratified(groups, 50, rng), draw_orders(24, 50, rng)
    found, expected = compare_groups(mean_sums(score[:, None], person), groups, weights, orders), R["cluster_robust"]
    assert found.value[:, 0] == pytest.approx(expected["groups"])
    assert found.se[:, 0] == pytest.approx(expected["groups_se"])
    assert found.difference[1] == pytest.approx([expected["difference"]])
    assert found.difference_se[1] == pytest.approx([expected["difference_se"]])


def test_the_difference_of_topics_that_cross_people_is_that_of_survey(people):
    score, _, person = people
    family = np.array(GIVEN["people"]["topic"]) == "family"
    one, other = (mean_sums(np.where(topic, score, np.nan)[:, None], person) for topic in (family, ~family))
    found = compare_crossed(one, other, draw_weights(24, 50, np.random.default_rng(3)))
    assert found.difference == pytest.approx([R["crossed"]["difference"]])
    assert found.se == pytest.approx([R["crossed"]["se"]])


def test_the_mixed_model_is_that_of_lme4(people):
    found, expected = mixed_model(*people), R["mixed"]
    assert found.coefficients == pytest.approx(expected["coefficients"], rel=1e-5)
    assert found.se == pytest.approx(expected["se"], rel=1e-3)  # of the observed information here, the expected there
    assert found.cluster_variance == pytest.approx(expected["cluster_variance"], rel=1e-4)
    assert found.residual_variance == pytest.approx(expected["residual_variance"], rel=1e-4)


def test_rank_correlations_are_those_of_cor():
    samples = np.column_stack([GIVEN["ranks"]["x"], GIVEN["ranks"]["y"]]).astype(float)[None]
    spearman, kendall = rank_correlations(samples)
    assert spearman[0, 0, 1] == pytest.approx(R["spearman"])
    assert kendall[0, 0, 1] == pytest.approx(R["kendall"])


def test_variance_components_are_those_of_anova_and_of_lme4():
    found = generalisability(np.array(GIVEN["models_by_person"]), np.arange(10))
    expected = R["generalisability"]
    assert (found.between, found.error) == pytest.approx((expected["between"], expected["error"]))
    assert (found.between, found.error) == pytest.approx((expected["lmer_between"], expected["lmer_error"]), rel=1e-5)
    assert found.coefficient == pytest.approx(expected["coefficient"])


@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_alpha_is_that_of_the_matrix_of_coincidences(scale):
    ratings = np.array(GIVEN["ratings"], dtype=float)
    found = krippendorff_alpha(ratings, np.arange(16), np.ones((1, 16)), scale=scale)
    assert found.alpha == pytest.approx(R["alpha"][scale])


def test_letters_are_those_of_multcompview():
    apart = np.zeros((7, 7), dtype=bool)
    for a, b in GIVEN["distinguished_pairs"]:
        apart[a, b] = apart[b, a] = True
    assert letters(apart, range(7)) == R["letters"]


@pytest.mark.parametrize("place", range(4))
def test_power_is_that_of_power_t_test(place):
    case, expected = GIVEN["power"][place], R["power"][place]
    n, alpha = np.array([case["n"]]), case["alpha"]
    se = np.array([case["sd"]]) / np.sqrt(n)
    found = power_of(np.array([case["difference"]]), se, n, at=n, alpha=alpha)
    assert found == pytest.approx([expected["power"]])
    assert smallest_detectable(se, n, alpha=alpha) == pytest.approx([expected["smallest"]], rel=1e-6)


@pytest.mark.parametrize("place", range(2))
def test_equivalence_is_that_of_two_t_tests(place):
    case, expected = GIVEN["equivalence"][place], R["equivalence"][place]
    value, se, clusters = (np.array([case[name]]) for name in ("value", "se", "clusters"))
    found = tost(value, se, clusters, margin=case["margin"])
    assert (found.p[0], found.lower[0], found.upper[0]) == pytest.approx(tuple(expected.values()))
