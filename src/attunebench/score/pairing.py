"""Conversation and record side by side, turn by turn, with what both profiles measure in the same way."""

from collections.abc import Sequence

from attunebench.dataset.schema import Conversation, Turn
from attunebench.protocol.records import RunRecord, TurnRecord
from attunebench.score import behaviour
from attunebench.score.behaviour import Answers, Confusion, Truth
from attunebench.score.draft import existing_replies
from attunebench.score.emotion import emotion_scores, read_tags
from attunebench.score.preference import letters, share_right, wins
from attunebench.score.text import jaccard, words


class TurnTruth:
    """One turn as its participant told it, made ready for scoring; read-only, and shared by all records."""

    __slots__ = (
        "bags",
        "comparisons",
        "decided",
        "felt_asked",
        "judged",
        "number",
        "observed",
        "own_observed",
        "own_preferred",
        "preferred",
        "tags",
        "wins",
    )

    def __init__(self, turn: Turn) -> None:
        self.number = turn.turn_number
        self.felt_asked = turn.mood_shift_tags is not None
        self.tags = read_tags(turn.mood_shift_tags)
        judgements = behaviour.latest(turn.judgements)
        self.judged = bool(judgements)
        """Whether there is any yes/no question."""
        self.own_observed = behaviour.observed(judgements)
        self.own_preferred = behaviour.preferred(judgements)
        self.observed = _same_or(self.own_observed, behaviour.observed_with_fallback(judgements))
        self.preferred = _same_or(self.own_preferred, behaviour.preferred_with_fallback(judgements))
        self.comparisons = turn.comparisons
        self.decided = [comparison for comparison in self.comparisons if comparison.winner]
        self.wins = wins(self.comparisons, [comparison.winner for comparison in self.comparisons])
        """Wins of each label that occurs in the turn's comparisons, over the decided ones."""
        self.bags = {label: words(text) for label, text in existing_replies(turn).items()}
        """The words of each reply."""


def _same_or(own: Truth, wider: Truth) -> Truth:
    """Return `own` where `wider` is no different, so that what was counted for one serves the other."""
    return own if own == wider else wider


class TurnPair:
    """One turn as its participant and the model told it; read-only. `answered` is false if the record lacks it."""

    __slots__ = ("_counted", "answered", "emotions", "guessed_wins", "letters", "near", "reply", "share_right", "truth")

    def __init__(self, truth: TurnTruth, reply: TurnRecord | None) -> None:
        self.truth = truth
        self.answered = reply is not None
        self.reply = reply = reply or TurnRecord(turn_number=truth.number)
        self.emotions = emotion_scores(truth.tags, read_tags(reply.em_emotion_tags))
        self.letters = letters(truth.comparisons, reply.em_pairwise_selections or {})
        self.share_right = share_right(truth.comparisons, self.letters)
        self.guessed_wins = wins(truth.comparisons, self.letters)
        drafted = words(reply.em_drafted_response)
        self.near = {label: jaccard(drafted, bag) for label, bag in truth.bags.items()}
        """How near the draft is to each reply; see `draft.similarities`."""
        self._counted: dict[tuple[int, int], tuple[Confusion, Confusion]] = {}

    def confusions(self, truth: Truth, answers: Answers) -> tuple[Confusion, Confusion]:
        """Return `behaviour.confusions`, counted once for both profiles; both arguments are of this pair."""
        key = id(truth), id(answers)
        if (found := self._counted.get(key)) is None:
            found = self._counted[key] = behaviour.confusions(truth, answers)
        return found


def read_turns(conversation: Conversation) -> list[TurnTruth]:
    """Return what the participant told of every turn, in order."""
    return [TurnTruth(turn) for turn in conversation.ordered_turns]


def pair_turns(
    conversation: Conversation, record: RunRecord, *, turns: Sequence[TurnTruth] | None = None
) -> list[TurnPair]:
    """Pair every turn of the conversation, in order, with what the record says of it.

    `turns` are those of the conversation, if they are at hand already.
    """
    replies = {reply.turn_number: reply for reply in record.turns}
    truths = read_turns(conversation) if turns is None else turns
    return [TurnPair(truth, replies.get(truth.number)) for truth in truths]
