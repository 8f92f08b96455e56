"""Claims about skill: where a value stands between the best floor and the ceiling."""

import math

import pytest
from file_examples import one, record_of
from hypothesis import given
from hypothesis import strategies as st

from attunebench.score import aggregate, score
from attunebench.score.flat import COLUMNS
from attunebench.score.floors import floor_rows, score_floors
from attunebench.score.skill import below_floor, direction, metric_values, skill_of

DATA = [one("c1"), one("c2", turns=3)]


def row(value, metric="composite_score", profile="reference", **names):
    """An aggregate row with one metric; a number of calls stands for the rest of what a row holds."""
    strict = {metric: {"value": value}} if profile == "strict" else {}
    reference = {metric: value} if profile == "reference" else {}
    return {"em_model": "a/b", "n": dict.fromkeys(reference, 1), "strict": strict, **reference, **names}


def floors(null, random, majority, oracle, **metric):
    values = {"null": null, "random": random, "majority": majority, "lexicon": 99.0, "oracle": oracle}
    return [row(value, floor=name, **metric) for name, value in values.items()]


def skill(value, *levels, metric="composite_score", profile="reference"):
    where = {"metric": metric, "profile": profile}
    return skill_of(row(value, **where), floors(*levels, **where))[profile][metric]


def test_it_is_the_share_of_the_way_from_the_best_floor_to_the_ceiling():
    # (60 - 40)/(90 - 40)
    assert skill(60.0, 20.0, 40.0, 30.0, 90.0) == {
        "floor": 40.0, "floor_name": "random", "ceiling": 90.0, "skill": pytest.approx(40.0),
    }  # fmt: skip


def test_where_less_is_better_the_best_floor_is_the_least():
    # (9 - 6)/(0 - 6): worse than the floor
    found = skill(9.0, 30.0, 10.0, 6.0, 0.0, metric="panas_mae")
    assert found == {"floor": 6.0, "floor_name": "majority", "ceiling": 0.0, "skill": pytest.approx(-50.0)}
    assert skill(1.5, 30.0, 10.0, 6.0, 0.0, metric="panas_mae", profile="strict")["skill"] == pytest.approx(75.0)


@pytest.mark.parametrize(("value", "expected"), [(40.0, 0.0), (90.0, 100.0), (15.0, -50.0), (115.0, 150.0)])
def test_0_is_the_floor_and_100_the_ceiling_and_both_may_be_passed(value, expected):
    assert skill(value, 20.0, 40.0, 30.0, 90.0)["skill"] == pytest.approx(expected)


def test_of_even_floors_the_first_gives_its_name():
    assert skill(60.0, 40.0, 40.0, 40.0, 90.0)["floor_name"] == "null"


def test_a_floor_that_is_not_defined_is_no_floor():
    assert skill(60.0, None, None, 30.0, 90.0)["floor_name"] == "majority"


@pytest.mark.parametrize(
    ("value", "levels"),
    [
        (None, (20.0, 40.0, 30.0, 90.0)),
        (60.0, (20.0, 40.0, 30.0, None)),
        (60.0, (None, None, None, 90.0)),
        (60.0, (20.0, 90.0, 30.0, 90.0)),
        (60.0, (20.0, 90.0 - 1e-13, 30.0, 90.0)),
        (60.0, (20.0, 95.0, 30.0, 90.0)),
    ],
    ids=["no value", "no ceiling", "no floor", "ceiling is floor", "but for rounding", "ceiling below floor"],
)
def test_it_is_not_defined_where_there_is_nothing_between_floor_and_ceiling(value, levels):
    assert skill(value, *levels)["skill"] is None


