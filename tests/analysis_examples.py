"""Inputs of an analysis: from small conversations and records, and from the demo data with all one can ask for."""

import io
import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from rich.console import Console

from attunebench.analysis.cube import RowKey
from attunebench.analysis.inputs import Inputs, Read, compact, narrow, read_inputs
from attunebench.analysis.tables import Part
from attunebench.baselines import BASELINES, make_baseline
from attunebench.dataset.demo import demo_folder
from attunebench.dataset.load import DataSet, load_dataset
from attunebench.dataset.schema import Conversation
from attunebench.display import LineDisplay
from attunebench.models.settings import Settings
from attunebench.protocol.records import RunRecord
from attunebench.protocol.render import conversation_calls
from attunebench.run.engine import run
from attunebench.run.plan import RunPlan
from attunebench.score.blocks import tidy_blocks
from attunebench.score.matching import aligned
from attunebench.score.profiles import score_with_calls
from attunebench.score.score_files import score_files
from attunebench.score.table import Totals
from attunebench.score.tidy import to_parquet
from judges import FORM, last_message, verdict
from score_examples import conversation, turn
from servers import Reply, completion, serving

GPT, QWEN = "openai-api/local/gpt-9", "openai-api/local/qwen-9"
PANEL = (GPT, QWEN)
ANSWERS_LIKE = {"gpt-9": "oracle", "qwen-9": "random"}
"""The baseline that each judge answers like when it is evaluated itself."""


def inputs_of(conversations: Sequence[Conversation], records: Sequence[RunRecord] | str) -> Inputs:
    """Return the inputs of an analysis of records of these conversations."""
    by_id = {one.conversation_id: one for one in conversations}
    given = () if isinstance(records, str) else [aligned(r, by_id[r.conversation_id]) for r in records]
    scored = [score_with_calls(by_id[record.conversation_id], record) for record in given]
    dataset = DataSet(tuple(conversations), {})
    table = to_parquet(tidy_blocks(scored).to_table())
    read = Read(compact(pl.read_parquet(io.BytesIO(table)).lazy()), None, dataset, given or records, Totals([], []), ())
    return narrow(read, [*by_id], None, seed=1)


TIDY = dict.fromkeys(("level", *RowKey._fields, "conversation"), pl.String) | {
    "turn": pl.Int64,
    "profile": pl.String,
    "metric": pl.String,
    "value": pl.Float64,
    "n": pl.Int64,
    "n_failed": pl.Int64,
}


def rows_of(*models: str, mode: str = "default", condition: str = "c") -> list[RowKey]:
    """Return a row a model under one condition."""
    return [RowKey(model, mode, "absolute", condition) for model in models]


def inputs_of_scores(
    values: Mapping[str, Any],
    *,
    rows: Sequence[RowKey] = (),
    participants: Sequence[str | None] = (),
    fields: Sequence[Mapping[str, Any]] = (),
    turns: Mapping[str, Any] | None = None,
    floors: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int = 1,
) -> Inputs:
    """Return the inputs of an analysis of scores that are made up here.

    Args:
        values: by `profile/metric`, scores of conversations, shape (rows, conversations); NaN where not defined.
        rows: by default one a model, m1, m2, …
        participants: of each conversation; by default one each.
        fields: of each conversation, beside its id and participant.
        turns: by `profile/metric`, scores of turns: a list a row of lists a conversation; NaN where not defined.
        floors: by baseline, of each `profile/metric` its scores, shape (conversations,).
        seed: of the analysis.
    """
    models, count = np.shape(next(iter(values.values())))
    rows = rows or rows_of(*(f"m{number}" for number in range(1, models + 1)))
    names = [f"c{number:03}" for number in range(count)]
    people = participants or [f"p{number:03}" for number in range(count)]
    lines: list[tuple[Any, ...]] = []
    for key, scores in values.items():
        for row, place in product(range(models), range(count)):
            found = float(np.asarray(scores)[row][place])
            lines.append(("conversation", *rows[row], names[place], None, *key.split("/"), found, 1, 0))
    for key, of_turns in (turns or {}).items():
        for row, place in product(range(models), range(count)):
            for number, found in enumerate(of_turns[row][place], start=1):
                lines.append(("turn", *rows[row], names[place], number, *key.split("/"), float(found), 1, 0))
    tidy = pl.DataFrame(lines, schema=TIDY, orient="row").with_columns(
        pl.col("value").fill_nan(None), epoch=pl.lit(None), lower=pl.lit(None), upper=pl.lit(None)
    )
    lengths = [
        max((len(row[place]) for of_turns in (turns or {}).values() for row in of_turns), default=1)
        for place in range(count)
    ]
    talks = [
        conversation(
            *map(turn, range(1, length + 1)),
            conversationId=name,
            **{"participant_profile": _profile(person, more), **_other(more)},
        )
        for name, person, more, length in zip(names, people, fields or [{}] * count, lengths, strict=True)
    ]
    read = Read(
        compact(tidy.lazy()), _floor_table(floors, names), DataSet(tuple(talks), {}), "none here", Totals([], []), ()
    )
    return narrow(read, names, None, seed=seed)


def _profile(person: str | None, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"participant_id": person, **fields.get("participant_profile", {})}


def _other(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name != "participant_profile"}


