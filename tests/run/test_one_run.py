"""Claims about one run: two models over three conversations, the second a server on loopback that plays a script."""

import json
import time
from collections import Counter
from dataclasses import dataclass, fields
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log
from run_examples import (
    ORACLE,
    PROMPTS,
    SERVED,
    Provider,
    calls_of,
    conversation,
    dataset,
    on_the_wire,
    run_quietly,
)

from attunebench.models.settings import Settings
from attunebench.protocol.calls import CallKey
from attunebench.protocol.records import RunRecord
from attunebench.run.ledger import Attempt, read_ledger
from attunebench.run.plan import RunPlan
from attunebench.run.progress import Tally
from servers import USAGE, Reply, completion, failure, serving

CALM, TURNED, STORMY = conversation("calm", 2), conversation("turned", 2), conversation("stormy", 5)
ALL = (CALM, TURNED, STORMY)
NULL = "baseline/null"

PROSE = completion("I would rather talk about owls.")
SHORT = completion('{"emotion_tags": [', finish="length")
SURROGATE = '{"drafted_response": "half an emoji: \\ud83d", "raw": "\ud83d"}'
DETAILED = USAGE | {
    "prompt_tokens_details": {"cached_tokens": 64},
    "completion_tokens_details": {"reasoning_tokens": 7},
}


def right(turn: int, kind: str) -> str:
    return ORACLE.reply(STORMY, calls_of(STORMY)[CallKey(turn, kind)])


SCRIPT = {
    (1, "draft"): [PROSE],
    (1, "review"): [PROSE, completion(right(1, "review"))],
    (1, "perspective"): [SHORT, SHORT, completion(right(1, "perspective"))],
    (1, "pairwise"): [completion("No.", finish="content_filter")],
    (2, "draft"): [failure(400, "too many tokens", "context_length_exceeded")],
    (2, "review"): [failure(500, "boom [red]")],
    (2, "perspective"): [completion(""), completion(None)],
    (2, "pairwise"): [completion("<think>A? {}</think>" + right(2, "pairwise"), usage=DETAILED)],
    (3, "draft"): [completion(right(3, "draft"), reasoning_content="Hm. {}", usage=DETAILED)],
    (3, "review"): [completion(right(3, "review"), usage=None)],
    (3, "perspective"): [completion('{"binary_om_assessment": {"B1": "yes"}}')],
    (3, "pairwise"): [completion("{'pairwise_selections': {'0': 'B',}")],
    (4, "draft"): [failure(503, "busy"), completion(right(4, "draft"))],
    (4, "review"): [failure(400, "This model's maximum context length is 8192 tokens")],
    (4, "perspective"): [completion(None, refusal="I cannot help with that.")],
    (4, "pairwise"): [Reply(200, b"<html>busy</html>")],
    (5, "draft"): [completion(SURROGATE)],
    (5, "review"): [failure(400, "unknown parameter")],
    (5, "perspective"): [SHORT],
    (5, "pairwise"): [Reply(200, {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []})],
}
ENDS = {
    (1, "draft"): ("unparseable", 3),
    (1, "review"): ("parsed", 2),
    (1, "perspective"): ("parsed", 3),
    (1, "pairwise"): ("refused", 1),
    (2, "draft"): ("context_overflow", 1),
    (2, "review"): ("provider_error", 1),
    (2, "perspective"): ("empty", 3),
    (2, "pairwise"): ("parsed", 1),
    (3, "draft"): ("parsed", 1),
    (3, "review"): ("parsed", 1),
    (3, "perspective"): ("schema_mismatch", 3),
    (3, "pairwise"): ("repaired", 1),
    (4, "draft"): ("parsed", 1),
    (4, "review"): ("context_overflow", 1),
    (4, "perspective"): ("refused", 1),
    (4, "pairwise"): ("provider_error", 1),
    (5, "draft"): ("parsed", 1),
    (5, "review"): ("provider_error", 1),
    (5, "perspective"): ("truncated", 3),
    (5, "pairwise"): ("empty", 3),
    (None, "outcome"): ("parsed", 1),
}


