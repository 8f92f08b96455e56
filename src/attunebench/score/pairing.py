"""Conversation and record side by side, turn by turn, with what both profiles measure in the same way."""

from attunebench.dataset.schema import Conversation, Turn
from attunebench.protocol.records import RunRecord, TurnRecord
from attunebench.score.behaviour import latest
from attunebench.score.draft import existing_replies, similarities
from attunebench.score.emotion import emotion_scores, read_tags
from attunebench.score.preference import letters, wins


class TurnPair:
    """One turn as its participant and the model told it; read-only. `answered` is false if the record lacks it."""

    __slots__ = (
        "answered",
        "comparisons",
        "emotions",
        "judgements",
        "letters",
        "near",
        "number",
        "reply",
        "tags",
        "turn",
        "wins",
    )

    def __init__(self, turn: Turn, reply: TurnRecord | None) -> None:
        self.turn = turn
        self.number = turn.turn_number
        self.answered = reply is not None
        self.reply = reply = reply or TurnRecord(turn_number=self.number)
        self.tags = read_tags(turn.mood_shift_tags)
        self.emotions = emotion_scores(self.tags, read_tags(reply.em_emotion_tags))
        self.judgements = latest(turn.judgements)
        self.comparisons = turn.comparisons
        self.letters = letters(self.comparisons, reply.em_pairwise_selections or {})
        self.wins = wins(self.comparisons, [comparison.winner for comparison in self.comparisons])
        """Wins of each label that occurs in the turn's comparisons, over the decided ones."""
        self.near = similarities(reply.em_drafted_response, existing_replies(turn))


def pair_turns(conversation: Conversation, record: RunRecord) -> list[TurnPair]:
    """Pair every turn of the conversation, in order, with what the record says of it."""
    replies = {reply.turn_number: reply for reply in record.turns}
    return [TurnPair(turn, replies.get(turn.turn_number)) for turn in conversation.ordered_turns]
