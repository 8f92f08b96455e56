"""Yes/no answers of all turns and draws; see `attunebench.score.behaviour` for the formulas."""

from collections.abc import Mapping, Sequence

import numpy as np

from attunebench.baselines.draws import Truths
from attunebench.score.arrays.behaviour import Confusions


class Truth:
    """What was asked and reported over a conversation, to count any number of draws against.

    `questions` are the ids asked in each turn, `reported` the participant's answers by turn; True is yes. Drawn
    answers stand in a row, turn after turn. Where a question that was reported was not asked, there is no answer: a
    "no" (reference), or wrong (strict).
    """

    def __init__(
        self, questions: Sequence[Sequence[str]], reported: Sequence[Mapping[str, bool]], *, missing_is_no: bool
    ) -> None:
        self._missing_is_no = missing_is_no
        self._yes, self._no = np.zeros((2, len(reported), sum(map(len, questions))))
        self._unasked_yes, self._unasked_no = np.zeros((2, len(reported), 1))
        first = 0
        for turn, (ids, answers) in enumerate(zip(questions, reported, strict=True)):
            for question, yes in answers.items():
                if question in ids:
                    (self._yes if yes else self._no)[turn, first + ids.index(question)] = 1
                else:
                    (self._unasked_yes if yes else self._unasked_no)[turn] += 1
            first += len(ids)

    def count(self, yes: Truths) -> Confusions:
        """Count drawn answers, shape (draws, questions), turn by turn: shape (turns, draws)."""
        said = yes.T.astype(np.float64)
        tp, fp = self._yes @ said, self._no @ said
        fn, tn = self._yes.sum(axis=1, keepdims=True) - tp + self._unasked_yes, self._no.sum(axis=1, keepdims=True) - fp
        if self._missing_is_no:
            return Confusions(tp, tn + self._unasked_no, fp, fn)
        return Confusions(tp, tn, fp + self._unasked_no, fn)
