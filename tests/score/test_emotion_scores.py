"""Emotion metrics, by hand."""

import itertools
import random

import pytest

from attunebench.instrument import EMOTION_WORDS
from attunebench.protocol.records import PredictedTag
from attunebench.score.emotion import emotion_scores, greatest_total, read_tags, va_scores


def test_sets_of_words() -> None:
    # G = {afraid, upset, proud}, P = {upset, guilty}: one shared
    scores = emotion_scores([("afraid", 3), ("upset", 5), ("proud", None)], [("upset", 2), ("guilty", 4)])
    assert scores["emotion_hit_rate"] == scores["emotion_recall"] == pytest.approx(1 / 3)
    assert scores["emotion_precision"] == pytest.approx(1 / 2)
    assert scores["emotion_f1"] == pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))  # 0.4
    assert scores["emotion_intensity_mae"] == 3  # |5 - 2|
    assert scores["emotion_f1_intensity"] == pytest.approx(0.4 * (1 - 3 / 6))


def test_nothing_felt_and_nothing_predicted_is_right() -> None:
    scores = emotion_scores([], [])
    assert scores.pop("emotion_intensity_mae") is None
    assert set(scores.values()) == {1.0}


@pytest.mark.parametrize(("truth", "predicted"), [([], [("upset", 3)]), ([("upset", 3)], [])])
def test_one_side_empty_is_0(truth: list[tuple[str, int]], predicted: list[tuple[str, int]]) -> None:
    scores = emotion_scores(truth, predicted)
    assert scores.pop("emotion_intensity_mae") is None
    assert set(scores.values()) == {0.0}


def test_the_last_intensity_of_a_repeated_emotion_counts_also_if_it_is_none() -> None:
    told = [("upset", 2), ("upset", None)]
    scores = emotion_scores(told, [("upset", 2)])
    assert scores["emotion_f1"] == 1
    assert scores["emotion_intensity_mae"] is None
    assert scores["emotion_f1_intensity"] == 0
    assert emotion_scores(told[::-1], [("upset", 2)])["emotion_f1_intensity"] == 1


def test_va_keeps_repeats() -> None:
    # two reported, one predicted: total 1 / 1 pair x 1/2
    assert va_scores([("upset", 2), ("upset", 2)], [("upset", 2)]) == (0.5, 0.5)


def test_va_pairs_for_the_greatest_total_and_not_greedily() -> None:
    # Similarities:   inspired  interested
    #   strong        .8939     .9000
    #   guilty        .4650     .6464
    # Greedy starts with the best pair: .9000 + .4650 = 1.3650. The optimum is .8939 + .6464 = 1.5403.
    truth, predicted = [("strong", None), ("guilty", None)], [("inspired", None), ("interested", None)]
    va_score, with_intensity = va_scores(truth, predicted)
    assert va_score == pytest.approx(1.5403 / 2)
    assert with_intensity == pytest.approx(0.7 * 1.5403 / 2)  # no intensities, so no second term


def test_va_with_intensity_makes_an_assignment_of_its_own() -> None:
    # Without intensity the words pair strong-inspired, guilty-interested (above). With it, strong 1 meets interested 1
    # and guilty 7 meets inspired 7: .7 x (.9000 + .4650) + .3 x 2 = 1.5555;
    # the other way .7 x 1.5403 + .3 x 0 = 1.07821.
    truth, predicted = [("strong", 1), ("guilty", 7)], [("inspired", 7), ("interested", 1)]
    assert va_scores(truth, predicted) == pytest.approx((1.5403 / 2, 1.5555 / 2))


def test_va_of_unequal_lengths_divides_by_the_longer() -> None:
    # upset-distressed = 1 - hypot(.042, .1)/sqrt 2 = .9233; total .9233 + 0 further pairs, 1 pair of 3: .9233 x 1/3
    truth, predicted = [("upset", 4)], [("distressed", 4), ("proud", 1), ("active", None)]
    assert va_scores(truth, predicted)[0] == pytest.approx(0.9233 / 3)
    assert va_scores(predicted, truth)[0] == pytest.approx(0.9233 / 3)


def test_a_missing_intensity_takes_the_whole_second_term() -> None:
    assert va_scores([("upset", None)], [("upset", 4)]) == (1.0, 0.7)


def test_words_outside_the_instrument_are_near_to_nothing_not_even_themselves() -> None:
    assert va_scores([("melancholy", None)], [("melancholy", None)]) == (0.0, 0.0)
    assert emotion_scores([("melancholy", None)], [("melancholy", None)])["emotion_f1"] == 1


def test_greatest_total_is_the_best_of_all_assignments() -> None:
    rng = random.Random(7)
    for rows, columns in itertools.product(range(1, 5), repeat=2):
        matrix = [[rng.random() for _ in range(columns)] for _ in range(rows)]
        wide = matrix if rows <= columns else [list(column) for column in zip(*matrix, strict=True)]
        every = itertools.permutations(range(len(wide[0])), len(wide))
        best = max(sum(row[j] for row, j in zip(wide, chosen, strict=True)) for chosen in every)
        assert greatest_total(matrix) == pytest.approx(best)


def test_the_order_of_tags_does_not_matter() -> None:
    truth = [(word.lower(), i % 7 + 1) for i, word in enumerate(EMOTION_WORDS[:5])]
    predicted = [(word.lower(), i % 5 + 1) for i, word in enumerate(EMOTION_WORDS[3:9])]
    assert emotion_scores(truth, predicted) == pytest.approx(emotion_scores(truth[::-1], predicted[::-1]))


def test_words_are_trimmed_and_lower_cased_and_neutral_ones_dropped() -> None:
    given = [PredictedTag(emotion=word) for word in (" Upset ", "UPSET", "Neutral", "neutral/no change")]
    assert read_tags(given) == [("upset", None), ("upset", None)]
    assert read_tags(None) == []
