"""Answering whole conversations without an engine, for floors and ceilings."""

from collections.abc import Iterable

from attunebench.baselines.registry import Baseline
from attunebench.dataset.schema import Conversation
from attunebench.protocol.assemble import CallEnd, RunFacts, build_record
from attunebench.protocol.calls import Call, Condition
from attunebench.protocol.parse import read_reply
from attunebench.protocol.prompts import Prompts
from attunebench.protocol.records import RunRecord
from attunebench.protocol.render import conversation_calls


def answer_conversation(
    baseline: Baseline, conversation: Conversation, condition: Condition, prompts: Prompts
) -> RunRecord:
    """Render a conversation's calls, answer them all, and return the record, of model `baseline/<name>`.

    Raises:
        PromptError: a template lacks a variable or is wrong.
    """
    return answer_calls(baseline, conversation, conversation_calls(conversation, condition, prompts), condition)


def answer_calls(
    baseline: Baseline, conversation: Conversation, calls: Iterable[Call], condition: Condition
) -> RunRecord:
    """Answer calls that are at hand already; for many draws, or several baselines, over one conversation.

    Calls are rendered under `condition`; a baseline reads what a call asks, never its messages.
    """
    ends = {call.key: CallEnd(read_reply(call, baseline.reply(conversation, call))) for call in calls}
    return build_record(conversation, ends, condition, RunFacts(model=f"baseline/{baseline.name}"))