def test_each_profile_has_its_own_floors():
    rows = [
        row(value, floor=name) | {"strict": {"composite_score": {"value": value / 2}}}
        for name, value in {"null": 40.0, "random": 0.0, "majority": 0.0, "oracle": 80.0}.items()
    ]
    found = skill_of(row(60.0) | {"strict": {"composite_score": {"value": 40.0}}}, rows)
    assert (found["reference"]["composite_score"]["skill"], found["strict"]["composite_score"]["skill"]) == (50, 100)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["composite_score", "equal_weight_composite", "emotion_tracking", "turn_level_average", "panas_skill"], "up"),
        (["avg_emotion_f1", "avg_emotion_f1_intensity", "avg_emotion_hit_rate_tagged_only"], "up"),
        (["avg_binary_om_accuracy", "avg_binary_human_accuracy_hp", "avg_pairwise_kendall_tau"], "up"),
        (["pooled_binary_om_metrics.mcc", "pooled_binary_human_metrics_hp.f1", "pooled_binary_om_mcc_hp"], "up"),
        (["avg_response_similarity_original", "avg_draft_binary_alignment", "avg_draft_judge_score"], "up"),
        (["panas_normalized", "panas_pa_baseline_adjusted", "q1_looking_for_score", "q3_model_fit_match"], "up"),
        (["panas_mae", "avg_emotion_intensity_mae", "four_branch_mae", "panas_error"], "down"),
        (["q3_model_fit_ordinal_distance"], "down"),
        (["pooled_pairwise_orders.flip_rate", "pooled_pairwise_flip_rate"], "down"),
        (["pooled_pairwise_orders.agreement_score", "pooled_pairwise_agreement_score"], "up"),
        (["pooled_pairwise_orders.answered", "pooled_pairwise_orders.flipped"], None),
        (["pooled_pairwise_orders.decided", "pooled_pairwise_orders.agreed"], None),
        (["hp_perspective_gap", "hp_perspective_gap_mcc", "hp_perspective_alignment", "panas_change"], None),
        (["pooled_binary_om_metrics.tp", "pooled_binary_human_metrics_hp.fn", "panas_item_errors.Proud"], None),
    ],
)
def test_directions(names, expected):
    assert {name: direction(name) for name in names} == dict.fromkeys(names, expected)


def test_every_score_has_a_direction_or_is_said_to_have_none():
    assert {direction(name) for _, name in COLUMNS} == {"up", "down", None}
    with pytest.raises(KeyError):
        direction("brand_new")


def test_less_is_better_for_a_perfect_model_wherever_it_is_said_so():
    """The oracle is nowhere worse than silence, but in what it does not aim at: resemblance to other replies."""
    rows = {found["floor"]: metric_values(found) for found in floor_rows(DATA, "absolute", draws=2)}
    for profile in ("reference", "strict"):
        for name, silence in rows["null"][profile].items():
            perfect = rows["oracle"][profile][name]
            if perfect is not None and silence is not None:
                gain = perfect - silence
                assert (-gain if direction(name) == "down" else gain) >= -1e-12, name


def test_a_row_of_real_scores_has_skill_in_every_metric_with_a_direction():
    swapped = {"provenance": {"condition": "0123abcd", "swap": True}}
    scored = [score(c, record_of(c.conversation_id, turns=len(c.turns), **swapped)) for c in DATA]
    (found,) = aggregate(scored)
    skills = skill_of(found, score_floors(DATA, "absolute", swap=True, draws=2).rows())
    assert {name for _, name in COLUMNS if direction(name)} <= {*skills["reference"], *skills["strict"]}
    assert len(skills["reference"]) > 50
    assert "panas_skill" in skills["strict"]
    assert skills["reference"]["composite_score"]["skill"] is not None


def test_the_best_floor_has_skill_0_and_the_oracle_100():
    rows = floor_rows(DATA, "absolute", draws=2)
    oracle = skill_of(rows[-1], rows)
    for profile, skills in oracle.items():
        for name, found in skills.items():
            assert found["skill"] is None or found["skill"] == pytest.approx(100), (profile, name)
    for at, name in enumerate(("null", "random", "majority")):
        for found in skill_of(rows[at], rows)["reference"].values():
            assert found["floor_name"] != name or found["skill"] in (None, 0)


LEVELS = st.floats(-100, 100).map(lambda level: round(level, 3))


