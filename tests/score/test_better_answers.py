"""A better answer never lowers a score, but for the exceptions listed here, each with an example made by hand.

The exceptions follow from the rules of scoring; they are what a reader of the scores should know of them.
"""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import pytest
import score_strategies as better
from hypothesis import given, settings
from hypothesis import strategies as st
from score_strategies import WHOLE_REPORTS, Raw, raw_cases, read, written

from attunebench.dataset.schema import Conversation
from attunebench.instrument import EMOTION_WORDS
from attunebench.protocol.records import RunRecord
from attunebench.score import aggregate, score
from score_examples import FITS, answered, comparison, conversation, judgement, outcome, panas, record, tags, turn

Kind = Callable[[Conversation, Raw], Iterator[Raw]]
Metric = tuple[str, str]
"""A profile and a metric's name, without `avg_`."""

EVERY_KIND: tuple[Kind, ...] = (
    better.a_yes_or_no_right,
    better.a_letter_right,
    better.a_felt_word_added,
    better.a_felt_word_added_with_another_intensity,
    better.a_false_word_removed,
    better.a_false_word_replaced,
    better.an_intensity_right,
    better.a_total_closer,
    better.an_item_right,
    better.an_option_right,
    better.a_choice_right,
    better.a_fit_closer,
    better.a_text_added,
    better.an_unrelated_text_removed,
    better.a_text_made_exact,
    better.a_branch_closer,
    better.a_draft_made_the_preferred_reply,
    better.a_judges_score_raised,
    better.a_wanted_behaviour_found,
    better.a_failed_call_right,
    better.a_missing_turn_right,
)

COMPOSITES = frozenset({"composite_score", "equal_weight_composite"})
TRACKING = COMPOSITES | {"emotion_tracking", "turn_level_average"}
EVALUATION = COMPOSITES | {"evaluation_quality", "turn_level_average"}
HOLISTIC = COMPOSITES | {"holistic_comprehension", "conversation_wide_average"}
VALENCE_AROUSAL = frozenset({"emotion_va_score", "emotion_va_intensity_score"})
BINARY = frozenset(f"binary_{name}_accuracy{ending}" for name in ("om", "human") for ending in ("", "_hp"))


def total_errors(side: str) -> frozenset[str]:
    return frozenset(
        f"panas_{part}{name}" for part in ("", f"{side}_") for name in ("mae", "normalized", "baseline_adjusted")
    )


RATES = ("accuracy", "precision", "recall", "f1", "mcc")
WITHOUT_DIRECTION = ("hp_perspective_gap", "hp_perspective_gap_mcc", "panas_change", "turnNumber")
MAY_BECOME_UNDEFINED = frozenset(
    f"pooled_binary_{name}_{rate}{ending}"
    for name in ("om", "human")
    for rate in ("precision", "f1", "mcc")
    for ending in ("", "_hp")
) | {
    "pairwise_kendall_tau",
    "hp_perspective_alignment_mcc",
    "hp_perspective_gap_mcc",
    "draft_judge_score",
    "draft_binary_alignment",
}
"""In strict: undefined is none there; and a draft that succeeded, but that the judge failed to judge, is left out."""


@dataclass(frozen=True)
class Example:
    """A better answer that lowers just the scores in `reference` and `strict`; some with their numbers in `shown`."""

    claim: str
    kind: Kind
    told: Conversation
    before: RunRecord
    after: RunRecord
    shown: Mapping[Metric, tuple[float, float]]
    reference: frozenset[str] = frozenset()
    strict: frozenset[str] = frozenset()
    rises: Mapping[Metric, tuple[float, float]] = field(default_factory=dict)


def both(name: str, before: float, after: float) -> dict[Metric, tuple[float, float]]:
    return {("reference", name): (before, after), ("strict", name): (before, after)}


ASKED = {"binaryJudgements": [judgement("B1", "yes", "yes")]}
WIDE = {"q2_emotionClarity": "Implied or indirect"}


def felt(*words: str | tuple[str, int]) -> Any:
    return tags(*((word, 4) if isinstance(word, str) else word for word in words))


def told_of_feelings(*words: str | tuple[str, int]) -> Conversation:
    """A conversation in which all three pillars are measured."""
    return conversation(turn(feelings=felt(*words), **ASKED), conversationWideQuestions=WIDE)


