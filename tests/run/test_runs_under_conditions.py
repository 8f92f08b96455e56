"""Claims about whole runs under conditions beside the reference design; the model is a server on loopback."""

import itertools

import pytest
from run_examples import SERVED, Provider, conversation, dataset, run_quietly

from attunebench.protocol.calls import planned_calls
from attunebench.protocol.reply_schema import reply_schema
from attunebench.run.ledger import read_ledger
from attunebench.run.plan import RunPlan
from attunebench.score.run_files import load_records
from servers import serving

ONE = conversation("one", 2)
DATA = dataset(ONE)


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Run the conversation under a condition; return the plan and what the provider was asked."""

    def attempt(**parts):
        plan = RunPlan(dataset=DATA, models=["baseline/oracle", SERVED], out=tmp_path, **parts)
        provider = Provider([ONE], condition=plan.condition)
        with serving(provider) as server:
            monkeypatch.setenv("LOCAL_BASE_URL", server.base_url)
            monkeypatch.setenv("LOCAL_API_KEY", "none")
            assert run_quietly(plan).failed == 0
        return plan, provider.asks

    return attempt


@pytest.mark.parametrize(("blind", "swap", "structured"), list(itertools.product((False, True), repeat=3)))
def test_a_run_asks_and_records_what_its_condition_says(asked, blind, swap, structured):
    plan, asks = asked(blind=blind, swap=swap, structured=structured)
    planned = {call.key: call for call in planned_calls(ONE, plan.condition)}
    assert len(planned) == (11 if swap else 9)
    assert sorted(map(str, planned)) == sorted(str(ask.key) for ask in asks)
    assert plan.count_calls() == 2 * len(planned)

    for ask in asks:
        sent = ask.body.get("response_format")
        assert (sent is not None) == structured
        if sent:
            form = {"name": ask.key.kind, "schema": reply_schema(planned[ask.key]), "strict": True}
            assert sent["type"] == "json_schema"
            assert {name: value for name, value in sent["json_schema"].items() if value is not None} == form

    rows = list(read_ledger(plan.out))
    assert {row.condition for row in rows} == {plan.condition.id}
    assert sum(row.call == "pairwise_swapped" for row in rows) == (4 if swap else 0)
    for record in load_records([plan.out], DATA):
        told = record.provenance
        assert (told.blind, told.swap, told.structured) == (blind, swap, structured)
        for turn in record.turns:
            assert (turn.pairwise_assignment, turn.em_pairwise_selections) == (
                {"0": {"A": "original", "B": "human"}}, {"0": "B"},
            )  # fmt: skip
            assert (turn.pairwise_assignment_swapped, turn.em_pairwise_selections_swapped) == (
                ({"0": {"A": "human", "B": "original"}}, {"0": "A"}) if swap else (None, None)
            )
