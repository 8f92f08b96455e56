"""The majority baseline: what most other participants answered, whatever the conversation says.

A participant's own conversations are left out of the counts that answer for them, so that no answer leaks. Source of
the rules: this project's scoring, Floors and ceiling.
"""

from collections.abc import Sequence
from typing import ClassVar

from attunebench.baselines.counts import Counts, Words, commonest, median, option_key, ranked
from attunebench.baselines.others import OthersAnswers
from attunebench.baselines.parts import NEUTRAL_DRAFT, Ask, PartsBaseline
from attunebench.baselines.truth import Aspect, panas_answer, participant_key, possible_change
from attunebench.dataset.schema import Letter, YesNo
from attunebench.instrument import (
    BRANCHES,
    CLARITY_OPTIONS,
    EMOTION_INDEX,
    EMOTION_WORDS,
    FIT_OPTIONS,
    LOOKING_FOR_OPTIONS,
)
from attunebench.protocol.answers import JudgementAnswers, OutcomeAnswer, PanasAnswer, Tag


class MajorityBaseline(PartsBaseline):
    """Answers what is asked with what the other participants answered most.

    - emotions: the commonest set of words over the turns whose emotions were asked (an empty set counts as one; ties:
      the smaller set, then instrument order), each word with the median of its intensities in turns with that very
      set, rounded as any intensity is (half to even);
    - yes/no: per question the commoner of yes and no, observed and preferred apart, ground truth as in the reference
      scores; a tie, or a question nobody else was asked, takes the commoner over all questions, and a tie there "no";
    - comparisons: the letter under which the label stands that wins more often against the other, in this question; if
      even, over all questions; if even again, A;
    - PANAS: after = before, that is the items and totals before, or no change at all in strategy delta; in blind_delta
      the mean change over the others' conversations, per item and per total;
    - q1: every option that more than half of those who answered q1 chose; q2, q3: the commonest option (ties: the
      first listed); follow-up: none, as free texts have no commonest; branches: the median of each;
    - draft: a fixed neutral sentence.

    Where nobody else answered, an answer that can be left out is left out, and the set of emotions is empty.
    Answering a conversation takes time in proportion to its participant's answers, whatever the data set's size.
    """

    name: ClassVar[str] = "majority"

    def __init__(self, others: OthersAnswers) -> None:
        self._others = others
        self._total = others.total
        self._sets = ranked(self._total.words, _set_order)

    def _own(self, ask: Ask) -> Counts:
        return self._others.own(participant_key(ask.conversation))

    def draft(self, _ask: Ask, /) -> str:
        """A fixed neutral sentence."""
        return NEUTRAL_DRAFT

    def emotions(self, ask: Ask, /) -> tuple[Tag, ...]:
        """The commonest set of words and its median intensities."""
        total, own = self._total, self._own(ask)
        words = commonest(self._sets, total.words, own.words, _set_order) or ()

        def intensity(word: str) -> int | None:
            keys = {felt: (words, word, felt) for felt in range(1, 8)}
            middle = median({felt: total.intensities[key] - own.intensities[key] for felt, key in keys.items()})
            return None if middle is None else round(middle)

        return tuple(Tag(word, intensity(word)) for word in words)

    def judgements(self, ask: Ask, /) -> JudgementAnswers:
        """The commoner of yes and no, per question."""
        total, own = self._total.judgements, self._own(ask).judgements

        def lead(aspect: Aspect, question: str | None) -> int:
            def left(answer: YesNo) -> int:
                return total[aspect, question, answer] - own[aspect, question, answer]

            return left("yes") - left("no")

        def answers(aspect: Aspect) -> dict[str, YesNo]:
            overall = lead(aspect, None)
            return {id_: "yes" if (lead(aspect, id_) or overall) > 0 else "no" for id_ in ask.yes_no}

        return JudgementAnswers(observed=answers("observed"), preferred=answers("preferred"))

    def selections(self, ask: Ask, /) -> dict[str, Letter]:
        """The letter of the label that wins more often."""
        total, own = self._total.wins, self._own(ask).wins
        questions = {str(index): c.question_id for index, c in enumerate(ask.turn.comparisons)}

        def lead(question: str | None, a: str, b: str) -> int:
            won, lost = (question, a, b), (question, b, a)
            return (total[won] - own[won]) - (total[lost] - own[lost])

        def letter(index: str) -> Letter:
            a, b = ask.sides[index].get("A") or "", ask.sides[index].get("B") or ""
            return "B" if (lead(questions.get(index), a, b) or lead(None, a, b)) < 0 else "A"

        return {index: letter(index) for index in ask.sides}

    def outcome(self, ask: Ask, /) -> OutcomeAnswer:
        """The commonest options, median branches, and affect as before."""
        total, own = self._total, self._own(ask)
        answered = total.looking_for[None] - own.looking_for[None]
        keys = {option: option_key(option) for option in LOOKING_FOR_OPTIONS}
        chosen = {option: total.looking_for[key] - own.looking_for[key] for option, key in keys.items()}
        return OutcomeAnswer(
            panas=self.panas(ask),
            looking_for=tuple(o for o, count in chosen.items() if 2 * count > answered) if answered else None,
            emotion_clarity=_commonest_option(CLARITY_OPTIONS, total.clarity, own.clarity),
            model_fit=_commonest_option(FIT_OPTIONS, total.fit, own.fit),
            what_felt_off=(),
            branches=_branch_medians(total, own),
        )

    def panas(self, ask: Ask, /) -> PanasAnswer:
        """Persistence; in blind_delta, where nothing before is known, the others' mean change."""
        match ask.call.asked.panas:
            case "absolute":
                return panas_answer(ask.conversation.pre_panas)
            case "delta":
                return PanasAnswer(dict.fromkeys(EMOTION_WORDS, 0))
            case "blind_delta":
                return _mean_change(self._total, self._own(ask))


def _set_order(words: Words) -> tuple[int, ...]:
    return len(words), *(EMOTION_INDEX[word.lower()] for word in words)


def _commonest_option(options: Sequence[str], total: dict[str, int], own: dict[str, int]) -> str | None:
    counts = {option: total.get(key := option_key(option), 0) - own.get(key, 0) for option in options}
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else None


def _branch_medians(total: Counts, own: Counts) -> dict[str, float]:
    histograms: dict[str, dict[float, int]] = {branch: {} for branch in BRANCHES}
    for (branch, value), count in total.branches.items():
        histograms[branch][value] = count - own.branches[branch, value]
    medians = {branch: median(histogram) for branch, histogram in histograms.items()}
    return {branch: value for branch, value in medians.items() if value is not None}


def _mean_change(total: Counts, own: Counts) -> PanasAnswer:
    counts = {name: total.changes[name] - own.changes[name] for name in total.changes}
    means = {n: (total.change_sums[n] - own.change_sums[n]) / count for n, count in counts.items() if count}
    items = {word: means[word] for word in EMOTION_WORDS if word in means}
    positive, negative = (possible_change(means[n]) if n in means else None for n in ("positive", "negative"))
    return PanasAnswer(items, positive, negative)