def said_of_feelings(*words: str | tuple[str, int]) -> RunRecord:
    return record(answered(em_emotion_tags=felt(*words)))


def all_items(**ratings: int) -> Raw:
    """Return twenty items, 4 where nothing else is said; with nothing else, both totals are 40."""
    return dict.fromkeys(EMOTION_WORDS, 4) | ratings


def reported(before: Raw, after: Raw) -> Conversation:
    return conversation(turn(feelings=[], **ASKED), prePanas=before, postPanas=after, conversationWideQuestions=WIDE)


def predicted(**items: int) -> RunRecord:
    return record(answered(), post=outcome({"items": items}))


def right(number: int, **answers: Any) -> Raw:
    """A whole turn, answered rightly where nothing was reported."""
    return answered(number, em_drafted_response="a b c d") | answers


NA = {"binaryJudgements": [judgement("B1", "na", "na")]}
YES = {
    "em_binary_om_assessment": {"B1": "yes"},
    "em_binary_human_prediction": {"B1": "yes"},
    "em_binary_om_assessment_hp": {"B1": "yes"},
    "em_binary_human_prediction_hp": {"B1": "yes"},
}
FOUND = {"em_draft_judge_scores": {"overall_score": 4}, "em_draft_binary_assessment": {"B1": "yes"}}
BEST_OF_THREE = {"pairwiseComparisons": [comparison("original", "human", winner) for winner in "AAB"]}
TWO_YES = [judgement(key, "yes", "yes") for key in ("B1", "B2")]
YES_AND_NO = [
    judgement(key, None, answer) for key, answer in (("B1", "yes"), ("B2", "yes"), ("B3", "no"), ("B4", "no"))
]

ALL_RIGHT = {"B1": "yes", "B2": "yes", "B3": "no", "B4": "no"}
PREFERRED = {"em_binary_human_prediction": ALL_RIGHT, "em_binary_human_prediction_hp": ALL_RIGHT}
FAILED_REVIEW = dict.fromkeys(("em_emotion_tags", "em_binary_om_assessment", "em_binary_human_prediction"))


def letters(said: str, **rest: Any) -> Raw:
    return answered(em_pairwise_selections=dict(zip("012", said, strict=False)), **rest)


