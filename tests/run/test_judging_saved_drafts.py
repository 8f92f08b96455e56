"""Claims about judging saved drafts: the records stay as they are, the judged ones differ in what judges say."""

import json
from collections import Counter

import pytest
from run_examples import conversation, dataset, run_quietly

from attunebench.dataset.load import DataSet
from attunebench.errors import RunError, UsageError
from attunebench.models.settings import Settings
from attunebench.protocol.answers import RATINGS
from attunebench.run.judging import JudgePlan, judge
from attunebench.run.ledger import read_ledger
from attunebench.run.plan import RunPlan
from attunebench.run.prices import Price, Prices
from attunebench.score.run_files import load_records
from attunebench.score.table import score_records
from judges import last_message, texts, verdict
from servers import completion, failure, serving

ONE, TWO = conversation("one", 2), conversation("two", 3)
DATA = dataset(ONE, TWO)
A, B = "openai-api/local/a", "openai-api/local/b"
ORACLE, NULL = "baseline/oracle", "baseline/null"
JUDGED = {
    "em_draft_judge_scores",
    "em_draft_judge_scores_by_model",
    "em_draft_binary_assessment",
    "em_draft_binary_assessment_by_model",
}


class Display:
    def __enter__(self):
        return self

    def __exit__(self, *parts):
        pass

    def update(self, counts):
        self.done = counts.done


@pytest.fixture
def runs(tmp_path):
    """A folder of records of two models."""
    run_quietly(RunPlan(dataset=DATA, models=[ORACLE, NULL], out=tmp_path / "run"))
    return tmp_path / "run"


@pytest.fixture
def judging(monkeypatch, tmp_path):
    """Have drafts judged by judges a, 3 everywhere, and b, 6 everywhere; `bodies` are all requests."""

    def start(*paths, judges=(A,), out=tmp_path / "judged", data=DATA, decide=None, **more):
        def answer(body):
            judging.bodies.append(body)
            said = decide and decide(body)
            return said or completion(verdict({"a": 3, "b": 6}[body["model"]], B1="yes"))

        records = load_records(paths, data)
        plan = JudgePlan(
            dataset=data, records=records, judges=judges, out=out, settings=Settings(max_retries=0), **more
        )
        with serving(answer) as server:
            monkeypatch.setenv("LOCAL_BASE_URL", server.base_url)
            monkeypatch.setenv("LOCAL_API_KEY", "none")
            judging.display = Display()
            return judge(plan, judging.show)

    def show(total):
        judging.total = total
        return judging.display

    judging = start
    judging.show, judging.bodies = show, []
    return judging


def lines(folder):
    found = [json.loads(line) for line in (folder / "records.jsonl").read_text(encoding="utf-8").splitlines()]
    return {(record["em_model"], record["conversationId"]): record for record in found}


def test_the_records_stay_and_the_judged_ones_differ_in_what_judges_say(judging, runs, tmp_path):
    files = {file: file.read_bytes() for file in runs.rglob("*") if file.is_file()}
    tally = judging(runs, judges=[A, B])
    assert {file: file.read_bytes() for file in runs.rglob("*") if file.is_file()} == files
    assert tally.states == Counter(parsed=2 * 5 * 2)
    assert judging.display.done == judging.total == 20
    before, after = lines(runs), lines(tmp_path / "judged")
    assert set(before) == set(after)
    for key, record in after.items():
        old = before[key]
        for turn, was in zip(record["turns"], old["turns"], strict=True):
            assert turn["em_draft_judge_scores"] == dict.fromkeys(RATINGS, 4.5)
            assert set(turn["em_draft_judge_scores_by_model"]) == {A, B}
            assert {k: v for k, v in turn.items() if k not in JUDGED} == {
                k: v for k, v in was.items() if k not in JUDGED
            }
        assert [call for call in record["calls"] if call["call"] != "judge"] == old["calls"]
        assert record["provenance"]["condition"].startswith(f"{old['provenance']['condition']}+")
        framed = {"turns", "calls", "provenance"}
        assert {k: v for k, v in record.items() if k not in framed} == {k: v for k, v in old.items() if k not in framed}


def test_its_ledger_holds_the_judges_calls_alone(judging, runs, tmp_path):
    judging(runs)
    rows = list(read_ledger(tmp_path / "judged"))
    assert Counter((row.role, row.model, row.evaluated) for row in rows) == {
        ("judge", A, ORACLE): 5,
        ("judge", A, NULL): 5,
    }
    assert len({row.condition for row in rows}) == 1


def test_a_judged_run_and_the_same_drafts_judged_later_have_the_same_condition(judging, runs, tmp_path, monkeypatch):
    judging(runs)
    with serving(lambda body: completion(verdict(3, B1="yes"))) as server:
        monkeypatch.setenv("LOCAL_BASE_URL", server.base_url)
        run_quietly(RunPlan(dataset=DATA, models=[ORACLE, NULL], judges=[A], out=tmp_path / "at-once"))
    at_once, later = lines(tmp_path / "at-once"), lines(tmp_path / "judged")
    for key, record in at_once.items():
        assert record["provenance"] == later[key]["provenance"]
        assert record["turns"] == later[key]["turns"]
        assert record["calls"] == later[key]["calls"]


def test_panels_stand_side_by_side_in_scores(judging, runs, tmp_path):
    judging(runs, judges=[A], out=tmp_path / "by-a")
    judging(tmp_path / "by-a", judges=[B], out=tmp_path / "by-b")
    scores = score_records(DATA, load_records([runs, tmp_path / "by-a", tmp_path / "by-b"], DATA))
    found = {(row["em_model"], *row["judges"]): row["avg_draft_judge_score"] for row in scores.aggregates}
    assert found == {
        (NULL,): None,
        (NULL, A): pytest.approx(2 / 6),
        (NULL, B): pytest.approx(5 / 6),
        (ORACLE,): None,
        (ORACLE, A): pytest.approx(2 / 6),
        (ORACLE, B): pytest.approx(5 / 6),
    }


