"""Claims about subgroups, on differences that are planted."""

import numpy as np
import polars as pl
import pytest

from analysis_examples import cells, inputs_of_scores, table
from attunebench.analysis.claims import claims
from attunebench.analysis.group_scores import ALL_MODELS
from attunebench.analysis.groupings import read_groupings
from attunebench.analysis.subgroups import subgroups
from attunebench.analysis.tables import Part, Table

COMPOSITE = "reference/composite_score"
RNG = np.random.default_rng
NONE, ANXIETY, ADHD = "none reported", "anxiety/depression", "ASD/ADHD"


def told(*groups):
    return [{"participant_profile": {"responses": {"diagnosis": text}}} for text in groups]


def about(topics):
    return [{"metadata": {"category": text}} for text in topics]


@pytest.fixture
def people():
    """60 participants of three groups; the third is 2 lower for both models."""
    texts = ["none"] * 25 + ["anxiety"] * 20 + ["ADHD"] * 15
    scores = 10 + RNG(1).normal(size=(2, 60)) + RNG(2).normal(size=60)
    scores[:, 45:] -= 2
    return scores, told(*texts)


def part_of(scores, fields, name="diagnosis", **more):
    return subgroups(inputs_of_scores({COMPOSITE: scores}, fields=fields, **more), [read_groupings()[name]])


def test_a_planted_lower_group_is_found_and_no_other(people):
    found = table(part_of(*people), "groups")
    p = cells(found, "model", "group", column="p_bh")
    for model in ("m1", "m2", ALL_MODELS):
        assert p[model, NONE] is None
        assert p[model, ADHD] < 0.01
        assert p[model, ANXIETY] > 0.05
    apart = cells(found, "model", "group", column="difference")
    scores = people[0]
    assert apart["m1", ADHD] == pytest.approx(scores[0, 45:].mean() - scores[0, :25].mean())
    mean = scores.mean(axis=0)
    assert apart[ALL_MODELS, ADHD] == pytest.approx(mean[45:].mean() - mean[:25].mean())
    assert cells(found, "model", "group", column="n")["m1", ANXIETY] == 20


def test_the_mixed_model_and_the_claim_say_the_same(people):
    """Each participant has two conversations: then the mixed model's difference is that of the means."""
    scores, fields = people
    twice = np.concatenate([scores, scores], axis=1) + RNG(8).normal(size=(2, 120)) / 2
    ids = [f"p{number}" for number in range(60)] * 2
    part = part_of(twice, [*fields, *fields], participants=ids)
    mixed = cells(table(part, "groups_mixed"), "model", "group", column="coefficient")
    apart = cells(table(part, "groups"), "model", "group", column="difference")
    assert {key: apart[key] for key in mixed} == pytest.approx(mixed, abs=1e-4)
    assert len(mixed) == 6
    verdicts = cells(table(claims([part]), "claims"), "claim", column="verdict")
    assert verdicts == {
        f"People with {ANXIETY} are tracked less well: composite_score": "cannot be told",
        f"People with {ADHD} are tracked less well: composite_score": "holds",
    }


def test_a_participant_with_one_conversation_each_leaves_the_mixed_model_without_an_estimate_and_says_why(people):
    mixed = table(part_of(*people), "groups_mixed")
    assert mixed["coefficient"].null_count() == mixed.height
    assert mixed["problem"].null_count() == 0


def test_benjamini_and_hochberg_is_over_models_and_groups_with_the_mean_of_all_models_apart(people):
    found = table(part_of(*people), "groups")
    p = cells(found, "model", "group", column="p")
    adjusted = cells(found, "model", "group", column="p_bh")
    family = sorted((p[model, group], (model, group)) for model in ("m1", "m2") for group in (ANXIETY, ADHD))
    least = 1.0
    for rank in range(4, 0, -1):
        value, key = family[rank - 1]
        least = min(least, value * 4 / rank)
        assert adjusted[key] == pytest.approx(least)
    worst = max(p[ALL_MODELS, group] for group in (ANXIETY, ADHD))
    assert max(adjusted[ALL_MODELS, group] for group in (ANXIETY, ADHD)) == pytest.approx(worst)


def test_a_small_group_is_shown_and_not_tested(people):
    scores, fields = people
    part = part_of(scores[:, :54], fields[:54])
    row = table(part, "groups").filter(model="m1", group=ADHD).row(0, named=True)
    assert row["value"] == pytest.approx(scores[0, 45:54].mean()) and row["difference"] is not None
    assert row["p"] is row["p_bh"] is row["difference_lower"] is None
    assert row["note"] == "fewer than 10 clusters: not tested"
    assert cells(table(part, "people"), "group", column="tested") == {NONE: True, ANXIETY: True, ADHD: False}
    assert set(table(part, "groups_mixed")["group"]) == {ANXIETY}


def test_a_small_reference_group_is_told_and_nothing_is_tested(people):
    scores, fields = people
    part = part_of(scores[:, 20:], fields[20:])
    (missing,) = part.missing
    assert missing.reason == (
        "diagnosis: nothing is tested, as the reference group, none reported, has fewer than 10 participants"
    )
    assert table(part, "groups")["p"].null_count() == table(part, "groups").height


