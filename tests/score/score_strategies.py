"""Conversations and run records of every kind, as they may stand in files, for property-based tests.

Fields are absent, null, empty or filled; questions, emotions and words repeat; turns, answers and calls are missing.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from functools import reduce
from itertools import product
from typing import Any

from hypothesis import strategies as st

from attunebench.dataset.schema import Conversation, ConversationQuestions, Turn
from attunebench.instrument import (
    BRANCHES,
    CLARITY_OPTIONS,
    EMOTION_WORDS,
    FIT_OPTIONS,
    LOOKING_FOR_OPTIONS,
    NEUTRAL_WORDS,
)
from attunebench.protocol.records import RunRecord
from attunebench.score import behaviour
from attunebench.score.draft import existing_replies
from attunebench.score.panas import reported_items, reported_totals
from attunebench.score.preference import wins
from attunebench.score.questions import fit_position
from attunebench.score.text import folded, words

Raw = dict[str, Any]

TURN_CALLS = ("draft", "review", "perspective", "pairwise", "judge")
FAILED_STATES = ("unparseable", "empty", "truncated", "refused", "provider_error")
ANSWER_FIELDS = (
    "em_binary_om_assessment",
    "em_binary_human_prediction",
    "em_binary_om_assessment_hp",
    "em_binary_human_prediction_hp",
)
TOTAL_FIELDS = ("totalPositiveAffect", "totalNegativeAffect")
FOLLOW_UP = "q3_followUp_whatFeltOff"
QUESTIONS = ("B1", "B2", "B3", "B501")
WORDS = ("Afraid", "Scared", "Upset", "Guilty", "Proud", "Strong")
"""Two pairs that nearly coincide, and two words far from both."""


@st.composite
def optional(draw: st.DrawFn, **fields: st.SearchStrategy[Any]) -> Raw:
    """An object whose fields may each be absent or null, and mostly are there."""
    fates = {name: draw(st.integers(0, 7)) for name in fields}
    return {name: None if fate == 1 else draw(fields[name]) for name, fate in fates.items() if fate}


def lists(values: st.SearchStrategy[Any], most: int = 4) -> st.SearchStrategy[list[Any]]:
    return st.lists(values, max_size=most)


TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=5).map(" ".join)
YES_NO = st.sampled_from(("yes", "no", "yes", "no", "na", None))
INTENSITIES = st.none() | st.integers(1, 7)
LETTERS = st.sampled_from(("A", "B", None))
LABELS = st.sampled_from(("original", "alternate", "human", "original", "alternate", "human", "elsewhere", None))

FELT = lists(st.fixed_dictionaries({"emotion": st.sampled_from(WORDS)}, optional={"intensity": INTENSITIES}))
PREDICTED = lists(
    st.fixed_dictionaries(
        {"emotion": st.sampled_from((*WORDS, *WORDS, "Bored", "No change"))}, optional={"intensity": INTENSITIES}
    )
)
JUDGEMENTS = lists(
    st.builds(
        lambda question, answers: {"questionId": question, **answers},
        st.sampled_from(QUESTIONS),
        optional(llmValue=YES_NO, observedBehavior=YES_NO, preferredBehavior=YES_NO),
    ),
    most=5,
)
COMPARISONS = lists(optional(responseA=LABELS, responseB=LABELS, winner=LETTERS))
ANSWERS = st.dictionaries(st.sampled_from((*QUESTIONS, "B99")), YES_NO, max_size=5)
JUDGE_SCORES = optional(
    overall_score=st.integers(1, 7), emotional_appropriateness=st.integers(1, 7), helpfulness=st.floats(1, 7)
)
ITEMS = st.dictionaries(st.sampled_from(EMOTION_WORDS), st.integers(1, 7), max_size=20)
ALL_ITEMS = st.lists(st.integers(1, 7), min_size=20, max_size=20).map(
    lambda ratings: dict(zip(EMOTION_WORDS, ratings, strict=True))
)
TOTALS = optional(totalPositiveAffect=st.integers(10, 70), totalNegativeAffect=st.integers(10, 70))
REPORTS = st.builds(lambda items, totals: items | totals, st.just({}) | ITEMS | ALL_ITEMS, TOTALS)
WHOLE_REPORTS = st.builds(lambda items, totals: items | totals, ALL_ITEMS, TOTALS) | TOTALS
"""Totals that were given, or made of all ten items, so 10 to 70."""
PREDICTED_PANAS = st.builds(
    lambda items, totals: {"items": items, **totals}, st.none() | ITEMS | ALL_ITEMS | ALL_ITEMS, TOTALS
)
OTHER = ("something else", "")
ASKED = optional(
    q1_lookingFor=lists(st.sampled_from((*LOOKING_FOR_OPTIONS[:3], *OTHER))),
    q2_emotionClarity=st.sampled_from((*CLARITY_OPTIONS[:2], *OTHER)),
    q3_modelFit=st.sampled_from((*FIT_OPTIONS, *OTHER)),
    q3_followUp_whatFeltOff=lists(TEXTS, 3),
    fourBranchScores=st.dictionaries(st.sampled_from(BRANCHES), st.integers(1, 7)),
)
ANSWERED = st.builds(
    lambda asked, scores: asked | {"fourBranchScores": scores},
    ASKED,
    st.none() | st.dictionaries(st.sampled_from(BRANCHES), st.floats(1, 7)),
)


@st.composite
def raw_conversations(draw: st.DrawFn, reports: st.SearchStrategy[Raw] = REPORTS) -> Raw:
    numbers = draw(st.lists(st.integers(1, 9), max_size=3, unique=True))
    annotations = optional(
        binaryJudgements=JUDGEMENTS,
        pairwiseComparisons=COMPARISONS,
        alternateResponses=optional(llmImproved=TEXTS, humanEdited=TEXTS),
    )
    turn = st.builds(
        lambda reply, rest: {"userMessage": "hello", "llmResponse": reply, **rest},
        TEXTS,
        optional(moodShiftTags=FELT, annotations=annotations),
    )
    outcome = optional(prePanas=reports, postPanas=reports, conversationWideQuestions=ASKED)
    turns = [{"turnNumber": number, **draw(turn)} for number in numbers]
    return {"conversationId": "c1", "turns": turns, **draw(outcome)}


TURN_RECORDS = optional(
    em_emotion_tags=PREDICTED,
    em_drafted_response=TEXTS,
    **dict.fromkeys(ANSWER_FIELDS, ANSWERS),
    em_pairwise_selections=st.dictionaries(st.sampled_from("01234"), LETTERS),
    em_draft_judge_scores=JUDGE_SCORES,
    em_draft_binary_assessment=ANSWERS,
)
OUTCOMES = optional(predicted_post_panas=PREDICTED_PANAS, predicted_conversation_wide=ANSWERED)
STATES = st.sampled_from(("parsed", "repaired", "parsed", *FAILED_STATES))


@st.composite
def raw_records(draw: st.DrawFn, told: Raw) -> Raw:
    numbers = [turn["turnNumber"] for turn in told["turns"]]
    kept = [number for number in numbers if draw(st.integers(0, 4))]
    turns = [{"turnNumber": number, **draw(TURN_RECORDS)} for number in (*kept, *draw(lists(st.just(10), 1)))]
    run = {"conversationId": "c1", "em_model": "m", "turns": turns}
    keys = [(number, call) for number in numbers for call in TURN_CALLS] + [(None, "outcome")]
    if draw(st.booleans()):
        listed = draw(st.lists(st.sampled_from(keys), unique=True))
        run["calls"] = [{"turn": turn, "call": call, "state": draw(STATES)} for turn, call in listed]
    return run | draw(optional(post_conversation=OUTCOMES))


@st.composite
def raw_cases(draw: st.DrawFn, reports: st.SearchStrategy[Raw] = REPORTS) -> tuple[Raw, Raw]:
    """A conversation and a record of it, as JSON values."""
    told = draw(raw_conversations(reports))
    return told, draw(raw_records(told))


def read(told: Raw, run: Raw) -> tuple[Conversation, RunRecord]:
    return Conversation.model_validate(told), RunRecord.model_validate(run)


# Better answers. Each takes a conversation and a record as `written` gives it, and yields records that differ in one
# answer, which is better, or in one call or turn, which is now right.


def written(run: RunRecord) -> Raw:
    """Return the record as our own runs would write it, every field present."""
    return run.model_dump(by_alias=True)


def put(run: Raw, value: Any, *path: Any) -> Raw:
    """Return the record with one value replaced; missing objects on the way are made."""
    changed = deepcopy(run)
    place = changed
    for step in path[:-1]:
        if isinstance(place, dict) and place.get(step) is None:
            place[step] = {}
        place = place[step]
    place[path[-1]] = value
    return changed


def common_turns(told: Conversation, run: Raw) -> Iterator[tuple[Turn, Raw, tuple[Any, ...]]]:
    """Yield each turn of both, its record, and the path to it."""
    turns = {turn.turn_number: turn for turn in told.turns}
    for place, reply in enumerate(run["turns"]):
        if reply["turnNumber"] in turns:
            yield turns[reply["turnNumber"]], reply, ("turns", place)


def true_answers(turn: Turn) -> Mapping[str, Mapping[str, str]]:
    """Return the participant's yes/no answers by field of the record."""
    judgements = behaviour.latest(turn.judgements)
    observed, preferred = (
        {key: "yes" if yes else "no" for key, yes in answers.items()}
        for answers in (
            behaviour.observed_with_fallback(judgements),
            behaviour.preferred_with_fallback(judgements),
        )
    )
    return dict(zip(ANSWER_FIELDS, (observed, preferred) * 2, strict=True))


