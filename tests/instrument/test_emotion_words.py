"""Claims about the 20 emotion words, their coordinates and their similarity."""

import math

import numpy as np
import pytest

from attunebench import instrument as ins

ORDER = [
    "Proud",
    "Irritable",
    "Alert",
    "Ashamed",
    "Inspired",
    "Nervous",
    "Determined",
    "Attentive",
    "Jittery",
    "Active",
    "Distressed",
    "Afraid",
    "Excited",
    "Upset",
    "Strong",
    "Guilty",
    "Scared",
    "Hostile",
    "Enthusiastic",
    "Interested",
]

POSITIVE = {
    "Proud": (0.85, 0.65),
    "Alert": (0.70, 0.75),
    "Inspired": (0.90, 0.70),
    "Determined": (0.78, 0.72),
    "Attentive": (0.68, 0.60),
    "Active": (0.72, 0.80),
    "Excited": (0.80, 0.85),
    "Strong": (0.75, 0.70),
    "Enthusiastic": (0.82, 0.78),
    "Interested": (0.65, 0.60),
}
NEGATIVE = {
    "Irritable": (0.22, 0.68),
    "Ashamed": (0.13, 0.62),
    "Nervous": (0.188, 0.72),
    "Jittery": (0.196, 0.788),
    "Distressed": (0.125, 0.75),
    "Afraid": (0.073, 0.84),
    "Upset": (0.167, 0.65),
    "Guilty": (0.15, 0.60),
    "Scared": (0.083, 0.82),
    "Hostile": (0.20, 0.70),
}


def test_the_words_are_the_20_items_in_the_order_asked():
    assert list(ins.EMOTION_WORDS) == ORDER
    assert [e.word for e in ins.EMOTIONS] == ORDER


def test_coordinates_and_affect_match_the_published_table():
    assert {e.word: (e.valence, e.arousal) for e in ins.EMOTIONS} == POSITIVE | NEGATIVE
    assert tuple(w for w in ORDER if w in POSITIVE) == ins.POSITIVE_ITEMS
    assert tuple(w for w in ORDER if w in NEGATIVE) == ins.NEGATIVE_ITEMS


@pytest.mark.parametrize("text", ["Proud", "proud", " PROUD\n"])
def test_a_word_is_found_in_any_case_and_with_space_around_it(text):
    assert ins.canonical_emotion(text) == "Proud"


@pytest.mark.parametrize("text", ["", "joy", "proud of", "neutral"])
def test_other_words_are_not_emotions_of_the_instrument(text):
    assert ins.canonical_emotion(text) is None


def test_neutral_words_are_lower_case_and_none_of_the_20():
    assert {"neutral", "no change", "neutral/no change"} == ins.NEUTRAL_WORDS
    assert not ins.NEUTRAL_WORDS & set(ins.EMOTION_INDEX)


@pytest.mark.parametrize(
    ("a", "b", "half_squared_distance", "expected"),
    [
        ("Afraid", "Scared", (0.01**2 + 0.02**2) / 2, 0.9842),  # sqrt(.00025) = .01581
        ("Proud", "Strong", (0.10**2 + 0.05**2) / 2, 0.9209),  # sqrt(.00625) = .07906
        ("Excited", "Ashamed", (0.67**2 + 0.23**2) / 2, 0.4991),  # sqrt(.25090) = .50090
    ],
)
def test_similarity_is_one_minus_the_distance_over_the_unit_diagonal(a, b, half_squared_distance, expected):
    assert ins.similarity(a, b) == expected
    assert expected == pytest.approx(1 - math.sqrt(half_squared_distance), abs=5e-5)


def test_similarity_ignores_case_and_outer_space():
    assert ins.similarity(" afraid", "SCARED ") == 0.9842


@pytest.mark.parametrize(("a", "b"), [("joy", "Proud"), ("Proud", "joy"), ("joy", "joy"), ("", "Proud")])
def test_similarity_to_a_word_outside_the_20_is_zero(a, b):
    assert ins.similarity(a, b) == 0.0


def test_the_matrix_holds_every_pair_in_item_order():
    assert ins.SIMILARITY.shape == (20, 20)
    assert np.array_equal(ins.SIMILARITY, ins.SIMILARITY.T)
    assert np.array_equal(np.diag(ins.SIMILARITY), np.ones(20))
    assert ins.SIMILARITY.min() > 0
    row, column = ins.EMOTION_INDEX["afraid"], ins.EMOTION_INDEX["scared"]
    assert ins.SIMILARITY[row, column] == 0.9842


def test_only_a_word_itself_is_fully_similar():
    assert np.count_nonzero(ins.SIMILARITY == 1) == 20


def test_matrix_and_index_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        ins.SIMILARITY[0, 0] = 0
    with pytest.raises(TypeError):
        ins.EMOTION_INDEX["joy"] = 20


def test_the_index_has_each_lower_cased_word_at_its_row():
    assert dict(ins.EMOTION_INDEX) == {word.lower(): row for row, word in enumerate(ORDER)}
