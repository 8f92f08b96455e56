"""Claims about the mood trajectory."""

import numpy as np
import pytest

from analysis_examples import assert_tidy, cells, inputs_from, inputs_of, private_texts, table
from attunebench.analysis.mood import mood
from attunebench.instrument import EMOTIONS
from score_examples import answered, conversation, record, tags, turn

VALENCE = {e.word: e.valence for e in EMOTIONS}
GOOD, BAD = ("Proud", "Excited", "Inspired", "Strong"), ("Upset", "Afraid", "Guilty", "Hostile")
OPPOSITE = dict(zip((*GOOD, *BAD), (*BAD, *GOOD), strict=True))
TOLD = {number: [GOOD[number % 4], BAD[number % 3], GOOD[(number + 1) % 4]][: 2 + number % 2] for number in range(1, 9)}
"""What each of eight participants felt, a word a turn."""


def talks():
    return [
        conversation(
            *(turn(n, feelings=tags((word, 4))) for n, word in enumerate(words, start=1)),
            conversationId=f"c{number}",
            participant_profile={"participant_id": f"p{number}"},
        )
        for number, words in TOLD.items()
    ]


def records(see):
    """Records of a model that sees `see(word)` where a word was felt."""
    return [
        record(
            *(answered(n, em_emotion_tags=tags((see(word), 4))) for n, word in enumerate(words, start=1)),
            conversationId=f"c{number}",
        )
        for number, words in TOLD.items()
    ]


def agreement(see):
    return cells(table(mood(inputs_of(talks(), records(see))), "mood_agreement"), "metric")


def test_who_sees_what_was_felt_has_correlation_one_and_no_gap():
    found = agreement(lambda word: word)
    assert found["valence_correlation"] == pytest.approx(1)
    assert found["valence_correlation_within"] == pytest.approx(1)
    assert found["arousal_correlation"] == pytest.approx(1)
    assert found["valence_gap"] == found["arousal_gap"] == 0


def test_an_inverted_mood_is_found():
    found = agreement(OPPOSITE.__getitem__)
    assert found["valence_correlation"] < -0.9
    assert found["valence_correlation_within"] < -0.9


def test_one_mood_for_everything_has_a_gap_and_no_correlation():
    found = agreement(lambda _word: "Proud")
    felt = [VALENCE[word] for words in TOLD.values() for word in words]
    assert found["valence_correlation"] is None and found["valence_correlation_within"] is None
    assert found["valence_gap"] == pytest.approx(VALENCE["Proud"] - np.mean(felt))


def test_the_correlation_is_pearson_s_over_turns_with_an_interval_over_participants():
    seen = dict(
        zip((*GOOD, *BAD), ("Proud", "Proud", "Guilty", "Alert", "Upset", "Upset", "Scared", "Alert"), strict=True)
    )
    frame = table(mood(inputs_of(talks(), records(seen.__getitem__))), "mood_agreement")
    felt = [VALENCE[word] for words in TOLD.values() for word in words]
    given = [VALENCE[seen[word]] for words in TOLD.values() for word in words]
    (row,) = frame.filter(metric="valence_correlation").rows(named=True)
    assert row["value"] == pytest.approx(np.corrcoef(felt, given)[0, 1])
    assert row["n"] == len(felt) and row["clusters"] == 8
    assert row["lower"] < row["value"] < row["upper"]
    assert row["method"] == "percentile"


def test_curves_are_of_the_turns_in_which_both_name_an_emotion_weighted_by_intensity():
    one = conversation(
        turn(1, feelings=tags(("Proud", 6), ("Upset", 2))),
        turn(2, feelings=[]),
        turn(4, feelings=tags(("Upset", 2))),
        turn(7, feelings=tags(("Alert", 1))),
    )
    given = record(
        answered(1, em_emotion_tags=tags(("Inspired", None))),
        answered(2, em_emotion_tags=tags(("Alert", 3))),
        answered(4, em_emotion_tags=tags(("Guilty", 3))),
        answered(7, em_emotion_tags=[]),
    )
    part = mood(inputs_of([one], [given]))
    turns = table(part, "mood_turns").filter(metric="valence_reported")
    assert cells(turns, "turn") == {1: pytest.approx((6 * 0.85 + 2 * 0.167) / 8), 4: pytest.approx(0.167)}
    assert cells(table(part, "mood_turns"), "turn", "metric")[4, "valence_gap"] == pytest.approx(0.15 - 0.167)
    thirds = table(part, "mood_thirds")
    assert cells(thirds.filter(metric="valence_predicted"), "third") == {"early": 0.9, "middle": 0.15}
    assert set(thirds["lower"]) == {None}


def test_what_cannot_be_drawn_is_missing_with_its_reason():
    (missing,) = mood(inputs_of(talks(), "no run records here")).missing
    assert missing.reason == "no run records here"
    (missing,) = mood(inputs_of([conversation(turn(1))], [record(answered(1))])).missing
    assert "both name an emotion" in missing.reason


def test_on_the_demo_the_oracle_s_curve_is_the_participants_and_every_number_says_what_it_stands_on(scores_folder):
    inputs = inputs_from(scores_folder)
    part = mood(inputs)
    assert_tidy(part, private_texts(inputs))
    oracle = cells(table(part, "mood_agreement").filter(model="baseline/oracle", mode="default"), "metric")
    assert oracle["valence_correlation"] == pytest.approx(1)
    assert oracle["valence_gap"] == pytest.approx(0)
    assert set(table(part, "mood_thirds")["third"]) == {"early", "middle", "late"}
