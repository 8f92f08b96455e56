"""Conversation and record side by side, turn by turn, with what both profiles measure in the same way."""

from collections.abc import Sequence

from attunebench.dataset.lean import AnyConversation, AnyTurn
from attunebench.protocol.lean_records import AnyRecord, AnyReply, LeanReply
from attunebench.score import behaviour
from attunebench.score.behaviour import NO_ANSWERS, count_answers
from attunebench.score.draft import existing_replies, preference_alignment
from attunebench.score.emotion import emotion_scores, read_tags
from attunebench.score.preference import letters, pairwise_scores, shown, winners
from attunebench.score.text import jaccard, words

NO_REPLY = LeanReply(turn_number=0)


class TurnTruth:
    """One turn as its participant told it, made ready for scoring; read-only, and shared by all records."""

    __slots__ = ("bags", "felt_asked", "judged", "number", "own_told", "shown", "tags", "told", "wins")

    def __init__(self, turn: AnyTurn) -> None:
        self.number = turn.turn_number
        self.felt_asked = turn.mood_shift_tags is not None
        self.tags = read_tags(turn.mood_shift_tags)
        judgements = behaviour.latest(turn.judgements)
        self.judged = bool(judgements)
        """Whether there is any yes/no question."""
        own, with_fallback = behaviour.read_told(judgements)
        self.own_told = 2 * own
        """The participant's own yes/no answers, against which each of `TurnPair.answers` is held."""
        self.told = self.own_told if with_fallback is own else 2 * with_fallback
        """The same with fall-back."""
        self.shown = shown(turn.comparisons)
        self.wins = winners(self.shown)
        """Wins of each label that occurs in the turn's comparisons, over the decided ones."""
        self.bags = {label: words(text) for label, text in existing_replies(turn).items()}
        """The words of each reply."""

    @property
    def winners_differ(self) -> bool:
        """Whether the decided comparisons tell any two of their labels apart."""
        return len(set(winners([comparison for comparison in self.shown if comparison.winner]).values())) > 1


class TurnPair:
    """One turn as its participant and the model told it; read-only. `answered` is false if the record lacks it.

    `answers` are the four given to the yes/no questions: observed and preferred from the review, observed and preferred
    from the perspective call. `behaviours` counts them against the participant's answers with fall-back, a missing one
    as a "no" (reference); `own_behaviours` against the participant's own, a missing one as wrong (strict).
    """

    __slots__ = (
        "aligned",
        "answered",
        "answers",
        "behaviours",
        "emotions",
        "near",
        "own_behaviours",
        "pairwise",
        "reply",
        "similarity",
        "truth",
    )

    def __init__(self, truth: TurnTruth, reply: AnyReply | None) -> None:
        self.truth = truth
        self.answered = reply is not None
        self.reply = reply = reply or NO_REPLY
        self.emotions = emotion_scores(truth.tags, read_tags(reply.em_emotion_tags))
        self.pairwise = pairwise_scores(truth.shown, letters(truth.shown, reply.em_pairwise_selections or {}))
        drafted = words(reply.em_drafted_response)
        self.near = {label: jaccard(drafted, bag) for label, bag in truth.bags.items()}
        """How near the draft is to each reply; see `draft.similarities`."""
        self.similarity = max(self.near.values(), default=0.0)
        self.aligned = preference_alignment(self.near, truth.wins)
        self.answers = (
            reply.em_binary_om_assessment,
            reply.em_binary_human_prediction,
            reply.em_binary_om_assessment_hp,
            reply.em_binary_human_prediction_hp,
        )
        counted = [
            count_answers(told, given or NO_ANSWERS) for told, given in zip(truth.told, self.answers, strict=True)
        ]
        self.behaviours = [missing_is_no for missing_is_no, _ in counted]
        if truth.own_told is not truth.told:
            own = zip(truth.own_told, self.answers, strict=True)
            counted = [count_answers(told, given or NO_ANSWERS) for told, given in own]
        self.own_behaviours = [missing_is_wrong for _, missing_is_wrong in counted]


def read_turns(conversation: AnyConversation) -> list[TurnTruth]:
    """Return what the participant told of every turn, in order."""
    return [TurnTruth(turn) for turn in conversation.ordered_turns]


def pair_turns(
    conversation: AnyConversation, record: AnyRecord, *, turns: Sequence[TurnTruth] | None = None
) -> list[TurnPair]:
    """Pair every turn of the conversation, in order, with what the record says of it.

    `turns` are those of the conversation, if they are at hand already.
    """
    replies = {reply.turn_number: reply for reply in record.turns}
    truths = read_turns(conversation) if turns is None else turns
    return [TurnPair(truth, replies.get(truth.number)) for truth in truths]
