"""Small data sets and records, and records as files."""

import gzip
import json
from pathlib import Path
from typing import Any

from attunebench.dataset.load import DataSet
from attunebench.dataset.schema import Conversation
from attunebench.protocol.records import RunRecord
from score_examples import answered, comparison, judgement, panas, tags, turn


def one(name: str = "c1", turns: int = 2, **fields: Any) -> Conversation:
    """A conversation in which everything was asked; the second of two comparisons is undecided in turn 2."""
    asked = [
        turn(
            number,
            feelings=tags(("Upset", 3), ("Proud", 5)),
            binaryJudgements=[judgement("B1", "yes", "no"), judgement("B2", "no", "no")],
            alternateResponses={"llmImproved": "e f", "humanEdited": "g h"},
            pairwiseComparisons=[
                comparison("original", "human", "B"),
                comparison("alternate", "original", "A" if number == 1 else None),
            ],
        )
        for number in range(1, turns + 1)
    ]
    after = {
        "q1_lookingFor": ["Other"],
        "q2_emotionClarity": "Implied or indirect",
        "q3_modelFit": "Mostly well-matched",
        "fourBranchScores": dict.fromkeys(("perceiving", "facilitating", "understanding", "managing"), 7),
    }
    raw = {"prePanas": panas(25, 31), "postPanas": panas(30, 20), "conversationWideQuestions": after}
    return Conversation.model_validate({"conversationId": name, "turns": asked} | raw | fields)


def raw_record(name: str = "c1", model: str = "m", turns: int = 2, **fields: Any) -> dict[str, Any]:
    """A record, as JSON values, of a model that answered every call with nothing in it."""
    kinds = [(n, kind) for n in range(1, turns + 1) for kind in ("draft", "review", "perspective", "pairwise")]
    return {
        "conversationId": name,
        "em_model": model,
        "mode": "default",
        "turns": [answered(number) for number in range(1, turns + 1)],
        "post_conversation": {"panas_strategy": "absolute", "predicted_post_panas": panas(30, 22)},
        "calls": [{"turn": n, "call": kind, "state": "parsed"} for n, kind in [*kinds, (None, "outcome")]],
        "provenance": {"condition": "0123abcd"},
    } | fields


def record_of(*args: Any, **fields: Any) -> RunRecord:
    return RunRecord.model_validate(raw_record(*args, **fields))


def epoch(number: int) -> dict[str, Any]:
    """The field of a record that says in which epoch it was made."""
    return {"provenance": {"condition": "0123abcd", "epoch": number}}


def dataset(*conversations: Conversation) -> DataSet:
    return DataSet(conversations or (one(),))


def write_lines(file: Path, *values: Any) -> Path:
    text = "".join(json.dumps(value) + "\n" for value in values)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(text.encode()) if file.suffix == ".gz" else text.encode())
    return file
