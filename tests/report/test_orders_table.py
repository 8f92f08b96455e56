"""Claims about the table of comparisons in both orders."""

import csv
import io

from report_examples import FLOORS, row

from attunebench.report.leaderboard import leaderboard, to_csv
from attunebench.score.table import Scores

COUNTS = {"answered": 40, "flipped": 4, "decided": 50, "agreed": 35, "flip_rate": 0.1, "agreement_score": 0.7}
UNKNOWN = {"answered": 0, "flipped": 0, "decided": 50, "agreed": 0, "flip_rate": None, "agreement_score": 0.0}
ASKED = row("a/b", 60.0, pooled_pairwise_orders=COUNTS)
SCORES = Scores([ASKED, row("c/d")], [FLOORS[0] | {"pooled_pairwise_orders": UNKNOWN}, *FLOORS[1:]])


def test_it_shows_the_rows_that_were_asked_in_both_orders_and_their_floors():
    _, table = leaderboard(SCORES)
    assert [column.heading for column in table.columns] == ["model", "flips", "answered", "right twice", "decided"]
    assert table.sections == [[["a/b", 10.0, 40, 70.0, 50]], [["floor: null", None, 0, 0.0, 50]]]


def test_without_such_a_row_there_is_neither_table_nor_column():
    once = Scores([row()], FLOORS)
    assert [table.title for table in leaderboard(once)] == ["Leaderboard"]
    assert "orders" not in to_csv(once)


def test_the_counts_and_rates_are_columns_of_the_csv_file():
    asked, other, null, *_ = csv.DictReader(io.StringIO(to_csv(SCORES)))
    assert {name: asked[f"orders_{name}"] for name in COUNTS} == {name: str(value) for name, value in COUNTS.items()}
    assert (other["orders_answered"], null["orders_flip_rate"], null["orders_agreement_score"]) == ("", "", "0.0")