EXAMPLES = (
    Example(
        "a felt word beside a near miss makes the answer longer, which VA divides by",
        better.a_felt_word_added,
        told_of_feelings("Afraid"),
        said_of_feelings("Scared"),
        said_of_feelings("Scared", "Afraid"),
        both("emotion_va_score", 0.9842, 1 / 2),
        reference=VALENCE_AROUSAL,
        strict=VALENCE_AROUSAL,
        rises=both("emotion_tracking", 0.9842 / 2, (2 / 3 + 1 / 2) / 2),
    ),
    Example(
        "a felt word added may cost more VA than it gains F1, so that even the composite falls",
        better.a_felt_word_added,
        told_of_feelings("Afraid", "Upset"),
        said_of_feelings("Afraid", "Guilty"),
        said_of_feelings("Afraid", "Guilty", "Upset"),
        both("emotion_va_score", (1 + 0.9627) / 2, 2 / 3)
        | both("emotion_tracking", (1 / 2 + 0.98135) / 2, (4 / 5 + 2 / 3) / 2),
        reference=TRACKING | VALENCE_AROUSAL,
        strict=TRACKING | VALENCE_AROUSAL,
        rises=both("emotion_f1", 1 / 2, 4 / 5),
    ),
    Example(
        "a felt word added with a wrong intensity lowers F1-intensity and raises the intensity error",
        better.a_felt_word_added_with_another_intensity,
        told_of_feelings(("Afraid", 7), ("Upset", 7)),
        said_of_feelings(("Afraid", 7)),
        said_of_feelings(("Afraid", 7), ("Upset", 1)),
        both("emotion_f1_intensity", 2 / 3, 1 / 2) | both("emotion_intensity_mae", 0, 3),
        reference=frozenset({"emotion_f1_intensity", "emotion_intensity_mae"}),
        strict=frozenset({"emotion_f1_intensity", "emotion_intensity_mae"}),
        rises=both("emotion_f1", 2 / 3, 1),
    ),
    Example(
        "a felt word added with a wrong intensity may lower the composite, as with the right one",
        better.a_felt_word_added_with_another_intensity,
        told_of_feelings("Afraid", "Upset"),
        said_of_feelings("Afraid", "Guilty"),
        said_of_feelings("Afraid", "Guilty", ("Upset", 7)),
        both("emotion_tracking", (1 / 2 + 0.98135) / 2, (4 / 5 + 2 / 3) / 2) | both("emotion_intensity_mae", 0, 1.5),
        reference=TRACKING | VALENCE_AROUSAL | {"emotion_intensity_mae"},
        strict=TRACKING | VALENCE_AROUSAL | {"emotion_intensity_mae"},
    ),
    Example(
        "a false word that is a near miss is worth more VA than its removal gains F1",
        better.a_false_word_removed,
        told_of_feelings("Afraid", "Upset"),
        said_of_feelings("Afraid", "Guilty"),
        said_of_feelings("Afraid"),
        both("emotion_va_score", (1 + 0.9627) / 2, 1 / 2)
        | both("emotion_tracking", (1 / 2 + 0.98135) / 2, (2 / 3 + 1 / 2) / 2),
        reference=TRACKING | VALENCE_AROUSAL,
        strict=TRACKING | VALENCE_AROUSAL,
        rises=both("emotion_f1", 1 / 2, 2 / 3),
    ),
    Example(
        "a false word near one felt word, replaced by another felt word, lowers VA",
        better.a_false_word_replaced,
        told_of_feelings("Afraid", "Proud"),
        said_of_feelings("Scared", "Strong"),
        said_of_feelings("Scared", "Afraid"),
        both("emotion_va_score", (0.9842 + 0.9209) / 2, (1 + 0.4445) / 2),
        reference=VALENCE_AROUSAL,
        strict=VALENCE_AROUSAL,
        rises=both("emotion_tracking", 0.95255 / 2, (1 / 2 + 0.72225) / 2),
    ),
    Example(
        "tau compares win counts, not comparisons: two errors may cancel, and one put right turns the order around",
        better.a_letter_right,
        conversation(turn(**BEST_OF_THREE)),
        record(letters("ABA")),
        record(letters("ABB")),
        both("pairwise_kendall_tau", 1, -1),
        reference=frozenset({"pairwise_kendall_tau"}),
        strict=frozenset({"pairwise_kendall_tau"}),
        rises=both("pairwise_accuracy", 1 / 3, 2 / 3),
    ),
    Example(
        "the perspective alignment is a ratio: a better review lowers it",
        better.a_yes_or_no_right,
        conversation(turn(binaryJudgements=TWO_YES)),
        record(answered(**YES)),
        record(answered(**YES | {"em_binary_human_prediction": {"B1": "yes", "B2": "yes"}})),
        both("hp_perspective_alignment", 1, 1 / 2),
        reference=frozenset({"hp_perspective_alignment"}),
        strict=frozenset({"hp_perspective_alignment"}),
        rises=both("binary_human_accuracy", 1 / 2, 1),
    ),
    Example(
        "and so does the one of MCC",
        better.a_yes_or_no_right,
        conversation(turn(binaryJudgements=YES_AND_NO)),
        record(answered(**dict.fromkeys(PREFERRED, ALL_RIGHT | {"B2": "no"}))),
        record(answered(**PREFERRED | {"em_binary_human_prediction_hp": ALL_RIGHT | {"B2": "no"}})),
        both("hp_perspective_alignment", 1, 3 / 4) | both("hp_perspective_alignment_mcc", 1, 2 / 12**0.5),
        reference=frozenset({"hp_perspective_alignment", "hp_perspective_alignment_mcc"}),
        strict=frozenset({"hp_perspective_alignment", "hp_perspective_alignment_mcc"}),
    ),
    Example(
        "a review that no longer fails lowers both alignments too",
        better.a_failed_call_right,
        conversation(*(turn(number, binaryJudgements=YES_AND_NO) for number in (1, 2, 3))),
        record(answered(1, **PREFERRED), answered(2, **PREFERRED), answered(3, **PREFERRED | FAILED_REVIEW)),
        record(*(answered(number, **PREFERRED) for number in (1, 2, 3))),
        {
            # tp 4, tn 6, fn 2, as the missing are "no"; in strict they are wrong: tp 4, tn 4, fp 2, fn 2
            ("reference", "hp_perspective_alignment"): (1 / (5 / 6), 1),
            ("reference", "hp_perspective_alignment_mcc"): (2**0.5, 1),
            ("strict", "hp_perspective_alignment"): (1 / (2 / 3), 1),
            ("strict", "hp_perspective_alignment_mcc"): (3, 1),
        },
        reference=frozenset({"hp_perspective_alignment", "hp_perspective_alignment_mcc"}),
        strict=frozenset({"hp_perspective_alignment", "hp_perspective_alignment_mcc"}),
    ),
    Example(
        "PANAS items add up: two errors may cancel in the total, and one put right shows the other",
        better.an_item_right,
        reported(all_items(Proud=1), all_items()),
        predicted(**all_items(Proud=1, Alert=7)),
        predicted(**all_items(Alert=7)),
        both("panas_mae", 0, 3 / 2) | both("panas_baseline_adjusted", 1, 0),
        reference=HOLISTIC | total_errors("pa"),
        strict=HOLISTIC | total_errors("pa") | {"panas_error"},
        rises=both("panas_item_normalized", 19 / 20, 39 / 40),
    ),
    Example(
        "and so for negative affect",
        better.an_item_right,
        reported(all_items(Upset=1), all_items()),
        predicted(**all_items(Upset=1, Hostile=7)),
        predicted(**all_items(Hostile=7)),
        both("panas_mae", 0, 3 / 2) | both("panas_baseline_adjusted", 1, 0),
        reference=HOLISTIC | total_errors("na"),
        strict=HOLISTIC | total_errors("na") | {"panas_error"},
    ),
    Example(
        "a few right items are summed to a total in reference, worse than no item, which counts 40 and 0.5",
        better.an_item_right,
        reported(all_items(Proud=1), all_items()),
        predicted(),
        predicted(Proud=4),
        # the total of 4 is 36 from 40, where "nothing changes" is 3 from it
        {("reference", "panas_mae"): (0, 18), ("reference", "holistic_comprehension"): (0.725, 0.525)},
        reference=HOLISTIC | total_errors("pa") - {"panas_baseline_adjusted", "panas_pa_baseline_adjusted"},
    ),
    Example(
        "a text in the participant's own words may be like fewer of their other texts",
        better.a_text_made_exact,
        conversation(
            turn(feelings=[], **ASKED), conversationWideQuestions={"q3_followUp_whatFeltOff": ["a", "a b c d"]}
        ),
        record(answered(), post=outcome(q3_followUp_whatFeltOff=["a b", "b c", "a b c d e"])),
        record(answered(), post=outcome(q3_followUp_whatFeltOff=["a b c d", "b c", "a b c d e"])),
        # recall (1/2 + 4/5)/2, precision (1/2 + 1/2 + 4/5)/3; then recall (0 + 1)/2, as 1/4 is below 0.3, and
        # precision (1 + 1/2 + 4/5)/3
        both("q3_follow_up_score", 2 * 0.65 * 0.6 / 1.25, 2 * 0.5 * (2.3 / 3) / (0.5 + 2.3 / 3)),
        reference=HOLISTIC | {"q3_follow_up_score"},
        strict=HOLISTIC | {"q3_follow_up_score"},
    ),
    Example(
        "a draft that is the preferred reply, word for word, is less like the others",
        better.a_draft_made_the_preferred_reply,
        conversation(turn(reply="a b", alternateResponses={"llmImproved": "c", "humanEdited": "d"})),
        record(answered(em_drafted_response="c d")),
        record(answered(em_drafted_response="a b")),
        both("response_similarity_llm_improved", 1 / 2, 0) | both("response_similarity_human_edited", 1 / 2, 0),
        reference=frozenset({"response_similarity_llm_improved", "response_similarity_human_edited"}),
        strict=frozenset({"response_similarity_llm_improved", "response_similarity_human_edited"}),
        rises=both("response_similarity", 1 / 2, 1),
    ),
    Example(
        "and less like the original, if that is not the preferred one",
        better.a_draft_made_the_preferred_reply,
        conversation(
            turn(
                reply="a b",
                alternateResponses={"humanEdited": "d"},
                pairwiseComparisons=[comparison("original", "human", "B")],
            )
        ),
        record(answered(em_drafted_response="a b")),
        record(answered(em_drafted_response="d")),
        both("response_similarity_original", 1, 0),
        reference=frozenset({"response_similarity_original"}),
        strict=frozenset({"response_similarity_original"}),
        rises=both("response_preference_alignment", 0, 1),
    ),
    Example(
        "a first finding of the judge's makes a turn count in which all others are missing, and so wrong",
        better.a_wanted_behaviour_found,
        conversation(turn(1, **ASKED), turn(2, binaryJudgements=TWO_YES)),
        record(answered(1, **FOUND), answered(2)),
        record(answered(1, **FOUND), answered(2, em_draft_binary_assessment={"B1": "yes"})),
        both("draft_binary_alignment", 1, (1 + 1 / 2) / 2),
        reference=frozenset({"draft_binary_alignment"}),
        strict=frozenset({"draft_binary_alignment"}),
    ),
    Example(
        "in reference a missing turn is left out, and one whose answers are all na counts 0, however well answered",
        better.a_missing_turn_right,
        conversation(turn(1, **ASKED), turn(2, **NA)),
        record(answered(1, **YES)),
        record(answered(1, **YES), right(2)),
        {
            ("reference", "binary_om_accuracy"): (1, 1 / 2),
            ("reference", "evaluation_quality"): (1, 3 / 4),
            # holistic: PANAS 0.5, all else empty on both sides and so right
            ("reference", "composite_score"): (94.6, 94.6 - 49 / 4),
        },
        reference=EVALUATION | BINARY,
    ),
    Example(
        "so does a turn without yes/no questions in the perspective accuracies",
        better.a_missing_turn_right,
        conversation(turn(1, **ASKED), turn(2)),
        record(answered(1, **YES)),
        record(answered(1, **YES), right(2)),
        {("reference", "binary_om_accuracy_hp"): (1, 1 / 2), ("reference", "hp_perspective_alignment"): (1, 1 / 2)},
        reference=frozenset({"binary_om_accuracy_hp", "binary_human_accuracy_hp", "hp_perspective_alignment"}),
    ),
    Example(
        "so does one whose comparisons are undecided",
        better.a_missing_turn_right,
        conversation(turn(1), turn(2, pairwiseComparisons=[comparison("original", "human", None)])),
        record(answered(1)),
        record(answered(1), right(2)),
        {("reference", "pairwise_accuracy"): (1, 1 / 2), ("reference", "evaluation_quality"): (1, 3 / 4)},
        reference=EVALUATION | {"pairwise_accuracy"},
    ),
    Example(
        "so does one whose feelings have no intensities, in the scores with intensity",
        better.a_missing_turn_right,
        conversation(turn(1), turn(2, feelings=tags(("Upset", None)))),
        record(answered(1)),
        record(answered(1), right(2, em_emotion_tags=tags(("Upset", None)))),
        {
            ("reference", "emotion_f1_intensity"): (1, 1 / 2),
            ("reference", "emotion_va_intensity_score"): (1, (1 + 0.7) / 2),
        },
        reference=frozenset({"emotion_f1_intensity", "emotion_va_intensity_score"}),
    ),
    Example(
        "so does one without replies, in the similarities",
        better.a_missing_turn_right,
        conversation(turn(1, alternateResponses={"llmImproved": "a", "humanEdited": "b"}), turn(2, reply="")),
        record(answered(1, em_drafted_response="a b c d")),
        record(answered(1, em_drafted_response="a b c d"), right(2, em_drafted_response="")),
        {
            ("reference", "response_similarity"): (1, 1 / 2),
            ("reference", "response_similarity_human_edited"): (1 / 4, 1 / 8),
        },
        reference=frozenset(
            f"response_{name}"
            for name in (
                "similarity",
                "similarity_original",
                "similarity_llm_improved",
                "similarity_human_edited",
                "preference_alignment",
            )
        ),
    ),
)


