"""Claims about the participant's own answers, and what they score."""

from dataclasses import replace

import pytest
from baseline_examples import call, condition, conversation, full, panas, said, turn

from attunebench.baselines import answer_conversation, make_baseline
from attunebench.protocol.calls import STRATEGIES, Asked
from attunebench.protocol.prompts import load_prompts
from attunebench.score import score_reference

ORACLE = make_baseline("oracle", [])
PROMPTS = load_prompts()


def test_a_review_holds_the_emotions_and_the_ground_truth_of_each_question():
    assert said(ORACLE, full("a"), "review") == {
        "emotion_tags": [{"emotion": "Upset", "intensity": 3}, {"emotion": "Proud", "intensity": None}],
        # B2 has no ground truth; B3 is na and not asked.
        "binary_om_assessment": {"B1": "yes", "B4": "na"},
        "binary_human_prediction": {"B1": "no", "B4": "yes"},
    }


def test_missing_answers_fall_back_as_in_the_reference_scores():
    raw = conversation("a", turn()).model_dump(by_alias=True)
    raw["turns"][0]["annotations"]["binaryJudgements"] = [
        {"questionId": "B1", "llmValue": "yes"},
        {"questionId": "B2", "llmValue": "no", "observedBehavior": "yes"},
        {"questionId": "B3", "llmValue": "yes", "preferredBehavior": "no"},
    ]
    assert said(ORACLE, type(full("x")).model_validate(raw), "perspective") == {
        "binary_om_assessment": {"B1": "yes", "B2": "yes", "B3": "yes"},
        "binary_human_prediction": {"B2": "yes", "B3": "no"},
    }


def test_the_winner_is_named_by_the_letter_it_has_in_the_call():
    one = full("a")
    assert said(ORACLE, one, "pairwise")["pairwise_selections"] == {"0": "B"}  # the second is undecided
    asked = call(one, "pairwise")
    turned = {index: {"A": sides["B"], "B": sides["A"]} for index, sides in asked.asked.sides.items()}
    assert ORACLE.reply(one, replace(asked, asked=Asked(sides=turned))) == '{"pairwise_selections": {"0": "A"}}'
    nameless = conversation("b", turn(compared=[("general", None, None, "B")]))
    assert said(ORACLE, nameless, "pairwise")["pairwise_selections"] == {"0": "B"}


@pytest.mark.parametrize(
    ("alternates", "draft"),
    [
        ({"llmImproved": "better", "humanEdited": "best"}, "best"),
        ({"llmImproved": "better", "humanEdited": ""}, "better"),
        ({"llmImproved": None}, "I see."),
        (None, "I see."),
    ],
)
def test_the_draft_is_the_best_reply_there_is(alternates, draft):
    assert said(ORACLE, conversation("a", turn(alternates=alternates)), "draft") == {"drafted_response": draft}


def test_the_outcome_is_the_report_and_null_answers_are_left_out():
    assert said(ORACLE, full("a"), "outcome") == {
        "predicted_post_panas": panas(4, Proud=7) | {"totalPositiveAffect": 43, "totalNegativeAffect": 40},
        "conversation_wide": {
            "q1_lookingFor": ["Other"],
            "q2_emotionClarity": "Implied or indirect",
            "q3_modelFit": "Mostly well-matched",
            "q3_followUp_whatFeltOff": ["too long"],
            "fourBranchScores": {"perceiving": 5, "managing": 2},
        },
    }
    assert said(ORACLE, conversation("a", turn()), "outcome") == {
        "predicted_post_panas": {},
        "conversation_wide": {"fourBranchScores": {}},
    }


@pytest.mark.parametrize("strategy", ["delta", "blind_delta"])
def test_changes_are_after_minus_before(strategy):
    changes = said(ORACLE, full("a"), "outcome", strategy=strategy)["predicted_panas_delta"]
    assert (changes["Proud"], changes["Upset"]) == (6, 1)
    assert (changes["totalPositiveAffect"], changes["totalNegativeAffect"]) == (15, 10)


TOTALS = {"totalPositiveAffect": 33, "totalNegativeAffect": 17}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("before", [None, TOTALS, panas(2), {"Proud": 3, "Upset": 6}])
@pytest.mark.parametrize("after", [TOTALS | {"totalPositiveAffect": 60}, panas(5), panas(5) | {"Proud": 1}])
def test_every_strategy_arrives_at_the_totals_after(strategy, before, after):
    one = conversation("a", turn(), before=before, after=after)
    record = answer_conversation(ORACLE, one, condition(PROMPTS, strategy), PROMPTS)
    predicted = record.post_conversation.predicted_post_panas
    assert predicted.total_positive_affect == one.post_panas.positive_affect
    assert predicted.total_negative_affect == one.post_panas.negative_affect


PERFECT = (
    "emotion_f1",
    "emotion_va_score",
    "binary_om_accuracy",
    "binary_human_accuracy",
    "binary_om_accuracy_hp",
    "binary_human_accuracy_hp",
    "pairwise_accuracy",
    "response_similarity",
)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_perfect_knowledge_scores_1_on_every_turn(strategy):
    judged = {"B1": ("yes", "no"), "B2": ("no", "yes"), "B3": ("na", "na")}
    compared = [("general", "original", "human", "B"), ("PW1", "alternate", "original", "A")]
    alternates = {"llmImproved": "b", "humanEdited": "c"}
    parts = {"judged": judged, "compared": compared, "alternates": alternates}
    one = conversation(
        "a",
        turn(1, tags={"Upset": 3, "Proud": 1}, **parts),
        turn(2, tags={}, **parts),
        before=panas(3),
        after=panas(4, Proud=7),
        q1_lookingFor=["Other"],
        q2_emotionClarity="Implied or indirect",
        q3_modelFit="Mostly well-matched",
        fourBranchScores={"perceiving": 5, "managing": 2},
    )
    scores = score_reference(one, answer_conversation(ORACLE, one, condition(PROMPTS, strategy), PROMPTS))
    for scored in scores["turn_scores"]:
        assert {name: scored[name] for name in PERFECT} == dict.fromkeys(PERFECT, 1)
    assert scores["composite_score"] == 100


def test_the_ceiling_lies_below_100_where_affect_did_not_change_or_a_comparison_was_left_open():
    one = conversation(
        "a",
        turn(tags={"Upset": 3}, judged={"B1": ("yes", "yes")}, compared=[("general", "original", "human", None)]),
        before=panas(3),
        after=panas(3),
    )
    scores = score_reference(one, answer_conversation(ORACLE, one, condition(PROMPTS), PROMPTS))
    # emotion 1; evaluation (1 + 0)/2; holistic 0.4 x 0.5 + 0.3 + 0.3 = 0.8: 24 + 24.5 + 21.6
    assert scores["composite_score"] == 70.1
