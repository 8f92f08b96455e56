"""The scores of the random baseline, all its draws at once.

Scoring 200 draws one by one takes a second a conversation. Here each metric is computed for all draws together, on
arrays whose first axis is the draws; file by file these are the metrics of `attunebench.score`, and the tests hold
every number of every draw against those. A value that is not defined is NaN.
"""

from attunebench.score.draws.conversation import DrawScores, RandomScorer

__all__ = ["DrawScores", "RandomScorer"]