def metrics(told: Conversation, run: RunRecord) -> dict[Metric | tuple[str, str, int], float | None]:
    """Return every score by profile and name; those of a turn with its number behind."""
    scored = score(told, run)
    strict, post, turns = scored.pop("strict"), scored.pop("post_score"), scored.pop("turn_scores")
    found: dict[Any, float | None] = {("strict", short(name)): value["value"] for name, value in strict.items()}
    found |= {("reference", name): value for name, value in flat(scored | post)}
    for one in turns:
        found |= {("reference", name, one["turnNumber"]): value for name, value in flat(one)}
    return found


def flat(scores: Raw) -> Iterator[tuple[str, float | None]]:
    for name, value in scores.items():
        if "_metrics" in name:
            yield from ((name.replace("metrics", rate), value[rate]) for rate in RATES)
        elif isinstance(value, dict):  # errors by item or branch
            yield from ((f"{name}_error {part}", error) for part, error in value.items())
        elif value is None or isinstance(value, int | float):
            yield short(name), value


def short(name: str) -> str:
    return name.removeprefix("avg_")


def is_worse(name: str, before: float, after: float) -> bool:
    if name in WITHOUT_DIRECTION:
        return False
    down = any(word in name for word in ("_mae", "_error", "_distance"))
    step = 0.01 + 1e-9 if name in COMPOSITES else 1e-9  # rounding may fall either way
    return (after - before if down else before - after) > step


