"""Claims about runs that make no sense: one clear error, before any call is made and any file is written."""

import pytest
from run_examples import SERVED, Provider, conversation, dataset, run_quietly

from attunebench.errors import AttuneError, RunError, UsageError
from attunebench.run.plan import RunPlan
from servers import serving

ONE = conversation("one", 1)


@pytest.fixture
def refused(tmp_path, monkeypatch):
    """Run a plan that cannot start; return its error, after a look at whether anything happened."""

    def attempt(*models, out=tmp_path / "out", unset=(), **plan):
        provider = Provider([ONE])
        with serving(provider) as server:
            monkeypatch.setenv("LOCAL_BASE_URL", server.base_url)
            monkeypatch.setenv("LOCAL_API_KEY", "none")
            for name in unset:
                monkeypatch.delenv(name, raising=False)
            before = sorted(tmp_path.rglob("*"))
            with pytest.raises(AttuneError) as caught:
                run_quietly(RunPlan(dataset=dataset(ONE), models=models, out=out, **plan))
        assert provider.asks == []
        assert sorted(tmp_path.rglob("*")) == before
        assert "\n" not in str(caught.value)
        return caught.value

    return attempt


def test_a_model_stands_once(refused):
    error = refused(SERVED, "baseline/null", SERVED)
    assert isinstance(error, UsageError)
    assert str(error) == "--model must name each model once, got openai-api/local/x twice"


@pytest.mark.parametrize("name", ["gpt-4o", "/x", "openai/", ""])
def test_a_model_is_named_by_provider_and_name(refused, name):
    error = refused(SERVED, name)
    assert isinstance(error, UsageError)
    assert str(error).endswith(f"for example openai/gpt-4o or baseline/null, got {name!r}")


def test_a_baseline_is_one_of_five(refused):
    error = refused(SERVED, "baseline/genius")
    assert isinstance(error, UsageError)
    assert str(error) == "a baseline must be one of null, random, majority, lexicon, oracle, got 'genius'"


def test_a_provider_that_gets_no_schema_is_named(refused):
    error = refused("baseline/null", SERVED, "azureai/x", structured=True)
    assert isinstance(error, UsageError)
    assert str(error).endswith("must take a JSON schema, which Inspect does not send to azureai/x")


def test_an_unknown_provider_is_named(refused):
    error = refused(SERVED, "oopenai/x")
    assert isinstance(error, RunError)
    assert str(error).startswith("oopenai/x: ")
    assert "[" not in str(error)


def test_a_service_without_a_model_is_named(refused):
    error = refused("openai-api/local")
    assert isinstance(error, UsageError | RunError)
    assert str(error).startswith("openai-api/local: ")


@pytest.mark.parametrize(
    ("model", "variable"),
    [
        (SERVED, "LOCAL_API_KEY"),
        (SERVED, "LOCAL_BASE_URL"),
        ("openai-api/my-own/x", "MY_OWN_API_KEY"),
        ("openai/gpt-4o", "OPENAI_API_KEY"),
    ],
)
def test_a_missing_key_or_address_is_named_by_its_variable(refused, model, variable):
    error = refused("baseline/null", model, unset=[variable])
    assert isinstance(error, RunError)
    assert str(error).startswith(f"{model}: ")
    assert variable in str(error)


def test_a_mode_is_one_of_four_and_a_strategy_one_of_three(refused):
    assert str(refused(SERVED, mode="loud")).endswith("got 'loud'")
    assert str(refused(SERVED, strategy="sum")).endswith("got 'sum'")


def test_a_conversation_must_be_there(refused):
    assert str(refused(SERVED, ids=["one", "two"])) == 'ids: the data set has no conversation "two"'
    assert str(refused(SERVED, limit=0)) == "limit: must be at least 1, got 0"
    assert isinstance(refused(SERVED, ids=[]), UsageError)


@pytest.mark.parametrize("name", ["records.jsonl", "calls.jsonl"])
def test_a_folder_that_holds_a_run_is_left_alone(refused, tmp_path, name):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / name).write_text("precious\n")
    error = refused(SERVED)
    assert isinstance(error, RunError)
    assert str(error) == f"--out: {tmp_path / 'out'} holds {name} but no condition.json: choose another folder"
    assert (tmp_path / "out" / name).read_text() == "precious\n"


def test_a_folder_must_be_one(refused, tmp_path):
    (tmp_path / "file").write_text("")
    assert str(refused(SERVED, out=tmp_path / "file")).startswith(f"--out: {tmp_path / 'file'} cannot be made")
    assert "cannot be made" in str(refused(SERVED, out=tmp_path / "file" / "below"))
