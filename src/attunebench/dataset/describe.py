"""What is in a data set: counts and simple statistics, never a text and never a single participant."""

import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from attunebench.dataset.load import DataSet
from attunebench.dataset.schema import Comparison, Conversation, Judgement, Turn
from attunebench.instrument import CUSTOM_PREFIX, EMOTION_WORDS, PAIRWISE_IDS, YES_NO_IDS

Counts: TypeAlias = dict[str, int]

NOT_GIVEN = "not given"
"""The group of those who gave no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What a data set holds. All values are JSON values; `as_dict` returns them as such.

    Attributes:
        conversations: how many; `participants`: distinct participant ids; `conversations_without_participant`: those
            that have no participant id.
        turns: `total`, and `min`, `median`, `max` per conversation (None without conversations).
        judgements: per yes/no question, `observed` and `preferred`, each with how many yes, no, na and none.
        comparisons: `total` and `undecided`; `by_question` and `by_letter` with the wins of A and B; `by_pair`, for
            each pair of labels ("alternate / original"), with the wins of each label. Participants' own questions
            are counted together as `custom`.
        emotions: per word, `count` and `mean_intensity` (1-7, of those with one; None without any).
        mood: turns `with_shift`, `without_shift` (asked, no shift) and `not_asked`.
        groups: `category`, `age`, `diagnosis`: per value, how many participants and conversations (those without a
            participant id count as conversations only; one with several diagnoses counts in each).
        subtopics: how many different ones.
        gaps: what was not asked or not answered: `conversations` and `turns` that lack each part.
    """

    conversations: int
    participants: int
    conversations_without_participant: int
    turns: dict[str, float | None]
    judgements: dict[str, dict[str, Counts]]
    comparisons: dict[str, Any]
    emotions: dict[str, dict[str, float | None]]
    mood: Counts
    groups: dict[str, dict[str, Counts]]
    subtopics: int
    gaps: dict[str, Counts]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain JSON values."""
        return asdict(self)


def describe(dataset: DataSet) -> Description:
    """Describe a data set; nothing in it is changed, and an empty one has counts of 0."""
    conversations = dataset.conversations
    turns = [turn for conversation in conversations for turn in conversation.turns]
    subtopics = {c.metadata.subtopic for c in conversations if c.metadata and c.metadata.subtopic}
    return Description(
        conversations=len(conversations),
        participants=len({c.participant_id for c in conversations if c.participant_id}),
        conversations_without_participant=sum(not c.participant_id for c in conversations),
        turns=_lengths([len(c.turns) for c in conversations]),
        judgements=_judgements([judgement for turn in turns for judgement in turn.judgements]),
        comparisons=_comparisons([comparison for turn in turns for comparison in turn.comparisons]),
        emotions=_emotions(turns),
        mood={
            "with_shift": sum(bool(turn.mood_shift_tags) for turn in turns),
            "without_shift": sum(turn.mood_shift_tags == [] for turn in turns),
            "not_asked": sum(turn.mood_shift_tags is None for turn in turns),
        },
        groups={
            "category": _groups(conversations, [_category(c) for c in conversations]),
            "age": _groups(conversations, [_age(c) for c in conversations]),
            "diagnosis": _groups(conversations, [_diagnoses(c) for c in conversations]),
        },
        subtopics=len(subtopics),
        gaps={"conversations": _conversation_gaps(conversations), "turns": _turn_gaps(turns)},
    )


def _lengths(lengths: Sequence[int]) -> dict[str, float | None]:
    if not lengths:
        return {"total": 0, "min": None, "median": None, "max": None}
    median = statistics.median(lengths)
    return {"total": sum(lengths), "min": min(lengths), "median": median, "max": max(lengths)}


def _judgements(judgements: Iterable[Judgement]) -> dict[str, dict[str, Counts]]:
    found: dict[str, dict[str, Counts]] = {}
    for judgement in judgements:
        zero = {"yes": 0, "no": 0, "na": 0, "none": 0}
        answers = found.setdefault(judgement.question_id, {"observed": dict(zero), "preferred": dict(zero)})
        answers["observed"][judgement.observed_behavior or "none"] += 1
        answers["preferred"][judgement.preferred_behavior or "none"] += 1
    return {name: found[name] for name in _in_order(found, YES_NO_IDS)}


def _comparisons(comparisons: Sequence[Comparison]) -> dict[str, Any]:
    by_question: dict[str, Counts] = {}
    by_pair: dict[str, Counts] = {}
    by_letter = {"A": 0, "B": 0, "undecided": 0}
    for comparison in comparisons:
        own = comparison.question_id.startswith(CUSTOM_PREFIX)
        question = "custom" if own else comparison.question_id
        labels = sorted(str(label) for label in (comparison.response_a, comparison.response_b))
        by_question.setdefault(question, dict.fromkeys(by_letter, 0))[comparison.winner or "undecided"] += 1
        pair = by_pair.setdefault(" / ".join(labels), dict.fromkeys([*labels, "undecided"], 0))
        pair["undecided" if comparison.winner is None else str(comparison.winning_label)] += 1
        by_letter[comparison.winner or "undecided"] += 1
    return {
        "total": len(comparisons),
        "undecided": by_letter["undecided"],
        "by_question": {name: by_question[name] for name in _in_order(by_question, PAIRWISE_IDS)},
        "by_pair": dict(sorted(by_pair.items())),
        "by_letter": by_letter,
    }


def _emotions(turns: Iterable[Turn]) -> dict[str, dict[str, float | None]]:
    intensities: dict[str, list[int | None]] = defaultdict(list)
    for turn in turns:
        for tag in turn.mood_shift_tags or []:
            intensities[tag.emotion].append(tag.intensity)
    described: dict[str, dict[str, float | None]] = {}
    for word in EMOTION_WORDS:
        given = [intensity for intensity in intensities[word] if intensity is not None]
        mean = statistics.fmean(given) if given else None
        described[word] = {"count": len(intensities[word]), "mean_intensity": mean}
    return described


def _groups(conversations: Iterable[Conversation], values: Iterable[Sequence[str]]) -> dict[str, Counts]:
    people: dict[str, set[str]] = defaultdict(set)
    counts = Counter[str]()
    for conversation, groups in zip(conversations, values, strict=True):
        for group in dict.fromkeys(groups or [NOT_GIVEN]):
            counts[group] += 1
            if conversation.participant_id:
                people[group].add(conversation.participant_id)
    ordered = sorted(counts, key=lambda group: (group == NOT_GIVEN, -counts[group], group))
    return {g: {"participants": len(people[g]), "conversations": counts[g]} for g in ordered}


def _category(conversation: Conversation) -> list[str]:
    category = conversation.metadata and conversation.metadata.category
    return [category] if category else []


def _age(conversation: Conversation) -> list[str]:
    age = conversation.participant_profile and conversation.participant_profile.age
    return [age] if age else []


def _diagnoses(conversation: Conversation) -> list[str]:
    """Return the diagnoses as given: a text, or the entries of a list; other values as their JSON text."""
    profile = conversation.participant_profile
    given = (profile.responses or {}).get("diagnosis") if profile else None
    entries = given if isinstance(given, list) else [given]
    texts = [entry if isinstance(entry, str) else json.dumps(entry) for entry in entries if entry is not None]
    return [text.strip() for text in texts if text.strip()]


def _conversation_gaps(conversations: Sequence[Conversation]) -> Counts:
    gaps = dict.fromkeys(("prePanas", "postPanas", "q1", "q2", "q3", "q3_followUp", "fourBranchScores"), 0)
    for conversation in conversations:
        questions = conversation.conversation_wide_questions
        for name, panas in (("prePanas", conversation.pre_panas), ("postPanas", conversation.post_panas)):
            gaps[name] += not panas or (panas.positive_affect is None and panas.negative_affect is None)
        gaps["q1"] += not questions or questions.looking_for is None
        gaps["q2"] += not questions or questions.emotion_clarity is None
        gaps["q3"] += not questions or questions.model_fit is None
        gaps["q3_followUp"] += not questions or questions.what_felt_off is None
        gaps["fourBranchScores"] += not questions or not questions.four_branch_scores
    return gaps


def _turn_gaps(turns: Iterable[Turn]) -> Counts:
    gaps = dict.fromkeys(("moodShiftTags", "judgements", "comparisons", "alternates"), 0)
    for turn in turns:
        gaps["moodShiftTags"] += turn.mood_shift_tags is None
        gaps["judgements"] += not turn.judgements
        gaps["comparisons"] += not turn.comparisons
        gaps["alternates"] += turn.reply("alternate") is None and turn.reply("human") is None
    return gaps


def _in_order(found: Mapping[str, Any], known: Sequence[str]) -> list[str]:
    """Return the ids found: known ones in the instrument's order, then the others by name."""
    return [*(name for name in known if name in found), *sorted(found.keys() - set(known))]
