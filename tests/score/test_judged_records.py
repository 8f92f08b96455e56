"""Claims about scoring records whose drafts were judged: panels stand apart, and totals tell who judged."""

import json

import pytest

from attunebench.dataset.export import write_conversations
from attunebench.dataset.load import DataSet
from attunebench.protocol.answers import RATINGS
from attunebench.score.score_files import score_files
from attunebench.score.strict import score_strict
from attunebench.score.table import read_scores, score_records, write_scores
from score_examples import answered, conversation, judgement, record, turn

TOLD = conversation(
    turn(1, alternateResponses={"humanEdited": "x"}, binaryJudgements=[judgement("B1", "yes", "yes")]),
    turn(2, alternateResponses={"humanEdited": "x"}),
)


def judged(rating, *judges, draft="d", **fields):
    """A record whose first turn was judged by a panel, the first judge of which failed; in the second it all did."""
    kept = {judge: dict.fromkeys(RATINGS, rating) for judge in judges[1:]}
    ends = {judge: {"state": "parsed" if judge in kept else "refused"} for judge in judges}
    first = answered(
        1,
        em_drafted_response=draft,
        em_draft_judge_scores=dict.fromkeys(RATINGS, rating),
        em_draft_judge_scores_by_model=kept,
        em_draft_binary_assessment={"B1": "yes"},
    )
    failed = {judge: {"state": "empty"} for judge in judges}
    calls = [
        {"turn": 1, "call": "draft", "state": "parsed"},
        {"turn": 1, "call": "judge", "state": "parsed", "by_model": ends},
        {"turn": 2, "call": "judge", "state": "empty", "by_model": failed},
    ]
    provenance = {"condition": f"abc+{len(judges)}", "judges": list(judges)}
    return record(first, answered(2, em_drafted_response=draft), calls=calls, provenance=provenance, **fields)


def test_panels_on_the_same_drafts_are_rows_of_their_own():
    scores = score_records(DataSet((TOLD,)), [judged(4, "a", "b"), judged(7, "a", "b", "c")])
    assert [(row["condition"], row["judges"], row["avg_draft_judge_score"]) for row in scores.aggregates] == [
        ("abc+2", ["a", "b"], 0.5),
        ("abc+3", ["a", "b", "c"], 1.0),
    ]
    assert len({row["composite_score"] for row in scores.aggregates}) == 1


def test_totals_tell_how_the_panel_s_and_each_judge_s_calls_ended():
    (row,) = score_records(DataSet((TOLD,)), [judged(4, "x/a", "x/b")]).aggregates
    assert row["calls"] == {
        "draft": {"parsed": 1},
        "judge": {"parsed": 1, "empty": 1},
        "judge x/a": {"refused": 1, "empty": 1},
        "judge x/b": {"parsed": 1, "empty": 1},
    }


def test_rows_without_a_judge_say_so():
    (row,) = score_records(DataSet((TOLD,)), [record(answered(1), answered(2))]).aggregates
    assert row["judges"] == []


@pytest.mark.parametrize("workers", [1, 2])
def test_judges_are_told_however_records_are_scored(tmp_path, workers):
    others = [TOLD.model_copy(update={"conversation_id": f"c{n}"}) for n in (1, 2, 3)]
    records = [judged(n, "a", "b").model_copy(update={"conversation_id": f"c{n}"}) for n in (1, 2, 3)]
    write_conversations(others, tmp_path / "data")
    lines = [json.dumps(one.model_dump(mode="json", by_alias=True)) for one in records]
    (tmp_path / "records.jsonl").write_text("\n".join(lines), encoding="utf-8")
    score_files(tmp_path / "data", [tmp_path / "records.jsonl"], tmp_path / "streamed", workers=workers)
    write_scores(score_records(DataSet(tuple(others)), records), tmp_path / "held")
    (streamed,), (held,) = (read_scores(tmp_path / name).aggregates for name in ("streamed", "held"))
    assert streamed == held
    assert streamed["judges"] == ["a", "b"]
    assert streamed["calls"]["judge a"] == {"refused": 3, "empty": 3}


def test_where_drafts_are_judged_a_record_without_any_draft_is_0_too():
    run = record(answered(1, em_drafted_response=None), provenance={"judges": ["a"]})
    got = score_strict(TOLD, run)
    assert got["avg_draft_judge_score"] == {"value": 0, "n": 2, "n_failed": 2, "lower": 0, "upper": 1}
    assert got["avg_draft_binary_alignment"] == {"value": 0, "n": 1, "n_failed": 1, "lower": 0, "upper": 1}
