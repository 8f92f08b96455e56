"""Judging saved drafts: the same records, in a folder of their own, with what another panel says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

import anyio
from inspect_ai import Task

from attunebench.dataset.load import DataSet
from attunebench.dataset.schema import Conversation, Turn
from attunebench.display import Display
from attunebench.errors import RunError, UsageError
from attunebench.models.providers import open_model
from attunebench.models.settings import Settings
from attunebench.protocol.panel import Panel, unjudged
from attunebench.protocol.prompts import JudgePrompts, load_judge_prompts
from attunebench.protocol.records import RunRecord
from attunebench.run.asking import Terms
from attunebench.run.budget import Budget
from attunebench.run.evaluate import Effort, cut_short, evaluate
from attunebench.run.folder import hold_folder
from attunebench.run.halt import Halt
from attunebench.run.journal import Journal
from attunebench.run.jury import Hearing, Jury, count_judgements, make_panel
from attunebench.run.ledger import SampleKey
from attunebench.run.prices import Prices, price_list
from attunebench.run.progress import Tally
from attunebench.run.resume import Earlier, Patience, read_earlier, read_records, repair
from attunebench.run.task import sample_task


@dataclass(frozen=True, kw_only=True)
class JudgePlan:
    """What to judge: the drafts of run records on a data set, by judges of Inspect's names, into `out`.

    The records are of one mode, strategy and condition, each reading of a conversation by a model once. The other
    fields are those of `RunPlan`.

    Raises:
        PromptError: the user's own question file lacks an id that the data set asks.
    """

    dataset: DataSet
    records: Sequence[RunRecord]
    judges: Sequence[str]
    out: Path
    settings: Settings = field(default_factory=Settings)
    prompts: JudgePrompts = field(default_factory=load_judge_prompts)
    retry_failed: bool = False
    prices: Prices | None = None
    max_cost: float = inf
    cache: bool = False
    log_samples: bool = False

    def __post_init__(self) -> None:
        self.prompts.require_wordings(self.dataset.conversations)

    @cached_property
    def panel(self) -> Panel:
        """The panel. Raises `UsageError` for judges that cannot be one."""
        return make_panel(self.judges, self.prompts, self.settings)

    @cached_property
    def samples(self) -> dict[SampleKey, RunRecord]:
        """The records by what they tell of.

        Raises:
            UsageError: there is none, two tell of the same, or they are not of one condition.
        """
        found: dict[SampleKey, RunRecord] = {}
        for record in self.records:
            epoch = record.provenance.epoch if record.provenance else 1
            key = SampleKey(record.em_model, record.conversation_id, epoch)
            if key in found:
                rule = "--runs must hold each conversation once by model and epoch"
                raise UsageError(f"{rule}, got {key.conversation} by {key.model} twice")
            found[key] = record
        if not found:
            raise UsageError("--runs must hold at least one record, got none")
        conditions = {(record.mode, record.strategy, unjudged(record.condition)) for record in self.records}
        if len(conditions) > 1:
            listed = "; ".join(sorted(", ".join(filter(None, condition)) for condition in conditions))
            raise UsageError(f"--runs must be of one mode, strategy and condition, got {listed}")
        return found

    def count_calls(self) -> int:
        """Return the number of calls that all judges take, without those asked again."""
        conversations = {c.conversation_id: c for c in self.dataset.conversations}
        drafts = sum(count_judgements(_drafted(r, conversations[r.conversation_id])) for r in self.records)
        return drafts * len(self.judges)

    def parts(self) -> dict[str, Any]:
        """Return all that must be the same in the whole folder, as JSON values."""
        record = next(iter(self.samples.values()))
        return {
            "mode": record.mode,
            "strategy": record.strategy,
            "condition": unjudged(record.condition),
            "data_hash": self.dataset.sha256,
            "panel": self.panel.parts(),
        }


def judge(plan: JudgePlan, make_display: Callable[[int], Display]) -> Tally:
    """Have the panel judge every draft; return the totals once each call has reached an end state.

    `plan.out` then holds `records.jsonl`: the records as they were, but for what judges say; and the files of a run.
    What an earlier command into the same folder has finished is not asked again.

    Raises:
        UsageError: the judges cannot be a panel, or the records cannot be judged together.
        RunError: the folder is in use, or holds other results or judgements of other drafts; a judge cannot be opened;
            or it could not go on.
    """
    samples, panel = plan.samples, plan.panel
    prices = price_list(panel.judges, plan.prices, plan.max_cost)
    judges = {name: open_model(name, plan.settings, "--judge") for name in panel.judges}
    patience = Patience(plan.settings.attempts, plan.retry_failed)
    with hold_folder(plan.out, plan.parts()):
        _check_drafts(plan.out, samples)
        repair(plan.out, samples.keys(), patience, ["judge"])
        earlier = read_earlier(plan.out, samples.keys(), patience, ["judge"])
        left = {key: record for key, record in samples.items() if key not in earlier.recorded}
        with make_display(plan.count_calls()) as display, Journal(plan.out, display, earlier.tally) as journal:
            terms = Terms(
                settings=plan.settings,
                patience=patience,
                journal=journal,
                budget=Budget(journal, plan.max_cost),
                halt=Halt(journal),
                prices=prices,
                cache=plan.cache,
            )
            jury = Jury(panel, plan.prompts, terms.ready(judges), journal, len(left))
            if left:
                task = _judging_task(plan.dataset, left, jury, earlier)
                effort = Effort(samples=len(samples), calls=plan.count_calls(), connections=plan.settings.connections)
                if cause := evaluate([task], journal, plan.out, effort, log_samples=plan.log_samples):
                    raise cut_short(journal.tally, plan.count_calls(), cause)
    return journal.tally


def _drafted(record: RunRecord, conversation: Conversation) -> list[Turn]:
    """Return the turns in which a record has a draft."""
    numbers = {turn.turn_number for turn in record.turns if turn.em_drafted_response is not None}
    return [turn for turn in conversation.turns if turn.turn_number in numbers]


def _check_drafts(out: Path, samples: Mapping[SampleKey, RunRecord]) -> None:
    """Raise if a judged record holds other drafts than the one it was made from."""
    for key, judged in read_records(out):
        record = samples.get(key)
        drafts = {turn.get("turnNumber"): turn.get("em_drafted_response") for turn in judged.get("turns") or ()}
        if record and drafts != {turn.turn_number: turn.em_drafted_response for turn in record.turns}:
            rule = f"--out: {out} holds judgements of other drafts of {key.conversation} by {key.model}"
            raise RunError(f"{rule}: choose another folder")


def _judging_task(dataset: DataSet, records: Mapping[SampleKey, RunRecord], jury: Jury, earlier: Earlier) -> Task:
    """Build the task: a sample a record; Inspect's log names the panel's first judge as its model."""
    conversations = {c.conversation_id: c for c in dataset.conversations}
    first = next(iter(jury.judges.values()))

    async def make_record(key: SampleKey) -> RunRecord:
        record = records[key]
        made = earlier.judged.get(key, {})
        hearing = Hearing(jury, conversations[key.conversation], key, record.condition, made)
        try:
            with first.terms.halt.reach():
                async with anyio.create_task_group() as group:
                    for turn in record.turns:
                        if turn.em_drafted_response is not None:
                            group.start_soon(hearing.hear, turn.turn_number, turn.em_drafted_response)
        finally:
            await jury.leave()
        judged = hearing.judged(record)
        jury.journal.recorded(judged)
        return judged

    return sample_task("attunebench_judge", first.model, list(records), make_record)
