"""Scores: (conversation, run record) -> numbers. Pure functions, in two profiles.

*reference* follows the published benchmark (AttuneBench, arXiv 2605.21739) to the letter, so that numbers compare;
*strict* gives no credit for what was not measured and hides no failure. `aggregate` makes one row a model, mode,
strategy and condition of many scored conversations.
"""

from attunebench.score.aggregate import aggregate
from attunebench.score.items import StrictValue
from attunebench.score.profiles import score
from attunebench.score.reference import score_reference
from attunebench.score.strict import score_strict

__all__ = ["StrictValue", "aggregate", "score", "score_reference", "score_strict"]
