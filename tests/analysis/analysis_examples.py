"""Scores with everything an analysis can ask for, made from the demo data by scripted models and judges."""

import io
import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from attunebench.baselines import BASELINES, make_baseline
from attunebench.dataset.demo import demo_folder
from attunebench.dataset.load import DataSet, load_dataset
from attunebench.display import LineDisplay
from attunebench.models.settings import Settings
from attunebench.protocol.render import conversation_calls
from attunebench.run.engine import run
from attunebench.run.plan import RunPlan
from attunebench.score.score_files import score_files
from judges import FORM, last_message, verdict
from servers import Reply, completion, serving

GPT, QWEN = "openai-api/local/gpt-9", "openai-api/local/qwen-9"
PANEL = (GPT, QWEN)
ANSWERS_LIKE = {"gpt-9": "oracle", "qwen-9": "random"}
"""The baseline that each judge answers like when it is evaluated itself."""


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
