"""Claims about run records: what a conversation's calls told, under the public names, and nothing made up."""

import json

import pytest
from protocol_examples import (
    ALTERNATES,
    ITEMS_BEFORE,
    calls_of,
    comparison,
    condition,
    conversation,
    judgement,
    three_turns,
    turn,
)

from attunebench.instrument import NEGATIVE_ITEMS, POSITIVE_ITEMS
from attunebench.protocol.answers import CallState, Failed, PanasAnswer
from attunebench.protocol.assemble import CallEnd, RunFacts, build_record, predicted_panas
from attunebench.protocol.calls import CallKey
from attunebench.protocol.parse import read_reply
from attunebench.protocol.records import RunRecord

OUTCOME = CallKey(None, "outcome")
FACTS = RunFacts(
    model="test/model", source_file="c1.json", timestamp="2026-01-02T03:04:05Z", cost=0.5, duration=1.5,
    program_version="0.1.0", extra={"epoch": 1},
)  # fmt: skip

RECORD_NAMES = [
    "conversationId", "source_file", "em_model", "run_timestamp", "mode", "turns", "post_conversation", "api_cost",
    "duration_seconds", "calls", "provenance",
]  # fmt: skip
TURN_NAMES = [
    "turnNumber", "em_emotion_tags", "em_drafted_response", "response_reasoning", "emotion_reasoning",
    "pairwise_assignment", "em_binary_om_assessment", "em_binary_human_prediction", "em_binary_om_assessment_hp",
    "em_binary_human_prediction_hp", "em_pairwise_selections", "em_draft_judge_scores",
    "em_draft_judge_scores_by_model", "em_draft_binary_assessment", "em_draft_binary_assessment_by_model",
]  # fmt: skip
POST_NAMES = [
    "panas_strategy", "pre_panas_shown", "predicted_post_panas", "predicted_panas_delta", "predicted_conversation_wide",
]  # fmt: skip
WIDE_NAMES = ["q1_lookingFor", "q2_emotionClarity", "q3_modelFit", "q3_followUp_whatFeltOff", "fourBranchScores"]
JUDGE_NAMES = [name for name in TURN_NAMES if "draft_" in name]


def reply_to(call):
    """A well-formed reply: calm, agreeable and always the same."""
    kind, asked = call.key.kind, call.asked
    answers = dict.fromkeys(asked.yes_no, "yes")
    value = {
        "draft": {"drafted_response": "DRAFT", "response_reasoning": "WHY"},
        "review": {
            "emotion_tags": [{"emotion": "upset", "intensity": 9}],
            "emotion_reasoning": "BECAUSE",
            "binary_om_assessment": answers,
            "binary_human_prediction": dict.fromkeys(asked.yes_no, "no"),
        },
        "perspective": {"binary_om_assessment": answers, "binary_human_prediction": answers},
        "pairwise": {"pairwise_selections": dict.fromkeys(asked.sides, "B")},
        "pairwise_swapped": {"pairwise_selections": dict.fromkeys(asked.sides, "B")},
        "outcome": {
            "predicted_post_panas": dict.fromkeys(ITEMS_BEFORE, 4),
            "predicted_panas_delta": dict.fromkeys(ITEMS_BEFORE, -1),
            "conversation_wide": {
                "q1_lookingFor": ["Other"],
                "q2_emotionClarity": "Clear and explicitly stated",
                "q3_modelFit": "Mostly well-matched",
                "q3_followUp_whatFeltOff": [],
                "fourBranchScores": {"perceiving": 5},
            },
        },
    }[kind]
    return json.dumps(value)


def ends_of(of, mode="default", strategy="absolute", **other):
    calls = calls_of(of, mode, strategy, **other)
    return {key: CallEnd(read_reply(call, reply_to(call))) for key, call in calls.items()}


def dumped(of, ends, mode="default", strategy="absolute", **other):
    return build_record(of, ends, condition(mode, strategy, **other), FACTS).model_dump(by_alias=True)


def test_a_record_has_the_public_names_and_no_others():
    of = three_turns()
    record = dumped(of, ends_of(of))
    assert list(record) == RECORD_NAMES
    assert [list(turn) for turn in record["turns"]] == [TURN_NAMES] * 3
    post = record["post_conversation"]
    assert list(post) == POST_NAMES
    assert list(post["predicted_post_panas"]) == ["totalPositiveAffect", "totalNegativeAffect", "items"]
    assert list(post["predicted_conversation_wide"]) == WIDE_NAMES


