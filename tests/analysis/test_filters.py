"""Claims about `--where`."""

import polars as pl
import pytest

from attunebench.analysis.filters import Filter, choose, read_filter
from attunebench.analysis.groupings import read_groupings
from attunebench.errors import UsageError

PEOPLE = {
    "c1": {"metadata": {"turnCount": 4, "category": "Work"}, "participant_profile": {"traits": ["calm", "shy"]}},
    "c2": {"metadata": {"turnCount": 8, "category": "family"}, "participant_profile": {"traits": ["loud"]}},
    "c3": {"metadata": {"category": "work"}, "participant_profile": {"responses": {"diagnosis": "ADHD"}}},
}


def chosen(*texts):
    return choose([read_filter(text) for text in texts], PEOPLE, read_groupings())[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("id=c2", ["c2"]),
        ("id=c3|c1", ["c1", "c3"]),
        ("id!=c2", ["c1", "c3"]),
        ("metadata.category=work", ["c1", "c3"]),
        ("metadata.category!=work", ["c2"]),
        ("metadata.turnCount>4", ["c2"]),
        ("metadata.turnCount>=4", ["c1", "c2"]),
        ("metadata.turnCount<8", ["c1"]),
        ("metadata.turnCount<=8", ["c1", "c2"]),
        ("metadata.turnCount = 8", ["c2"]),
        ("metadata.turnCount!=8", ["c1", "c3"]),
        ("participant_profile.traits=shy", ["c1"]),
        ("participant_profile.traits!=shy", ["c2", "c3"]),
        ("diagnosis=asd/adhd", ["c3"]),
        ("diagnosis=not given", ["c1", "c2"]),
        ("diagnosis=not given|ASD/ADHD", ["c1", "c2", "c3"]),
    ],
)
def test_every_sign_chooses_what_it_says(text, expected):
    assert chosen(text) == expected


def test_several_filters_must_all_fit():
    assert chosen("metadata.category=work", "metadata.turnCount>=1") == ["c1"]


def test_a_participant_in_two_groups_is_in_neither_for_a_filter_either():
    told = {
        name: {"participant_profile": {"participant_id": person, "responses": {"diagnosis": text}}}
        for name, person, text in (("c1", "p", "ADHD"), ("c2", "p", "none"), ("c3", "q", "ADHD"))
    }
    for group, expected in (("ASD/ADHD", ["c3"]), ("none reported", []), ("more than one", ["c1", "c2"])):
        assert choose([read_filter(f"diagnosis={group}")], told, read_groupings())[0] == expected


def test_filters_of_rows_choose_rows_and_no_conversations():
    conversations, rows = choose(
        [read_filter(text) for text in ("model=a/b|c", "mode!=verbose")], PEOPLE, read_groupings()
    )
    table = pl.DataFrame({"model": ["a/b", "c", "c", "d"], "mode": ["default", "verbose", "default", "default"]})
    assert conversations == ["c1", "c2", "c3"]
    assert table.filter(rows).rows() == [("a/b", "default"), ("c", "default")]


def test_a_value_may_hold_signs_and_spaces():
    assert read_filter("condition = a=b | c>d ") == Filter("condition", "=", ("a=b", "c>d"))


@pytest.mark.parametrize(
    "text", ["", "id", "id=", "=x", "metadata.turnCount>many", "metadata.turnCount>1|2", "model<3", "a>nan"]
)
def test_what_is_no_filter_is_refused_with_the_text_itself(text):
    with pytest.raises(UsageError, match=r"--where: .* must|--where: must") as refused:
        read_filter(text)
    assert repr(text) in str(refused.value)


def test_a_field_that_no_conversation_has_is_refused():
    with pytest.raises(UsageError, match=r"--where: no conversation has metadata.nothing, got metadata.nothing=1\|2"):
        chosen("metadata.nothing=1|2")
