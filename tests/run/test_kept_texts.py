"""Claims about texts that are kept: none in a redacted ledger, and replies of this machine are not paid twice."""

import json
import zipfile

import pytest
from run_examples import SERVED, Provider, conversation, dataset, run_quietly

from attunebench.errors import RunError, UsageError
from attunebench.models.settings import Settings
from attunebench.run.journal import Journal
from attunebench.run.ledger import read_ledger
from attunebench.run.plan import RunPlan
from servers import completion, failure, serving

SECRET = "my sister died in March"
ONE = conversation("one", 2)
PROSE = completion("I would rather talk about owls.")


def told(name):
    """A conversation that holds words which must not be kept."""
    plain = conversation(name, 2).model_dump(by_alias=True)
    plain["turns"][0]["userMessage"] = SECRET
    return type(ONE).model_validate(plain)


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Run against the same address again and again; return the provider of each time, and the totals or the error."""
    now = []

    def decide(body):
        return now[-1](body)

    with serving(decide) as server:
        monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("LOCAL_BASE_URL", server.base_url)
        monkeypatch.setenv("LOCAL_API_KEY", "none")

        def run(*conversations, script=(), out="out", **more):
            now.append(Provider(conversations, dict(script)))
            plan = RunPlan(dataset=dataset(*conversations), models=[SERVED], out=tmp_path / out, **more)
            try:
                return now[-1], run_quietly(plan)
            except RunError as error:
                return now[-1], error

        yield run


def everything(folder):
    """All bytes below a folder, those within Inspect's zipped logs too, by file."""
    for file in folder.rglob("*"):
        if file.suffix == ".eval":
            with zipfile.ZipFile(file) as archive:
                yield from ((f"{file}/{name}", archive.read(name)) for name in archive.namelist())
        elif file.is_file():
            yield str(file), file.read_bytes()


def test_a_redacted_ledger_holds_hashes_and_no_texts(asked, tmp_path):
    script = {
        ("one", 1, "draft"): [completion(f'{{"drafted_response": "You say {SECRET}"}}')],
        ("one", 1, "review"): [completion(f"{SECRET}?")],
        ("one", 1, "perspective"): [failure(400, f"cannot read {SECRET}")],
    }
    _, tally = asked(told("one"), script=script, redact=True)
    assert tally.done == 9
    kept = {file for file, content in everything(tmp_path / "out") if SECRET.encode() in content}
    assert kept == {str(tmp_path / "out" / "records.jsonl")}
    rows = {(row.turn, row.call): row for row in read_ledger(tmp_path / "out")}
    assert {row.text for row in rows.values()} == {None}
    assert len(rows[1, "draft"].text_sha256) == 64
    assert rows[1, "draft"].text_sha256 != rows[2, "draft"].text_sha256
    assert (rows[1, "perspective"].state, rows[1, "perspective"].error) == ("provider_error", "BadRequestError")


def test_a_redacted_run_goes_on_without_asking_twice(asked, tmp_path, monkeypatch):
    written, stopped = Journal.attempted, RunError("stopped")

    def stop_after_five(journal, attempt, **how):
        written(journal, attempt, **how)
        if journal.tally.done == 5:
            journal.halt(stopped)

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "attempted", stop_after_five)
        first, error = asked(ONE, redact=True, settings=Settings(max_connections=1))
    assert isinstance(error, RunError)
    lines = (tmp_path / "out" / "calls.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "out" / "calls.jsonl").write_text("".join(lines[:-1]))  # killed before the last one was written
    again, tally = asked(ONE, redact=True)
    assert len(first.asks) + len(again.asks) == tally.done == 9
    assert len((tmp_path / "out" / "calls.jsonl").read_text().splitlines()) == 9
    assert not (tmp_path / "out" / "replies.jsonl").exists()
    asked(ONE, out="whole")
    records = [json.loads((tmp_path / out / "records.jsonl").read_text()) for out in ("out", "whole")]
    assert records[0]["turns"] == records[1]["turns"]


@pytest.mark.parametrize("other", ["log_samples", "cache", "retry_failed"])
def test_what_would_keep_or_need_texts_is_refused(tmp_path, other):
    with pytest.raises(UsageError, match="--redact excludes --" + other.replace("_", "-")):
        run_quietly(
            RunPlan(dataset=dataset(ONE), models=["baseline/null"], out=tmp_path / "out", redact=True, **{other: True})
        )


def test_a_folder_is_redacted_from_the_start_or_never(asked, tmp_path):
    asked(ONE)
    _, error = asked(ONE, redact=True)
    assert "redacted: was null, now true" in str(error)


def test_a_reply_kept_on_this_machine_is_not_asked_for_again(asked, tmp_path):
    asked(ONE, cache=True)
    again, tally = asked(ONE, cache=True, out="again")
    assert (again.asks, tally.done) == ([], 9)
    rows = list(read_ledger(tmp_path / "again"))
    assert {row.cache_hit for row in rows} == {True}
    assert {row.cache_hit for row in read_ledger(tmp_path / "out")} == {False}
    other, _ = asked(ONE, cache=True, out="other", settings=Settings(max_tokens=100))
    assert len(other.asks) == 9
    plain, _ = asked(ONE, out="plain")
    assert len(plain.asks) == 9
    epochs, _ = asked(ONE, cache=True, out="epochs", epochs=2)
    assert len(epochs.asks) == 9


def test_a_kept_reply_that_cannot_be_read_is_no_answer(asked, tmp_path):
    bad = {("one", 1, "draft"): [PROSE], ("one", 1, "review"): [completion("")]}
    _, tally = asked(ONE, cache=True, script=bad)
    assert tally.failed == 2
    again, tally = asked(ONE, cache=True, out="again")
    assert {(ask.key.turn, ask.key.kind) for ask in again.asks} == {(1, "draft"), (1, "review")}
    assert len(again.asks) == 2
    assert tally.failed == 0
    assert [row.attempt for row in read_ledger(tmp_path / "again")] == [1] * 9
    third, tally = asked(ONE, cache=True, out="third")
    assert (third.asks, tally.failed) == ([], 0)


def test_a_baseline_s_reply_is_a_kept_one_only_once_it_was_kept(asked, tmp_path):
    for out, is_kept in (("first", False), ("again", True)):
        run_quietly(RunPlan(dataset=dataset(ONE), models=["baseline/null"], out=tmp_path / out, cache=True))
        assert {row.cache_hit for row in read_ledger(tmp_path / out)} == {is_kept}
