"""Answering whole conversations without an engine, for floors and ceilings."""

from collections.abc import Iterable

from attunebench.baselines.registry import Baseline
from attunebench.dataset.schema import Conversation
from attunebench.protocol.answers import Parsed, Reading
from attunebench.protocol.assemble import CallEnd, RunFacts, build_record
from attunebench.protocol.calls import Call, Condition
from attunebench.protocol.parse import read_reply
from attunebench.protocol.prompts import Prompts
from attunebench.protocol.records import RunRecord
from attunebench.protocol.render import conversation_calls


def answer_conversation(
    baseline: Baseline, conversation: Conversation, condition: Condition, prompts: Prompts
) -> RunRecord:
    """Render a conversation's calls, reply to them all, read the replies, and return the record.

    Raises:
        PromptError: a template lacks a variable or is wrong.
    """
    calls = conversation_calls(conversation, condition, prompts)
    return _record(
        baseline, conversation, condition, ((c, read_reply(c, baseline.reply(conversation, c))) for c in calls)
    )


def answer_calls(
    baseline: Baseline, conversation: Conversation, calls: Iterable[Call], condition: Condition
) -> RunRecord:
    """Return the same record the short way: nothing is rendered, written or read, as replies say what is answered.

    A baseline reads what a call asks, never its messages: planned calls will do.
    """
    readings = ((call, Parsed(baseline.answer(conversation, call))) for call in calls)
    return _record(baseline, conversation, condition, readings)


def _record(
    baseline: Baseline, conversation: Conversation, condition: Condition, readings: Iterable[tuple[Call, Reading]]
) -> RunRecord:
    """Return the record, of model `baseline/<name>`."""
    ends = {call.key: CallEnd(reading) for call, reading in readings}
    return build_record(conversation, ends, condition, RunFacts(model=f"baseline/{baseline.name}"))