def a_yes_or_no_right(told: Conversation, run: Raw) -> Iterator[Raw]:
    for turn, reply, path in common_turns(told, run):
        for field, truth in true_answers(turn).items():
            for key, answer in truth.items():
                if (reply[field] or {}).get(key) != answer:
                    yield put(run, answer, *path, field, key)


def a_letter_right(told: Conversation, run: Raw) -> Iterator[Raw]:
    for turn, reply, path in common_turns(told, run):
        for place, compared in enumerate(turn.comparisons):
            said = (reply["em_pairwise_selections"] or {}).get(str(place))
            if compared.winner and said != compared.winner:
                yield put(run, compared.winner, *path, "em_pairwise_selections", str(place))


def _tags(turn: Turn, reply: Raw) -> tuple[dict[str, int | None], list[Raw], list[str], list[str]]:
    """Return the felt words, the predicted tags, the felt words they lack, and the predicted words not felt."""
    felt = {tag.emotion: tag.intensity for tag in turn.mood_shift_tags or ()}
    said = reply["em_emotion_tags"] or []
    named = [word for word in dict.fromkeys(tag["emotion"] for tag in said) if folded(word) not in NEUTRAL_WORDS]
    return felt, said, [word for word in felt if word not in named], [word for word in named if word not in felt]


