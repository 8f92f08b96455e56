"""What participants are asked: emotion words, questions about replies, and the options of each answer.

All of it is data (`data/*.json`): words, coordinates, ids and labels are facts of the AttuneBench benchmark
(arXiv 2605.21739) and fixed; the wording of questions is this project's own, and a user may bring another.

>>> similarity("Afraid", "scared")
0.9842
>>> load_questions().yes_no_text("B13", "to_participant")
'Does the reply ask you a follow-up question?'
"""

from attunebench.instrument._emotions import (
    EMOTION_INDEX,
    EMOTION_WORDS,
    EMOTIONS,
    NEGATIVE_ITEMS,
    NEUTRAL_WORDS,
    POSITIVE_ITEMS,
    SIMILARITY,
    Emotion,
    canonical_emotion,
    similarity,
)
from attunebench.instrument._options import CLARITY_OPTIONS, FIT_OPTIONS, GOOD_FITS, LOOKING_FOR_OPTIONS
from attunebench.instrument._questions import (
    BRANCHES,
    OUTCOME_IDS,
    PAIRWISE_IDS,
    YES_NO_BRANCHES,
    YES_NO_IDS,
    load_questions,
)
from attunebench.instrument._types import CUSTOM_PREFIX, Question, Questions, Voice, YesNoQuestion

__all__ = [
    "BRANCHES",
    "CLARITY_OPTIONS",
    "CUSTOM_PREFIX",
    "EMOTIONS",
    "EMOTION_INDEX",
    "EMOTION_WORDS",
    "FIT_OPTIONS",
    "GOOD_FITS",
    "LOOKING_FOR_OPTIONS",
    "NEGATIVE_ITEMS",
    "NEUTRAL_WORDS",
    "OUTCOME_IDS",
    "PAIRWISE_IDS",
    "POSITIVE_ITEMS",
    "SIMILARITY",
    "YES_NO_BRANCHES",
    "YES_NO_IDS",
    "Emotion",
    "Question",
    "Questions",
    "Voice",
    "YesNoQuestion",
    "canonical_emotion",
    "load_questions",
    "similarity",
]
