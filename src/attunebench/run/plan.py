"""What a run is to do."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

from attunebench.dataset.load import DataSet
from attunebench.errors import UsageError
from attunebench.models.settings import Settings
from attunebench.models.structured import require_schema_support
from attunebench.protocol.calls import Condition, Mode, Strategy, planned_calls
from attunebench.protocol.panel import Panel
from attunebench.protocol.prompts import JudgePrompts, Prompts, load_judge_prompts, load_prompts
from attunebench.run.evaluate import Effort
from attunebench.run.jury import count_judgements, make_panel
from attunebench.run.ledger import SampleKey
from attunebench.run.prices import Price, Prices, price_list
from attunebench.run.resume import Patience


@dataclass(frozen=True, kw_only=True)
class RunPlan:
    """What to run: models by Inspect's names (or `baseline/NAME`) on a data set, under one condition, into `out`.

    `mode` to `structured` are parts of the condition; see `attunebench.protocol.calls.Condition`.
    `ids` and `limit` choose conversations; the condition is that of the whole data set all the same. `epochs` is how
    often each model reads each of them. `judges`, by Inspect's names, judge every draft. `retry_failed` asks calls
    again that an earlier run into `out` had to give up because of the provider. With `prices`, costs are written down,
    and the run ends before it costs more than `max_cost`, earlier runs into `out` included. `cache` takes replies that
    Inspect keeps on this machine. `redact` keeps no reply in the ledger, only hashes. `log_samples` keeps every message
    in Inspect's logs too, for its viewer; the ledger holds the replies in any case. `workers` processes share the
    conversations and the limits of connections and cost.

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
    judges: Sequence[str] = ()
    judge_prompts: JudgePrompts = field(default_factory=load_judge_prompts)
    retry_failed: bool = False
    prices: Prices | None = None
    max_cost: float = inf
    cache: bool = False
    redact: bool = False
    log_samples: bool = False
    workers: int = 1

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

    @cached_property
    def panel(self) -> Panel | None:
        """The panel of judges, if there is one. Raises `UsageError` for judges that cannot be one."""
        return make_panel(self.judges, self.judge_prompts, self.settings) if self.judges else None

    @cached_property
    def calls_each(self) -> dict[str, int]:
        """How many calls a reading of each conversation takes: those asked again left out, all drafts judged."""
        return {
            c.conversation_id: len(planned_calls(c, self.condition)) + len(self.judges) * count_judgements(c.turns)
            for c in self.chosen.conversations
        }

    def count_calls(self) -> int:
        """Return the number of calls of the run, those of judges included, without those asked again."""
        return sum(self.calls_each.values()) * len(self.models) * self.epochs

    @property
    def effort(self) -> Effort:
        """How much there is to do in all."""
        return Effort(
            samples=len(self.samples()),
            calls=self.count_calls(),
            connections=self.settings.connections,
            in_turn=self.settings.prefix_cache,
        )

    def parts(self) -> dict[str, Any]:
        """Return all that must be the same in the whole folder, as JSON values: the condition and more."""
        panel = {"panel": self.panel.parts()} if self.panel else {}
        return self.condition.parts() | panel | ({"redacted": True} if self.redact else {})

    def samples(self) -> list[SampleKey]:
        """Return every reading of a conversation by a model that the run is to make."""
        epochs = range(1, self.epochs + 1)
        ids = [c.conversation_id for c in self.chosen.conversations]
        return [SampleKey(model, name, epoch) for model in self.models for epoch in epochs for name in ids]

    def prices_by_model(self) -> dict[str, Price]:
        """Return the price of every model of the run, judges included; of none without prices.

        Raises:
            UsageError: there are prices, but not for all models, or a limit without prices.
        """
        return price_list([*self.models, *self.judges], self.prices, self.max_cost)

    @property
    def patience(self) -> Patience:
        """When a call is not to be asked again."""
        return Patience(self.settings.attempts, self.retry_failed)

    def check(self) -> None:
        """Raise `UsageError` for a plan that makes no sense."""
        if repeated := {name for name in self.models if list(self.models).count(name) > 1}:
            raise UsageError(f"--model must name each model once, got {', '.join(sorted(repeated))} twice")
        if self.epochs < 1:
            raise UsageError(f"--epochs must be at least 1, got {self.epochs}")
        for option, given in (
            ("--log-samples", self.log_samples),
            ("--cache", self.cache),
            ("--retry-failed", self.retry_failed),
        ):
            if self.redact and given:
                raise UsageError(f"--redact excludes {option}, which needs texts that are not kept")
        if self.judges:
            make_panel(self.judges, self.judge_prompts, self.settings)
        self.prices_by_model()
        if not self.chosen.conversations:
            raise UsageError("ids: must name at least one conversation, got none")
