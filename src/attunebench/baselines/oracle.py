"""The oracle: the participant's own answers. Its scores are the ceiling on a data set.

Its reference composite is not 100: a PANAS report without change counts 0.5 there, and a comparison that the
participant left undecided is never right (see the rules of scoring, Floors and ceiling).
"""

from collections.abc import Mapping
from typing import ClassVar

from attunebench.baselines.parts import Ask, PartsBaseline
from attunebench.baselines.truth import (
    Aspect,
    judgements_by_id,
    letter_of,
    panas_answer,
    possible_change,
    reported,
    wide_questions,
)
from attunebench.dataset.schema import Comparison, Conversation, Letter, Panas, YesNo
from attunebench.protocol.answers import JudgementAnswers, OutcomeAnswer, PanasAnswer, Tag
from attunebench.protocol.assemble import UNKNOWN_TOTAL


class OracleBaseline(PartsBaseline):
    """Answers what is asked as the participant did; what the participant did not answer is left out.

    Ground truth is that of the reference scores: observedBehavior, else llmValue; preferredBehavior, else
    observedBehavior; na is given as na. Where a participant's PANAS total disagrees with its ten items, reading takes
    the items' sum, as it does for any model.
    """

    name: ClassVar[str] = "oracle"

    def draft(self, ask: Ask, /) -> str:
        """The human-edited reply, else the LLM-improved, else the original; an empty one does not count."""
        turn = ask.turn
        return turn.reply("human") or turn.reply("alternate") or turn.llm_response

    def emotions(self, ask: Ask, /) -> tuple[Tag, ...]:
        """The words with their intensities, repeats kept."""
        return tuple(Tag(tag.emotion, tag.intensity) for tag in ask.turn.mood_shift_tags or ())

    def judgements(self, ask: Ask, /) -> JudgementAnswers:
        """The ground truth of each question that has one."""
        judgements = judgements_by_id(ask.turn)

        def answers(aspect: Aspect) -> dict[str, YesNo]:
            found = {id_: reported(judgements[id_], aspect) for id_ in ask.yes_no if id_ in judgements}
            return {id_: answer for id_, answer in found.items() if answer is not None}

        return JudgementAnswers(observed=answers("observed"), preferred=answers("preferred"))

    def selections(self, ask: Ask, /) -> Mapping[str, Letter]:
        """The letter under which the winner stands in the call; undecided comparisons are left out."""
        comparisons = {str(index): comparison for index, comparison in enumerate(ask.turn.comparisons)}
        letters = {
            index: _winning_letter(comparisons[index], sides)
            for index, sides in ask.sides.items()
            if index in comparisons
        }
        return {index: letter for index, letter in letters.items() if letter is not None}

    def outcome(self, ask: Ask, /) -> OutcomeAnswer:
        """The report after the conversation; in delta strategies as the change that leads there."""
        wide = wide_questions(ask.conversation)
        absolute = ask.call.asked.panas == "absolute"
        return OutcomeAnswer(
            panas=panas_answer(ask.conversation.post_panas) if absolute else _change(ask.conversation),
            looking_for=None if wide.looking_for is None else tuple(wide.looking_for),
            emotion_clarity=wide.emotion_clarity,
            model_fit=wide.model_fit,
            what_felt_off=None if wide.what_felt_off is None else tuple(wide.what_felt_off),
            branches=wide.four_branch_scores or {},
        )


def _winning_letter(comparison: Comparison, sides: Mapping[Letter, str | None]) -> Letter | None:
    """Return the winner's letter in the call, whose order may differ from the data's.

    Labels that do not tell the sides apart (absent, or the same twice) leave the letter as it is in the data.
    """
    if comparison.winner is None:
        return None
    return letter_of(comparison.winning_label, sides) or comparison.winner


def _change(conversation: Conversation) -> PanasAnswer:
    """Return after - before: per item known on both sides, and per total, from 40 where the total before is unknown."""
    before, after = conversation.pre_panas or Panas(), panas_answer(conversation.post_panas)
    items = {word: rating - before.items[word] for word, rating in after.items.items() if word in before.items}
    positive = _moved(before.positive_affect, after.positive)
    return PanasAnswer(items, positive, _moved(before.negative_affect, after.negative))


def _moved(before: int | None, after: float | None) -> float | None:
    return None if after is None else possible_change(after - (UNKNOWN_TOTAL if before is None else before))
