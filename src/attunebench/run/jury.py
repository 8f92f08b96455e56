"""A panel of judges at work: all are asked about a draft as soon as it is there, each in a thread of its own."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import anyio
from inspect_ai.model import ChatMessageUser

from attunebench.dataset.schema import Conversation, Turn
from attunebench.errors import UsageError
from attunebench.models.ask import chat_message
from attunebench.models.baseline import PREFIX
from attunebench.models.cache import cache_policy
from attunebench.models.settings import Settings
from attunebench.protocol.answers import DraftAnswer, Parsed
from attunebench.protocol.assemble import CallEnd
from attunebench.protocol.calls import CallKey
from attunebench.protocol.judge import JudgeCall, judge_asked, judge_call, read_judgement
from attunebench.protocol.panel import CALL, Panel, Verdict, judged_record
from attunebench.protocol.prompts import JudgePrompts
from attunebench.protocol.records import RunRecord
from attunebench.run.asking import Asking, Question
from attunebench.run.journal import Journal
from attunebench.run.ledger import Attempt, JudgeKey, SampleKey


def make_panel(judges: Sequence[str], prompts: JudgePrompts, settings: Settings) -> Panel:
    """Return the panel of these judges.

    Raises:
        UsageError: there is none, one stands twice, or one is a baseline.
    """
    if not judges:
        raise UsageError("--judge must name at least one judge, got none")
    if repeated := {name for name in judges if list(judges).count(name) > 1}:
        raise UsageError(f"--judge must name each judge once, got {', '.join(sorted(repeated))} twice")
    if baselines := [name for name in judges if name.startswith(PREFIX)]:
        raise UsageError(f"--judge must name models, and baselines cannot judge, got {', '.join(baselines)}")
    return Panel(
        judges=tuple(judges),
        prompt_version=prompts.version,
        prompt_hash=prompts.sha256,
        generation=settings.condition(),
    )


def count_judgements(turns: Iterable[Turn]) -> int:
    """Return in how many of the turns there is something to ask a judge about a draft."""
    return sum(bool(judge_asked(turn)) for turn in turns)


@dataclass(slots=True)
class Jury:
    """A panel with its judges, by name in its order, ready to be asked about the drafts of so many samples."""

    panel: Panel
    prompts: JudgePrompts
    judges: Mapping[str, Asking]
    journal: Journal
    samples_left: int

    async def leave(self) -> None:
        """Take note that a sample is done; after the last one, or a halt, close what Inspect leaves open."""
        self.samples_left -= 1
        if not self.samples_left or self.journal.halted:
            for asking in self.judges.values():
                await asking.model.api.aclose()


@dataclass(slots=True)
class Hearing:
    """The judging of one sample's drafts, each as soon as it is there.

    `condition` is that of the sample's record before it is judged. Calls that are at their end after their `earlier`
    attempts are not made again. `verdicts` are by turn number.
    """

    jury: Jury
    conversation: Conversation
    sample: SampleKey
    condition: str | None
    earlier: Mapping[JudgeKey, Sequence[Attempt]]
    verdicts: dict[int, Verdict] = field(default_factory=dict)

    async def call_ended(self, key: CallKey, end: CallEnd) -> None:
        """Have a draft judged once its call has ended; other calls are none of a judge's business."""
        if key.turn is not None and key.kind == "draft":
            answer = end.reading.answer if isinstance(end.reading, Parsed) else None
            await self.hear(key.turn, answer.drafted_response if isinstance(answer, DraftAnswer) else None)

    async def hear(self, number: int, draft: str | None) -> None:
        """Have the draft of a turn judged by all judges at once; without a draft there is nothing to judge."""
        (turn,) = (turn for turn in self.conversation.turns if turn.turn_number == number)
        asked = judge_asked(turn)
        if draft is None:
            self.jury.journal.spared(len(self.jury.judges) if asked else 0)
            return
        ends: dict[str, CallEnd] = {}
        if asked:
            call = judge_call(self.conversation, turn, draft, self.jury.prompts)

            async def end(judge: str, asking: Asking) -> None:
                made = self.earlier.get(JudgeKey(number, judge), ())
                if ended := await asking.end(self._question(call, judge), made):
                    ends[judge] = ended

            async with anyio.create_task_group() as group:
                for judge, asking in self.jury.judges.items():
                    group.start_soon(end, judge, asking)
        self.verdicts[number] = Verdict(asked, {judge: ends[judge] for judge in self.jury.judges if judge in ends})

    def judged(self, record: RunRecord) -> RunRecord:
        """Return the sample's record with what was said of its drafts."""
        return judged_record(record, self.verdicts, self.jury.panel)

    def _question(self, call: JudgeCall, judge: str) -> Question:
        system, last = call.messages
        label = {"conversation": call.conversation_id, "turn": call.turn, "kind": CALL, "evaluated": self.sample.model}
        condition = self.jury.panel.condition(self.condition)
        row = partial(
            Attempt,
            conversation=call.conversation_id,
            turn=call.turn,
            call=CALL,
            model=judge,
            role="judge",
            evaluated=self.sample.model,
            condition=condition,
            epoch=self.sample.epoch,
            prompt_version=self.jury.prompts.version,
            prompt_hash=self.jury.prompts.sha256,
        )
        messages = [chat_message(system), ChatMessageUser(content=last.content, metadata=label)]
        kept_at = partial(cache_policy, condition, self.sample.epoch)
        sent = [message.content for message in call.messages]
        return Question(messages, partial(read_judgement, call.asked), row, kept_at, sent)