def _without(tags: list[Raw], word: str) -> list[Raw]:
    return [tag for tag in tags if tag["emotion"] != word]


def a_felt_word_added(told: Conversation, run: Raw) -> Iterator[Raw]:
    """With the participant's intensity."""
    for turn, reply, path in common_turns(told, run):
        felt, said, missing, _ = _tags(turn, reply)
        for word in missing:
            yield put(run, [*said, {"emotion": word, "intensity": felt[word]}], *path, "em_emotion_tags")


def a_felt_word_added_with_another_intensity(told: Conversation, run: Raw) -> Iterator[Raw]:
    for turn, reply, path in common_turns(told, run):
        felt, said, missing, _ = _tags(turn, reply)
        for word, other in product(missing, (None, 1, 7)):
            if other != felt[word]:
                yield put(run, [*said, {"emotion": word, "intensity": other}], *path, "em_emotion_tags")


def a_false_word_removed(told: Conversation, run: Raw) -> Iterator[Raw]:
    for turn, reply, path in common_turns(told, run):
        _, said, _, false = _tags(turn, reply)
        for word in false:
            yield put(run, _without(said, word), *path, "em_emotion_tags")


def a_false_word_replaced(told: Conversation, run: Raw) -> Iterator[Raw]:
    """By a felt word that was missing."""
    for turn, reply, path in common_turns(told, run):
        felt, said, missing, false = _tags(turn, reply)
        once = [word for word in false if sum(tag["emotion"] == word for tag in said) == 1]
        for word, right in product(once, missing):
            tags = [*_without(said, word), {"emotion": right, "intensity": felt[right]}]
            yield put(run, tags, *path, "em_emotion_tags")


def an_intensity_right(told: Conversation, run: Raw) -> Iterator[Raw]:
    for turn, reply, path in common_turns(told, run):
        felt, said, _, _ = _tags(turn, reply)
        for place, tag in enumerate(said):
            word = tag["emotion"]
            alone = sum(other["emotion"] == word for other in said) == 1
            if alone and felt.get(word) not in (None, tag["intensity"]):
                yield put(run, felt[word], *path, "em_emotion_tags", place, "intensity")


def a_total_closer(told: Conversation, run: Raw) -> Iterator[Raw]:
    """Half the way to the truth, or all of it; all of it where no total was given."""
    path = ("post_conversation", "predicted_post_panas")
    said = _at(run, *path)
    for name, truth in zip(TOTAL_FIELDS, reported_totals(told.post_panas), strict=True):
        guess = said.get(name)
        if truth is not None and guess != truth:
            yield put(run, truth, *path, name)
            if guess is not None:
                yield put(run, (guess + truth) / 2, *path, name)


