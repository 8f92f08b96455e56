"""A run: models on a data set through Inspect AI, one sample a conversation, into one folder."""

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import ceil, inf
from pathlib import Path

from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai.model import Model

from attunebench.baselines import make_baseline
from attunebench.dataset.load import DataSet
from attunebench.display import Display
from attunebench.errors import RunError, UsageError
from attunebench.models.baseline import PREFIX, Answerer, open_baseline
from attunebench.models.providers import open_model
from attunebench.models.secrets import Secrets
from attunebench.models.settings import Settings
from attunebench.models.structured import require_schema_support
from attunebench.protocol.calls import Call, CallKey, Condition, Mode, Strategy, planned_calls
from attunebench.protocol.prompts import Prompts, load_prompts
from attunebench.run.budget import Budget
from attunebench.run.folder import hold_folder
from attunebench.run.halt import Halt
from attunebench.run.journal import Journal
from attunebench.run.ledger import SampleKey
from attunebench.run.prices import FREE, Price, Prices
from attunebench.run.progress import Tally
from attunebench.run.resume import Patience, read_earlier, repair
from attunebench.run.solver import Terms
from attunebench.run.task import Work, conversation_task

LOGS = "inspect"
"""Folder of Inspect's own logs within a run's folder."""

_HOW_TO_GO_ON = "what was answered is kept: the same command goes on from there"


@dataclass(frozen=True, kw_only=True)
class RunPlan:
    """What to run: models by Inspect's names (or `baseline/NAME`) on a data set, under one condition, into `out`.

    `mode` to `structured` are parts of the condition; see `attunebench.protocol.calls.Condition`.
    `ids` and `limit` choose conversations; the condition is that of the whole data set all the same. `epochs` is how
    often each model reads each of them. `retry_failed` asks calls again that an earlier run into `out` had to give up
    because of the provider. With `prices`, costs are written down, and the run ends before it costs more than
    `max_cost`, earlier runs into `out` included. `cache` takes replies that Inspect keeps on this machine. `redact`
    keeps no reply in the ledger, only hashes. `log_samples` keeps every message in Inspect's logs too, for its
    viewer; the ledger holds the replies in any case.

    Raises:
        UsageError: a schema is to go to a provider that is known to get none.
        PromptError: the user's own question file lacks an id that the data set asks.
    """

    dataset: DataSet
    models: Sequence[str]
    out: Path
    ids: Sequence[str] | None = None
    limit: int | None = None
    mode: Mode = "default"
    strategy: Strategy = "absolute"
    blind: bool = False
    swap: bool = False
    structured: bool = False
    settings: Settings = field(default_factory=Settings)
    prompts: Prompts = field(default_factory=load_prompts)
    epochs: int = 1
    retry_failed: bool = False
    prices: Prices | None = None
    max_cost: float = inf
    cache: bool = False
    redact: bool = False
    log_samples: bool = False

    def __post_init__(self) -> None:
        self.prompts.require_wordings(self.dataset.conversations)
        if self.structured:
            require_schema_support(self.models)

    @cached_property
    def chosen(self) -> DataSet:
        """The conversations to run. Raises `UsageError` for an id that the data set lacks."""
        return self.dataset.select(ids=self.ids, limit=self.limit)

    @cached_property
    def condition(self) -> Condition:
        """The condition of all results of the run."""
        return Condition(
            mode=self.mode,
            strategy=self.strategy,
            blind=self.blind,
            swap=self.swap,
            structured=self.structured,
            prompt_version=self.prompts.version,
            prompt_hash=self.prompts.sha256,
            generation=self.settings.condition(),
            data_hash=self.dataset.sha256,
        )

    def count_calls(self) -> int:
        """Return the number of calls of the run, without those asked again."""
        calls = sum(len(planned_calls(c, self.condition)) for c in self.chosen.conversations)
        return calls * len(self.models) * self.epochs

    def samples(self) -> list[SampleKey]:
        """Return every reading of a conversation by a model that the run is to make."""
        epochs = range(1, self.epochs + 1)
        ids = [c.conversation_id for c in self.chosen.conversations]
        return [SampleKey(model, name, epoch) for model in self.models for epoch in epochs for name in ids]

    def prices_by_model(self) -> dict[str, Price]:
        """Return the price of every model of the run; of none without prices. Baselines cost nothing.

        Raises:
            UsageError: there are prices, but not for all models, or a limit without prices.
        """
        if self.prices is None:
            if self.max_cost < inf:
                raise UsageError("--max-cost needs --prices, got none")
            return {}
        priced = [model for model in self.models if not model.startswith(PREFIX)]
        self.prices.check(priced)
        return {model: self.prices.models[model] if model in priced else FREE for model in self.models}

    @property
    def patience(self) -> Patience:
        """When a call is not to be asked again."""
        return Patience(self.settings.attempts, self.retry_failed)