def fallen(before: Mapping[Any, float | None], after: Mapping[Any, float | None]) -> set[Metric]:
    """Return the metrics that got worse."""
    pairs = [(key, value, after.get(key)) for key, value in before.items()]
    return {key[:2] for key, one, two in pairs if one is not None and two is not None and is_worse(key[1], one, two)}


def vanished(before: Mapping[Any, float | None], after: Mapping[Any, float | None]) -> set[Metric]:
    """Return the metrics that are no longer defined."""
    return {key[:2] for key, value in before.items() if value is not None and after.get(key, value) is None}


def may_fall(kind: Kind) -> set[Metric]:
    """Return what falls in the examples of a kind of better answer."""
    mine = [example for example in EXAMPLES if example.kind is kind]
    return {("reference", name) for one in mine for name in one.reference} | {
        ("strict", name) for one in mine for name in one.strict
    }


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.claim)
def test_exception(example):
    before, after = metrics(example.told, example.before), metrics(example.told, example.after)
    assert fallen(before, after) == {("reference", n) for n in example.reference} | {
        ("strict", n) for n in example.strict
    }
    for name, numbers in {**example.shown, **example.rises}.items():
        assert (before[name], after[name]) == pytest.approx(numbers), name
    answers = example.kind(example.told, written(example.before))
    assert example.after in map(RunRecord.model_validate, answers), "is a better answer of its kind"


