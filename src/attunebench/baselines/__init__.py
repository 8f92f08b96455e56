"""Floors and a ceiling: answers that need no model, given through the same protocol as any model's.

`null`, `random` and `majority` show what no skill earns, `lexicon` what word lists earn, `oracle` what perfect
knowledge earns, each on the same data. A baseline is pure: a conversation, one of its calls and the data set in, the
text of a reply out; the replies then go through the same reading, ledger and scoring as a model's.

>>> make_baseline("null", []).name
'null'
"""

from attunebench.baselines.answering import answer_calls, answer_conversation
from attunebench.baselines.registry import BASELINES, Baseline, Learned, make_baseline

__all__ = ["BASELINES", "Baseline", "Learned", "answer_calls", "answer_conversation", "make_baseline"]