def run(plan: RunPlan, make_display: Callable[[int], Display]) -> Tally:
    """Make all calls of a plan; return the totals once each has reached an end state, failed ones included.

    `plan.out` then holds `records.jsonl`, `calls.jsonl` (the ledger), `condition.json` and Inspect's logs. What an
    earlier run into the same folder has finished is not asked again, and is in the totals.

    Raises:
        UsageError: a model's name is not one, or stands twice; a conversation that the data set lacks.
        RunError: the folder is in use or holds results of another condition, a model cannot be opened, or the run could
            not go on.
    """
    _check(plan)
    models = {name: _open(name, plan) for name in plan.models}
    with hold_folder(plan.out, plan.condition.parts() | ({"redacted": True} if plan.redact else {})):
        samples = plan.samples()
        repair(plan.out, set(samples), plan.patience)
        earlier = read_earlier(plan.out, set(samples), plan.patience)
        left = [key for key in samples if key not in earlier.recorded]
        with (
            make_display(plan.count_calls()) as display,
            Journal(plan.out, display, earlier.tally, redact=plan.redact) as journal,
        ):
            terms = Terms(
                settings=plan.settings,
                condition=plan.condition,
                prompts=plan.prompts,
                patience=plan.patience,
                journal=journal,
                budget=Budget(journal, plan.max_cost),
                halt=Halt(journal),
                cache=plan.cache,
            )
            work = Work(plan.chosen, earlier, terms, plan.prices_by_model())
            tasks = [
                conversation_task(work, models[name], keys)
                for name in plan.models
                if (keys := [key for key in left if key.model == name])
            ]
            if tasks:
                _evaluate(tasks, plan, journal)
            journal.complete()
    return journal.tally


def _check(plan: RunPlan) -> None:
    if repeated := {name for name in plan.models if list(plan.models).count(name) > 1}:
        raise UsageError(f"--model must name each model once, got {', '.join(sorted(repeated))} twice")
    if plan.epochs < 1:
        raise UsageError(f"--epochs must be at least 1, got {plan.epochs}")
    for option, given in (
        ("--log-samples", plan.log_samples),
        ("--cache", plan.cache),
        ("--retry-failed", plan.retry_failed),
    ):
        if plan.redact and given:
            raise UsageError(f"--redact excludes {option}, which needs texts that are not kept")
    plan.prices_by_model()
    if not plan.chosen.conversations:
        raise UsageError("ids: must name at least one conversation, got none")


def _evaluate(tasks: Sequence[Task], plan: RunPlan, journal: Journal) -> None:
    """Let Inspect work through tasks, one a model.

    Raises:
        RunError: not all calls have ended.
    """
    planned = plan.count_calls()
    try:
        with _rare_collections():
            logs = inspect_eval(
                list(tasks),
                max_tasks=len(tasks),
                max_samples=_conversations_in_flight(plan, planned),
                log_dir=str(plan.out / LOGS),
                # Our ledger is the record of what happened while it happens; Inspect's log is written at the end.
                log_realtime=False,
                log_samples=plan.log_samples,
                log_model_api=False,
                log_level="error",
                ctl_server=False,
                display="none",
            )
        errors = [f"{log.eval.model}: {log.error.message}" for log in logs if log.error]
    except OSError as error:  # Inspect's own log
        errors = [f"{plan.out / LOGS} cannot be written: {error.strerror}"]
    if journal.halted:
        errors = [str(journal.halted)]
    if errors or journal.tally.done < planned:  # after Ctrl-C, Inspect returns as if all were well
        calls = f"{journal.tally.done:,} of {planned:,} calls"
        cause = Secrets.of().scrub("; ".join(errors)) or "it was interrupted"
        raise RunError(f"the run could not go on after {calls}: {cause}\n{_HOW_TO_GO_ON}")


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Keep the garbage collector off what was loaded before the run; it would walk all of Inspect again and again."""
    thresholds = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


def _conversations_in_flight(plan: RunPlan, calls: int) -> int:
    """Return how many conversations to hold open per model: their calls fill the connections twice over."""
    calls_each = calls / len(plan.samples())
    return ceil(2 * plan.settings.connections / calls_each) + 2


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
