"""Claims about money: what is written down, what is foreseen, and that a limit holds with calls in flight."""

import json

import pytest
from run_examples import SERVED, Provider, conversation, dataset, run_quietly

from attunebench.errors import RunError, UsageError
from attunebench.models.settings import Settings
from attunebench.protocol.reply_schema import reply_schema, sent_texts
from attunebench.run.estimate import expected_calls
from attunebench.run.ledger import read_ledger
from attunebench.run.plan import RunPlan
from attunebench.run.prices import load_prices
from servers import USAGE, completion, failure, serving

ONE = conversation("one", 2)
MANY = [conversation(f"c{number}", 3) for number in range(4)]
CACHED = USAGE | {"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 60}}

FILE = """
currency = "EUR"
["openai-api/local/x"]
input = 1000
cached_input = 100
output = 10000
"""


@pytest.fixture
def prices(tmp_path):
    file = tmp_path / "prices.toml"
    file.write_text(FILE)
    return load_prices(file)


@pytest.fixture
def asked(tmp_path, monkeypatch, prices):
    """Run at those prices, and return the provider and the totals or the error."""

    def run(*conversations, script=(), **more):
        provider = Provider(conversations, dict(script))
        with serving(provider) as server:
            monkeypatch.setenv("LOCAL_BASE_URL", server.base_url)
            monkeypatch.setenv("LOCAL_API_KEY", "none")
            plan = RunPlan(
                dataset=dataset(*conversations), models=[SERVED], out=tmp_path / "out", prices=prices, **more
            )
            try:
                return provider, run_quietly(plan)
            except RunError as error:
                return provider, error

    return run


def test_every_attempt_has_its_cost_and_a_record_the_sum(asked, tmp_path):
    """100 tokens in at 0.001 and 20 out at 0.01 are 0.3; with 60 of them cached, 0.04 + 0.006 + 0.2."""
    script = {
        ("one", 1, "draft"): [completion("prose"), completion('{"drafted_response": "x"}', usage=CACHED)],
        ("one", 1, "review"): [failure(400, "no")],
        ("one", 2, "draft"): [completion('{"drafted_response": "x"}', usage=None)],
    }
    _, tally = asked(ONE, script=script)
    costs = {(row.turn, row.call, row.attempt): row.cost for row in read_ledger(tmp_path / "out")}
    assert costs[1, "draft", 1] == pytest.approx(0.3)
    assert costs[1, "draft", 2] == pytest.approx(0.246)
    assert costs[1, "review", 1] is None
    assert costs[2, "draft", 1] is None
    total = 0.3 + 0.246 + 6 * 0.3
    assert tally.cost == pytest.approx(total)
    (record,) = (tmp_path / "out" / "records.jsonl").read_text().splitlines()
    assert json.loads(record)["api_cost"] == pytest.approx(total)


def test_without_prices_nothing_is_said_of_cost(tmp_path):
    tally = run_quietly(RunPlan(dataset=dataset(ONE), models=["baseline/null"], out=tmp_path))
    assert {row.cost for row in read_ledger(tmp_path)} == {None}
    assert "cost" not in str(tally)


@pytest.mark.parametrize("limit", [26.0, 33.0])
def test_a_limit_holds_whatever_is_in_flight(asked, tmp_path, limit):
    """A call here can cost 21 to 24 at most and does cost 0.3."""
    settings = Settings(max_connections=20)
    provider, error = asked(*MANY, settings=settings, max_cost=limit)
    assert isinstance(error, RunError)
    assert f"--max-cost: {(len(provider.asks) * 0.3):.4f} of {limit:.4f} is spent" in str(error)
    assert limit - 24 < len(provider.asks) * 0.3 <= limit
    assert len(list(read_ledger(tmp_path / "out"))) == len(provider.asks)


def test_a_higher_limit_lets_it_go_on_from_what_is_spent(asked, tmp_path):
    provider, error = asked(ONE, max_cost=21.0)
    assert isinstance(error, RunError)
    spent = len(provider.asks)
    assert 0 < spent < 9
    again, error = asked(ONE, max_cost=21.0)
    assert (again.asks, type(error)) == ([], RunError)
    again, tally = asked(ONE, max_cost=100.0)
    assert len(again.asks) == 9 - spent
    assert tally.cost == pytest.approx(2.7)


def test_a_reply_without_token_counts_is_taken_to_have_cost_the_most(asked):
    replies = {("one", turn, kind): [completion("[]", usage=None)] for turn in (1, 2) for kind in ("draft", "review")}
    provider, error = asked(ONE, script=replies, max_cost=41.5, settings=Settings(max_connections=1, attempts=1))
    assert isinstance(error, RunError)
    assert sum(ask.key.kind in ("draft", "review") for ask in provider.asks) == 1


def test_what_is_left_is_foreseen_without_a_request(asked, tmp_path, prices):
    plan = RunPlan(
        dataset=dataset(ONE, *MANY), models=[SERVED, "baseline/null"], out=tmp_path / "out", prices=prices, ids=["one"]
    )
    before = expected_calls(plan)
    assert len(before) == 18
    assert not (tmp_path / "out").exists()
    first = before[0]
    size = sum(len(message.content) for message in first.call.messages)
    assert first.tokens_in == -(-size // 4)
    assert first.cost == pytest.approx(first.tokens_in / 1000 + first.tokens_out / 100)
    assert first.most_cost == pytest.approx(first.tokens_in / 1000 + 2048 / 100)
    assert {one.cost for one in before if one.model == "baseline/null"} == {0.0}
    asked(ONE, *MANY, ids=["one"])
    assert [one.model for one in expected_calls(plan)] == ["baseline/null"] * 9


def test_a_schema_that_goes_with_every_call_is_foreseen_and_counts_towards_the_limit(asked, tmp_path):
    plans = [
        RunPlan(dataset=dataset(ONE), models=[SERVED], out=tmp_path / "none", structured=switch)
        for switch in (False, True)
    ]
    plain, structured = map(expected_calls, plans)
    for bare, held in zip(plain, structured, strict=True):
        schema = len(json.dumps(reply_schema(held.call)))
        assert held.tokens_in - bare.tokens_in == pytest.approx(schema / 4, abs=1)
    # At 0.001 for three bytes sent and 0.01 for a token of reply, a limit that the cheapest call just breaks
    bare, held = (
        min(len("".join(sent_texts(one.call, plan.condition)).encode()) / 3000 for one in plain) for plan in plans
    )
    settings = Settings(max_tokens=1)
    provider, error = asked(ONE, structured=True, settings=settings, max_cost=held + 0.009)
    assert bare < held - 0.01
    assert isinstance(error, RunError)
    assert provider.asks == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x", "must be TOML"),
        ("currency = 3", "currency must be a text, got 3"),
        ('m = 3', "m must be a table of input, cached_input, output, got 3"),
        ('[m]\ninput = -1\noutput = 2', "m: input must be a number of 0 or more, got -1"),
        ('[m]\ninput = nan\noutput = 2', "m: input must be a number of 0 or more, got nan"),
        ('[m]\ninput = true\noutput = 2', "m: input must be a number of 0 or more, got True"),
        ('[m]\ninput = 1', "m: must hold output, which is missing"),
        ('[m]\ninput = 1\noutput = 2\nimage = 3', "m: must hold input, cached_input, output, got image"),
    ],
)  # fmt: skip
def test_a_price_file_that_is_wrong_says_where(tmp_path, text, said):
    file = tmp_path / "prices.toml"
    file.write_text(text)
    with pytest.raises(UsageError) as caught:
        load_prices(file)
    assert str(caught.value).startswith(f"--prices: {file}")
    assert said in str(caught.value)


def test_every_model_needs_a_price_and_a_limit_needs_prices(tmp_path, prices):
    plan = {"dataset": dataset(ONE), "out": tmp_path / "out"}
    with pytest.raises(UsageError, match="got none for openai/x"):
        run_quietly(RunPlan(**plan, models=["openai/x", SERVED], prices=prices))
    with pytest.raises(UsageError, match="--max-cost needs --prices"):
        run_quietly(RunPlan(**plan, models=[SERVED], max_cost=3.0))