steady = settings(deadline=None, derandomize=True, max_examples=80)


@steady
@given(raw_cases())
def test_a_better_answer_lowers_nothing_else(case):
    told, run = read(*case)
    before = metrics(told, run)
    for kind in EVERY_KIND:
        for one in islice(kind(told, written(run)), 3):
            after = metrics(told, RunRecord.model_validate(one))
            assert fallen(before, after) <= may_fall(kind), kind.__name__
            assert vanished(before, after) <= {("strict", name) for name in MAY_BECOME_UNDEFINED}, kind.__name__


def test_the_composite_falls_only_for_emotions_items_texts_and_missing_turns():
    kinds = {kind for kind in EVERY_KIND for _, name in may_fall(kind) if name == "composite_score"}
    assert kinds == {
        better.a_felt_word_added,
        better.a_felt_word_added_with_another_intensity,
        better.a_false_word_removed,
        better.an_item_right,
        better.a_text_made_exact,
        better.a_missing_turn_right,
    }
    assert not any(profile == "strict" for profile, _ in may_fall(better.a_missing_turn_right))


def test_in_strict_the_last_error_put_right_may_leave_f1_undefined():
    told = conversation(turn(binaryJudgements=[judgement("B1", "no", "no")]))
    wrong = metrics(told, record(answered(em_binary_om_assessment={"B1": "yes"})))
    right = metrics(told, record(answered(em_binary_om_assessment={"B1": "no"})))
    for rate in ("precision", "f1"):
        name = f"pooled_binary_om_{rate}"
        assert (wrong["strict", name], right["strict", name]) == (0, None)
        assert (wrong["reference", name], right["reference", name]) == (0, 0)


def test_in_strict_a_letter_put_right_may_leave_tau_undefined():
    told = conversation(turn(pairwiseComparisons=[comparison("original", "human", "A")] * 2))
    taus = [metrics(told, record(letters(said)))["strict", "pairwise_kendall_tau"] for said in ("BB", "AB", "AA")]
    assert taus == [-1, None, 1]  # 0:2, 1:1 and 2:0 wins


