"""PANAS scores, by hand."""

from typing import Any

import pytest

from attunebench.instrument import NEGATIVE_ITEMS, POSITIVE_ITEMS
from attunebench.score import score_reference, score_strict
from attunebench.score.panas import adjusted
from score_examples import conversation, outcome, panas, record


def post_score(before: Any, after: Any, predicted: Any) -> dict[str, Any]:
    told = conversation(prePanas=before, postPanas=after)
    return score_reference(told, record(post=outcome(predicted)))["post_score"]


def strict(before: Any, after: Any, predicted: Any) -> dict[str, Any]:
    told = conversation(prePanas=before, postPanas=after)
    return score_strict(told, record(post=outcome(predicted)))


def test_errors_of_totals() -> None:
    got = post_score(panas(30, 30), panas(40, 20), panas(46, 32))
    assert (got["panas_pa_mae"], got["panas_na_mae"]) == (6, 12)
    assert got["panas_mae"] == 9
    assert got["panas_normalized"] == pytest.approx(1 - 9 / 60)
    assert got["panas_na_normalized"] == pytest.approx(1 - 12 / 60)


def test_baseline_adjusted_compares_with_no_change() -> None:
    got = post_score(panas(30, 30), panas(40, 20), panas(46, 32))
    # positive: no change errs by 10, the prediction by 6: (54/60 - 50/60)/(10/60) = 4/10
    assert got["panas_pa_baseline_adjusted"] == pytest.approx(0.4)
    # negative: no change errs by 10, the prediction by 12: (48/60 - 50/60)/(10/60) = -2/10
    assert got["panas_na_baseline_adjusted"] == pytest.approx(-0.2)
    assert got["panas_baseline_adjusted"] == pytest.approx(0.1)


def test_adjusted_is_clamped_and_none_without_a_change() -> None:
    assert adjusted(40, 39, 10, 60) == -1
    assert adjusted(40, 39, 39, 60) == 1
    assert adjusted(40, 40, 40, 60) is None
    assert adjusted(None, 40, 40, 60) is adjusted(30, None, 40, 60) is adjusted(30, 40, None, 60) is None


def test_one_missing_side_is_taken_as_40_and_two_are_left_out_of_the_mean() -> None:
    got = post_score(panas(30, 30), panas(70, None), panas(None, None))
    assert got["panas_pa_mae"] == 30  # |70 - 40|
    assert got["panas_na_mae"] == 0
    assert got["panas_mae"] == 30
    assert got["panas_pa_baseline_adjusted"] is None  # no 40 here
    predicted_only = post_score({}, {}, panas(None, 25))
    assert (predicted_only["panas_pa_mae"], predicted_only["panas_na_mae"], predicted_only["panas_mae"]) == (0, 15, 15)


def test_nothing_on_either_side_is_no_error() -> None:
    got = post_score({}, {}, {})
    assert (got["panas_mae"], got["panas_normalized"]) == (0, 1)
    assert got["panas_item_mae"] is got["panas_item_normalized"] is got["panas_item_baseline_adjusted"] is None
    assert got["panas_item_errors"] == {}


def test_totals_are_summed_from_the_items_that_are_present() -> None:
    got = post_score({}, {"Proud": 5, "Upset": 3}, {"items": {"Proud": 2, "Alert": 4, "Upset": None}})
    assert got["panas_pa_mae"] == 1  # |5 - (2 + 4)|
    assert got["panas_na_mae"] == 37  # |3 - 40|


def test_items() -> None:
    before, after = {"Proud": 2, "Upset": 4, "Alert": 1}, {"Proud": 5, "Upset": 4, "Guilty": 7}
    got = post_score(before, after, {"items": {"Proud": 4, "Upset": 6, "Alert": 3}})
    assert got["panas_item_errors"] == {"Proud": 1, "Upset": 2}
    assert got["panas_item_mae"] == 1.5
    assert got["panas_item_normalized"] == pytest.approx(1 - 1.5 / 6)
    # Proud: naive 1 - 3/6, raw 1 - 1/6: (5/6 - 3/6)/(3/6) = 2/3. Upset did not change.
    assert got["panas_item_baseline_adjusted"] == pytest.approx(2 / 3)


def test_without_any_prediction_the_composite_takes_panas_as_one_half() -> None:
    told = conversation(prePanas=panas(30, 30), postPanas=panas(40, 40))
    got = score_reference(told, record())
    # q1, q2, q3 and follow-up both empty 1, no branches 1: .4 x .5 + .3 + .3
    assert got["holistic_comprehension"] == pytest.approx(0.8)


def test_strict_takes_a_missing_total_as_wrong() -> None:
    got = strict(panas(30, 30), panas(40, 20), panas(46, None))
    assert got["panas_baseline_adjusted"]["value"] == pytest.approx((0.4 - 1) / 2)
    assert got["panas_normalized"]["value"] == pytest.approx((54 / 60 + 0) / 2)
    assert got["panas_mae"]["value"] == (6 + 60) / 2
    assert got["panas_na_normalized"] == {"value": 0, "n": 1, "n_failed": 0, "lower": 0, "upper": 0}


def test_strict_leaves_out_what_was_not_reported_or_did_not_change() -> None:
    got = strict(panas(30, None), panas(30, 20), panas(30, 20))
    assert got["panas_baseline_adjusted"]["value"] is None
    assert got["panas_baseline_adjusted"]["n"] == 0
    assert got["panas_normalized"]["n"] == 2
    assert strict(panas(30, 30), {}, panas(30, 20))["panas_normalized"]["n"] == 0


@pytest.mark.parametrize(("names", "side"), [(POSITIVE_ITEMS, "pa"), (NEGATIVE_ITEMS, "na")])
def test_strict_sums_a_predicted_total_from_ten_items_only(names: tuple[str, ...], side: str) -> None:
    after = panas(50, 50)
    all_ten, nine = dict.fromkeys(names, 4), dict.fromkeys(names[1:], 4)
    assert strict({}, after, {"items": all_ten})[f"panas_{side}_mae"]["value"] == 10
    assert strict({}, after, {"items": nine})[f"panas_{side}_mae"]["value"] == 60


def test_strict_items_without_a_prediction_are_wrong() -> None:
    got = strict({"Proud": 2}, {"Proud": 5, "Upset": 4}, {"items": {"Upset": 5}})
    assert got["panas_item_mae"]["value"] == (6 + 1) / 2
    assert got["panas_item_baseline_adjusted"]["value"] == -1


def test_a_failed_outcome_call_is_wrong_and_counted() -> None:
    told = conversation(prePanas=panas(30, 30), postPanas=panas(40, 30))
    got = score_strict(told, record(post=None))
    assert got["panas_baseline_adjusted"] == {"value": -1, "n": 1, "n_failed": 1, "lower": -1, "upper": 1}
    assert got["panas_mae"] == {"value": 60, "n": 2, "n_failed": 2, "lower": 0, "upper": 60}


def test_a_change_predicted_where_no_total_can_be_is_no_failed_call() -> None:
    told = conversation(postPanas=panas(40, 30))
    post = {"predicted_post_panas": None, "predicted_panas_delta": {"Proud": 1}}
    assert score_strict(told, record(post=post))["panas_normalized"]["n_failed"] == 0