def test_a_record_says_what_the_calls_told():
    of = three_turns()
    record = dumped(of, ends_of(of, "verbose"), "verbose")
    assert {name: value for name, value in record.items() if name not in ("turns", "calls", "provenance")} == {
        "conversationId": "c1",
        "source_file": "c1.json",
        "em_model": "test/model",
        "run_timestamp": "2026-01-02T03:04:05Z",
        "mode": "verbose",
        "api_cost": 0.5,
        "duration_seconds": 1.5,
        "post_conversation": {
            "panas_strategy": "absolute",
            "pre_panas_shown": {"totalPositiveAffect": 30, "totalNegativeAffect": 20},
            "predicted_post_panas": {
                "totalPositiveAffect": 40,
                "totalNegativeAffect": 40,
                "items": dict.fromkeys(ITEMS_BEFORE, 4),
            },
            "predicted_panas_delta": {},
            "predicted_conversation_wide": {
                "q1_lookingFor": ["Other"],
                "q2_emotionClarity": "Clear and explicitly stated",
                "q3_modelFit": "Mostly well-matched",
                "q3_followUp_whatFeltOff": [],
                "fourBranchScores": {"perceiving": 5},
            },
        },
    }
    assert record["turns"][0] == {
        "turnNumber": 1,
        "em_emotion_tags": [{"emotion": "Upset", "intensity": 7}],
        "em_drafted_response": "DRAFT",
        "response_reasoning": "WHY",
        "emotion_reasoning": "BECAUSE",
        "pairwise_assignment": {"0": {"A": "human", "B": "original"}},
        "em_binary_om_assessment": {"B1": "yes"},
        "em_binary_human_prediction": {"B1": "no"},
        "em_binary_om_assessment_hp": {"B1": "yes"},
        "em_binary_human_prediction_hp": {"B1": "yes"},
        "em_pairwise_selections": {"0": "B"},
        **dict.fromkeys(JUDGE_NAMES),
    }


def test_the_calls_stand_beside_with_states_and_counters():
    of = three_turns()
    ends = ends_of(of)
    ends[CallKey(2, "draft")] = CallEnd(Failed(CallState.REFUSED, "no"), attempts=3)
    record = dumped(of, ends)
    assert [(call["turn"], call["call"]) for call in record["calls"]] == list(ends)
    by_key = {(call["turn"], call["call"]): call for call in record["calls"]}
    assert by_key[2, "draft"] == {"turn": 2, "call": "draft", "state": "refused", "attempts": 3, "counters": {}}
    assert by_key[1, "review"]["counters"] == {"clamped": 1}
    assert by_key[1, "review"]["state"] == "parsed"


def test_provenance_names_the_condition_and_cannot_be_overwritten():
    of = three_turns()
    made_under = condition("verbose", "delta", blind=True, generation={"temperature": 0}, data_hash="d")
    facts = RunFacts(model="m", program_version="9", epoch=2, extra={"condition": "other", "rig": 7})
    record = build_record(of, {}, made_under, facts)
    assert record.provenance.model_dump() == {
        "condition": made_under.id,
        "mode": "verbose",
        "strategy": "delta",
        "blind": True,
        "swap": False,
        "structured": False,
        "prompt_version": made_under.prompt_version,
        "prompt_hash": made_under.prompt_hash,
        "generation": {"temperature": 0},
        "data_hash": "d",
        "program_version": "9",
        "epoch": 2,
        "rig": 7,
    }
    assert record.condition == made_under.id


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize("strategy", ["absolute", "delta", "blind_delta"])
def test_a_record_reads_back_equal_from_json(strategy, swap):
    of = three_turns()
    ends = ends_of(of, strategy=strategy, swap=swap)
    for left_out in (None, *ends):
        made = {key: end for key, end in ends.items() if key != left_out}
        record = build_record(of, made, condition(strategy=strategy, swap=swap), FACTS)
        assert RunRecord.model_validate_json(record.model_dump_json(by_alias=True)) == record
        assert RunRecord.model_validate(record.model_dump()) == record


def test_the_second_order_stands_beside_the_first_under_letters_of_its_own():
    of = three_turns()
    ends = ends_of(of, swap=True)
    once, twice = dumped(of, ends_of(of)), dumped(of, ends, swap=True)
    own = [
        {name: each.pop(name) for name in ("pairwise_assignment_swapped", "em_pairwise_selections_swapped")}
        for each in twice["turns"]
    ]
    assert twice["turns"] == once["turns"]
    assert own == [
        {
            "pairwise_assignment_swapped": {"0": {"A": "original", "B": "human"}},
            "em_pairwise_selections_swapped": {"0": "B"},
        },
        {"pairwise_assignment_swapped": {}, "em_pairwise_selections_swapped": {}},
        {
            "pairwise_assignment_swapped": {index: {"A": "alternate", "B": "original"} for index in "01"},
            "em_pairwise_selections_swapped": {"0": "B", "1": "B"},
        },
    ]