@dataclass(frozen=True)
class Done:
    """A finished run and what the provider saw of it."""

    plan: RunPlan
    tally: Tally
    provider: Provider
    connections_left: int

    @property
    def out(self) -> Path:
        return self.plan.out

    def record(self, model: str, name: str) -> RunRecord:
        lines = (self.out / "records.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
        records = [RunRecord.model_validate_json(line) for line in lines]
        (found,) = [r for r in records if (r.em_model, r.conversation_id) == (model, name)]
        return found

    def attempts(self, turn: int | None, kind: str, name: str = "stormy") -> list[Attempt]:
        rows = [
            r for r in read_ledger(self.out) if (r.model, r.conversation, r.turn, r.call) == (SERVED, name, turn, kind)
        ]
        return sorted(rows, key=lambda row: row.attempt)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    script = {("stormy", *key): replies for key, replies in SCRIPT.items()}
    provider = Provider(ALL, script, held=("calm", "turned", "stormy"), backwards=("turned",))
    plan = RunPlan(
        dataset=dataset(*ALL),
        models=[NULL, SERVED],
        out=tmp_path_factory.mktemp("runs") / "out",
        settings=Settings(max_retries=1, first_wait=0.01, max_connections=50),
    )
    with serving(provider) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCAL_BASE_URL", server.base_url)
        patch.setenv("LOCAL_API_KEY", "none")
        tally = run_quietly(plan)
        time.sleep(0.2)
        left = server.connections
    return Done(plan, tally, provider, left)


def test_there_is_one_record_a_conversation_and_model(done):
    lines = (done.out / "records.jsonl").read_text(encoding="utf-8").split("\n")
    assert lines.pop() == ""
    found = sorted((raw["em_model"], raw["conversationId"]) for raw in map(json.loads, lines))
    assert found == sorted((model, one.conversation_id) for model in (NULL, SERVED) for one in ALL)


def test_records_bear_the_public_names(done):
    raw = json.loads((done.out / "records.jsonl").read_text(encoding="utf-8").split("\n")[0])
    assert {"conversationId", "source_file", "em_model", "run_timestamp", "mode", "turns", "post_conversation"} <= set(
        raw
    )
    assert {"api_cost", "duration_seconds", "calls", "provenance"} <= set(raw)
    assert {"turnNumber", "em_emotion_tags", "em_drafted_response", "em_binary_om_assessment_hp"} <= set(
        raw["turns"][0]
    )
    assert raw["source_file"] == f"{raw['conversationId']}.json"
    assert raw["provenance"]["prompt_hash"] == PROMPTS.sha256
    assert raw["provenance"]["data_hash"] == done.plan.dataset.sha256
    assert raw["provenance"]["generation"] == {"temperature": 0.0, "max_tokens": 2048}


def test_a_record_holds_what_the_replies_said(done):
    record = done.record(SERVED, "calm")
    for number, turn in enumerate(record.turns, start=1):
        assert [(tag.emotion, tag.intensity) for tag in turn.em_emotion_tags] == [("Upset", number)]
        assert turn.em_drafted_response == "Best."
        assert turn.em_binary_om_assessment == turn.em_binary_om_assessment_hp == {"B1": "yes"}
        assert turn.em_binary_human_prediction == turn.em_binary_human_prediction_hp == {"B1": "no"}
        assert turn.em_pairwise_selections == {"0": "B"}
    assert record.post_conversation.predicted_post_panas.total_positive_affect == 30
    assert record.post_conversation.predicted_conversation_wide.four_branch_scores == {"managing": 5}


def test_all_calls_of_a_conversation_are_in_flight_at_once(done):
    assert done.provider.gathered == {"calm", "turned", "stormy"}


def test_the_order_of_replies_does_not_matter(done):
    calm, turned = (done.record(SERVED, name) for name in ("calm", "turned"))
    assert calm.turns == turned.turns
    assert calm.post_conversation == turned.post_conversation
    assert calm.calls == turned.calls


def test_what_is_sent_is_what_the_protocol_renders(done):
    for one in ALL:
        for key, call in calls_of(one).items():
            asked = done.provider.of(one.conversation_id, *key)
            assert asked
            for ask in asked:
                assert ask.body["messages"] == on_the_wire(call)


def test_the_generation_settings_are_sent(done):
    for ask in done.provider.asks:
        assert ask.body["model"] == "x"
        assert ask.body["temperature"] == 0
        if ask.key != (1, "perspective") and ask.key != (5, "perspective"):
            assert ask.body["max_tokens"] == 2048
        assert set(ask.body) == {"model", "messages", "temperature", "max_tokens"}


def test_every_call_ends_in_its_state_and_none_takes_another_with_it(done):
    ends = {(call.turn, call.call): (call.state, call.attempts) for call in done.record(SERVED, "stormy").calls}
    assert ends == ENDS


@pytest.mark.parametrize("key", ENDS)
def test_the_ledger_has_every_attempt(done, key):
    state, attempts = ENDS[key]
    rows = done.attempts(*key)
    assert [row.attempt for row in rows] == list(range(1, attempts + 1))
    assert rows[-1].state == state


def test_a_reply_that_cannot_be_read_is_asked_again_twice_and_kept(done):
    rows = done.attempts(1, "draft")
    assert [row.text for row in rows] == ["I would rather talk about owls."] * 3
    assert {row.error for row in rows} == {"no JSON object could be found in the reply"}
    assert done.record(SERVED, "stormy").turns[0].em_drafted_response is None


def test_a_good_second_reply_counts(done):
    assert [row.state for row in done.attempts(1, "review")] == ["unparseable", "parsed"]
    assert done.record(SERVED, "stormy").turns[0].em_emotion_tags[0].emotion == "Upset"


def test_a_cut_off_reply_is_asked_again_with_twice_the_tokens(done):
    asked = done.provider.of("stormy", 1, "perspective")
    assert [ask.body["max_tokens"] for ask in asked] == [2048, 4096, 8192]
    assert [row.state for row in done.attempts(1, "perspective")] == ["truncated", "truncated", "parsed"]
    assert [row.stop_reason for row in done.attempts(1, "perspective")] == ["length", "length", "stop"]


@pytest.mark.parametrize("key", [(1, "pairwise"), (4, "perspective")])
def test_a_refusal_is_not_asked_again(done, key):
    (row,) = done.attempts(*key)
    assert row.stop_reason == "refused"
    assert row.output_tokens == 20
    assert len(done.provider.of("stormy", *key)) == 1


@pytest.mark.parametrize("key", [(2, "draft"), (4, "review")])
def test_a_context_that_is_too_long_is_not_asked_again(done, key):
    assert len(done.provider.of("stormy", *key)) == 1


def test_a_server_error_is_retried_by_the_client_and_then_a_state_with_its_message(done):
    assert len(done.provider.of("stormy", 2, "review")) == 2
    (row,) = done.attempts(2, "review")
    assert "500" in row.error
    assert "boom [red]" in row.error
    assert (row.text, row.input_tokens, row.stop_reason) == (None, None, None)


def test_a_server_that_recovers_costs_no_attempt(done):
    assert len(done.provider.of("stormy", 4, "draft")) == 2
    assert done.record(SERVED, "stormy").turns[3].em_drafted_response == "Best."


def test_a_rejected_request_is_not_sent_again_and_said_to_be_one(done):
    assert len(done.provider.of("stormy", 5, "review")) == 1
    (row,) = done.attempts(5, "review")
    assert "400" in row.error
    assert "unknown parameter" in row.error


def test_every_row_has_all_columns(done):
    lines = (done.out / "calls.jsonl").read_text(encoding="utf-8").split("\n")
    assert lines.pop() == ""
    rows = [json.loads(line) for line in lines]
    assert {frozenset(row) for row in rows} == {frozenset(column.name for column in fields(Attempt))}
    assert set(rows[0]) == {
        "conversation", "turn", "call", "model", "role", "evaluated", "condition", "epoch", "attempt", "state",
        "stop_reason", "input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens", "cost",
        "latency_s", "cache_hit", "prompt_version", "prompt_hash", "started_at", "text", "text_sha256",
        "error", "counters",
    }  # fmt: skip
    assert {row["condition"] for row in rows} == {done.plan.condition.id}
    assert all(row["latency_s"] >= 0 for row in rows)
    assert {row["role"] for row in rows} == {"evaluated"}


def test_usage_is_the_provider_s(done):
    (plain,) = done.attempts(None, "outcome")
    assert (plain.input_tokens, plain.cached_input_tokens, plain.output_tokens) == (100, None, 20)
    (detailed,) = done.attempts(2, "pairwise")
    assert (detailed.input_tokens, detailed.cached_input_tokens) == (36, 64)
    assert (detailed.output_tokens, detailed.reasoning_tokens) == (20, 7)


def test_usage_that_a_provider_does_not_give_is_unknown_and_not_zero(done):
    (row,) = done.attempts(3, "review")
    assert row.state == "parsed"
    assert (row.input_tokens, row.output_tokens, row.cached_input_tokens, row.reasoning_tokens) == (None,) * 4


def test_texts_are_kept_as_they_came(done):
    (row,) = done.attempts(2, "pairwise", "calm")
    assert row.text == ORACLE.reply(CALM, calls_of(CALM)[CallKey(2, "pairwise")])
    (odd,) = done.attempts(5, "draft")
    assert odd.text == SURROGATE
    assert done.record(SERVED, "stormy").turns[4].em_drafted_response == "half an emoji: \ufffd"


@pytest.mark.parametrize("key", [(2, "pairwise"), (3, "draft")])
def test_reasoning_is_no_part_of_the_answer(done, key):
    (row,) = done.attempts(*key)
    assert row.text == right(*key)


def test_a_scripted_baseline_answers_everything_and_costs_nothing(done):
    rows = [row for row in read_ledger(done.out) if row.model == NULL]
    assert len(rows) == 9 + 9 + 21
    assert {row.state for row in rows} == {"parsed"}
    assert {(row.input_tokens, row.output_tokens) for row in rows} == {(0, 0)}


def test_the_totals_are_those_of_the_ledger(done):
    rows = list(read_ledger(done.out))
    ends = Counter(
        call.state for model in (NULL, SERVED) for one in ALL for call in done.record(model, one.conversation_id).calls
    )
    assert done.tally.states == ends
    assert done.tally.done == done.plan.count_calls() == sum(ends.values())
    assert done.tally.attempts == len(rows)
    assert done.tally.failed == sum(state not in {"parsed", "repaired"} for state, _ in ENDS.values())
    assert done.tally.tokens_in == sum((row.input_tokens or 0) + (row.cached_input_tokens or 0) for row in rows)
    assert done.tally.tokens_out == sum(row.output_tokens or 0 for row in rows)


def test_inspect_s_logs_lie_beside_the_records(done):
    logs = [read_eval_log(str(path), header_only=True) for path in (done.out / "inspect").iterdir()]
    assert {log.eval.model: log.status for log in logs} == {NULL: "success", SERVED: "success"}


def test_a_run_closes_its_connections(done):
    assert done.connections_left == 0


def test_calls_can_be_made_in_turn_along_the_thread(tmp_path, monkeypatch):
    """For a provider's cache of prompts; as many conversations as connections are under way."""
    provider, under_way, most = Provider([CALM, TURNED]), [], []

    def counted(body):
        under_way.append(1)
        most.append(len(under_way))
        time.sleep(0.02)
        under_way.pop()
        return provider(body)

    with serving(counted) as server:
        monkeypatch.setenv("LOCAL_BASE_URL", server.base_url)
        monkeypatch.setenv("LOCAL_API_KEY", "none")
        settings = Settings(max_connections=2, prefix_cache=True)
        run_quietly(RunPlan(dataset=dataset(CALM, TURNED), models=[SERVED], out=tmp_path, settings=settings))
    assert max(most) == 2
    for one in (CALM, TURNED):
        assert [ask.key for ask in provider.asks if ask.conversation == one.conversation_id] == list(calls_of(one))
