"""The lexicon baseline: emotions and affect from word lists, without a model; the rest as most others answered.

Sentiment: VADER (Hutto & Gilbert 2014, ICWSM-14), over the participant's messages. Which words stand for which
sentiment, and why, is data: `lexicon.json`, with its basis.
"""

import json
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, ClassVar

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer, negated

from attunebench.baselines.majority import MajorityBaseline
from attunebench.baselines.others import OthersAnswers
from attunebench.baselines.parts import Ask
from attunebench.baselines.truth import panas_answer
from attunebench.dataset.schema import Conversation
from attunebench.dataset.values import clamp
from attunebench.instrument import EMOTION_WORDS, POSITIVE_ITEMS
from attunebench.protocol.answers import PanasAnswer, Tag

_TOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")


@dataclass(frozen=True)
class Lexicon:
    """The rules of `lexicon.json` over a sentiment analyzer."""

    bands: tuple[tuple[float, float, tuple[str, ...]], ...]
    """From, to (compound scores), words; the end further from 0 belongs to the band, and so does the end at +-0.05."""
    cues: Mapping[str, tuple[tuple[tuple[str, ...], str], ...]]
    """By first token: the cue's tokens, and the emotion word it stands for."""
    most_words: int
    negation_window: int
    panas_points: float
    analyzer: Any

    def sentiment(self, text: str) -> float:
        """Return VADER's compound score, -1 (all bad) to 1 (all good), 0 for no sentiment."""
        return _compound(self.analyzer, text)

    def words(self, text: str) -> tuple[str, ...]:
        """Return the emotion words of the cues in a text, in order of their first; without cues, its band's words."""
        found = tuple(dict.fromkeys(self._cued(text)))
        return found[: self.most_words] or self._band(self.sentiment(text))

    def _cued(self, text: str) -> Iterator[str]:
        tokens = tuple(_TOKEN.findall(text.lower().replace("’", "'")))
        for place, token in enumerate(tokens):
            for cue, word in self.cues.get(token, ()):
                before = tokens[max(0, place - self.negation_window) : place]
                if tokens[place : place + len(cue)] == cue and not negated(before):
                    yield word

    def _band(self, compound: float) -> tuple[str, ...]:
        # Looked at from the outside in: a score on the border of two bands belongs to the stronger.
        for low, high, words in sorted(self.bands, key=lambda band: -abs(band[0] + band[1])):
            if low <= compound <= high:
                return words
        return ()


@lru_cache(maxsize=256)  # a message is asked about for its words, for their intensity, and as the first or last one
def _compound(analyzer: Any, text: str) -> float:
    return float(analyzer.polarity_scores(text)["compound"])


@cache
def load_lexicon() -> Lexicon:
    """Load the bundled rules and VADER's word list, once."""
    raw = json.loads(files("attunebench.baselines").joinpath("lexicon.json").read_text(encoding="utf-8"))
    cues: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for word, phrases in raw["cues"].items():
        for tokens in (tuple(phrase.split()) for phrase in phrases):
            cues.setdefault(tokens[0], []).append((tokens, word))
    with warnings.catch_warnings():
        # VADER 3.3.2 opens its files by codecs.open, which Python 3.14 deprecates.
        warnings.simplefilter("ignore", DeprecationWarning)
        analyzer = SentimentIntensityAnalyzer()
    return Lexicon(
        bands=tuple((band["from"], band["to"], tuple(band["words"])) for band in raw["bands"]),
        cues={first: tuple(entries) for first, entries in cues.items()},
        most_words=raw["most_words"],
        negation_window=raw["negation_window"],
        panas_points=raw["panas_points"],
        analyzer=analyzer,
    )


class LexiconBaseline(MajorityBaseline):
    """Reads feelings off words; answers everything else as `MajorityBaseline` does.

    - emotions: up to 3 words whose cues stand in the turn's message, in order of appearance; a cue after a negation
      (VADER's list, among the 3 words before it) does not count. Without cues, the words of the band that the message's
      compound score lies in; between -0.05 and 0.05 none. Each intensity is 1 + 6 |compound|, rounded.
    - PANAS: with d = the compound score of the last message - that of the first, every positive item moves by d points
      and every negative one by -d, from the items (and totals, by 10 d) before, clamped to 1-7 (10-70). With one
      message nothing moves. Where nothing before is known, the absolute strategy gives nothing, and the others the
      change.
    """

    name: ClassVar[str] = "lexicon"

    def __init__(self, others: OthersAnswers) -> None:
        super().__init__(others)
        self._lexicon = load_lexicon()

    def emotions(self, ask: Ask, /) -> tuple[Tag, ...]:
        """The words that the message's own words stand for."""
        message = ask.turn.user_message
        intensity = round(1 + 6 * abs(self._lexicon.sentiment(message)))
        return tuple(Tag(word, intensity) for word in self._lexicon.words(message))

    def panas(self, ask: Ask, /) -> PanasAnswer:
        """Affect moved by the change of sentiment from the first message to the last."""
        rise = self._rise(ask.conversation)
        changes = {word: rise if word in POSITIVE_ITEMS else -rise for word in EMOTION_WORDS}
        if ask.call.asked.panas != "absolute":
            return PanasAnswer(changes)
        before = panas_answer(ask.conversation.pre_panas)
        items = {word: clamp(rating + changes[word], 1, 7) for word, rating in before.items.items()}
        return PanasAnswer(items, _total(before.positive, 10 * rise), _total(before.negative, -10 * rise))

    def _rise(self, conversation: Conversation) -> float:
        """Return by how many points positive items rise."""
        messages = [turn.user_message for turn in conversation.ordered_turns]
        if not messages:
            return 0.0
        first, last = self._lexicon.sentiment(messages[0]), self._lexicon.sentiment(messages[-1])
        return self._lexicon.panas_points * (last - first)


def _total(before: float | None, change: float) -> float | None:
    return None if before is None else clamp(before + change, 10, 70)