@given(st.tuples(LEVELS, LEVELS, LEVELS, LEVELS), LEVELS, st.floats(0.5, 20), st.floats(-50, 50))
def test_scale_and_origin_make_no_difference(levels, value, scale, origin):
    plain = skill(value, *levels)
    moved = skill(origin + scale * value, *(origin + scale * level for level in levels))
    if plain["skill"] is None or moved["skill"] is None:
        assert levels[3] - max(levels[:3]) <= 1e-6
    else:
        assert math.isclose(plain["skill"], moved["skill"], rel_tol=1e-6, abs_tol=1e-4)


@given(st.tuples(LEVELS, LEVELS, LEVELS, LEVELS), LEVELS)
def test_up_and_down_are_mirror_images(levels, value):
    up = skill(value, *levels)
    down = skill(-value, *(-level for level in levels), metric="panas_mae")
    assert (up["skill"], up["floor_name"]) == (down["skill"], down["floor_name"])


def lines(value, levels, **names):
    found = row(value, **names)
    return below_floor(found, skill_of(found, floors(*levels)))


def test_a_row_above_its_floors_has_no_warning():
    assert lines(40.0, (20.0, 40.0, 30.0, 90.0)) == []
    assert lines(40.0 - 1e-12, (20.0, 40.0, 30.0, 90.0)) == []
    assert lines(None, (20.0, 40.0, 30.0, 90.0)) == []


def test_a_row_below_a_floor_is_told_so_in_one_line():
    assert lines(21.0, (20.0, 40.5, 30.0, 90.0), mode="default", panas_strategy="absolute", condition="f") == [
        "a/b (default, absolute, f): below the best floor on 1 of 1 metrics: composite_score 21.000 < 40.500 (random)"
    ]


def test_every_metric_below_its_floor_is_named_also_where_less_is_better():
    found = {"em_model": "a/b", "n": {"panas_mae": 1, "avg_emotion_f1": 1}, "panas_mae": 9.0, "avg_emotion_f1": 0.21}
    found["strict"] = {"avg_emotion_f1": {"value": 0.2}, "emotion_tracking": {"value": 0.9}}
    levels = {"panas_mae": 6.0, "avg_emotion_f1": 0.3}
    strict = {"avg_emotion_f1": {"value": 0.3}, "emotion_tracking": {"value": 0.5}}
    rows = [
        {"floor": name, "n": found["n"], "strict": strict, **levels}
        for name in ("null", "random", "majority", "oracle")
    ]
    assert below_floor(found, skill_of(found, rows)) == [
        "a/b: below the best floor on 3 of 4 metrics: panas_mae 9.000 > 6.000 (null), "
        "avg_emotion_f1 0.210 < 0.300 (null), strict avg_emotion_f1 0.200 < 0.300 (null)"
    ]


def test_a_long_warning_names_what_counts_most_and_how_many_more_there_are():
    names = ["panas_mae", *(f"avg_emotion_{name}" for name in ("f1", "va_score", "hit_rate"))]
    names += [
        f"q{n}_{name}" for n, name in ((1, "looking_for_score"), (2, "emotion_clarity_match"), (3, "model_fit_match"))
    ]
    names += ["four_branch_normalized", "panas_normalized", "composite_score"]
    worse = {name: 9.0 if name == "panas_mae" else 0.1 for name in names}
    better = dict.fromkeys(names, 0.5)
    found = {"em_model": "a/b", "n": dict.fromkeys(names, 1), "strict": {}, **worse}
    rows = [
        {"floor": name, "n": found["n"], "strict": {}, **better} for name in ("null", "random", "majority", "oracle")
    ]
    (line,) = below_floor(found, skill_of(found, rows))
    assert line.startswith(
        "a/b: below the best floor on 10 of 10 metrics: composite_score 0.100 < 0.500 (null), panas_mae"
    )
    assert line.endswith("model_fit_match 0.100 < 0.500 (null) and 2 more, see skill in scores.json")
    assert line.count("(null)") == 8