def test_a_failed_second_order_leaves_the_first_alone():
    of = three_turns()
    ends = ends_of(of, swap=True)
    del ends[CallKey(1, "pairwise_swapped")]
    first = dumped(of, ends, swap=True)["turns"][0]
    assert first["em_pairwise_selections"] == {"0": "B"}
    assert "em_pairwise_selections_swapped" not in first
    assert first["pairwise_assignment_swapped"] == {"0": {"A": "original", "B": "human"}}


TOLD_BY = {
    (1, "draft"): ["em_drafted_response", "response_reasoning"],
    (1, "review"): [
        "em_emotion_tags", "emotion_reasoning", "em_binary_om_assessment", "em_binary_human_prediction"
    ],
    (1, "perspective"): ["em_binary_om_assessment_hp", "em_binary_human_prediction_hp"],
    (1, "pairwise"): ["em_pairwise_selections"],
    (2, "review"): ["em_emotion_tags", "emotion_reasoning"],
}  # fmt: skip


@pytest.mark.parametrize(("key", "names"), list(TOLD_BY.items()))
@pytest.mark.parametrize("ending", ["failed", "missing"])
def test_a_failed_call_leaves_its_own_fields_empty_and_no_others(key, names, ending):
    of = three_turns()
    ends = ends_of(of, "verbose")
    whole = dumped(of, ends, "verbose")
    if ending == "failed":
        ends[CallKey(*key)] = CallEnd(Failed(CallState.UNPARSEABLE, "prose"))
    else:
        del ends[CallKey(*key)]
    broken = dumped(of, ends, "verbose")
    expected = [dict(each) for each in whole["turns"]]
    expected[key[0] - 1] |= dict.fromkeys(names)
    assert broken["turns"] == expected
    assert broken["post_conversation"] == whole["post_conversation"]


@pytest.mark.parametrize(("strategy", "change"), [("absolute", {}), ("delta", None), ("blind_delta", None)])
def test_a_failed_outcome_leaves_its_predictions_empty(strategy, change):
    of = three_turns()
    ends = ends_of(of, strategy=strategy)
    whole = dumped(of, ends, strategy=strategy)
    del ends[OUTCOME]
    broken = dumped(of, ends, strategy=strategy)
    assert broken["turns"] == whole["turns"]
    assert broken["post_conversation"] == whole["post_conversation"] | {
        "predicted_post_panas": None,
        "predicted_panas_delta": change,
        "predicted_conversation_wide": None,
    }


def test_what_was_not_asked_is_empty_and_not_failed():
    of = conversation(turn(1, judgements=[judgement("B18", "na", "na")]))
    for ends in (ends_of(of), {}):
        only = dumped(of, ends)["turns"][0]
        for name in ("om_assessment", "human_prediction", "om_assessment_hp", "human_prediction_hp"):
            assert only[f"em_binary_{name}"] == {}
        assert only["em_pairwise_selections"] == only["pairwise_assignment"] == {}


def test_nothing_felt_is_not_the_same_as_nothing_read():
    of = conversation(turn(1))
    key = CallKey(1, "review")
    calm = CallEnd(read_reply(calls_of(of)[key], '{"emotion_tags": ["neutral"]}'))
    assert dumped(of, {key: calm})["turns"][0]["em_emotion_tags"] == []
    assert dumped(of, {})["turns"][0]["em_emotion_tags"] is None


def test_turns_stand_in_order_of_their_numbers():
    of = conversation(turn(3), turn(1), turn(2))
    assert [each["turnNumber"] for each in dumped(of, {})["turns"]] == [1, 2, 3]


def test_a_missing_answer_after_the_conversation_is_none():
    of = conversation(turn(1))
    reply = '{"predicted_post_panas": {}, "conversation_wide": {"q1_lookingFor": []}}'
    post = dumped(of, {OUTCOME: CallEnd(read_reply(calls_of(of)[OUTCOME], reply))})["post_conversation"]
    assert post["predicted_conversation_wide"] == {
        **dict.fromkeys(WIDE_NAMES), "q1_lookingFor": [], "fourBranchScores": {}
    }  # fmt: skip
    assert post["predicted_post_panas"] == {"totalPositiveAffect": None, "totalNegativeAffect": None, "items": {}}


@pytest.mark.parametrize(("before", "strategy", "shown"), [
    ("items", "absolute", {"totalPositiveAffect": 30, "totalNegativeAffect": 20}),
    ("totals", "delta", {"totalPositiveAffect": 25, "totalNegativeAffect": 42}),
    ("totals", "blind_delta", {}),
    ("none", "absolute", {}),
])  # fmt: skip
def test_the_record_says_which_totals_were_shown_with_the_outcome(before, strategy, shown):
    of = conversation(turn(1), before=before)
    assert dumped(of, {}, strategy=strategy)["post_conversation"]["pre_panas_shown"] == shown


