"""The random baseline: valid answers drawn uniformly. (Its name in use is `random`, which is a standard module's.)"""

from collections.abc import Mapping
from typing import ClassVar

from attunebench.baselines.drafts import DraftPool
from attunebench.baselines.draws import Stream, Truths, draw_emotions, draw_judgements, draw_outcome, draw_sides
from attunebench.baselines.parts import Ask, PartsBaseline
from attunebench.baselines.truth import participant_key
from attunebench.dataset.schema import Letter, YesNo
from attunebench.instrument import BRANCHES, CLARITY_OPTIONS, EMOTION_WORDS, FIT_OPTIONS, LOOKING_FOR_OPTIONS
from attunebench.protocol.answers import JudgementAnswers, OutcomeAnswer, PanasAnswer, Tag


class RandomBaseline(PartsBaseline):
    """Answers what is asked with valid values, each uniform and independent of the others.

    - emotions: 0 to 4 different words (how many is uniform, then which), intensities 1 to 7;
    - yes/no and A/B: even odds; review and perspective are drawn apart;
    - PANAS: every item 1 to 7, or its change -6 to 6, whole numbers; no totals of its own;
    - q1: any subset of the options but the empty one; q2, q3: any option; follow-up: none, as no text is valid for
      everybody; branches: whole numbers 1 to 7;
    - draft: an original reply from another participant's conversation (see `DraftPool`), so that it is a reply people
      really got, needs no model, and resembles the right one by chance only. With no other participant it is a fixed
      neutral sentence.

    An answer follows from the seed (0 or greater), the conversation's id and the call alone, in whatever order calls
    are made; a draft also from which conversations the data set holds, in whatever order. One seed is one row of
    `attunebench.baselines.draws`.
    """

    name: ClassVar[str] = "random"

    def __init__(self, pool: DraftPool, *, seed: int = 0) -> None:
        self.pool = pool
        self._draws = range(seed, seed + 1)

    def draft(self, ask: Ask, /) -> str:
        """An original reply, uniform over those of the other participants."""
        place = self.pool.draw(participant_key(ask.conversation), self._stream(ask), ask.call.key)
        return self.pool.texts[int(place[0])]

    def emotions(self, ask: Ask, /) -> tuple[Tag, ...]:
        """0 to 4 different words with intensities."""
        drawn = draw_emotions(self._stream(ask), [ask.call.key])
        tags = zip(drawn.words[0, 0].tolist(), drawn.intensities[0, 0].tolist(), strict=True)
        return tuple(Tag(EMOTION_WORDS[word], felt) for word, felt in tags)[: drawn.count[0, 0]]

    def judgements(self, ask: Ask, /) -> JudgementAnswers:
        """Yes or no to each question, observed and preferred."""
        observed, preferred = draw_judgements(self._stream(ask), ask.call.key, len(ask.yes_no))
        return JudgementAnswers(_yes_or_no(ask, observed), _yes_or_no(ask, preferred))

    def selections(self, ask: Ask, /) -> Mapping[str, Letter]:
        """A or B in each comparison."""
        (is_a,) = draw_sides(self._stream(ask), ask.call.key, len(ask.sides)).tolist()
        return {index: "A" if a else "B" for index, a in zip(ask.sides, is_a, strict=True)}

    def outcome(self, ask: Ask, /) -> OutcomeAnswer:
        """Every item, option and branch."""
        drawn = draw_outcome(self._stream(ask), ask.call.key, ask.call.asked.panas)
        chosen = drawn.looking_for[0].tolist()
        return OutcomeAnswer(
            panas=PanasAnswer(dict(zip(EMOTION_WORDS, drawn.items[0].tolist(), strict=True))),
            looking_for=tuple(o for o, wanted in zip(LOOKING_FOR_OPTIONS, chosen, strict=True) if wanted),
            emotion_clarity=CLARITY_OPTIONS[drawn.clarity[0]],
            model_fit=FIT_OPTIONS[drawn.fit[0]],
            what_felt_off=(),
            branches=dict(zip(BRANCHES, drawn.branches[0].tolist(), strict=True)),
        )

    def _stream(self, ask: Ask) -> Stream:
        return Stream(ask.conversation.conversation_id, self._draws)


def _yes_or_no(ask: Ask, yes: Truths) -> dict[str, YesNo]:
    return {question: "yes" if said else "no" for question, said in zip(ask.yes_no, yes[0].tolist(), strict=True)}