def test_a_stopped_judgement_goes_on_and_asks_nothing_twice(judging, runs, tmp_path):
    broken = completion("owls")
    out = tmp_path / "judged"
    assert judging(runs, decide=lambda body: broken if "two 2" in last_message(body) else None).failed == 2
    before, count = lines(out), len(judging.bodies)
    assert count == 8 + 2 * 3
    kept = (out / "records.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)[:1]
    (out / "records.jsonl").write_text("".join(kept), encoding="utf-8")
    rows = (out / "calls.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    recorded = (json.loads(kept[0])["em_model"], json.loads(kept[0])["conversationId"])
    last = [row for row in rows if (json.loads(row)["evaluated"], json.loads(row)["conversation"]) != recorded][-1]
    (out / "calls.jsonl").write_text("".join(row for row in rows if row != last), encoding="utf-8")
    tally = judging(runs, decide=lambda body: broken if "two 2" in last_message(body) else None)
    assert len(judging.bodies) == count + 1
    assert lines(out) == before
    assert tally.states == Counter(parsed=8, unparseable=2)
    judging(runs)
    assert len(judging.bodies) == count + 1


def test_what_the_provider_failed_is_asked_again_on_request(judging, runs, tmp_path):
    def fail(body):
        return failure(400, "no") if "one 1" in last_message(body) else None

    assert judging(runs, decide=fail).states == Counter(parsed=8, provider_error=2)
    count = len(judging.bodies)
    assert judging(runs, retry_failed=True).states == Counter(parsed=10)
    assert [texts(last_message(body))["message"][:5] for body in judging.bodies[count:]] == ["one 1"] * 2
    assert len(lines(tmp_path / "judged")) == 4


def test_models_may_be_added(judging, runs, tmp_path):
    judging(runs)
    count = len(judging.bodies)
    run_quietly(RunPlan(dataset=DATA, models=[ORACLE, NULL, "baseline/majority"], out=runs))
    judging(runs)
    assert len(judging.bodies) == count + 5
    assert len(lines(tmp_path / "judged")) == 6


def test_judgements_of_other_drafts_are_not_passed_off_as_these(judging, runs):
    judging(runs)
    text = (runs / "records.jsonl").read_text(encoding="utf-8")
    (runs / "records.jsonl").write_text(text.replace('"Best."', '"Other."', 1), encoding="utf-8")
    with pytest.raises(RunError, match=r"holds judgements of other drafts of \w+ by baseline/oracle: choose another"):
        judging(runs)


def test_a_folder_is_of_one_panel_and_no_run_s_own(judging, runs, tmp_path):
    judging(runs)
    with pytest.raises(RunError, match=r"holds results of another condition \(panel\.judges: was"):
        judging(runs, judges=[B])
    with pytest.raises(RunError, match="holds results of another condition"):
        judging(runs, out=runs)


def test_records_that_cannot_be_judged_together_are_refused(judging, runs, tmp_path):
    run_quietly(RunPlan(dataset=DATA, models=[ORACLE], mode="verbose", out=tmp_path / "verbose"))
    with pytest.raises(UsageError, match=r"--runs must hold each conversation once by model and epoch, got one by"):
        judging(runs, tmp_path / "verbose")
    run_quietly(RunPlan(dataset=DATA, models=["baseline/random"], mode="verbose", out=tmp_path / "other"))
    with pytest.raises(UsageError, match=r"--runs must be of one mode, strategy and condition, got default, absolute"):
        judging(runs, tmp_path / "other")
    assert judging.bodies == []


def test_records_from_elsewhere_are_judged_as_far_as_they_have_drafts(judging, tmp_path):
    foreign = {
        "conversationId": "two",
        "em_model": "someone",
        "turns": [{"turnNumber": 1, "em_drafted_response": "Hm."}, {"turnNumber": 3}],
    }
    (tmp_path / "foreign.json").write_text(json.dumps(foreign), encoding="utf-8")
    tally = judging(tmp_path / "foreign.json")
    (record,) = lines(tmp_path / "judged").values()
    assert tally.done == judging.total == 1
    assert record["turns"][0]["em_draft_judge_scores"] == dict.fromkeys(RATINGS, 3)
    assert record["turns"][1]["em_draft_judge_scores"] is None
    assert record["provenance"]["condition"].startswith("+")


def test_where_nothing_can_be_asked_nothing_is(judging, tmp_path):
    bare = ONE.model_copy(
        update={"turns": [turn.model_copy(update={"annotations": None}) for turn in ONE.turns], "conversation_id": "x"}
    )
    data = DataSet((bare,))
    run_quietly(RunPlan(dataset=data, models=[NULL], out=tmp_path / "bare"))
    tally = judging(tmp_path / "bare", data=data)
    assert (tally.done, judging.bodies) == (0, [])
    (record,) = lines(tmp_path / "judged").values()
    assert [turn["em_draft_judge_scores"] for turn in record["turns"]] == [{}, {}]


def test_judges_have_a_price_and_a_limit(judging, runs):
    prices = Prices("EUR", {A: Price(1.0, 1.0, 1.0)})
    assert judging(runs, prices=prices).cost == pytest.approx(10 * 120 / 1e6)
    with pytest.raises(UsageError, match=f"must have a price for every model, got none for {B}"):
        judging(runs, judges=[B], prices=prices)
    with pytest.raises(RunError, match="--max-cost"):
        judging(runs, prices=prices, max_cost=0.0001, out=runs.parent / "limited")
