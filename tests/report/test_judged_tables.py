"""Claims about judged drafts in tables: they have a table of their own, and a judge that is kin is marked in all."""

import csv
import io

import pytest
from report_examples import judged, row, scores
from rich.console import Console

from attunebench.report.formats import print_tables, to_markdown
from attunebench.report.judges import KIN
from attunebench.report.leaderboard import leaderboard, to_csv

GPT, CLAUDE, O3 = "openai/gpt-4o", "anthropic/claude-3", "openai/o3"


def tables(*rows):
    return {table.title: table for table in leaderboard(scores(*rows))}


def first_cells(table):
    return [cells[0] for cells in table.sections[0]]


def test_judged_rows_have_a_table_of_what_the_judges_found():
    found = tables(judged(GPT, CLAUDE, O3), row("not/judged"))
    table = found["Response quality"]
    assert [column.heading for column in table.columns] == [
        "model", "judges", "rating", "wanted", "strict rating", "strict wanted", "failed",
    ]  # fmt: skip
    judges = f"{CLAUDE}, {O3} (family)"
    assert table.sections == [[[f"{GPT} {KIN}", judges, 50.0, 25.0, 37.5, None, "2/14"]]]
    assert list(found) == ["Leaderboard", "Response quality", f"How judging ended: {GPT} {KIN}"]


def test_without_a_judge_there_is_no_such_table_and_no_mark():
    found = leaderboard(scores(row(GPT), row(CLAUDE)))
    assert [table.title for table in found] == ["Leaderboard"]
    assert KIN not in to_markdown(found)


@pytest.mark.parametrize(("judge", "said"), [(GPT, f"{GPT} (itself)"), (O3, f"{O3} (family)"), (CLAUDE, CLAUDE)])
def test_a_judge_that_is_kin_is_marked_in_every_table_and_explained_below(judge, said):
    refused = {"draft": {"refused": 2}}
    found = tables(judged(GPT, "mistral/mistral-large", judge, calls=refused), judged("grok/grok-4", judge))
    name = GPT if judge == CLAUDE else f"{GPT} {KIN}"
    assert list(found)[2:4] == [f"How calls ended: {name}", f"How judging ended: {name}"]
    for title, table in found.items():
        told = first_cells(table) if title in {"Leaderboard", "Response quality"} else [title.partition(": ")[2]]
        assert {one for one in told if KIN in one} == {one for one in told if one == name != GPT}
        assert any(note.startswith(f"{KIN} judged by itself") for note in table.notes) == any(
            KIN in one for one in told
        )
    assert found["Response quality"].sections[0][0][1] == f"mistral/mistral-large, {said}"


def test_two_panels_on_the_same_drafts_stand_side_by_side():
    one = judged(GPT, CLAUDE, condition="abc+11111111", rating=0.25)
    other = judged(GPT, O3, condition="abc+22222222", rating=0.75)
    found = tables(one, other)["Response quality"]
    assert [(cells[0], cells[1], cells[2]) for cells in found.sections[0]] == [
        (f"{GPT} (panel 11111111)", CLAUDE, 25.0),
        (f"{GPT} (panel 22222222) {KIN}", f"{O3} (family)", 75.0),
    ]


def test_a_row_without_a_judge_stands_beside_judged_ones():
    found = tables(judged(GPT, CLAUDE, condition="abc+11111111"), row(GPT, 1.0, condition="abc"))["Leaderboard"]
    assert first_cells(found) == [f"{GPT} (panel 11111111)", GPT]
    assert "All rows: mode default, PANAS absolute, condition abc." in found.notes


def test_calls_of_judges_are_not_the_model_s_own():
    found = tables(judged(GPT, CLAUDE, O3))
    assert found["Leaderboard"].sections[0][0][-1] == "0/28"
    assert f"How calls ended: {GPT} {KIN}" not in found
    table = found[f"How judging ended: {GPT} {KIN}"]
    assert [column.heading for column in table.columns] == ["state", CLAUDE, O3, "panel"]
    assert table.sections == [
        [["parsed", 10, 11, 11], ["repaired", 0, 1, 1], ["refused", 4, 2, 2]],
        [["all", 14, 14, 14]],
    ]


def test_records_from_elsewhere_do_not_tell_how_judging_ended():
    foreign = judged("gpt-4o", "gpt-4o-mini") | {"calls": {"judge gpt-4o-mini": {}}}
    found = tables(foreign)
    assert found["Response quality"].sections[0][0][-1] is None
    assert first_cells(found["Leaderboard"]) == [f"gpt-4o {KIN}"]
    assert list(found) == ["Leaderboard", "Response quality"]


def test_csv_tells_judges_kinship_and_what_they_found():
    text = to_csv(scores(judged(GPT, CLAUDE, O3, rating=1 / 3), row("not/judged", 1.0)))
    own, other, *floors = csv.DictReader(io.StringIO(text))
    assert (own["judges"], own["judge_kinship"]) == (f"{CLAUDE}; {O3}", "family")
    assert float(own["avg_draft_judge_score"]) == 1 / 3
    assert (own["avg_draft_binary_alignment"], own["strict_avg_draft_judge_score"]) == ("0.25", "0.375")
    assert own["strict_avg_draft_binary_alignment"] == ""
    for empty in (other, *floors):
        assert (empty["judges"], empty["judge_kinship"], empty["avg_draft_judge_score"]) == ("", "", "")
    assert (own["calls"], own["refused"]) == ("28", "0")


def test_it_fits_a_terminal():
    out = io.StringIO()
    rows = [judged(f"openai-api/some-service/{GPT}-with-a-long-name", CLAUDE, O3, composite=99.99)]
    print_tables(leaderboard(scores(*rows)), Console(file=out, width=80))
    assert max(map(len, out.getvalue().split("\n"))) <= 80
    assert KIN in out.getvalue()
