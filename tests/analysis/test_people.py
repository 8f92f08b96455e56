"""Claims about sorting people into groups."""

from analysis_examples import inputs_of_scores
from attunebench.analysis.groupings import NOT_GIVEN, OTHER, SEVERAL, read_groupings
from attunebench.analysis.people import sort_people


def told(*diagnoses):
    return [{"participant_profile": {"responses": {"diagnosis": each}}} for each in diagnoses]


def sorted_by(grouping, fields, participants=()):
    inputs = inputs_of_scores(
        {"reference/composite_score": [[1.0] * len(fields)]}, fields=fields, participants=participants
    )
    return sort_people(grouping, inputs.conversations, inputs.cube)


def groups(found):
    return [found.names[place] for place in found.index]


def test_whoever_says_different_things_is_in_more_than_one_with_all_conversations():
    found = sorted_by(read_groupings()["diagnosis"], told("none", "anxiety", "none", "ADHD"), ["p1", "p1", "p2", "p3"])
    assert groups(found) == [SEVERAL, SEVERAL, "none reported", "ASD/ADHD"]
    assert (found.split, found.crossed, found.reference) == (1, False, "none reported")
    assert [found.conversations(name) for name in found.names] == [1, 1, 2]
    assert [found.clusters(name) for name in found.names] == [1, 1, 1]


def test_topics_are_of_conversations_and_people_may_cross_them():
    fields = [{"metadata": {"category": each}} for each in ("work", "family", "work")]
    found = sorted_by(read_groupings()["topic"], fields, ["p1", "p1", "p2"])
    assert groups(found) == ["work", "family", "work"]
    assert (found.split, found.crossed, found.reference) == (0, True, "work")


def test_groups_of_no_kind_come_last_and_are_never_tested_or_the_reference():
    found = sorted_by(read_groupings()["diagnosis"], told(*["migraine"] * 12, *[None] * 12, *["ADHD"] * 10))
    assert found.names == ("ASD/ADHD", NOT_GIVEN, OTHER)
    assert found.tested == ["ASD/ADHD"]
    assert found.reference is None


def test_ten_participants_are_enough_and_nine_are_not_however_many_conversations_they_had():
    people = [f"a{n}" for n in range(10)] + [f"b{n % 9}" for n in range(30)]
    found = sorted_by(read_groupings()["diagnosis"], told(*["none"] * 10, *["ADHD"] * 30), people)
    assert found.tested == ["none reported"]
