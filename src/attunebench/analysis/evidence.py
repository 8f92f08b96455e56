"""What participants and models answered, one row an answer, paired as the strict profile pairs them.

Only a participant's own answers count. What a failed call would have said is null, like every answer that is missing.
Letters mean what they mean in the data set: records are read that way (`score.matching.aligned`). No participant's id
and no participant's words are in any frame.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
import polars as pl

from attunebench.analysis.cube import Cube, RowKey
from attunebench.analysis.feelings import EMOTION_SCHEMA, TURN_SCHEMA, Feelings, pair_words, read_feelings
from attunebench.analysis.yes_no import VALUES, YES_NO_VALUES, AskedQuestions, Paired, yes_no_answers
from attunebench.dataset.schema import Comparison, Conversation, Turn
from attunebench.instrument import BRANCHES, CUSTOM_PREFIX, EMOTION_WORDS
from attunebench.protocol.answers import RATINGS
from attunebench.protocol.families import kinship
from attunebench.protocol.records import PostRecord, RunRecord
from attunebench.score import panas
from attunebench.score.calls import Calls
from attunebench.score.pairing import NO_REPLY, read_turns
from attunebench.score.swap import both_orders

TOTALS: Final = ("positive affect", "negative affect")
"""PANAS totals (10 to 70), which stand beside the items (1 to 7)."""

LETTERS: Final = pl.Enum(["A", "B"])


class Evidence:
    """Answers of records and of their participants, as frames that are made when they are first asked for.

    Every frame has `record`, `row` and `conversation`: the places of its record in `records`, and of that record's row
    and conversation in the cube. Records of rows or conversations that the cube lacks are left out.
    """

    def __init__(self, cube: Cube, conversations: Mapping[str, Conversation], records: Sequence[RunRecord]) -> None:
        rows = {row: place for place, row in enumerate(cube.rows)}
        places = {name: place for place, name in enumerate(cube.conversations)}
        self.records = [r for r in records if _row(r) in rows and r.conversation_id in places]
        self._row = np.array([rows[_row(record)] for record in self.records], dtype=np.int64)
        self._conversation = np.array([places[record.conversation_id] for record in self.records], dtype=np.int64)
        self._conversations = conversations
        self._truths = {name: read_turns(conversations[name]) for name in cube.conversations}

    @cached_property
    def turns(self) -> pl.DataFrame:
        """Turns whose emotions were asked: `turn` (its number), `position` among all turns (from 1) of `length`.

        `answered`: whether the model's reply could be read. `felt`, `named`: how many different emotions the
        participant and the model gave. `valence`, `arousal`, `predicted_valence`, `predicted_arousal`: their means, 0
        to 1, weighted by intensity (`feelings.Feelings.mean`); null where there is no emotion.
        """
        return self._frame(TURN_SCHEMA, (row for row, _ in self._felt()))

    @cached_property
    def emotions(self) -> pl.DataFrame:
        """Emotions of answered turns, paired: `word` felt, `predicted` word, null where one side has no more.

        `intensity`, `predicted_intensity`: 1 to 7, or null. For the pairing see `feelings.pair_words`.
        """
        return self._frame(EMOTION_SCHEMA, (pair for _, pairs in self._felt() for pair in pairs))

    def _felt(self) -> Iterator[tuple[tuple[Any, ...], list[tuple[Any, ...]]]]:
        """Yield a row of `turns` and its rows of `emotions`."""
        for number, record, truths, replies in self._paired():
            calls = Calls(record)
            for position, truth in enumerate(truths, start=1):
                if not truth.felt_asked:
                    continue
                given = replies.get(truth.number, NO_REPLY).em_emotion_tags
                answered = given is not None and not calls.failed(truth.number, "review", given)
                felt, named = Feelings(truth.tags), read_feelings(given if answered else None)
                head = (number, truth.number)
                row = (*head, position, len(truths), answered, len(felt), len(named), *felt.mean, *named.mean)
                pairs = pair_words(felt.words, named.words) if answered else ()
                yield row, [(*head, *pair, felt.get(pair[0]), named.get(pair[1])) for pair in pairs]

    @cached_property
    def answers(self) -> pl.DataFrame:
        """Yes/no questions that the participant answered with yes or no, once for each of `yes_no.CALLS` and `KINDS`.

        `question`; `truth`: whether the participant said yes; `answer`: what the model said, or null.
        """
        truths = (truth for truths in self._truths.values() for truth in truths)
        return self._placed(yes_no_answers(self._paired(), AskedQuestions(truths)))

    @cached_property
    def comparisons(self) -> pl.DataFrame:
        """Comparisons: `turn`, `question` (one of the participant's own is "custom"), and both replies.

        `label_a`, `label_b`; `words_a`, `words_b`: how many words each reply has, null where it does not exist;
        `winner`: the participant's letter, null where undecided; `chosen`: the model's, null where missing.
        """
        schema = {
            "question": pl.String(),
            "label_a": pl.String(),
            "label_b": pl.String(),
            "words_a": pl.Int64(),
            "words_b": pl.Int64(),
            "winner": LETTERS,
            "chosen": LETTERS,
        }
        shown = {
            name: [(turn, [_shown(turn, c) for c in turn.comparisons]) for turn in one.ordered_turns]
            for name, one in self._conversations.items()
        }

        def rows() -> Iterator[tuple[Any, ...]]:
            for number, record, _, replies in self._paired():
                calls = Calls(record)
                for turn, comparisons in shown[record.conversation_id]:
                    given = replies.get(turn.turn_number, NO_REPLY).em_pairwise_selections
                    failed = calls.failed(turn.turn_number, "pairwise", given)
                    letters = {} if failed or given is None else given
                    for index, comparison in enumerate(comparisons):
                        yield number, turn.turn_number, *comparison, letters.get(str(index))

        return self._frame({"turn": pl.Int64()} | schema, rows())

    @cached_property
    def orders(self) -> pl.DataFrame:
        """Comparisons answered in both orders: `turn`, and whether another reply was chosen in the other (`flipped`).

        See `score.swap.both_orders`.
        """

        def rows() -> Iterator[tuple[int, int, bool]]:
            for number, record, _, replies in self._paired():
                calls = Calls(record)
                for turn in self._conversations[record.conversation_id].turns:
                    reply = replies.get(turn.turn_number, NO_REPLY)
                    if calls.failed(turn.turn_number, "pairwise", reply.em_pairwise_selections):
                        continue
                    counts = both_orders(turn.comparisons, reply)
                    for place in range(counts.answered):
                        yield number, turn.turn_number, place < counts.flipped

        return self._frame({"turn": pl.Int64(), "flipped": pl.Boolean()}, rows())

    @cached_property
    def panas(self) -> pl.DataFrame:
        """PANAS items (1 to 7) and `TOTALS` (10 to 70) that the participant reported after the conversation.

        `item`; `before`, `after`: reported; `predicted`: of after. Null where missing.
        """
        schema = {"before": pl.Float64(), "after": pl.Float64(), "predicted": pl.Float64()}

        def rows() -> Iterator[tuple[Any, ...]]:
            for number, record, post in self._outcomes():
                one = self._conversations[record.conversation_id]
                failed = Calls(record).failed(None, "outcome", post.predicted_post_panas)
                predicted = None if failed else post.predicted_post_panas
                before, after = _reported(one.pre_panas), _reported(one.post_panas)
                guesses = dict(panas.predicted_items(predicted))
                guesses |= _known(panas.predicted_totals(predicted, items_needed=10))
                for item, value in after.items():
                    yield number, item, before.get(item), value, guesses.get(item)

        return self._frame({"item": pl.Enum([*EMOTION_WORDS, *TOTALS])} | schema, rows())

    @cached_property
    def branches(self) -> pl.DataFrame:
        """The four branches that the participant rated: `branch`, `reported` and `predicted`, 1 to 7 or null."""

        def rows() -> Iterator[tuple[Any, ...]]:
            for number, record, post in self._outcomes():
                asked = self._conversations[record.conversation_id].conversation_wide_questions
                given = post.predicted_conversation_wide
                failed = Calls(record).failed(None, "outcome", given)
                guesses = {} if failed or given is None else given.four_branch_scores or {}
                for branch, rating in ((asked and asked.four_branch_scores) or {}).items():
                    yield number, branch, rating, guesses.get(branch)

        schema = {"branch": pl.Enum(BRANCHES), "reported": pl.Float64(), "predicted": pl.Float64()}
        return self._frame(schema, rows())

    @cached_property
    def ratings(self) -> pl.DataFrame:
        """What single judges rated: `turn`, `judge`, `rating` (its name), `value` (1 to 7).

        `kin`: itself or family, where the judge is akin to the model whose draft it is (`protocol.families`).
        """

        def rows() -> Iterator[tuple[Any, ...]]:
            for number, turn, judge, kin, said in self._judged("em_draft_judge_scores_by_model"):
                for name in RATINGS:
                    if isinstance(value := said.get(name), (int, float)) and 1 <= value <= 7:
                        yield number, turn, judge, kin, name, float(value)

        return self._frame(_JUDGED | {"rating": pl.Enum(RATINGS), "value": pl.Float64()}, rows())

    @cached_property
    def findings(self) -> pl.DataFrame:
        """What single judges answered to yes/no questions on drafts: `turn`, `judge`, `kin`, `question`, `answer`."""

        def rows() -> Iterator[tuple[Any, ...]]:
            for number, turn, judge, kin, said in self._judged("em_draft_binary_assessment_by_model"):
                for question, answer in said.items():
                    if answer in VALUES:
                        yield number, turn, judge, kin, question, answer

        return self._frame(_JUDGED | {"question": pl.String(), "answer": YES_NO_VALUES}, rows())

    def _paired(self) -> Iterator[Paired]:
        for number, record in enumerate(self.records):
            replies = {reply.turn_number: reply for reply in record.turns}
            yield number, record, self._truths[record.conversation_id], replies

    def _outcomes(self) -> Iterator[tuple[int, RunRecord, PostRecord]]:
        for number, record in enumerate(self.records):
            yield number, record, record.post_conversation or PostRecord()

    def _judged(self, field: str) -> Iterator[tuple[int, int, str, str | None, Mapping[str, Any]]]:
        for number, record in enumerate(self.records):
            for turn in record.turns:
                for judge, said in (getattr(turn, field) or {}).items():
                    if isinstance(said, Mapping):
                        yield number, turn.turn_number, judge, kinship(judge, record.em_model), said

    def _frame(self, schema: Mapping[str, Any], rows: Iterable[tuple[Any, ...]]) -> pl.DataFrame:
        return self._placed(pl.DataFrame([*rows], schema={"record": pl.Int64()} | dict(schema), orient="row"))

    def _placed(self, frame: pl.DataFrame) -> pl.DataFrame:
        places = frame["record"].to_numpy()
        return frame.with_columns(
            pl.Series("row", self._row[places]), pl.Series("conversation", self._conversation[places])
        )


_JUDGED: Final = {"turn": pl.Int64(), "judge": pl.String(), "kin": pl.String()}


def _row(record: RunRecord) -> RowKey:
    return RowKey(record.em_model, record.mode, record.strategy, record.condition or "")


def _shown(turn: Turn, comparison: Comparison) -> tuple[Any, ...]:
    a, b = comparison.response_a, comparison.response_b
    question = "custom" if comparison.question_id.startswith(CUSTOM_PREFIX) else comparison.question_id
    return question, a, b, _count_words(turn.reply(a)), _count_words(turn.reply(b)), comparison.winner


def _count_words(text: str | None) -> int | None:
    return len(text.split()) if text else None


def _reported(report: Any) -> dict[str, float]:
    return dict(panas.reported_items(report)) | _known(panas.reported_totals(report))


def _known(totals: panas.Totals) -> dict[str, float]:
    return {name: value for name, value in zip(TOTALS, totals, strict=True) if value is not None}