# Predicted affect. Before, where known: each positive item 3 (30), each negative 2 (20); totals alone 25 and 42.


def predict(answer, before, strategy="delta"):
    predicted = predicted_panas(answer, conversation(before=before).pre_panas, strategy)
    return predicted["totalPositiveAffect"], predicted["totalNegativeAffect"], predicted["items"]


def all_items(positive, negative):
    return dict.fromkeys(POSITIVE_ITEMS, positive) | dict.fromkeys(NEGATIVE_ITEMS, negative)


@pytest.mark.parametrize("before", ["items", "totals", "none"])
def test_absolute_items_add_up_whatever_was_before(before):
    assert predict(PanasAnswer(all_items(4, 2)), before, "absolute") == (40, 20, all_items(4, 2))


@pytest.mark.parametrize("strategy", ["delta", "blind_delta"])
@pytest.mark.parametrize("before", ["items", "totals", "none"])
def test_a_change_moves_what_was_before(strategy, before):
    expected = {
        "items": (50, 10, all_items(5, 1)),  # 3 + 2; 2 - 2 = 0, clamped to 1
        "totals": (45, 22, {}),  # 25 + 20; 42 - 20
        "none": (60, 20, {}),  # 40 + 20; 40 - 20
    }
    assert predict(PanasAnswer(all_items(2, -2)), before, strategy) == expected[before]


def test_ten_items_known_before_count_as_clamped_and_not_the_sum_of_the_changes():
    # five items 3 + 6 clamped to 7, five 3 - 2 = 1, together 40; the changes alone would give 30 + 30 - 10 = 50
    positive = dict.fromkeys(POSITIVE_ITEMS[:5], 6) | dict.fromkeys(POSITIVE_ITEMS[5:], -2)
    # five items 2 + 6 clamped to 7, five 2 - 4 clamped to 1: 40; the changes alone would give 20 + 30 - 20 = 30
    negative = dict.fromkeys(NEGATIVE_ITEMS[:5], 6) | dict.fromkeys(NEGATIVE_ITEMS[5:], -4)
    assert predict(PanasAnswer(positive | negative), "items")[:2] == (40, 40)
    assert predict(PanasAnswer(positive | negative), "totals")[:2] == (45, 52)


def test_moved_totals_stay_in_their_range():
    assert predict(PanasAnswer(all_items(6, -6)), "none") == (70, 10, {})
    assert predict(PanasAnswer(all_items(6, -6)), "items") == (70, 10, all_items(7, 1))


@pytest.mark.parametrize("strategy", ["absolute", "delta"])
def test_with_nine_items_there_is_no_total(strategy):
    nine = {name: 2 for name in all_items(2, 2) if name != POSITIVE_ITEMS[0]}
    positive, negative, items = predict(PanasAnswer(nine), "items", strategy)
    assert (positive, negative) == (None, 20 if strategy == "absolute" else 40)
    assert len(items) == 19


def test_with_nine_items_the_model_s_own_total_counts():
    nine = dict.fromkeys(POSITIVE_ITEMS[1:], 2)
    assert predict(PanasAnswer(nine, 33, 12), "items", "absolute") == (33, 12, nine)


def test_with_ten_items_their_sum_counts_and_not_the_model_s_own_total():
    assert predict(PanasAnswer(all_items(4, 2), 11, 69), "none", "absolute")[:2] == (40, 20)


@pytest.mark.parametrize(("before", "totals"), [("items", (33, 16)), ("totals", (28, 38)), ("none", (43, 36))])
def test_a_total_s_own_change_moves_the_total(before, totals):
    assert predict(PanasAnswer({}, 3, -4), before) == (*totals, {})


def test_items_known_in_part_give_those_items_and_move_the_totals():
    some = conversation(prePanas={"Proud": 3, "Alert": 5, "totalNegativeAffect": 30}).pre_panas
    predicted = predicted_panas(PanasAnswer(all_items(1, 1)), some, "delta")
    # positive: no total was given, so the items present count: 8 + 10 changes of 1
    assert predicted == {"totalPositiveAffect": 18, "totalNegativeAffect": 40, "items": {"Proud": 4, "Alert": 6}}


def test_items_before_without_totals_are_no_obstacle_and_the_predicted_change_is_kept():
    of = conversation(turn(1, comparisons=[comparison()], alternates=ALTERNATES))
    post = dumped(of, ends_of(of, strategy="delta"), strategy="delta")["post_conversation"]
    assert post["predicted_panas_delta"] == dict.fromkeys(ITEMS_BEFORE, -1)
    assert post["predicted_post_panas"]["items"] == all_items(2, 1)
    assert post["predicted_post_panas"]["totalPositiveAffect"] == 20
    assert post["predicted_post_panas"]["totalNegativeAffect"] == 10
