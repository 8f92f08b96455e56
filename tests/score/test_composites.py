"""Pillars and composites, by hand."""

import pytest

from attunebench.score.composite import Parts, compose, panas_score

PARTS = Parts(
    emotion_f1=0.4,
    emotion_va=0.6,
    observed=0.7,
    preferred=0.9,
    pairwise=0.5,
    panas=0.25,
    looking_for=0.5,
    clarity=1.0,
    fit=0.0,
    follow_up=0.1,
    branches=0.8,
)


def test_by_hand() -> None:
    got = compose(PARTS)
    assert got["emotion_tracking"] == pytest.approx(0.5)
    assert got["evaluation_quality"] == pytest.approx((0.8 + 0.5) / 2)  # B = (.7 + .9)/2
    questions = (0.5 + 1 + 0 + 0.1) / 4  # .4
    assert got["holistic_comprehension"] == pytest.approx(0.4 * 0.25 + 0.3 * questions + 0.3 * 0.8)  # .46
    assert got["composite_score"] == pytest.approx(100 * (0.24 * 0.5 + 0.49 * 0.65 + 0.27 * 0.46))  # 56.27
    assert got["turn_level_average"] == pytest.approx((0.5 + 0.8 + 0.5) / 3)
    assert got["conversation_wide_average"] == pytest.approx((0.25 + 0.4 + 0.8) / 3)
    assert got["equal_weight_composite"] == pytest.approx(100 * (0.6 + 1.45 / 3) / 2)


def test_missing_parts_share_out_their_weight() -> None:
    got = compose(PARTS._replace(preferred=None, panas=None, fit=None, emotion_va=None))
    assert got["emotion_tracking"] == pytest.approx(0.4)
    assert got["evaluation_quality"] == pytest.approx((0.7 + 0.5) / 2)
    assert got["holistic_comprehension"] == pytest.approx((0.3 * 1.6 / 3 + 0.3 * 0.8) / 0.6)


def test_a_composite_needs_all_three_pillars() -> None:
    got = compose(PARTS._replace(observed=None, preferred=None, pairwise=None))
    assert got["evaluation_quality"] is None
    assert got["composite_score"] is None
    assert got["equal_weight_composite"] is not None


def test_panas_score_maps_minus_one_to_one_onto_zero_to_one() -> None:
    assert [panas_score(value) for value in (-1, 0, 1, None)] == [0, 0.5, 1, None]
