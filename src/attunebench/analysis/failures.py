"""Diagnosis of failures: which questions and branches go wrong, does a model say yes to everything, and the like."""

from typing import Final

import polars as pl

from attunebench.analysis import emotion_errors, furthest, leanings
from attunebench.analysis.estimates import means, named
from attunebench.analysis.evidence import Evidence
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.tables import Missing, Part, Table
from attunebench.instrument import YES_NO_BRANCHES

TITLE: Final = "Diagnosis of failures"

UNKNOWN_BRANCH: Final = "(unknown)"
"""The branch of a question that the instrument lacks."""

_YES_NO: Final = (
    "Over the yes/no questions that the participant answered, all turns together; call: review, or perspective (asked "
    "as the participant was); kind: observed (what the reply did) or preferred (what was wanted). accuracy: share "
    "answered like the participant, a missing answer wrong. yes_rate and yes_rate_participants: shares of yes over "
    "those that the model answered with yes or no; yes_rate_difference: mean difference, model - participants. "
    "Interval: bootstrap-t over clusters, 95 %."
)
_BRANCHES: Final = (
    "How well the participant found that the replies did at each branch, 1 to 7. error: mean of |predicted - reported|,"
    " down is better; bias: mean of predicted - reported; missing: share that the model did not predict. Interval: "
    "bootstrap-t over clusters, 95 %."
)
_RATES: Final = ("accuracy", "yes_rate", "yes_rate_participants", "yes_rate_difference")


def failures(inputs: Inputs) -> Part:
    """Return the tables of this part; those of the conversations furthest off need no records."""
    tables: list[Table] = []
    missing: list[Missing] = []
    evidence = inputs.evidence
    if isinstance(evidence, str):
        missing.append(Missing("failures", f"{evidence}; only the conversations furthest off are told from scores"))
    else:
        for made in (
            _yes_no(evidence, inputs),
            _branches(evidence, inputs),
            _choices(evidence, inputs),
            _emotions(evidence, inputs),
        ):
            tables += made.tables
            missing += made.missing
    tables.append(
        Table("furthest", "Conversations furthest off", furthest.METHOD, furthest.furthest(inputs), "shortfall")
    )
    return Part(TITLE, tables, missing)


def _yes_no(evidence: Evidence, inputs: Inputs) -> Part:
    if evidence.answers.is_empty():
        return Part(TITLE, missing=[Missing("yes/no questions", "no participant answered one with yes or no")])
    yes = pl.when(pl.col("answer") != "na").then(pl.col("answer") == "yes")
    answers = evidence.answers.with_columns(
        accuracy=(yes == pl.col("truth")).fill_null(value=False),
        yes_rate=yes,
        yes_rate_participants=pl.when(yes.is_not_null()).then("truth"),
        yes_rate_difference=yes.cast(pl.Int64) - pl.col("truth").cast(pl.Int64),
        branch=_branch(evidence.answers),
    )

    def table(*keys: str) -> pl.DataFrame:
        return named(means(answers, ["row", "call", "kind", *keys], _RATES, inputs), inputs.cube.rows)

    return Part(
        TITLE,
        [
            Table("yes_no", "Yes to everything?", _YES_NO, table()),
            Table("yes_no_branches", "Yes/no questions by branch", _YES_NO, table("branch")),
            Table("yes_no_questions", "Yes/no questions one by one", _YES_NO, table("branch", "question")),
        ],
    )


def _branch(answers: pl.DataFrame) -> pl.Series:
    names = [*dict.fromkeys(YES_NO_BRANCHES.values()), UNKNOWN_BRANCH]
    return answers["question"].replace_strict(
        dict(YES_NO_BRANCHES), default=UNKNOWN_BRANCH, return_dtype=pl.Enum(names)
    )


def _branches(evidence: Evidence, inputs: Inputs) -> Part:
    if evidence.branches.is_empty():
        return Part(TITLE, missing=[Missing("four branches", "no participant rated a branch")])
    off = pl.col("predicted") - pl.col("reported")
    rated = evidence.branches.with_columns(error=off.abs(), bias=off, missing=pl.col("predicted").is_null())
    found = named(means(rated, ["row", "branch"], ["error", "bias", "missing"], inputs), inputs.cube.rows)
    return Part(TITLE, [Table("four_branches", "The four branches", _BRANCHES, found)])


def _choices(evidence: Evidence, inputs: Inputs) -> Part:
    if evidence.comparisons.drop_nulls(["winner", "chosen"]).is_empty():
        return Part(TITLE, missing=[Missing("leanings", "no comparison was decided by a participant and answered")])
    found = named(leanings.leanings(evidence.comparisons, inputs), inputs.cube.rows)
    return Part(TITLE, [Table("leanings", "What choices lean to", leanings.METHOD, found)])


def _emotions(evidence: Evidence, inputs: Inputs) -> Part:
    if not evidence.turns["answered"].any():
        return Part(TITLE, missing=[Missing("emotion errors", "no turn's emotions were asked and answered")])
    tables = [
        Table(
            "emotion_errors",
            "Flipped, too many, too strong",
            emotion_errors.METHOD,
            named(emotion_errors.emotion_errors(evidence, inputs), inputs.cube.rows),
        ),
        Table(
            "emotion_confusion",
            "Which word for which",
            emotion_errors.CONFUSION_METHOD,
            named(emotion_errors.confusion(evidence, inputs), inputs.cube.rows),
            "count",
        ),
    ]
    return Part(TITLE, tables)
