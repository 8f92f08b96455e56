"""Claims about position: thirds, slopes, turns."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from analysis_examples import cells, inputs_of, inputs_of_scores, table
from attunebench.analysis.position import position
from score_examples import answered, conversation, record, tags, turn

COMPOSITE, F1 = "reference/composite_score", "reference/emotion_f1"
NAN = float("nan")
RNG = np.random.default_rng


def part_of(*rows, **more):
    """Of rows of conversations of turns' scores."""
    return position(inputs_of_scores({COMPOSITE: np.ones((len(rows), len(rows[0])))}, turns={F1: rows}, **more))


@pytest.mark.parametrize(
    ("turns", "thirds"),
    [
        (1, "m"),
        (2, "el"),
        (3, "eml"),
        (4, "emml"),
        (5, "eemll"),
        (6, "eemmll"),
        (7, "eemmmll"),
        (8, "eeemmlll"),
        (9, "eeemmmlll"),
    ],
)
def test_thirds_of_one_to_nine_turns(turns, thirds):
    """Turn i of T stands in third floor(3 (i - 1/2)/T); a score of 2**i tells which turns a third has."""
    scores = [float(2**at) for at in range(turns)]
    found = cells(table(part_of([scores]), "thirds"), "third")
    expected = {}
    for letter, name in (("e", "early"), ("m", "middle"), ("l", "late")):
        inside = [score for score, third in zip(scores, thirds, strict=True) if third == letter]
        if inside:
            expected[name] = pytest.approx(np.mean(inside))
    assert found == expected


def test_a_difference_from_early_is_within_conversations_that_have_both():
    talks = [[1.0, 2, 3], [2.0, 2, 6], [5.0, NAN, NAN], [NAN, 1, 2]]
    found = table(part_of(talks), "thirds")
    assert cells(found, "third") == pytest.approx({"early": 8 / 3, "middle": 5 / 3, "late": 11 / 3})
    late = found.filter(third="late").row(0, named=True)
    assert late["difference"] == pytest.approx((2 + 4) / 2)
    assert (late["n"], late["difference_n"], late["difference_clusters"]) == (3, 2, 2)
    assert late["p"] == 0.5  # both of two clusters point one way: 2 of 4 flips
    early = found.filter(third="early").row(0, named=True)
    assert early["difference"] is early["p"] is None


def test_slopes_are_numpys_on_relative_place_averaged_over_conversations():
    rng = RNG(1)
    talks = [rng.normal(size=size).tolist() for size in (3, 5, 8, 4)]
    talks[2][4] = NAN
    slopes = []
    for scores in talks:
        x, y = np.linspace(0, 1, len(scores)), np.array(scores)
        slopes.append(np.polyfit(x[~np.isnan(y)], y[~np.isnan(y)], 1)[0])
    found = table(part_of(talks), "slopes")
    assert found["slope"].to_list() == pytest.approx([np.mean(slopes)])
    assert found["n"].to_list() == [4]


def test_a_slope_needs_three_turns():
    found = table(part_of([[1.0, 2], [1.0, NAN, 2], [1.0, 2, 3]]), "slopes")
    assert found.select("slope", "n").row(0) == (2.0, 1)


def test_a_planted_fall_is_found_and_a_flat_model_has_none():
    rng = RNG(2)
    flat = rng.normal(size=(40, 6))
    fall = flat[::-1] - np.linspace(0, 2, 6)
    found = table(part_of(flat.tolist(), fall.tolist()), "slopes")
    slope, p = cells(found, "model", column="slope"), cells(found, "model", column="p")
    assert slope["m2"] == pytest.approx(np.mean([np.polyfit(np.linspace(0, 1, 6), y, 1)[0] for y in fall]))
    assert p["m2"] < 0.001 and p["m1"] > 0.05
    assert found.filter(model="m2").select(pl.col("upper") < 0).item()


def test_turns_are_means_over_the_conversations_that_have_them():
    found = table(part_of([[1.0, 4], [3.0, NAN], [5.0]]), "turns")
    assert cells(found, "turn") == {1: 3.0, 2: 4.0}
    assert cells(found, "turn", column="n") == {1: 3, 2: 1}


def test_readings_of_a_conversation_are_averaged_first():
    inputs = inputs_of_scores({COMPOSITE: [[1.0, 1.0]]}, turns={F1: [[[1.0, 2, 3], [4.0, 5, 6]]]})
    again = inputs.scores.with_columns(value=pl.col("value") + 2)
    both = position(replace(inputs, scores=pl.concat([inputs.scores, again])))
    once = position(inputs)
    for name in ("thirds", "turns"):
        assert table(both, name)["value"].to_list() == pytest.approx([v + 1 for v in table(once, name)["value"]])
        assert table(both, name)["n"].to_list() == table(once, name)["n"].to_list()


def test_a_place_is_among_all_turns_of_the_conversation_also_where_none_was_scored():
    """Of four turns the last has no score at all: the first three are early, middle, middle."""
    found = cells(table(part_of([[1.0, 2, 3, NAN]]), "thirds"), "third")
    assert found == {"early": 1.0, "middle": 2.5}


def test_a_model_that_read_only_three_of_four_turns_never_reached_the_last_third():
    felt = tags(("Proud", 4))
    talk = conversation(*(turn(n, feelings=felt) for n in range(1, 5)))
    seen = [felt, felt, []]
    read = record(*(answered(n, em_emotion_tags=each) for n, each in enumerate(seen, start=1)))
    thirds = table(position(inputs_of([talk], [read])), "thirds").filter(metric="emotion_f1")
    assert cells(thirds, "third") == {"early": 1.0, "middle": 0.5}


def test_scores_without_turns_are_told():
    part = position(inputs_of_scores({COMPOSITE: [[1.0, 2.0]]}))
    assert part.missing[0].reason == "the scores have no turns"