def test_without_a_reference_group_there_are_no_differences():
    part = part_of(RNG(3).normal(size=(2, 24)), told(*["migraine"] * 12, *[None] * 12))
    found = table(part, "groups")
    assert found.select("difference", "difference_lower", "p").null_count().row(0) == (found.height,) * 3
    assert found["value"].null_count() == 0
    assert [missing.reason for missing in part.missing] == [
        "diagnosis: nothing is tested, as no conversation is in the reference group"
    ]


def test_a_participant_in_two_groups_counts_in_neither(people):
    scores, fields = people
    again = [*fields, *told("anxiety")]
    ids = [f"p{number}" for number in range(60)] + ["p0"]
    part = part_of(np.concatenate([scores, scores[:, :1]], axis=1), again, participants=ids)
    counted = cells(table(part, "people"), "group", column="participants")
    assert counted == {NONE: 24, ANXIETY: 20, ADHD: 15, "more than one": 1}
    assert table(part, "people")["in_several"].to_list() == [1] * 4
    assert table(part, "groups").filter(group="more than one")["p"].null_count() == 3


def test_people_cross_topics_and_their_differences_cancel():
    """Thirty people who differ by 10 talk about both topics; the topics differ by 1."""
    person = 10 * RNG(4).normal(size=30)
    noise = RNG(5).normal(size=(2, 60))
    scores = np.concatenate([person, person + 1]) + 0.3 * noise
    ids = [f"p{number}" for number in range(30)] * 2
    part = part_of(scores, about(["work"] * 30 + ["love"] * 30), "topic", participants=ids)
    found = table(part, "groups").filter(model="m1", group="work").row(0, named=True)
    assert found["reference"] == "love"
    assert found["difference"] == pytest.approx((scores[0, :30] - scores[0, 30:]).mean())
    assert found["difference_lower"] < -1 < found["difference_upper"] < 0
    assert found["p"] < 1e-6
    assert found["method"] == "bootstrap-t; difference: percentile"


def floors_of(easy, hard, count):
    level = np.where(np.arange(count) < count // 2, easy, hard)
    return {
        "null": {COMPOSITE: 0.0 * level},
        "random": {COMPOSITE: 0.5 * level},
        "majority": {COMPOSITE: 1.0 * level},
        "oracle": {COMPOSITE: 10.0 + level},
    }


def test_a_group_that_is_only_harder_differs_in_score_and_not_in_skill():
    """Floor and ceiling of the second group are 3 lower, and so are the scores: as good a reading of harder people."""
    level = np.where(np.arange(60) < 30, 5.0, 2.0)
    scores = level + 4 + RNG(6).normal(size=(2, 60))
    part = part_of(scores, told(*["none"] * 30, *["ADHD"] * 30), floors=floors_of(5.0, 2.0, 60))
    found = table(part, "groups").filter(group=ADHD)
    p = cells(found, "model", "metric", column="p")
    assert p["m1", "composite_score"] < 0.001 and p["m1", "skill.composite_score"] > 0.05
    skill = cells(found, "model", "metric")["m1", "skill.composite_score"]
    assert skill == pytest.approx(10 * (scores[0, 30:].mean() - 2))
    bounds = found.filter(metric="skill.composite_score").select("floor", "ceiling").unique().rows()
    assert bounds == [(2.0, 12.0)]


def test_skill_of_a_row_that_covers_part_of_a_group_is_on_that_part():
    level = np.where(np.arange(60) < 30, 5.0, 2.0) + np.arange(60) / 10
    scores = level + 4 + RNG(7).normal(size=(2, 60))
    scores[1, 45:] = np.nan
    floors = {
        name: {COMPOSITE: level + add} for name, add in (("null", -3), ("random", -1), ("majority", 0), ("oracle", 10))
    }
    part = part_of(scores, told(*["none"] * 30, *["ADHD"] * 30), floors=floors)
    found = table(part, "groups").filter(group=ADHD, metric="skill.composite_score", model="m2").row(0, named=True)
    kept = slice(30, 45)
    assert found["value"] == pytest.approx(10 * (scores[1, kept] - level[kept]).mean())
    assert found["floor"] == pytest.approx(level[kept].mean())
    assert (found["n"], found["clusters"]) == (15, 15)


def test_one_model_alone_has_no_mean_of_all_models(people):
    scores, fields = people
    assert set(table(part_of(scores[:1], fields), "groups")["model"]) == {"m1"}


@pytest.mark.parametrize(
    ("p_bh", "lower", "upper", "verdict"),
    [
        (0.01, -3.0, -1.0, "holds"),
        (0.01, 1.0, 3.0, "the opposite holds"),
        (0.20, -3.0, -1.0, "cannot be told"),
        (0.01, -3.0, 1.0, "cannot be told"),
        (None, None, None, "cannot be told"),
    ],
)
def test_the_claim_needs_an_interval_and_a_corrected_test_that_agree(people, p_bh, lower, upper, verdict):
    part = part_of(*people)
    told = {"p_bh": p_bh, "difference_lower": lower, "difference_upper": upper}
    groups = table(part, "groups").with_columns(
        pl.lit(each, dtype=pl.Float64).alias(name) for name, each in told.items()
    )
    changed = Part(part.title, [Table("groups", "", "", groups)])
    found = cells(table(claims([changed]), "claims"), "claim", column="verdict")
    assert found[f"People with {ADHD} are tracked less well: composite_score"] == verdict
