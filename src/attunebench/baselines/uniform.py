"""The random baseline: valid answers drawn uniformly. (Its name in use is `random`, which is a standard module's.)"""

import hashlib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from random import Random
from typing import ClassVar

from attunebench.baselines.parts import NEUTRAL_DRAFT, Ask, PartsBaseline
from attunebench.baselines.truth import participant_key
from attunebench.dataset.schema import Conversation, Letter, YesNo
from attunebench.instrument import BRANCHES, CLARITY_OPTIONS, EMOTION_WORDS, FIT_OPTIONS, LOOKING_FOR_OPTIONS
from attunebench.protocol.answers import JudgementAnswers, OutcomeAnswer, PanasAnswer, Tag

MOST_WORDS = 4
"""The greatest number of emotion words drawn for a turn."""

_YES_NO: tuple[YesNo, ...] = ("yes", "no")
_LETTERS: tuple[Letter, ...] = ("A", "B")


class RandomBaseline(PartsBaseline):
    """Answers what is asked with valid values, each uniform and independent of the others.

    - emotions: 0 to 4 different words (how many is uniform, then which), intensities 1 to 7;
    - yes/no and A/B: even odds; review and perspective are drawn apart;
    - PANAS: every item 1 to 7, or its change -6 to 6, whole numbers; no totals of its own;
    - q1: any subset of the options but the empty one; q2, q3: any option; follow-up: none, as no text is valid for
      everybody; branches: whole numbers 1 to 7;
    - draft: an original reply from another participant's conversation, so that it is a reply people really got, needs
      no model, and resembles the right one by chance only. With no other participant it is a fixed neutral sentence.

    An answer follows from the seed, the conversation's id and the call alone, in whatever order calls are made; a
    draft also from which conversations the data set holds, in whatever order.
    """

    name: ClassVar[str] = "random"

    def __init__(self, conversations: Sequence[Conversation], *, seed: int = 0) -> None:
        self._seed = seed
        replies = sorted(
            (participant_key(conversation), conversation.conversation_id, turn.turn_number, turn.llm_response)
            for conversation in conversations
            for turn in conversation.turns
            if turn.llm_response.strip()
        )
        self._owners = [owner for owner, *_ in replies]
        self._replies = [text for *_, text in replies]

    def draft(self, ask: Ask, /) -> str:
        """An original reply, uniform over those of the other participants."""
        owner = participant_key(ask.conversation)
        start = bisect_left(self._owners, owner)
        end = bisect_left(self._owners, (owner[0], owner[1] + "\0"), lo=start)
        others = len(self._replies) - (end - start)
        if not others:
            return NEUTRAL_DRAFT
        place = self._rng(ask, "draft").randrange(others)
        return self._replies[place if place < start else place + end - start]

    def emotions(self, ask: Ask, /) -> tuple[Tag, ...]:
        """0 to 4 different words with intensities."""
        rng = self._rng(ask, "emotions")
        words = rng.sample(EMOTION_WORDS, rng.randint(0, MOST_WORDS))
        return tuple(Tag(word, rng.randint(1, 7)) for word in words)

    def judgements(self, ask: Ask, /) -> JudgementAnswers:
        """Yes or no to each question, observed and preferred."""
        rng = self._rng(ask, "judgements")
        return JudgementAnswers(
            observed={question: rng.choice(_YES_NO) for question in ask.yes_no},
            preferred={question: rng.choice(_YES_NO) for question in ask.yes_no},
        )

    def selections(self, ask: Ask, /) -> Mapping[str, Letter]:
        """A or B in each comparison."""
        rng = self._rng(ask, "selections")
        return {index: rng.choice(_LETTERS) for index in ask.sides}

    def outcome(self, ask: Ask, /) -> OutcomeAnswer:
        """Every item, option and branch."""
        rng = self._rng(ask, "outcome")
        low, high = (1, 7) if ask.call.asked.panas == "absolute" else (-6, 6)
        items = {word: rng.randint(low, high) for word in EMOTION_WORDS}
        subset = rng.randrange(1, 2 ** len(LOOKING_FOR_OPTIONS))
        return OutcomeAnswer(
            panas=PanasAnswer(items),
            looking_for=tuple(o for place, o in enumerate(LOOKING_FOR_OPTIONS) if subset >> place & 1),
            emotion_clarity=rng.choice(CLARITY_OPTIONS),
            model_fit=rng.choice(FIT_OPTIONS),
            what_felt_off=(),
            branches={branch: rng.randint(1, 7) for branch in BRANCHES},
        )

    def _rng(self, ask: Ask, part: str) -> Random:
        # repr keeps the fields apart, whatever the conversation's id holds.
        identity = repr((self._seed, ask.conversation.conversation_id, *ask.call.key, part))
        return Random(int.from_bytes(hashlib.sha256(identity.encode("utf-8", "surrogatepass")).digest()))
