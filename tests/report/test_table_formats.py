"""Claims about showing tables: what comes from data is shown as it is, in 80 columns."""

import io
import re

import pytest
from report_examples import row, scores
from rich.cells import cell_len
from rich.console import Console

from attunebench.report.formats import print_tables, to_markdown
from attunebench.report.leaderboard import MADE_UP, leaderboard
from attunebench.report.tables import Column, Table, show_cell

ODD = "a|b [bold]x[/bold] [/] :smile: *y* `z` <i> \\"


def shown(tables, width=80, terminal=False):
    out = io.StringIO()
    print_tables(tables, Console(file=out, width=width, force_terminal=terminal, color_system=None))
    return out.getvalue()


def one_cell(text, title="T", note="N"):
    return [Table(title, [Column("name", wraps=True)], [[[text]]], [note])]


@pytest.mark.parametrize(
    ("cell", "decimals", "text"),
    [
        (None, 2, "–"),
        (None, None, "–"),
        (0, None, "0"),
        (1234567, None, "1,234,567"),
        (1234.567, 2, "1,234.57"),
        (2.0, 1, "2.0"),
        (-0.25, 2, "-0.25"),
        (3, 2, "3.00"),
        ("3/14", None, "3/14"),
        ("", None, ""),
    ],
)
def test_a_cell_as_text(cell, decimals, text):
    assert show_cell(cell, Column("c", decimals)) == text


@pytest.mark.parametrize("terminal", [True, False])
def test_markup_and_emoji_codes_are_shown_literally(terminal):
    text = shown(one_cell(ODD, title=ODD, note=ODD), terminal=terminal)
    assert text.count(ODD) == 3


@pytest.mark.parametrize("text", ["a\nb", "a\tb", "a\x1b[2Jb", "a\u2028b", "a\u202eb", "a\x00b", "a\x9bb"])
def test_controls_do_nothing(text):
    plain = shown(one_cell(text, title=text, note=text)) + to_markdown(one_cell(text, title=text, note=text))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", plain)
    assert "a\nb" not in plain


@pytest.mark.parametrize(
    "name", ["a/b", "openai-api/together/meta-llama/Llama-3.3-70B-Instruct-Turbo", "x" * 300, "名" * 60]
)
def test_the_leaderboard_fits_80_columns(name):
    big = {
        "draft": {"parsed": 123456, "refused": 7},
        "review": {"parsed": 123, "provider_error": 9, "schema_mismatch": 8},
        **{kind: {"parsed": 12345} for kind in ("perspective", "pairwise", "outcome", "judge")},
    }
    rows = [
        row(
            name,
            100.0,
            100.0,
            n_conversations=200,
            se_composite=12.25,
            emotion_tracking=1,
            evaluation_quality=1,
            calls=big,
        ),
        row(name, 7.0, None, mode="verbose_omniscient", panas_strategy="blind_delta", condition="0123456789ab"),
    ]
    text = shown(leaderboard(scores(*rows)))
    assert max(cell_len(line) for line in text.split("\n")) <= 80
    for whole in (
        "composite",
        "strict",
        "failed",
        "100.00",
        "12.25",
        "24/160,638",
        "123,456",
        "perspective",
    ):
        assert whole in text, text
    assert re.search(r"\nprovider_error +0 +9 +0 +0 +0 +9 *\n", text)
    assert re.search(r"\nschema_mismatch +0 +8 +0 +0 +0 +8 *\n", text)
    assert re.sub(r"\s", "", text).count("oracle") >= 1


def test_a_pipe_gets_what_a_terminal_gets():
    tables = leaderboard(scores(row("a/b")))
    assert shown(tables) == re.sub(r"\x1b\[[0-9;]*m", "", shown(tables, terminal=True))


def test_the_terminal_shows_floors_ceiling_and_the_notice():
    text = shown(leaderboard(scores(row(strict=None), made_up=True)))
    for name in ("floor: null", "floor: random", "floor: majority", "beside: lexicon", "ceiling: oracle"):
        assert name in text
    assert MADE_UP in " ".join(text.split())
    assert re.search(r"a/b +14 +50\.00 +1\.25 +-12\.2 +25\.0 +50\.0 +75\.0 +– +0/28", text)


def test_numbers_are_set_to_the_right_and_texts_to_the_left():
    columns = [Column("name", wraps=True), Column("x", 1), Column("n"), Column("kind"), Column("share")]
    table = Table("T", columns, [[["a", 1.0, 5, "k", "1/2"], ["bb", None, 1000, "kk", None]]])
    first, second = [line for line in shown([table]).split("\n") if line.startswith(("a ", "bb"))]
    assert first.split() == ["a", "1.0", "5", "k", "1/2"]
    assert second.split() == ["bb", "–", "1,000", "kk", "–"]
    assert first.index("5") == second.index("1,000") + 4
    assert first.index("k") == second.index("kk")
    assert first.index("1/2") + 2 == second.rindex("–")
    assert "| --- | ---: | ---: | --- | ---: |" in to_markdown([table])


def test_markdown_is_a_table_with_notes_below():
    text = to_markdown(
        [Table("Title", [Column("model", wraps=True), Column("x", 1)], [[["a", 1.0]], [["b", None]]], ["n1", "n2"])]
    )
    assert text == "### Title\n\n| model | x |\n| --- | ---: |\n| a | 1.0 |\n| b | – |\n\nn1\n\nn2\n"


def test_markdown_escapes_what_would_break_a_row_or_become_markup():
    text = to_markdown(one_cell("a|b\nc [x](http://y) <img> `k` *i* _u_ # ~ \\"))
    (line,) = [line for line in text.split("\n") if line.startswith("| a")]
    assert line == r"| a\|b c \[x\](http://y) \<img\> \`k\` \*i\* \_u\_ \# \~ \\ |"
    assert len(re.findall(r"(?<!\\)\|", line)) == 2


def test_markdown_of_the_leaderboard_has_a_line_a_row_and_the_notice():
    text = to_markdown(
        leaderboard(scores(row("x|y", calls={"draft": {"empty": 1, "parsed": 2}}), row("z", 1.0), made_up=True))
    )
    rows = [line for line in text.split("\n") if line.startswith("| ")]
    assert len(rows) == (2 + 2 + 5) + (2 + 2 + 1)
    assert MADE_UP in text
    assert MADE_UP not in to_markdown(leaderboard(scores()))
