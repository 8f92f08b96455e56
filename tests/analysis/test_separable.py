"""Claims about separable capabilities and about which metric discriminates, on abilities that are planted."""

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

from analysis_examples import cells, inputs_of_scores, table
from attunebench.analysis.claims import claims
from attunebench.analysis.compared import compare_settings
from attunebench.analysis.differences import differences
from attunebench.analysis.discrimination import discrimination
from attunebench.analysis.ranking import ranking
from attunebench.analysis.separable import separable
from attunebench.stats.reliability import generalisability

RNG = np.random.default_rng
EMOTION, PREFERENCE, OUTCOME = (
    f"reference/{name}" for name in ("emotion_tracking", "avg_pairwise_accuracy", "holistic_comprehension")
)
MODELS, CONVERSATIONS = 10, 60


def measured(levels, noise, seed):
    rng = RNG(seed)
    shape = (len(levels), CONVERSATIONS)
    return np.array(levels)[:, None] + rng.normal(size=CONVERSATIONS) + noise * rng.normal(size=shape)


@pytest.fixture
def one_ability():
    """Emotion and preference are one ability; outcome is another that is uncorrelated with it."""
    levels = np.linspace(-1, 1, MODELS)
    apart = np.array([1, -1] * 5) * np.repeat([1, 0.8, 0.6, 0.4, 0.2], 2)
    return {
        EMOTION: measured(levels, 0.5, 1),
        PREFERENCE: measured(levels, 1.5, 2),
        OUTCOME: measured(apart, 0.5, 3),
    }


def test_correlations_are_scipys_of_models_means(one_ability):
    found = table(separable(inputs_of_scores(one_ability)), "capability_correlations")
    means = {"emotion recognition": EMOTION, "preference": PREFERENCE, "outcome": OUTCOME}
    means = {name: one_ability[key].mean(axis=1) for name, key in means.items()}
    assert found.height == 3
    for row in found.rows(named=True):
        one, other = means[row["capability_a"]], means[row["capability_b"]]
        assert row["spearman"] == pytest.approx(spearmanr(one, other).statistic)
        assert row["kendall"] == pytest.approx(kendalltau(one, other).statistic)
        assert (row["models"], row["n"], row["clusters"]) == (MODELS, CONVERSATIONS, CONVERSATIONS)


def test_only_the_planted_other_ability_is_called_separable(one_ability):
    part = separable(inputs_of_scores(one_ability))
    told = cells(table(part, "capability_correlations"), "capability_a", "capability_b", column="separable")
    assert told == {
        ("emotion recognition", "preference"): False,
        ("emotion recognition", "outcome"): True,
        ("preference", "outcome"): True,
    }
    verdict = table(claims([part]), "claims").row(0, named=True)
    assert verdict["verdict"] == "holds for 2 of 3 pairs"
    reliability = cells(table(part, "capability_reliability"), "capability", column="reliability")
    assert reliability["emotion recognition"] > reliability["preference"] > 0.5


def test_two_models_are_too_few_and_that_is_told(one_ability):
    part = separable(inputs_of_scores({key: values[:2] for key, values in one_ability.items()}))
    assert not part.tables
    assert "needs 3 models with 2 capabilities measured, got 2 with 3" in part.missing[0].reason


def test_a_metric_on_which_models_differ_discriminates_and_one_of_noise_does_not():
    values = {EMOTION: measured([0.0] * 6, 1, 1), PREFERENCE: measured(np.arange(6.0) * 2, 1, 2)}
    inputs = inputs_of_scores(values)
    found = discrimination(inputs, compare_settings(inputs))
    share = cells(table(found, "discrimination"), "metric", column="share")
    assert share == {"emotion_tracking": 0.0, "avg_pairwise_accuracy": 1.0}
    clusters = np.arange(CONVERSATIONS)
    coefficient = cells(table(found, "discrimination"), "metric", column="generalisability")
    for key, name in ((EMOTION, "emotion_tracking"), (PREFERENCE, "avg_pairwise_accuracy")):
        assert coefficient[name] == pytest.approx(generalisability(values[key], clusters).coefficient)
    row = table(found, "capability_discrimination").filter(profile="reference", capability="preference")
    assert row["difference_lower"][0] > 0
    verdicts = cells(table(claims([found]), "claims").filter(profile="reference"), "claim", column="verdict")
    assert verdicts["Preference discriminates more than emotion labels"] == "holds"
    assert verdicts["Draft quality discriminates more than emotion labels"] == "cannot be told"


def test_the_opposite_of_a_claim_can_come_out():
    values = {PREFERENCE: measured([0.0] * 6, 1, 1), EMOTION: measured(np.arange(6.0) * 2, 1, 2)}
    inputs = inputs_of_scores(values)
    found = claims([discrimination(inputs, compare_settings(inputs))])
    verdicts = cells(table(found, "claims").filter(profile="reference"), "claim", column="verdict")
    assert verdicts["Preference discriminates more than emotion labels"] == "the opposite holds"


def test_the_claim_on_the_composite_counts_distinguished_pairs_and_models_that_have_one():
    scores = measured([0.0, 5, 10, 15], 1, 4)
    scores[3] = np.nan
    inputs = inputs_of_scores({"reference/composite_score": scores})
    settings = compare_settings(inputs)
    found = table(claims([ranking(inputs, settings), differences(settings)]), "claims").row(0, named=True)
    low, high = scores[0].mean(), scores[2].mean()
    assert found["found"] == f"3 models at {low:.1f} to {high:.1f}; 3 of 3 pairs distinguished"
    assert found["verdict"] == "holds"


def test_without_tables_there_are_no_claims():
    assert claims([]).missing[0].reason == "needs several models, or groups of participants"
