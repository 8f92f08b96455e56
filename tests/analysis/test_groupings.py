"""Claims about groupings: the published groups, mapping files, and fields by path."""

import pytest

from analysis_examples import inputs_of_scores
from attunebench.analysis.groupings import (
    NOT_GIVEN,
    OTHER,
    SEVERAL,
    fields_of,
    grouping_for,
    read_groupings,
    texts_at,
)
from attunebench.errors import UsageError


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("None", "none reported"),
        ("no diagnosis", "none reported"),
        ("N/A", "none reported"),
        ("not diagnosed.", "none reported"),
        ("Anxiety", "anxiety/depression"),
        ("major depressive disorder, GAD", "anxiety/depression"),
        ("ADHD", "ASD/ADHD"),
        ("autistic", "ASD/ADHD"),
        ("Attention deficit", "ASD/ADHD"),
        ("anxiety and ADHD", SEVERAL),
        (["Depression", "ASD"], SEVERAL),
        (["Depression", "GAD"], "anxiety/depression"),
        ("migraine", OTHER),
        ("my address", OTHER),
        ("nonesuch", OTHER),
        ("", NOT_GIVEN),
        ([], NOT_GIVEN),
        (None, NOT_GIVEN),
    ],
)
def test_the_published_groups_are_told_from_what_people_wrote(text, group):
    assert read_groupings()["diagnosis"].group({"participant_profile": {"responses": {"diagnosis": text}}}) == group


def test_without_a_profile_nothing_is_given():
    assert read_groupings()["diagnosis"].group({"conversationId": "c"}) == NOT_GIVEN


def test_texts_at_a_path_are_plain_values_and_never_whole_objects():
    fields = {"a": {"b": ["x ", "", None, 3, True, {"secret": "id"}], "c": 2.5}}
    assert texts_at(fields, "a.b") == ["x", "3", "true"]
    assert texts_at(fields, "a.c") == ["2.5"]
    assert texts_at(fields, "a") == texts_at(fields, "a.c.d") == texts_at(fields, "z") == []


def people_of(*participants):
    inputs = inputs_of_scores({"reference/composite_score": [[1.0] * len(participants)]}, participants=participants)
    return [fields_of(one) for one in inputs.conversations.values()]


@pytest.mark.parametrize("path", ["participant_profile.participant_id", "participant_profile", "metadata.absent"])
def test_participants_are_never_listed_and_an_unknown_field_is_refused(path):
    with pytest.raises(UsageError, match=r"--by: must") as refused:
        grouping_for(path, read_groupings(), people_of("p1", "p2"))
    assert "\n" not in str(refused.value) and "p1" not in str(refused.value)


def test_a_mapping_cannot_list_participants_either(tmp_path):
    file = tmp_path / "groups.toml"
    file.write_text('[who]\npath = "participant_profile.participant_id"\n', encoding="utf-8")
    with pytest.raises(UsageError, match="must not list participants, got who"):
        grouping_for("who", read_groupings(file), people_of("p1", "p2"))


def test_a_field_that_happens_to_hold_what_is_one_persons_id_can_be_used():
    fields = people_of("1", "2")
    for one in fields:
        one["metadata"] = {"category": "1"}
    assert grouping_for("metadata.category", read_groupings(), fields).path == "metadata.category"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("not toml", "must be a readable TOML file"),
        ("a = 1", "must have a path, a text, got 1"),
        ("[a]\npath = 3", "must have a path"),
        ('[a]\npath = "x"\ngruops = {}', "knows path, groups and reference, got 'gruops'"),
        ('[a]\npath = "x"\ngroups = "y"', "groups must be a table of patterns by name, got 'y'"),
        ('[a]\npath = "x"\ngroups = {}', "groups must be a table of patterns by name"),
        ('[a]\npath = "x"\n[a.groups]\n"other" = "y"', "must not be called .* got 'other'"),
        ('[a]\npath = "x"\n[a.groups]\nb = "("', "group 'b' must be a regular expression, got '\\('"),
        ('[a]\npath = "x"\n[a.groups]\nb = 3', "group 'b' must be a regular expression, got 3"),
        ('[a]\npath = "x"\nreference = "z"\n[a.groups]\nb = "y"', "reference must be one of its groups, got 'z'"),
        ('[a]\npath = "x"\nreference = 3', "reference must be a text, got 3"),
    ],
)
def test_a_mapping_that_is_not_as_it_must_be_is_refused_in_one_line(tmp_path, text, problem):
    file = tmp_path / "groups.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=problem) as refused:
        read_groupings(file)
    assert str(refused.value).startswith("--groups: ") and "\n" not in str(refused.value)


def test_a_mapping_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match="nowhere"):
        read_groupings(tmp_path / "nowhere.toml")
