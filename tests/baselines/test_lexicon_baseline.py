"""Claims about reading feelings off words."""

import json
from importlib.resources import files

import pytest
from baseline_examples import conversation, panas, said, turn

from attunebench.baselines import make_baseline
from attunebench.baselines.lexicon import load_lexicon
from attunebench.instrument import EMOTION_WORDS, NEGATIVE_ITEMS, POSITIVE_ITEMS

LEXICON = load_lexicon()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I'm so EXCITED, and a bit nervous!", ("Excited", "Nervous")),
        ("Nervous. Excited. Nervous.", ("Nervous", "Excited")),
        ("I can’t wait", ("Excited",)),
        ("guilty, ashamed, angry, scared", ("Guilty", "Ashamed", "Hostile")),  # three at most
        ("I am not at all scared", ("Interested",)),  # negated within three words: left to the sentiment
        ("Not that I mind it much. I am scared", ("Scared",)),  # the negation is too far away
        ("The shop opens at nine.", ()),
        ("", ()),
    ],
)
def test_cues_name_words_in_order_unless_negated(text, words):
    assert LEXICON.words(text) == words


@pytest.mark.parametrize(
    ("text", "low", "high", "words"),
    [
        ("It was a terrible, horrible disaster.", -1, -0.5, ("Distressed", "Upset")),
        ("I lost my keys.", -0.5, -0.05, ("Upset",)),
        ("It is fine.", 0.05, 0.5, ("Interested",)),
        ("It was a wonderful, brilliant success!", 0.5, 1, ("Enthusiastic", "Interested")),
    ],
)
def test_without_cues_the_band_of_the_sentiment_decides(text, low, high, words):
    assert low <= LEXICON.sentiment(text) <= high
    assert LEXICON.words(text) == words


def test_a_score_between_two_bands_belongs_to_the_stronger():
    assert LEXICON._band(-0.5) == ("Distressed", "Upset")
    assert LEXICON._band(0.5) == ("Enthusiastic", "Interested")
    assert LEXICON._band(-0.05) == ("Upset",)
    assert LEXICON._band(0.0499) == ()


def test_intensity_grows_with_the_strength_of_the_sentiment():
    one = conversation("one", turn(1, "It was a terrible, horrible disaster."), turn(2, "I lost my keys."))
    lexicon = make_baseline("lexicon", [one])
    for number, message in enumerate(one.turns, 1):
        expected = round(1 + 6 * abs(LEXICON.sentiment(message.user_message)))
        assert {tag["intensity"] for tag in said(lexicon, one, "review", number)["emotion_tags"]} == {expected}


UP = conversation("up", turn(2, "It was wonderful!"), turn(1, "It was terrible."), before=panas(4, Proud=7, Upset=1))
RISE = LEXICON.sentiment("It was wonderful!") - LEXICON.sentiment("It was terrible.")


def test_affect_moves_by_the_rise_of_sentiment_from_the_first_turn_to_the_last():
    assert RISE > 0.5
    lexicon = make_baseline("lexicon", [UP])
    for strategy in ("delta", "blind_delta"):
        changes = said(lexicon, UP, "outcome", strategy=strategy)["predicted_panas_delta"]
        assert changes == dict.fromkeys(POSITIVE_ITEMS, RISE) | dict.fromkeys(NEGATIVE_ITEMS, -RISE)
    after = said(lexicon, UP, "outcome")["predicted_post_panas"]
    assert after["Inspired"] == 4 + RISE and after["Afraid"] == 4 - RISE
    assert after["Proud"] == 7 and after["Upset"] == 1  # clamped
    assert after["totalPositiveAffect"] == 43 + 10 * RISE and after["totalNegativeAffect"] == 37 - 10 * RISE


def test_with_one_message_affect_stays_and_with_nothing_before_nothing_is_said():
    one = conversation("one", turn(1, "It was wonderful!"), before={"totalPositiveAffect": 30})
    assert said(make_baseline("lexicon", []), one, "outcome")["predicted_post_panas"] == {"totalPositiveAffect": 30}
    none = conversation("none", turn(1, "Awful."), turn(2, "Lovely."))
    assert said(make_baseline("lexicon", []), none, "outcome")["predicted_post_panas"] == {}


def test_everything_else_is_as_the_majority_answers():
    data = [
        conversation(
            id_,
            turn(1, judged={"B1": ("yes", "no")}, compared=[("general", "original", "human", "B")]),
            q1_lookingFor=["Other"],
            fourBranchScores={"managing": 3},
        )
        for id_ in "abc"
    ]
    lexicon, majority = make_baseline("lexicon", data), make_baseline("majority", data)
    for kind in ("draft", "perspective", "pairwise"):
        assert said(lexicon, data[0], kind) == said(majority, data[0], kind)
    ours, theirs = said(lexicon, data[0], "outcome"), said(majority, data[0], "outcome")
    assert ours["conversation_wide"] == theirs["conversation_wide"]


def test_every_item_has_cues_of_plain_words_and_the_file_states_its_basis():
    raw = json.loads(files("attunebench.baselines").joinpath("lexicon.json").read_text(encoding="utf-8"))
    assert tuple(raw["cues"]) == EMOTION_WORDS
    cues = [cue for phrases in raw["cues"].values() for cue in phrases]
    assert len(cues) == len(set(cues)) and all(cue == cue.lower().strip() for cue in cues)
    assert {word for band in raw["bands"] for word in band["words"]} <= set(EMOTION_WORDS)
    assert raw["basis"]
