"""What is drawn and scored turn by turn, in both profiles; metrics are of shape (turns, draws)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from attunebench.baselines.drafts import DraftPool
from attunebench.baselines.draws import Stream, Truths, draw_emotions, draw_judgements, draw_sides
from attunebench.baselines.truth import participant_key
from attunebench.dataset.lean import AnyJudgement
from attunebench.dataset.schema import Conversation
from attunebench.protocol.calls import CallKey, turn_questions
from attunebench.score import behaviour, draft, preference
from attunebench.score.arrays.behaviour import Confusions
from attunebench.score.arrays.means import Numbers
from attunebench.score.draws.behaviour import Truth
from attunebench.score.draws.draft import Bags
from attunebench.score.draws.emotion import emotion_draws
from attunebench.score.draws.preference import kendall_tau, kendall_tau_b, share_right
from attunebench.score.emotion import Tag, read_tags

ByTurn = dict[str, Numbers]
Reported = Callable[[Mapping[str, AnyJudgement]], Mapping[str, bool]]


@dataclass(frozen=True)
class TurnDraws:
    """Numbers for all turns of a conversation, in order, with what the participant said of them."""

    conversation: Conversation
    stream: Stream

    @property
    def shape(self) -> tuple[int, int]:
        """Turns, draws."""
        return len(self.conversation.turns), len(self.stream.draws)

    @cached_property
    def tags(self) -> list[list[Tag]]:
        """Reported emotions by turn."""
        return [read_tags(turn.mood_shift_tags) for turn in self.conversation.ordered_turns]

    @property
    def tagged(self) -> list[bool]:
        """Whether anything was felt, by turn."""
        return [bool(tags) for tags in self.tags]

    @property
    def felt_asked(self) -> list[bool]:
        """Whether emotions were asked, by turn."""
        return [turn.mood_shift_tags is not None for turn in self.conversation.ordered_turns]

    def emotions(self) -> ByTurn:
        """Return the emotion metrics; both profiles measure them in the same way."""
        keys = [CallKey(turn.turn_number, "review") for turn in self.conversation.ordered_turns]
        return emotion_draws(self.tags, draw_emotions(self.stream, keys))

    def judgements(self) -> "Judgements":
        """Draw the answers to the yes/no questions of the review and of the perspective calls."""
        turns = self.conversation.ordered_turns
        questions = [turn_questions(turn).asked for turn in turns]
        drawn: list[list[Truths]] = []
        for kind in ("review", "perspective"):
            pairs = [
                draw_judgements(self.stream, CallKey(turn.turn_number, kind), len(ids))
                for turn, ids in zip(turns, questions, strict=True)
            ]
            drawn += [[observed for observed, _ in pairs], [preferred for _, preferred in pairs]]
        said = [self._in_a_row(answers) for answers in drawn]
        return Judgements(questions, [behaviour.latest(turn.judgements) for turn in turns], said)

    def comparisons(self) -> tuple[ByTurn, ByTurn]:
        """Return the pairwise metrics of both profiles, NaN where not measured."""
        turns = self.conversation.ordered_turns
        by_turn = [turn.comparisons for turn in turns]
        drawn = [
            draw_sides(self.stream, CallKey(turn.turn_number, "pairwise"), len(compared))
            for turn, compared in zip(turns, by_turn, strict=True)
            if compared
        ]
        is_a = self._in_a_row(drawn)
        decided = [[c for c in compared if c.winner] for compared in by_turn]
        said = is_a[:, [bool(c.winner) for compared in by_turn for c in compared]]
        return (
            {"pairwise_accuracy": share_right(by_turn, is_a), "pairwise_kendall_tau": kendall_tau(by_turn, is_a)},
            {"pairwise_accuracy": share_right(decided, said), "pairwise_kendall_tau": kendall_tau_b(decided, said)},
        )

    def _in_a_row(self, parts: Sequence[Truths]) -> Truths:
        """Return the drawn answers of all turns side by side, none being possible."""
        none = np.zeros((self.shape[1], 0), dtype=bool)
        return np.concatenate([none, *parts], axis=1)

    def drafts(self, pool: DraftPool, bags: Bags) -> tuple[ByTurn, ByTurn]:
        """Return the draft metrics of both profiles; `bags` are the pool's texts."""
        owner = participant_key(self.conversation)
        names = ("response_similarity", *draft.REPLIES.values(), "response_preference_alignment")
        strict = {name: np.full(self.shape, np.nan) for name in names}
        for at, turn in enumerate(self.conversation.ordered_turns):
            places = pool.draw(owner, self.stream, CallKey(turn.turn_number, "draft"))
            near = {label: bags.jaccard(text)[places] for label, text in draft.existing_replies(turn).items()}
            wins = preference.winners(turn.comparisons)
            scores = {name: near[label] for label, name in draft.REPLIES.items() if label in near}
            scores["response_similarity"] = np.max(list(near.values()), axis=0) if near else np.zeros(len(places))
            aligned = _alignment(near, wins, len(places))
            if aligned is not None:
                scores["response_preference_alignment"] = aligned
            for name, values in scores.items():
                strict[name][at] = values
        nearest, aligned = strict["response_similarity"], strict["response_preference_alignment"]
        reference = {name: np.where(np.isnan(values), 0.0, values) for name, values in strict.items()}
        reference["response_preference_alignment"] = np.where(np.isnan(aligned), nearest, aligned)
        return reference, strict


def _alignment(near: Mapping[str, Numbers], wins: Mapping[str, int], draws: int) -> Numbers | None:
    """Return the similarities weighted by wins; none if no comparison was decided."""
    if not any(wins.values()):
        return None
    weights = {label: wins.get(label, 0) for label in near}
    total = sum(weights.values())
    if not total:
        return np.zeros(draws)
    aligned: Numbers = np.sum([weights[label] * value for label, value in near.items()], axis=0) / total
    return aligned


@dataclass(frozen=True)
class Judgements:
    """Yes/no questions asked in each turn, what was reported of them, and four drawn answers to each.

    `said`: observed and preferred in the review, observed and preferred in the perspective call; each of shape (draws,
    questions of all turns).
    """

    questions: Sequence[Sequence[str]]
    reported: Sequence[Mapping[str, AnyJudgement]]
    said: Sequence[Truths]

    def confusions(self, observed: Reported, preferred: Reported, *, missing_is_no: bool) -> Confusions:
        """Count the four, shape (4, turns, draws); `observed` and `preferred` say what counts as reported."""
        truths = [
            Truth(self.questions, [of(judgements) for judgements in self.reported], missing_is_no=missing_is_no)
            for of in (observed, preferred)
        ]
        counts = [truth.count(said) for truth, said in zip((*truths, *truths), self.said, strict=True)]
        return Confusions(*(np.stack(each) for each in zip(*counts, strict=True)))
