"""One process's share of a run: its models opened, and its samples worked through with Inspect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from inspect_ai.model import Model

from attunebench.baselines import make_baseline
from attunebench.models.baseline import PREFIX, Answerer, open_baseline
from attunebench.models.providers import open_model
from attunebench.protocol.calls import Call, CallKey, planned_calls
from attunebench.run.asking import Terms
from attunebench.run.budget import Budget
from attunebench.run.evaluate import evaluate
from attunebench.run.halt import Halt
from attunebench.run.journal import Journal
from attunebench.run.jury import Jury
from attunebench.run.ledger import SampleKey
from attunebench.run.plan import RunPlan
from attunebench.run.resume import Earlier
from attunebench.run.task import Work, conversation_task


@dataclass(frozen=True, slots=True)
class Opened:
    """The models of a plan and its judges, by name."""

    models: Mapping[str, Model]
    judges: Mapping[str, Model]


def open_models(plan: RunPlan) -> Opened:
    """Open all models of a plan.

    Raises:
        UsageError: a model's name is not one.
        RunError: a model cannot be opened.
    """
    judges = {name: open_model(name, plan.settings, "--judge") for name in plan.judges}
    return Opened({name: _open(name, plan) for name in plan.models}, judges)


def work_through(
    plan: RunPlan, opened: Opened, keys: Sequence[SampleKey], earlier: Earlier, journal: Journal
) -> str | None:
    """Read and judge samples until each has its record in the journal; return why that could not be, if so."""
    terms = Terms(
        settings=plan.settings,
        patience=plan.patience,
        journal=journal,
        budget=Budget(journal, plan.max_cost),
        halt=Halt(journal),
        prices=plan.prices_by_model(),
        cache=plan.cache,
    )
    judges = terms.ready(opened.judges)
    jury = Jury(plan.panel, plan.judge_prompts, judges, journal, len(keys)) if plan.panel else None
    work = Work(plan.chosen, plan.condition, plan.prompts, earlier, journal, jury)
    tasks = [
        conversation_task(work, asking, own)
        for name, asking in terms.ready(opened.models).items()
        if (own := [key for key in keys if key.model == name])
    ]
    return evaluate(tasks, journal, plan.out, plan.effort, log_samples=plan.log_samples) if tasks else None


def _open(name: str, plan: RunPlan) -> Model:
    if name.startswith(PREFIX):
        baseline = name.removeprefix(PREFIX)
        return open_baseline(baseline, _answerer(baseline, plan), plan.settings.generate_config())
    return open_model(name, plan.settings)


def _answerer(name: str, plan: RunPlan) -> Answerer:
    baseline = make_baseline(name, plan.chosen.conversations)
    conversations = {c.conversation_id: c for c in plan.chosen.conversations}

    @lru_cache(maxsize=1024)
    def calls(conversation_id: str) -> dict[CallKey, Call]:
        return {call.key: call for call in planned_calls(conversations[conversation_id], plan.condition)}

    def answer(conversation_id: str, key: CallKey) -> str:
        return baseline.reply(conversations[conversation_id], calls(conversation_id)[key])

    return answer
