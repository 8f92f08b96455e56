"""The answers offered after a conversation; the labels are exact data values of the AttuneBench benchmark."""

import json
from typing import Final

from attunebench.instrument._data import read_data

_FILE = json.loads(read_data("options.json"))


def _labels(question_id: str) -> tuple[str, ...]:
    return tuple(option["label"] for option in _FILE[question_id])


LOOKING_FOR_OPTIONS: Final[tuple[str, ...]] = _labels("q1_lookingFor")
"""What the participant was looking for: any number of these."""

CLARITY_OPTIONS: Final[tuple[str, ...]] = _labels("q2_emotionClarity")
"""How clear the participant's emotions were: one of these, not ordered."""

FIT_OPTIONS: Final[tuple[str, ...]] = _labels("q3_modelFit")
"""How well the replies fitted: one of these, ordered from best to worst."""

GOOD_FITS: Final[tuple[str, ...]] = tuple(o["label"] for o in _FILE["q3_modelFit"] if o["good_fit"])
"""The options that count as a good fit; after the others the participant is asked what felt off."""
