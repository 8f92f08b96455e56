"""Claims about PANAS by item."""

import pytest

from analysis_examples import assert_tidy, cells, inputs_from, inputs_of, private_texts, table
from attunebench.analysis.panas_items import panas_items
from attunebench.instrument import EMOTION_WORDS
from score_examples import conversation, outcome, panas, record


def person(number, **after):
    return conversation(
        conversationId=f"c{number}", postPanas=after, participant_profile={"participant_id": f"p{number}"}
    )


def told(number, **items):
    return record(conversationId=f"c{number}", post=outcome({"items": items}))


def test_error_and_bias_of_each_item_with_what_was_not_predicted_beside():
    people = [person(1, Proud=2, Upset=5), person(2, Proud=6), person(3, Proud=4)]
    part = panas_items(inputs_of(people, [told(1, Proud=4, Upset=1), told(2, Proud=5), told(3)]))
    found = table(part, "panas_items")
    assert cells(found, "item", "metric") == {
        ("Proud", "error"): 1.5,
        ("Proud", "bias"): 0.5,
        ("Upset", "error"): 4,
        ("Upset", "bias"): -4,
        ("positive affect", "error"): None,
        ("positive affect", "bias"): None,
        ("negative affect", "error"): None,
        ("negative affect", "bias"): None,
    }
    assert cells(found, "item", "metric", column="n")["Proud", "error"] == 2
    assert cells(found, "item", "metric", column="asked")["Proud", "error"] == 3
    assert cells(found, "item", "metric", column="clusters")["Proud", "bias"] == 2
    assert cells(found, "item", "metric", column="lower")["Upset", "bias"] is None


def test_an_interval_is_that_of_means_over_participants():
    predicted = [1, 4, 2, 6, 3, 5, 5, 2]
    people = [person(number, Proud=3) for number in range(8)]
    part = panas_items(inputs_of(people, [told(n, Proud=guess) for n, guess in enumerate(predicted)]))
    (row,) = table(part, "panas_items").filter(item="Proud", metric="bias").rows(named=True)
    assert row["value"] == pytest.approx(sum(predicted) / 8 - 3)
    assert row["lower"] < row["value"] < row["upper"]
    assert row["method"] == "bootstrap-t"


def test_without_records_or_reports_it_says_why():
    (missing,) = panas_items(inputs_of([person(1, Proud=2)], "no run records here")).missing
    assert missing.reason == "no run records here"
    (missing,) = panas_items(inputs_of([conversation()], [record()])).missing
    assert "reported" in missing.reason


def test_on_the_demo_the_oracle_is_never_off_and_every_number_says_what_it_stands_on(scores_folder):
    inputs = inputs_from(scores_folder)
    part = panas_items(inputs)
    assert_tidy(part, private_texts(inputs))
    found = table(part, "panas_items")
    assert set(found["item"]) == {*EMOTION_WORDS, "positive affect", "negative affect"}
    assert set(found.filter(model="baseline/oracle")["value"]) == {0}
    silent = found.filter(model="baseline/null")
    assert set(silent["value"]) == {None} and set(silent["n"]) == {0} and silent["asked"].min() > 0


def test_a_report_of_totals_alone_is_compared_as_totals():
    one = conversation(postPanas=panas(30, 20))
    found = table(panas_items(inputs_of([one], [record(post=outcome(panas(33, 18)))])), "panas_items")
    assert cells(found, "item", "metric") == {
        ("positive affect", "error"): 3,
        ("positive affect", "bias"): 3,
        ("negative affect", "error"): 2,
        ("negative affect", "bias"): -2,
    }