TURN_ANSWERS = tuple(name for answers in better.right_turn(conversation(turn()).turns[0]).values() for name in answers)
OUTCOME_ANSWERS = tuple(better.right_outcome(conversation()))
NOT_TO_SILENCE = {"pairwise_kendall_tau", "emotion_intensity_mae", "draft_judge_score"}
"""Undefined without an answer, so that an answer may be worse than none; the last is the judge's answer."""


@st.composite
def silenced(draw: st.DrawFn, run: Raw) -> Raw:
    """The same record, but some calls have failed: their answers are null, or their turn is missing."""
    silent = deepcopy(run)
    silent["turns"] = [reply for reply in silent["turns"] if draw(st.integers(0, 4))]
    for reply in silent["turns"]:
        reply.update(dict.fromkeys(draw(st.sets(st.sampled_from(TURN_ANSWERS)))))
    if silent["post_conversation"]:
        silent["post_conversation"].update(dict.fromkeys(draw(st.sets(st.sampled_from(OUTCOME_ANSWERS)))))
    return silent


@steady
@given(raw_cases(WHOLE_REPORTS), st.data())
def test_strict_never_rewards_silence_and_its_bounds_hold_whatever_the_answer(case, data):
    told, run = case[0], written(read(*case)[1]) | {"calls": None}
    (silent,) = aggregate([score(*read(told, data.draw(silenced(run))))])
    (spoken,) = aggregate([score(*read(told, run))])
    for name, bounds in silent["strict"].items():
        value = spoken["strict"][name]["value"]
        if value is None or name == "avg_draft_judge_score":
            continue
        if bounds["lower"] is not None:
            assert bounds["lower"] - 1e-9 <= value <= bounds["upper"] + 1e-9, (name, bounds, value)
        if bounds["value"] is not None and not name.startswith("hp_") and short(name) not in NOT_TO_SILENCE:
            assert not is_worse(short(name), bounds["value"], value), (name, bounds, value)


@pytest.mark.parametrize(
    ("name", "told", "answer", "reference", "strict"),
    [
        pytest.param(
            "four_branch_normalized",
            conversation(conversationWideQuestions={"fourBranchScores": {"managing": 4}}),
            outcome(fourBranchScores={"managing": 5}),
            (1, 5 / 6),
            (0, 5 / 6),
            id="a missing branch is taken as 4",
        ),
        pytest.param(
            "panas_normalized",
            conversation(postPanas=panas(40, 40)),
            outcome(panas(43, 37)),
            (1, 57 / 60),
            (0, 57 / 60),
            id="a missing total is taken as 40",
        ),
        pytest.param(
            "holistic_comprehension",
            conversation(prePanas=panas(30, 30), postPanas=panas(31, 29)),
            outcome(panas(33, 27)),
            # adjusted (58/60 - 59/60)/(1/60) = -1; the rest is right as both sides are empty
            (0.4 * 0.5 + 0.6, 0.6),
            (0, 0),
            id="a PANAS that was not predicted counts as good as no change",
        ),
        pytest.param(
            "q3_follow_up_score",
            conversation(conversationWideQuestions={"q3_modelFit": FITS[0]}),
            outcome(q3_followUp_whatFeltOff=["too long"]),
            (1, 0),
            (0, 0),
            id="no text is taken as an empty list",
        ),
    ],
)
def test_in_reference_no_answer_may_beat_an_answer(name, told, answer, reference, strict):
    silent, spoken = metrics(told, record(post=None)), metrics(told, record(post=answer))
    assert (silent["reference", name], spoken["reference", name]) == pytest.approx(reference)
    assert (silent["strict", name], spoken["strict", name]) == pytest.approx(strict)


def test_in_reference_a_missing_no_is_a_right_answer():
    told = conversation(turn(binaryJudgements=[judgement("B1", "no", "no")]))
    silent, spoken = record(answered()), record(answered(em_binary_om_assessment={"B1": "yes"}))
    accuracies = [metrics(told, run)["reference", "binary_om_accuracy"] for run in (silent, spoken)]
    assert accuracies == [1, 0]
    assert metrics(told, silent)["strict", "binary_om_accuracy"] == 0
