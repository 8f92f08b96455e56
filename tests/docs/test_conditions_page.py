"""Claims of the page on conditions that the program can be held to."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from attunebench.cli import app
from attunebench.models.structured import WITHOUT_SCHEMA
from attunebench.protocol.probe import FULL
from attunebench.protocol.records import PostRecord, Provenance, TurnRecord

PAGE = (Path(__file__).parents[2] / "docs" / "conditions.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in row.split("|")[1:-1]] for row in PAGE.splitlines() if row.startswith("| `")]
OPTIONS = [row for row in ROWS if row[0].startswith("`--")]
TEMPLATES = [row for row in ROWS if not row[0].startswith("`--")]


def named(text):
    return re.findall(r"`(\w+)`", text)


@pytest.mark.parametrize("command", ["run", "prompts show"])
def test_every_option_is_one_of_both_commands(command):
    found = get_command(app)
    for name in command.split():
        found = found.commands[name]
    known = {option for param in found.params for option in param.opts}
    assert {row[0].strip("`").split()[0] for row in OPTIONS} <= known


def test_what_is_recorded_has_a_place_in_a_record():
    known = {*TurnRecord.model_fields, *PostRecord.model_fields, *Provenance.model_fields}
    assert {name for row in OPTIONS for name in named(row[2])} <= known


def test_the_variables_of_every_template_are_all_there():
    assert [named(row[0])[0] for row in TEMPLATES] == list(FULL)
    for name, must, may in TEMPLATES:
        given = {name.partition(" ")[0] for name in (*named(re.sub(r"\([^)]*\)", "", must)), *named(may))}
        assert given == set(FULL[name.strip("`")])


def test_the_providers_without_schemas_are_all_there():
    (told,) = re.findall(r"Inspect sends no schema to (.*?), and to Bedrock", PAGE, re.DOTALL)
    assert set(re.findall(r"`([^`]+)`", told)) == WITHOUT_SCHEMA
