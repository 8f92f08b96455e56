"""Claims about the leaderboard, whatever it is shown as."""

import csv
import io

import pytest
from report_examples import SKILLED, row, scores

from attunebench.protocol.answers import CallState
from attunebench.report.leaderboard import MADE_UP, leaderboard, to_csv


def board(*rows, **options):
    return leaderboard(scores(*rows, **options))[0]


def calls(*rows):
    return leaderboard(scores(*rows))[1:]


def test_the_best_composite_comes_first():
    models, _ = board(row("low", 10.0), row("high", 90.0), row("middle", 50.0)).sections
    assert [cells[0] for cells in models] == ["high", "middle", "low"]


def test_floors_and_ceiling_stand_below_in_an_order_of_their_own():
    _, floors = board(row("a", 10.0)).sections
    assert [(cells[0], cells[2]) for cells in floors] == [
        ("floor: null", 20.0),
        ("floor: random", 44.0),
        ("floor: majority", 57.0),
        ("beside: lexicon", 56.0),
        ("ceiling: oracle", 99.0),
    ]


def test_a_row_shows_composite_pillars_and_strict_on_one_scale():
    table = board()
    assert [column.heading for column in table.columns] == [
        "model", "n", "composite", "SE", "skill", "emo", "eval", "hol", "strict", "failed",
    ]  # fmt: skip
    assert table.sections[0] == [["a/b", 14, 50.0, 1.25, -12.25, 25.0, 50.0, 75.0, 40.0, "0/28"]]


def test_what_is_not_defined_stays_so():
    table = board(row(strict=None, se_composite=None, calls={}))
    assert table.sections[0][0][3] is None
    assert table.sections[0][0][8:] == [None, None]


def test_floors_and_ceiling_have_no_skill_and_neither_has_a_row_without_a_floor():
    undefined = {"reference": {"composite_score": {"skill": None}}}
    models, floors = board(row(skill=undefined)).sections
    assert [cells[4] for cells in (*models, *floors)] == [None] * 6


def test_what_differs_between_rows_is_said_in_each():
    table = board(row(composite=2.0), row(composite=1.0, mode="verbose", condition=None))
    assert [cells[0] for cells in table.sections[0]] == ["a/b (default, 0123abcd)", "a/b (verbose)"]
    assert table.sections[1][0][0] == "floor: null"
    assert "All rows: PANAS absolute." in table.notes


def test_what_does_not_differ_is_said_once():
    assert "All rows: mode default, PANAS absolute, condition 0123abcd." in board().notes
    assert not any("condition" in note for note in board(row(condition=None)).notes)


def test_rows_without_anything_in_common_claim_nothing():
    one, other = row(), row(mode="verbose", panas_strategy="delta", condition="f")
    assert not any(note.startswith("All rows") for note in board(one, other).notes)


def test_made_up_data_is_said_to_be_first_of_all():
    assert board(made_up=True).notes[0] == MADE_UP
    assert MADE_UP not in board(made_up=False).notes


def test_every_state_is_counted_by_kind_of_call_for_each_model():
    ended = {
        "review": {"parsed": 7, "repaired": 3},
        "draft": {"parsed": 9, "refused": 1},
        "outcome": {"truncated": 1, "provider_error": 2, "unparseable": 1},
    }
    one, other = calls(row("a", calls=ended), row("b", 1.0, calls={"draft": {"empty": 1}}), row("c", 0.5))
    assert (one.title, other.title) == ("How calls ended: a", "How calls ended: b")
    assert [column.heading for column in one.columns] == ["state", "draft", "review", "outcome", "all"]
    assert one.sections == [
        [
            ["parsed", 9, 7, 0, 16],
            ["repaired", 0, 3, 0, 3],
            ["unparseable", 0, 0, 1, 1],
            ["truncated", 0, 0, 1, 1],
            ["refused", 1, 0, 0, 1],
            ["provider_error", 0, 0, 2, 2],
        ],
        [["all", 10, 10, 4, 24]],
    ]
    assert other.sections == [[["empty", 1, 1]], [["all", 1, 1]]]
    assert board(row("a", calls=ended)).sections[0][0][-1] == "5/24"


@pytest.mark.parametrize("state", [state for state in CallState if state is not CallState.PARSED])
def test_every_other_state_than_parsed_is_shown(state):
    (table,) = calls(row(calls={"review": {state.value: 3, "parsed": 1}}))
    assert [state.value, 3, 3] in table.sections[0]


def test_a_model_whose_calls_were_all_parsed_or_that_does_not_say_has_no_such_table():
    assert calls(row(calls={})) == []
    assert calls(row("foreign", calls={}), row("own", 1.0)) == []


def test_rows_of_one_model_are_told_apart():
    ended = {"draft": {"empty": 1}}
    tables = calls(row(calls=ended), row(calls=ended, mode="verbose"))
    assert sorted(table.title for table in tables) == [
        "How calls ended: a/b (default)",
        "How calls ended: a/b (verbose)",
    ]


def read_csv(*rows):
    return list(csv.DictReader(io.StringIO(to_csv(scores(*rows)), newline="")))


def test_csv_keeps_all_digits_and_the_public_names():
    (own, *floors) = read_csv(row(composite=1 / 3, strict=None, calls={"draft": {"parsed": 2, "empty": 1}}))
    assert (own["kind"], own["em_model"], own["mode"], own["condition"]) == ("model", "a/b", "default", "0123abcd")
    assert float(own["composite_score"]) == 1 / 3
    assert own["emotion_tracking"] == "0.25"
    assert own["strict_composite_score"] == own["z_score"] == ""
    assert (own["calls"], own["parsed"], own["empty"], own["refused"]) == ("3", "2", "1", "0")
    assert [(f["kind"], f["em_model"], f["mode"], f["calls"]) for f in floors] == [
        ("baseline", name, "", "") for name in ("null", "random", "majority", "lexicon", "oracle")
    ]


def test_csv_has_the_skill_of_composite_and_pillars_in_both_profiles():
    own, *floors = read_csv(row())
    for name in SKILLED:
        assert (own[f"skill_{name}"], own[f"strict_skill_{name}"]) == ("-12.25", "6.5")
        assert {(f[f"skill_{name}"], f[f"strict_skill_{name}"]) for f in floors} == {("", "")}


@pytest.mark.parametrize("name", ["=1+1", "+x", "-x", "@x", " =1", '=HYPERLINK("x")'])
def test_no_spreadsheet_takes_a_name_for_a_formula(name):
    (own, *_) = read_csv(row(name))
    assert own["em_model"] == f"'{name}"


@pytest.mark.parametrize("name", ["a,b", 'a"b', "a/b", "'quoted'", "😀", "a=b"])
def test_csv_keeps_other_names(name):
    (own, *_) = read_csv(row(name))
    assert own["em_model"] == name


@pytest.mark.parametrize(("name", "kept"), [("a\nb", "a b"), ("a\r\nb", "a  b"), ("\t=x", "' =x"), ("\r=x", "' =x")])
def test_a_name_stays_on_its_line(name, kept):
    assert to_csv(scores(row(name))).count("\n") == 1 + 1 + 5
    (own, *_) = read_csv(row(name))
    assert own["em_model"] == kept
