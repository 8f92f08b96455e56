"""Claims of the page on the analysis that the program can be held to."""

import re
from pathlib import Path

from attunebench.analysis.groupings import read_groupings

PAGE = (Path(__file__).parents[2] / "docs" / "analysis.md").read_text(encoding="utf-8")


def test_the_page_names_every_table_of_the_demo_with_two_modes_and_a_panel(analyzed):
    """But for the mixed models, which need larger groups."""
    rows = [row.split("|")[2] for row in PAGE.splitlines() if re.match(r"\| [a-zA-Z ]+ \| `", row)]
    named = [name for row in rows for name in re.findall(r"`([a-z_]+)`", row)]
    assert sorted(named) == sorted({*analyzed.tables, "groups_mixed"})


def test_the_mapping_on_the_page_is_one(tmp_path):
    (shown,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "groups.toml").write_text(shown, encoding="utf-8")
    found = read_groupings(tmp_path / "groups.toml")["diagnosis"]
    told = {"participant_profile": {"responses": {"diagnosis": "Anxiety, mild"}}}
    assert (found.reference, found.group(told)) == ("none reported", "anxiety/depression")
