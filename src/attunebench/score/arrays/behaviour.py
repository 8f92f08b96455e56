"""Rates of confusion counts; see `attunebench.score.behaviour` for the formulas."""

from typing import NamedTuple

import numpy as np

from attunebench.score.arrays.means import Numbers, ratio


class Confusions(NamedTuple):
    """Counts of (participant, model) answers with "yes" as positive; all of one shape."""

    tp: Numbers
    tn: Numbers
    fp: Numbers
    fn: Numbers

    @property
    def total(self) -> Numbers:
        """How many answers were counted."""
        return self.tp + self.tn + self.fp + self.fn

    @property
    def accuracy(self) -> Numbers:
        """(tp + tn)/all."""
        return ratio(self.tp + self.tn, self.total)

    def pooled(self) -> "Confusions":
        """Add the counts along the axis before the last."""
        return Confusions(*(counts.sum(axis=-2) for counts in self))

    def rates(self) -> dict[str, Numbers]:
        """Return accuracy, precision, recall, f1 and mcc."""
        tp, tn, fp, fn = self
        claimed, true = tp + fp, tp + fn
        precision, recall = ratio(tp, claimed), ratio(tp, true)
        p, r = np.nan_to_num(precision), np.nan_to_num(recall)
        return {
            "accuracy": self.accuracy,
            "precision": precision,
            "recall": recall,
            "f1": np.where(claimed + true > 0, ratio(2 * p * r, p + r, 0.0), np.nan),
            "mcc": ratio(tp * tn - fp * fn, np.sqrt(claimed * true * (tn + fp) * (tn + fn))),
        }

    def published(self) -> dict[str, Numbers]:
        """Return counts and rates, 0 where a rate is undefined."""
        return self._asdict() | {name: np.nan_to_num(rate) for name, rate in self.rates().items()}
