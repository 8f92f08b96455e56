"""Claims about the table of what changes between epochs."""

import csv
import io

from report_examples import SKILLED, row, scores

from attunebench.report.leaderboard import leaderboard, to_csv

VARIANCES = dict(zip(SKILLED, (4.0, 0.0001, 0.0004, None), strict=True))
SEVERAL = row("a/b", 60.0, epochs=3, between_epoch_variance=VARIANCES)


def test_it_shows_rows_of_several_epochs_with_standard_deviations_on_one_scale():
    _, table = leaderboard(scores(SEVERAL, row("c/d")))
    assert [column.heading for column in table.columns] == ["model", "epochs", "SD composite", "emo", "eval", "hol"]
    assert table.sections == [[["a/b", 3, 2.0, 1.0, 2.0, None]]]


def test_with_one_epoch_each_there_is_no_table():
    assert [table.title for table in leaderboard(scores(row(), row("c/d")))] == ["Leaderboard"]


def test_epochs_and_variances_are_columns_of_the_csv_file():
    first, second, *_ = csv.DictReader(io.StringIO(to_csv(scores(SEVERAL, row("c/d")))))
    assert (first["epochs"], second["epochs"]) == ("3", "1")
    assert first["between_epoch_variance_composite_score"] == "4.0"
    assert second["between_epoch_variance_composite_score"] == ""
    assert "variance" not in to_csv(scores(row()))
