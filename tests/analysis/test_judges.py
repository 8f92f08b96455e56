"""Claims about judges: planted severity, agreement, kindness to kin, and taste are found, and nothing else is."""

import krippendorff
import numpy as np
import pytest

from analysis_examples import GPT, QWEN, assert_tidy, cells, inputs_from, inputs_of, private_texts, table
from attunebench.analysis.judges import judges
from attunebench.analysis.tables import Part
from attunebench.protocol.records import Provenance
from judges import RATINGS
from score_examples import answered, comparison, conversation, record, turn

KIND, HARSH, PLAIN = "x/gpt-1", "y/claude-1", "z/judge"
MODELS = ("a/gpt-2", "b/claude-2", "c/other")
NUMBERS = range(1, 9)


def talk(number, *turns):
    fields = {"conversationId": f"c{number}", "participant_profile": {"participant_id": f"p{number}"}}
    return conversation(*(turns or [turn(1), turn(2)]), **fields)


def rated(number, model, rate, find=lambda *_: "yes", judged_by=(KIND, HARSH, PLAIN)):
    """A record of drafts that each judge rates `rate(judge, model, number, turn)`."""

    def said(place):
        return {
            "em_draft_judge_scores_by_model": {
                judge: dict.fromkeys(RATINGS, rate(judge, model, number, place)) for judge in judged_by
            },
            "em_draft_binary_assessment_by_model": {
                judge: {"B1": find(judge, model, number, place)} for judge in judged_by
            },
        }

    turns = (answered(place, **said(place)) for place in (1, 2))
    return record(*turns, conversationId=f"c{number}", em_model=model, provenance={"condition": "0123+panel"})


def judged(rate, **more):
    records = [rated(number, model, rate, **more) for model in MODELS for number in NUMBERS]
    return judges(inputs_of([talk(number) for number in NUMBERS], records))


def quality(model, number, place):
    return 2 + (7 * number + 3 * place + len(model) + MODELS.index(model)) % 4


def test_severity_is_told_against_the_others_on_the_same_drafts():
    part = judged(
        lambda judge, model, number, place: quality(model, number, place) + {KIND: 1, HARSH: -1}.get(judge, 0)
    )
    found = cells(table(part, "judge_severity").filter(rating="helpfulness"), "judge", "metric")
    drafts = [quality(model, number, place) for model in MODELS for number in NUMBERS for place in (1, 2)]
    assert found[KIND, "mean"] == pytest.approx(np.mean(drafts) + 1)
    assert found[PLAIN, "sd"] == found[HARSH, "sd"] == pytest.approx(np.std(drafts, ddof=1))
    assert (found[KIND, "against_others"], found[HARSH, "against_others"], found[PLAIN, "against_others"]) == (
        1.5,
        -1.5,
        0,
    )


def test_a_judge_that_is_kind_to_its_family_is_found_and_severity_is_not_taken_for_it():
    def rate(judge, model, number, place):
        bonus = 1 if (judge, model) == (KIND, "a/gpt-2") else 0
        return quality(model, number, place) + bonus - (judge == HARSH)

    found = cells(table(judged(rate), "judge_kin"), "judge", "metric")
    # Kin: the others are one harsh and one plain judge. Other drafts: of claude only the plain one, of c both.
    assert found[KIND, "kin"] == pytest.approx(1.5)
    assert found[KIND, "others"] == pytest.approx((0 + 0.5) / 2)
    assert found[KIND, "preference"] == pytest.approx(1.25)
    assert found[HARSH, "kin"] == pytest.approx(-1)
    assert found[HARSH, "preference"] == pytest.approx(-1 - (-1 - 1) / 2)
    assert found[PLAIN, "kin"] is None and found[PLAIN, "preference"] is None
    n = cells(table(judged(rate), "judge_kin"), "judge", "metric", column="n")
    assert n[KIND, "kin"] == 16 and n[KIND, "others"] == 32 and n[PLAIN, "kin"] == 0


def test_agreement_is_krippendorff_s_alpha_with_an_interval_over_participants():
    rng = np.random.default_rng(1)
    noise = rng.integers(0, 3, size=(3, 3, 9, 3))
    answers = rng.choice(["yes", "no", "na"], size=(3, 3, 9, 3))
    panel = [KIND, HARSH, PLAIN]

    def rate(judge, model, number, place):
        return quality(model, number, place) + int(noise[panel.index(judge), MODELS.index(model), number, place]) - 1

    def find(judge, model, number, place):
        return str(answers[panel.index(judge), MODELS.index(model), number, place])

    found = table(judged(rate, find=find), "judge_agreement")
    units = [(model, number, place) for model in MODELS for number in NUMBERS for place in (1, 2)]
    ratings = [[rate(judge, *unit) for unit in units] for judge in panel]
    said = [[("yes", "no", "na").index(find(judge, *unit)) for unit in units] for judge in panel]
    alphas = cells(found, "judged")
    assert alphas["tone_match"] == pytest.approx(krippendorff.alpha(ratings, level_of_measurement="interval"))
    assert alphas["yes/no"] == pytest.approx(krippendorff.alpha(said, level_of_measurement="nominal"))
    row = found.filter(judged="tone_match").row(0, named=True)
    assert (row["model"], row["condition"], row["n"], row["clusters"]) == ("(all)", "0123+panel", 48, 8)
    assert row["lower"] < row["value"] < row["upper"] and row["method"] == "percentile"