def an_item_right(told: Conversation, run: Raw) -> Iterator[Raw]:
    path = ("post_conversation", "predicted_post_panas", "items")
    said = _at(run, *path)
    for name, truth in reported_items(told.post_panas).items():
        if said.get(name) != truth:
            yield put(run, truth, *path, name)


WIDE = ("post_conversation", "predicted_conversation_wide")


def _at(run: Raw, *path: str) -> Any:
    """Return the value at a path; an empty object if it is missing."""
    return reduce(lambda place, step: place.get(step) or {}, path, run)


def _asked(told: Conversation) -> ConversationQuestions:
    return told.conversation_wide_questions or ConversationQuestions()


def an_option_right(told: Conversation, run: Raw) -> Iterator[Raw]:
    """A wanted option added, or one not wanted removed, of what the participant was looking for."""
    name = "q1_lookingFor"
    said = list(_at(run, *WIDE, name))
    wanted = {folded(text) for text in _asked(told).looking_for or ()}
    guessed = {folded(text) for text in said}
    for text in sorted(wanted - guessed):
        yield put(run, [*said, text], *WIDE, name)
    for text in sorted(guessed - wanted):
        yield put(run, [other for other in said if folded(other) != text], *WIDE, name)


def a_choice_right(told: Conversation, run: Raw) -> Iterator[Raw]:
    """How clear the feelings were, or how well the model fitted."""
    asked = _asked(told)
    for name, truth in (("q2_emotionClarity", asked.emotion_clarity), ("q3_modelFit", asked.model_fit)):
        if truth is not None and folded(_at(run, *WIDE).get(name)) != folded(truth):
            yield put(run, truth, *WIDE, name)


def a_fit_closer(told: Conversation, run: Raw) -> Iterator[Raw]:
    """By options, and not yet right."""
    truth, guess = fit_position(_asked(told).model_fit), fit_position(_at(run, *WIDE).get("q3_modelFit"))
    if truth is None:
        return
    for place, option in enumerate(FIT_OPTIONS):
        if place != truth and (guess is None or abs(place - truth) < abs(guess - truth)):
            yield put(run, option, *WIDE, "q3_modelFit")


def _texts(told: Conversation, run: Raw) -> tuple[list[str], list[str]]:
    return [folded(text) for text in _asked(told).what_felt_off or ()], list(_at(run, *WIDE, FOLLOW_UP))


def a_text_added(told: Conversation, run: Raw) -> Iterator[Raw]:
    """One that the participant wrote, word for word."""
    truth, said = _texts(told, run)
    for text in dict.fromkeys(truth):
        if text not in map(folded, said):
            yield put(run, [*said, text], *WIDE, FOLLOW_UP)


def an_unrelated_text_removed(told: Conversation, run: Raw) -> Iterator[Raw]:
    """One that shares no word with any that the participant wrote."""
    truth, said = _texts(told, run)
    for place, text in enumerate(said):
        if folded(text) not in truth and not any(words(text) & words(other) for other in truth):
            yield put(run, said[:place] + said[place + 1 :], *WIDE, FOLLOW_UP)


def a_text_made_exact(told: Conversation, run: Raw) -> Iterator[Raw]:
    """One that shares words with a text of the participant's gives way to that text."""
    truth, said = _texts(told, run)
    for place, exact in product(range(len(said)), dict.fromkeys(truth)):
        near = folded(said[place]) not in truth and words(said[place]) & words(exact)
        if near and exact not in map(folded, said):
            yield put(run, [*said[:place], exact, *said[place + 1 :]], *WIDE, FOLLOW_UP)


def a_branch_closer(told: Conversation, run: Raw) -> Iterator[Raw]:
    """Half the way to the truth; all of it where none was given."""
    said = _at(run, *WIDE, "fourBranchScores")
    for branch, truth in (_asked(told).four_branch_scores or {}).items():
        guess = said.get(branch)
        if guess != truth:
            yield put(run, truth if guess is None else (guess + truth) / 2, *WIDE, "fourBranchScores", branch)


def _best_reply(turn: Turn) -> str:
    """Return the reply that won most comparisons, of those that exist; the first if none won."""
    won = wins(turn.comparisons, [compared.winner for compared in turn.comparisons])
    replies = existing_replies(turn)
    return replies[max(replies, key=lambda label: won.get(label, 0))] if replies else ""


def a_draft_made_the_preferred_reply(told: Conversation, run: Raw) -> Iterator[Raw]:
    for turn, reply, path in common_turns(told, run):
        if reply["em_drafted_response"] and reply["em_drafted_response"] != _best_reply(turn):
            yield put(run, _best_reply(turn), *path, "em_drafted_response")


