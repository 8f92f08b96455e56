"""Yes/no answers of participants and models, one row an answer; there are many, so they are collected as arrays."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias, get_args

import numpy as np
import polars as pl

from attunebench.dataset.schema import YesNo
from attunebench.instrument import YES_NO_IDS
from attunebench.protocol.lean_records import AnyReply
from attunebench.protocol.records import RunRecord, TurnRecord
from attunebench.score.calls import Calls
from attunebench.score.pairing import NO_REPLY, TurnTruth
from attunebench.stats.sums import Ints

CALLS: Final = ("review", "perspective")
KINDS: Final = ("observed", "preferred")
"""What is asked of a yes/no question: what the reply did, and what was wanted."""

VALUES: Final = get_args(YesNo)
YES_NO_VALUES: Final = pl.Enum(VALUES)

Paired: TypeAlias = tuple[int, RunRecord, Sequence[TurnTruth], Mapping[int, TurnRecord]]
"""A record with its number, what the participant told of every turn, and what the record says, by turn number."""

_CALL_OF: Final = [call for call in CALLS for _ in KINDS]
"""In the order of `TurnTruth.own_told`, which is that of `_given`."""


class AskedQuestions:
    """The yes/no questions that each turn's participant answered, and all their `names`, the instrument's first.

    `of`: by a turn's identity and the place in `TurnTruth.own_told`, the ids and, shape (ids, 2), their places in
    `names` and whether the participant said yes. The turns must outlive it.
    """

    def __init__(self, truths: Iterable[TurnTruth]) -> None:
        codes = {name: code for code, name in enumerate(YES_NO_IDS)}
        self.of: dict[tuple[int, int], tuple[list[str], Ints]] = {}
        for truth in truths:
            for place, told in enumerate(truth.own_told):
                names = [*told.yes, *told.no]
                coded = [(codes.setdefault(name, len(codes)), at < len(told.yes)) for at, name in enumerate(names)]
                self.of[id(truth), place] = names, np.array(coded, dtype=np.int64).reshape(-1, 2)
        self.names = tuple(codes)


def yes_no_answers(paired: Iterable[Paired], asked: AskedQuestions) -> pl.DataFrame:
    """Return `record`, `turn`, `call`, `kind`, `question`, `truth`, `answer`; see `Evidence.answers`."""
    heads: list[tuple[int, int, int, int]] = []
    coded: list[Ints] = [np.zeros((0, 2), dtype=np.int64)]
    answers: list[YesNo | None] = []
    for number, record, truths, replies in paired:
        calls = Calls(record)
        for truth in truths:
            for place, given in enumerate(_given(replies.get(truth.number, NO_REPLY))):
                names, codes = asked.of[id(truth), place]
                if names:
                    heads.append((number, truth.number, place, len(names)))
                    coded.append(codes)
                    failed = calls.failed(truth.number, _CALL_OF[place], given)
                    answers += [None] * len(names) if failed or not given else map(given.get, names)
    spread = np.array(heads, dtype=np.int64).reshape(-1, 4)
    spread = np.repeat(spread, spread[:, 3], axis=0)
    questions = np.concatenate(coded)
    return pl.DataFrame(
        {
            "record": spread[:, 0],
            "turn": spread[:, 1],
            "call": _spelled(spread[:, 2] // len(KINDS), CALLS),
            "kind": _spelled(spread[:, 2] % len(KINDS), KINDS),
            "question": _spelled(questions[:, 0], asked.names),
            "truth": questions[:, 1].astype(np.bool_),
            "answer": pl.Series(answers, dtype=YES_NO_VALUES),
        }
    )


def _given(reply: AnyReply) -> tuple[Mapping[str, YesNo | None] | None, ...]:
    return (
        reply.em_binary_om_assessment,
        reply.em_binary_human_prediction,
        reply.em_binary_om_assessment_hp,
        reply.em_binary_human_prediction_hp,
    )


def _spelled(codes: Ints, names: Sequence[str]) -> pl.Series:
    return pl.Series(names, dtype=pl.Enum(names)).gather(codes)