def test_drafts_that_one_judge_alone_rated_tell_nothing_of_agreement():
    records = [rated(1, MODELS[0], lambda *_: 3), rated(2, MODELS[0], lambda *_: 6)]
    records.append(rated(3, MODELS[0], lambda *_: 7, judged_by=[KIND]))
    part = judges(inputs_of([talk(number) for number in (1, 2, 3)], records))
    assert cells(table(part, "judge_agreement").filter(judged="tone_match"), "judged", column="n")["tone_match"] == 4
    alone = [
        rated(3, MODELS[0], lambda *_: 4, judged_by=[judge]).model_copy(
            update={"provenance": Provenance(condition="0123+panel", epoch=epoch)}
        )
        for epoch, judge in enumerate((KIND, HARSH), start=1)
    ]
    part = judges(inputs_of([talk(3)], alone))
    assert "agreement of judges" in [missing.part for missing in part.missing]


COMPARED = (
    comparison("original", "human", "B"),
    comparison("human", "alternate", "A"),
    comparison("alternate", "original", "A"),
    comparison("original", "alternate", "A"),
)
WORDS = {"llmImproved": "one two three four five", "humanEdited": "one two"}
"""Of the original there are three words: human < original < alternate."""


def compared(number):
    asked = turn(1, reply="one two three", alternateResponses=WORDS, pairwiseComparisons=COMPARED)
    return talk(number, asked)


def chooser(number, letters, swapped=None, model=KIND, **provenance):
    said = {"em_pairwise_selections": dict(zip("0123", letters, strict=True))}
    if swapped:
        said["em_pairwise_selections_swapped"] = dict(zip("0123", swapped, strict=True))
    drafted = {"em_draft_judge_scores_by_model": {KIND: dict.fromkeys(RATINGS, 4)}}
    return record(
        answered(1, **said, **drafted),
        em_model=model,
        conversationId=f"c{number}",
        provenance={"condition": "0123", "blind": True} | provenance,
    )


def test_a_judge_is_held_against_the_participants_in_blind_comparisons():
    # By letters BAAA the winners; ABAB are always the longer ones: original, alternate, alternate, alternate.
    part = judges(
        inputs_of(
            [compared(1), compared(2), compared(3)],
            [chooser(1, "BAAA", "ABBB"), chooser(2, "BAAA", "BAAA"), chooser(3, "ABAB", "BABA")],
        )
    )
    found = cells(table(part, "judges_against_participants"), "metric")
    assert found["agreement"] == pytest.approx((4 + 4 + 1) / 12)
    assert found["flip_rate"] == pytest.approx((0 + 4 + 0) / 12)
    assert found["longer_participants"] == pytest.approx(1 / 4)
    assert found["longer"] == pytest.approx((1 + 1 + 4) / 12)
    assert found["longer_difference"] == pytest.approx(3 / 12)
    assert [missing.part for missing in part.missing if "participants" in missing.part] == []


def test_a_missing_choice_is_wrong_and_what_the_participant_left_open_is_not_asked():
    asked = [*COMPARED[:2], comparison("original", "human", None)]
    one = talk(1, turn(1, reply="one two three", alternateResponses=WORDS, pairwiseComparisons=asked))
    given = chooser(1, "BAAA")
    (said,) = given.turns
    given = given.model_copy(
        update={"turns": [said.model_copy(update={"em_pairwise_selections": {"0": "B", "2": "A"}})]}
    )
    found = table(judges(inputs_of([one], [given])), "judges_against_participants").filter(metric="agreement")
    assert found.select("value", "n").rows() == [(0.5, 2)]


def test_what_was_not_run_is_missing_with_the_command_that_makes_it():
    seen = judges(inputs_of([compared(1)], [chooser(1, "BAAA", blind=False)]))
    (missing,) = [one for one in seen.missing if one.part == "judges against participants"]
    assert f"`attunebench run --data DATA --model {KIND} --blind --swap --out OUT`" in missing.reason
    one_order = judges(inputs_of([compared(1)], [chooser(1, "BAAA")]))
    (missing,) = [one for one in one_order.missing if one.part == "flips of judges"]
    assert KIND in missing.reason
    assert "flip_rate" not in set(table(one_order, "judges_against_participants")["metric"])
    (missing,) = judges(inputs_of([compared(1)], [record(answered(1))])).missing
    assert "attunebench judge" in missing.reason
    (missing,) = judges(inputs_of([compared(1)], "no run records here")).missing
    assert missing.reason == "no run records here"


def test_on_the_demo_both_judges_are_known_for_what_they_are_and_every_number_says_what_it_stands_on(scores_folder):
    inputs = inputs_from(scores_folder)
    part = judges(inputs)
    bounded = Part(part.title, [one for one in part.tables if one.name != "judge_kin"])  # they rate kin as all others
    assert_tidy(bounded, private_texts(inputs))
    assert part.missing == []
    severity = cells(table(part, "judge_severity").filter(rating="tone_match"), "condition", "judge", "metric")
    assert {value for (_, judge, metric), value in severity.items() if (judge, metric) == (QWEN, "against_others")} == {
        -1
    }
    taste = cells(table(part, "judges_against_participants"), "model", "metric")
    assert (taste[GPT, "agreement"], taste[GPT, "flip_rate"]) == (1, 0)
    assert 0.3 < taste[QWEN, "agreement"] < 0.7 and 0.3 < taste[QWEN, "flip_rate"] < 0.7