def a_judges_score_raised(told: Conversation, run: Raw) -> Iterator[Raw]:
    for _, reply, path in common_turns(told, run):
        for name, given in (reply["em_draft_judge_scores"] or {}).items():
            if given is not None and given < 7:
                yield put(run, 7, *path, "em_draft_judge_scores", name)


def a_wanted_behaviour_found(told: Conversation, run: Raw) -> Iterator[Raw]:
    """By the judge, in the draft: one answer becomes the one that was wanted."""
    for turn, reply, path in common_turns(told, run):
        for key, answer in true_answers(turn)[ANSWER_FIELDS[1]].items():
            if (reply["em_draft_binary_assessment"] or {}).get(key) != answer:
                yield put(run, answer, *path, "em_draft_binary_assessment", key)


def right_turn(turn: Turn) -> dict[str, Raw]:
    """Return the right answers to a turn by call."""
    felt = [{"emotion": tag.emotion, "intensity": tag.intensity} for tag in turn.mood_shift_tags or ()]
    answers = true_answers(turn)
    letters = {str(place): compared.winner for place, compared in enumerate(turn.comparisons) if compared.winner}
    return {
        "draft": {"em_drafted_response": _best_reply(turn)},
        "review": {"em_emotion_tags": felt, **{name: dict(answers[name]) for name in ANSWER_FIELDS[:2]}},
        "perspective": {name: dict(answers[name]) for name in ANSWER_FIELDS[2:]},
        "pairwise": {"em_pairwise_selections": letters},
    }


def right_outcome(told: Conversation) -> Raw:
    """Return the right answers after the conversation."""
    totals, asked = reported_totals(told.post_panas), _asked(told)
    return {
        "predicted_post_panas": {
            **dict(zip(TOTAL_FIELDS, totals, strict=True)),
            "items": dict(reported_items(told.post_panas)),
        },
        "predicted_conversation_wide": {
            "q1_lookingFor": asked.looking_for or [],
            "q2_emotionClarity": asked.emotion_clarity or "",
            "q3_modelFit": asked.model_fit or "",
            FOLLOW_UP: asked.what_felt_off or [],
            "fourBranchScores": asked.four_branch_scores or {},
        },
    }


def _answer_call(run: Raw, place: Raw, turn: int | None, call: str, answers: Raw) -> bool:
    """Put answers in the place of a call, if it failed; return whether it did."""
    listed = [one for one in run["calls"] or () if (one["turn"], one["call"]) == (turn, call)]
    if any(place[name] is not None for name in answers) or any(one["state"] not in FAILED_STATES for one in listed):
        return False
    place |= deepcopy(answers)
    for one in listed:
        one["state"] = "parsed"
    return True


def _please_the_judge(turn: Turn, reply: Raw) -> None:
    """Make a judgement of the draft, if there is one, the best."""
    if reply["em_draft_judge_scores"]:
        reply["em_draft_judge_scores"] = dict.fromkeys(reply["em_draft_judge_scores"], 7)
    if reply["em_draft_binary_assessment"]:
        reply["em_draft_binary_assessment"] = dict(true_answers(turn)[ANSWER_FIELDS[1]])


def a_failed_call_right(told: Conversation, run: Raw) -> Iterator[Raw]:
    """One of which no answer is in the record."""
    for turn, _, path in common_turns(told, run):
        for call, answers in right_turn(turn).items():
            changed = deepcopy(run)
            place = changed["turns"][path[1]]
            if _answer_call(changed, place, turn.turn_number, call, answers):
                if call == "draft":
                    _please_the_judge(turn, place)
                yield changed
    changed = deepcopy(run)
    changed["post_conversation"] = changed["post_conversation"] or dict.fromkeys(right_outcome(told))
    if _answer_call(changed, changed["post_conversation"], None, "outcome", right_outcome(told)):
        yield changed


def a_missing_turn_right(told: Conversation, run: Raw) -> Iterator[Raw]:
    """Every answer to a turn that the record lacks."""
    there = {reply["turnNumber"] for reply in run["turns"]}
    for turn in told.turns:
        if turn.turn_number not in there:
            changed = deepcopy(run)
            answers = reduce(lambda all_, one: all_ | one, right_turn(turn).values())
            changed["turns"].append({"turnNumber": turn.turn_number, **answers})
            for one in changed["calls"] or ():
                if one["turn"] == turn.turn_number:
                    one["state"] = "parsed"
            yield changed
