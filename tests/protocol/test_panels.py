"""Claims about a panel: ratings are averaged, a yes/no goes by majority, and what each judge said is kept."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from protocol_examples import conversation, judgement, turn

from attunebench.protocol.answers import RATINGS, CallState, Failed
from attunebench.protocol.assemble import CallEnd
from attunebench.protocol.judge import JudgeAsked, judge_asked, read_judgement
from attunebench.protocol.lean_records import judge_ends
from attunebench.protocol.panel import Panel, Verdict, average, judged_record, majority
from attunebench.protocol.records import RunRecord, read_record
from judges import verdict

BOTH = JudgeAsked(rates=True, yes_no=("B1", "B2"))
FAILED = CallEnd(Failed(CallState.REFUSED, "no"), attempts=1)
FIELDS = (
    "em_draft_judge_scores",
    "em_draft_judge_scores_by_model",
    "em_draft_binary_assessment",
    "em_draft_binary_assessment_by_model",
)


def panel(*judges, **changes):
    facts = {"prompt_version": "1", "prompt_hash": "f0", "generation": {"temperature": 0.0}}
    return Panel(judges=judges, **facts | changes)


def said(rating=4, asked=BOTH, attempts=1, **answers):
    return CallEnd(read_judgement(asked, verdict(rating, **answers)), attempts)


def record(*turns, **fields):
    raw = {"conversationId": "c1", "em_model": "m", "turns": list(turns), "post_conversation": None}
    return RunRecord.model_validate(raw | fields)


def judged(ends, asked=BOTH, of=None):
    own = of or record({"turnNumber": 1, "em_drafted_response": "d"})
    return judged_record(own, {1: Verdict(asked, ends)}, panel(*ends))


def test_ratings_are_averaged_name_by_name():
    one = dict(zip(RATINGS, (1, 2, 3, 7), strict=True))
    other = dict(zip(RATINGS, (2, 4, 3, 6.5), strict=True))
    assert average([one, other]) == dict(zip(RATINGS, (1.5, 3, 3, 6.75), strict=True))
    assert average([one]) == one


@given(st.lists(st.floats(1, 7), min_size=1, max_size=6), st.randoms())
def test_the_order_of_judges_makes_no_difference_and_an_average_stays_within(values, chance):
    ratings = [dict.fromkeys(RATINGS, value) for value in values]
    shuffled = chance.sample(ratings, len(ratings))
    assert average(shuffled) == average(ratings)
    assert min(values) - 1e-9 <= average(ratings)["helpfulness"] <= max(values) + 1e-9


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        (["yes"], "yes"),
        (["no"], "no"),
        (["no", "no", "yes"], "no"),
        (["yes", "no"], "yes"),
        (["na", "no"], "na"),
        (["no", "no", "na", "na"], "na"),
        (["yes", "na"], "yes"),
        (["no", "no", "yes", "na"], "no"),
    ],
)
def test_the_majority_decides_and_a_tie_is_not_no(answers, expected):
    for order in itertools.permutations(answers):
        assert majority({"B1": answer} for answer in order) == {"B1": expected}


def test_a_question_goes_by_those_who_answered_it():
    assert majority([{"B1": "no"}, {"B2": "no"}, {"B1": "no", "B2": "yes"}]) == {"B1": "no", "B2": "yes"}
    assert majority([{}, {}]) == {}


def test_a_record_keeps_what_each_judge_said_beside_what_they_said_together():
    got = judged({"a": said(2, B1="yes", B2="no"), "b": said(5, B1="no", B2="no")})
    (one,) = got.turns
    assert one.em_draft_judge_scores == dict.fromkeys(RATINGS, 3.5)
    assert one.em_draft_judge_scores_by_model == {"a": dict.fromkeys(RATINGS, 2), "b": dict.fromkeys(RATINGS, 5)}
    assert one.em_draft_binary_assessment == {"B1": "yes", "B2": "no"}
    assert one.em_draft_binary_assessment_by_model == {"a": {"B1": "yes", "B2": "no"}, "b": {"B1": "no", "B2": "no"}}


def test_a_judge_that_failed_is_left_out_and_its_end_is_told():
    got = judged({"a": FAILED, "b": said(5, attempts=2, B1="no", B9="no")})
    (one,), (call,) = got.turns, got.calls
    assert one.em_draft_judge_scores == dict.fromkeys(RATINGS, 5)
    assert set(one.em_draft_judge_scores_by_model) == set(one.em_draft_binary_assessment_by_model) == {"b"}
    assert (call.turn, call.call, call.state, call.attempts, call.counters) == (1, "judge", "parsed", 3, {"unasked": 1})
    assert {judge: (end.state, end.attempts) for judge, end in call.by_model.items()} == {
        "a": ("refused", 1),
        "b": ("parsed", 2),
    }
    assert judge_ends(got) == {"a": {"refused": 1}, "b": {"parsed": 1}}


def end(state):
    if state in {"parsed", "repaired"}:
        text = verdict(4, B1="no")
        return CallEnd(read_judgement(BOTH, text if state == "parsed" else text[:-1]))
    return CallEnd(Failed(CallState(state), "why"))


@pytest.mark.parametrize(
    ("states", "together"),
    [
        (["parsed", "provider_error"], "parsed"),
        (["refused", "repaired"], "repaired"),
        (["parsed", "repaired", "empty"], "repaired"),
        (["refused", "empty", "empty"], "empty"),
        (["truncated", "refused"], "truncated"),
    ],
)
def test_a_panel_answered_if_any_of_its_judges_did(states, together):
    got = judged({f"j{n}": end(state) for n, state in enumerate(states)})
    assert got.calls[0].state == together
    assert (got.turns[0].em_draft_judge_scores is None) == (together not in {"parsed", "repaired"})


def test_nobody_s_answer_is_none_and_what_was_not_asked_is_empty():
    (failed,) = judged({"a": FAILED}).turns
    assert [getattr(failed, name) for name in FIELDS] == [None, {}, None, {}]
    unrated = JudgeAsked(rates=False, yes_no=("B1",))
    (failed,) = judged({"a": FAILED}, unrated).turns
    assert [getattr(failed, name) for name in FIELDS] == [{}, {}, None, {}]
    (answered,) = judged({"a": said(None, unrated, B1="no")}, unrated).turns
    assert [getattr(answered, name) for name in FIELDS] == [{}, {"a": {}}, {"B1": "no"}, {"a": {"B1": "no"}}]


def test_a_draft_about_which_nothing_can_be_asked_has_no_call():
    nothing = judge_asked(conversation(turn(1, judgements=[judgement("B1", "na", "na")])).turns[0])
    got = judged({}, nothing)
    assert [getattr(got.turns[0], name) for name in FIELDS] == [{}, {}, {}, {}]
    assert got.calls == []


def test_all_else_of_a_record_stays():
    calls = [{"turn": 1, "call": "draft", "state": "parsed"}, {"turn": None, "call": "outcome", "state": "empty"}]
    own = record(
        {"turnNumber": 1, "em_drafted_response": "d", "own": 1},
        {"turnNumber": 2, "em_drafted_response": None},
        calls=calls,
        provenance={"condition": "abc", "epoch": 3},
        api_cost=0.5,
        foreign="kept",
    )
    before = dumped(own)
    after = dumped(judged({"a": said(B1="no")}, of=own))
    assert dumped(own) == before
    assert dumped(read_record(after)) == after
    for one in before["turns"]:
        assert [one.pop(name) for name in FIELDS] == [None] * 4
    for one in after["turns"]:
        assert {name: one.pop(name) for name in FIELDS}
    assert after["calls"].pop()["call"] == "judge"
    for name in ("judges", "judge_prompt_version", "judge_prompt_hash", "judge_generation"):
        assert name not in before["provenance"]
        assert after["provenance"].pop(name)
    assert after["provenance"].pop("condition") != before["provenance"].pop("condition")
    assert after == before


def dumped(own):
    return own.model_dump(mode="json", by_alias=True)


def test_provenance_tells_the_panel():
    provenance = judged({"b": said(B1="no"), "a": FAILED}).provenance
    assert provenance.judges == ["b", "a"]
    assert (provenance.judge_prompt_version, provenance.judge_prompt_hash) == ("1", "f0")
    assert provenance.judge_generation == {"temperature": 0.0}


def test_the_condition_is_the_record_s_own_and_the_panel_s():
    one, other = panel("a"), panel("b")
    assert one.condition("abc") == f"abc+{one.id}"
    assert other.condition(one.condition("abc")) == f"abc+{other.id}"
    assert one.condition(None) == f"+{one.id}"


def test_another_panel_says_it_all_anew():
    first = judged({"a": said(2, B1="yes"), "b": said(2, B1="yes")})
    again = judged_record(first, {1: Verdict(BOTH, {"c": said(6, B1="no")})}, panel("c"))
    (one,), (call,) = again.turns, again.calls
    assert set(one.em_draft_judge_scores_by_model) == set(call.by_model) == set(judge_ends(again)) == {"c"}
    assert one.em_draft_binary_assessment == {"B1": "no"}
    assert again.provenance.judges == ["c"]


def test_a_panel_is_known_by_its_judges_and_how_they_are_asked():
    assert panel("a", "b").id == panel("b", "a").id
    others = [panel("a"), panel("a", "b", prompt_hash="f1"), panel("a", "b", generation={"temperature": 1.0})]
    assert len({panel("a", "b").id, *(one.id for one in others)}) == 4


def test_records_from_elsewhere_tell_their_judges_by_the_values_kept():
    one = {"turnNumber": 1, "em_draft_judge_scores_by_model": {"gpt-4o": {"overall_score": 5}}}
    two = {"turnNumber": 2, "em_draft_binary_assessment_by_model": {"claude": {"B1": "yes"}, "gpt-4o": {}}}
    assert judge_ends(record(one, two)) == {"gpt-4o": {}, "claude": {}}
    assert judge_ends(record({"turnNumber": 1})) == {}
