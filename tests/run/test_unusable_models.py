"""Claims about a model that is of no use: the run ends at once, says what to do, and goes on when that is done."""

import json
import threading
import time
from dataclasses import replace

import pytest
from inspect_ai.log import read_eval_log
from run_examples import SERVED, Provider, conversation, dataset, run_quietly

from attunebench.errors import RunError
from attunebench.models.settings import Settings
from attunebench.run.ledger import read_ledger
from attunebench.run.plan import RunPlan
from servers import failure, serving

MANY = [conversation(f"c{number}", 1) for number in range(20)]
OTHER = "openai-api/other/x"


def plan(out, *models, **settings):
    return RunPlan(
        dataset=dataset(*MANY),
        models=models,
        out=out,
        settings=Settings(max_connections=1, first_wait=0.01, **settings),
    )


@pytest.fixture
def served(monkeypatch):
    """Serve both models, the second by `decide`."""

    def serve(decide):
        good, bad = serving(Provider(MANY)), serving(decide)
        for name, opened in (("LOCAL", good), ("OTHER", bad)):
            server = opened.__enter__()
            monkeypatch.setenv(f"{name}_BASE_URL", server.base_url)
            monkeypatch.setenv(f"{name}_API_KEY", "none")
            running.append((opened, server))
        return [server for _, server in running]

    running = []
    yield serve
    for opened, _ in running:
        opened.__exit__(None, None, None)


@pytest.mark.parametrize(
    ("reply", "what"),
    [
        (failure(401, "who are you?"), "the server refused the key (AuthenticationError: "),
        (failure(404, "what model?"), "the server has no such model (NotFoundError: "),
    ],
)
def test_a_run_whose_model_is_of_no_use_ends_for_all_models_and_goes_on_with_the_same_command(
    served, tmp_path, reply, what
):
    provider = Provider(MANY)
    is_good = False

    def decide(body):
        return provider(body) if is_good else reply

    _, server = served(decide)
    with pytest.raises(RunError) as caught:
        run_quietly(plan(tmp_path / "out", SERVED, OTHER))
    said, how_to_go_on = str(caught.value).split("\n")
    assert f" of 200 calls: {OTHER}: {what}" in said
    assert "the same command goes on" in how_to_go_on
    assert len(server.requests) == 1
    before = list(read_ledger(tmp_path / "out"))
    assert len(before) < 100
    assert {row.model for row in before} <= {SERVED}
    is_good = True
    tally = run_quietly(plan(tmp_path / "out", SERVED, OTHER))
    assert tally.states == {"parsed": 200}
    assert len(list(read_ledger(tmp_path / "out"))) == 200


def test_nobody_waits_for_another_model_s_call_that_hangs(served, tmp_path):
    over = threading.Event()

    def hang(_body):
        over.wait(60)
        return failure(500, "late")

    _, hanging = served(hang)

    def refuse(_body):
        while not hanging.requests:
            time.sleep(0.01)
        return failure(401, "who are you?")

    with serving(refuse) as refusing, pytest.MonkeyPatch.context() as patch:
        patch.setenv("LOCAL_BASE_URL", refusing.base_url)
        started = time.monotonic()
        try:
            with pytest.raises(RunError, match="set LOCAL_API_KEY to a valid one"):
                run_quietly(plan(tmp_path / "out", SERVED, OTHER))
            assert time.monotonic() - started < 30
        finally:
            over.set()


def test_a_key_that_is_revoked_half_way_ends_the_run_and_what_was_answered_is_kept(served, tmp_path):
    provider = Provider(MANY)

    def decide(body):
        return provider(body) if len(provider.asks) < 12 else failure(401, "no more")

    served(decide)
    with pytest.raises(RunError, match="after 12 of 100 calls: "):
        run_quietly(plan(tmp_path / "out", OTHER))
    assert [row.state for row in read_ledger(tmp_path / "out")] == ["parsed"] * 12
    logs = [read_eval_log(str(path), header_only=True) for path in (tmp_path / "out" / "inspect").iterdir()]
    assert [log.status for log in logs] == ["error"]


def test_a_setting_that_a_model_does_not_take_is_on_record(served, tmp_path):
    provider = Provider(MANY)

    def decide(body):
        return failure(400, "temperature is not supported") if "temperature" in body else provider(body)

    served(decide)
    tally = run_quietly(plan(tmp_path / "out", OTHER))
    assert tally.states == {"parsed": 100}
    assert {row.counters["temperature_dropped"] for row in read_ledger(tmp_path / "out")} == {1}
    for line in (tmp_path / "out" / "records.jsonl").read_text().splitlines():
        provenance = json.loads(line)["provenance"]
        assert provenance["dropped"] == ["temperature"]
        assert provenance["generation"]["temperature"] == 0


def test_a_judge_of_no_use_ends_the_run_too_and_is_named(served, tmp_path):
    served(lambda body: failure(401, "who are you?"))
    with pytest.raises(RunError) as caught:
        run_quietly(replace(plan(tmp_path, SERVED), judges=[OTHER]))
    assert f"{OTHER}: the server refused the key" in str(caught.value)
    assert "OTHER_API_KEY" in str(caught.value)