def _floor_table(floors: Mapping[str, Mapping[str, Any]] | None, names: Sequence[str]) -> pl.DataFrame | None:
    if floors is None:
        return None
    tables = [
        pl.DataFrame({"panas_strategy": "absolute", "floor": floor, "conversation": names, **scores})
        for floor, scores in floors.items()
    ]
    return pl.concat(tables)


def inputs_from(folder: Path) -> Inputs:
    """Return the inputs of an analysis of all scores in a folder."""
    read = read_inputs(folder)
    return narrow(read, [one.conversation_id for one in read.dataset.conversations], None, seed=1)


def table(part: Part, name: str) -> pl.DataFrame:
    """Return one of a part's tables."""
    (found,) = [one.frame for one in part.tables if one.name == name]
    return found


def cells(frame: pl.DataFrame, *keys: str, column: str = "value") -> dict[Any, float | None]:
    """Return a column by keys; a single key stands for itself."""
    rows = frame.select(*keys, column).rows()
    found = {row[0] if len(keys) == 1 else row[:-1]: row[-1] for row in rows}
    assert len(found) == len(rows)
    return found


def assert_tidy(part: Part, private: Sequence[str]) -> None:
    """Every number of a part says what it stands on, and nothing private is in any of its tables."""
    assert part.tables
    for one in part.tables:
        frame = one.frame
        assert not frame.is_empty(), one.name
        assert {"model", "mode", "panas_strategy", "condition", "n", "clusters", "profile"} <= {*frame.columns}
        assert (
            frame.select("model", "mode", "panas_strategy", "condition", "n", "clusters").null_count().row(0)
            == (0,) * 6
        ), one.name
        assert not any(frame.select(pl.selectors.float().is_nan().any()).row(0)), one.name
        if "lower" in frame.columns:
            bounded = frame.filter(pl.col("lower").is_not_null())
            assert not bounded.is_empty(), one.name
            assert bounded.filter(pl.col("clusters") < 2).is_empty()
            assert bounded.filter(pl.col("lower") > pl.col("upper")).is_empty()
            assert set(bounded["method"]) <= {"bootstrap-t", "percentile"}
        assert one.method.endswith(".")
        text = frame.write_csv()
        assert not [word for word in private if word in text], one.name


def private_texts(inputs: Inputs) -> list[str]:
    """Return participants' ids, what they wrote, and the replies they saw."""
    found: list[str | None] = []
    for one in inputs.conversations.values():
        found.append(one.participant_id)
        for said in one.turns:
            found += [said.user_message, said.llm_response, said.reply("human"), said.reply("alternate")]
            found += [c.question_id.removeprefix("custom:") for c in said.comparisons if "custom:" in c.question_id]
    return [text for text in found if text]


def make_scores(folder: Path) -> Path:
    """Return a folder of scores of the demo data.

    In it are: the five baselines, in the default mode with their drafts judged by `PANEL`, and in the omniscient mode;
    and both judges as evaluated models, blind and in both orders, their drafts judged by the same panel.
    """
    with demo_folder() as data:
        dataset = load_dataset(data)
        plans = _plans(dataset, folder)
        with serving(_Models(dataset, plans[-1])) as server, pytest.MonkeyPatch.context() as patch:
            patch.setenv("LOCAL_BASE_URL", server.base_url)
            patch.setenv("LOCAL_API_KEY", "none")
            for plan in plans:
                run(plan, lambda calls: LineDisplay(Console(file=io.StringIO()), calls))
        score_files(data, [plan.out for plan in plans], folder / "scores")
    return folder / "scores"


def _plans(dataset: DataSet, folder: Path) -> list[RunPlan]:
    baselines = [f"baseline/{name}" for name in BASELINES]
    settings = Settings(max_retries=0, max_connections=20)
    return [
        RunPlan(dataset=dataset, models=baselines, judges=PANEL, out=folder / "judged", settings=settings),
        RunPlan(dataset=dataset, models=baselines, mode="omniscient", out=folder / "omniscient", settings=settings),
        RunPlan(
            dataset=dataset,
            models=PANEL,
            judges=PANEL,
            blind=True,
            swap=True,
            out=folder / "blind",
            settings=settings,
        ),
    ]


class _Models:
    """What the server says as either judge: of drafts, and as an evaluated model under the condition of a plan."""

    def __init__(self, dataset: DataSet, plan: RunPlan) -> None:
        self._baselines = {model: make_baseline(name, dataset.conversations) for model, name in ANSWERS_LIKE.items()}
        self._calls = {
            _identity([{"role": m.role, "content": m.content} for m in call.messages]): (one, call)
            for one in dataset.conversations
            for call in conversation_calls(one, plan.condition, plan.prompts)
        }

    def __call__(self, body: dict[str, Any]) -> Reply:
        model, prompt = body["model"], last_message(body)
        if "The code of the tags" in prompt:
            return completion(_judge(model, prompt))
        return completion(self._baselines[model].reply(*self._calls[_identity(body["messages"])]))


def _identity(messages: list[Mapping[str, str]]) -> str:
    return json.dumps([[message["role"], message["content"]] for message in messages])


def _judge(model: str, prompt: str) -> str:
    """Both judges find the same in a draft, but that the second one is severer by one, and sees less."""
    digest = sha256(prompt.encode()).digest()
    severe = model == "qwen-9"
    answers = {
        key: "yes" if digest[place] % 2 and not severe else "no" for place, key in enumerate(FORM.findall(prompt))
    }
    return verdict(2 + digest[-1] % 5 - severe if "overall_score" in prompt else None, **answers)
