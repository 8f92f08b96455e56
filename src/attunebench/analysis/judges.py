"""Judges: do they agree, how severe are they, are they kind to their own, do they prefer what participants prefer?"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import polars as pl

from attunebench.analysis.agreement import METHOD as AGREEMENT_METHOD
from attunebench.analysis.agreement import agreement
from attunebench.analysis.estimates import means, named, of_settings, statistics
from attunebench.analysis.evidence import Evidence
from attunebench.analysis.inputs import Inputs
from attunebench.analysis.leanings import LONGER, leanings
from attunebench.analysis.tables import Missing, Part, Table
from attunebench.stats.sums import Floats, ratio

TITLE: Final = "Judges"

_SEVERITY: Final = (
    "Of one judge's ratings (1 to 7) of all models' drafts under a condition, which names the panel: mean, and sd, the "
    "standard deviation; against_others: mean of rating - the other judges' mean of the same draft, below 0 is "
    "severer. Interval: bootstrap-t over clusters, 95 %; of sd percentile."
)
_KIN: Final = (
    "A judge's rating of a draft is the mean of what it rated in it. kin: mean of its rating - that of the judges of "
    "other families, over drafts of the judge itself or its family; others: the same over the other drafts, which tells"
    " how severe it is; preference: kin - others, above 0 is kinder to its own; its n counts its kin's drafts. Null "
    "where it rated no kin. Interval: bootstrap-t over clusters, 95 %; of preference percentile."
)
_PARTICIPANT: Final = (
    "The judge as an evaluated model, shown the compared replies under neutral names. agreement: share of comparisons "
    "decided by the participant in which it picks the winner, a missing answer wrong; flip_rate: of comparisons "
    "answered in both orders, the share in which another reply was chosen; longer, longer_participants and "
    "longer_difference: how often it and the participants choose the reply with more words, over comparisons that both "
    "decided. Interval: bootstrap-t over clusters, 95 %."
)
_RUN: Final = (
    "`attunebench run --data DATA {models} --blind --swap --out OUT`, scored together with `--runs OUT`, makes it"
)


def judges(inputs: Inputs) -> Part:
    """Return the tables of this part."""
    evidence = inputs.evidence
    if isinstance(evidence, str):
        return Part(TITLE, missing=[Missing("judges", evidence)])
    panel = sorted({*evidence.ratings["judge"].unique(), *evidence.findings["judge"].unique()})
    if not panel:
        command = "`attunebench judge --data DATA --runs OUT --judge MODEL --out JUDGED`"
        return Part(TITLE, missing=[Missing("judges", f"no drafts were judged; {command} has them judged")])
    parts = [_agreement(evidence, inputs), _severity(evidence, inputs), _against_participants(panel, evidence, inputs)]
    return Part(TITLE, [t for part in parts for t in part.tables], [m for part in parts for m in part.missing])


def _agreement(evidence: Evidence, inputs: Inputs) -> Part:
    found = agreement(evidence, inputs)
    if found.is_empty():
        return Part(TITLE, missing=[Missing("agreement of judges", "no draft was judged by two judges of a panel")])
    return Part(TITLE, [Table("judge_agreement", "Agreement within panels", AGREEMENT_METHOD, found)])


def _severity(evidence: Evidence, inputs: Inputs) -> Part:
    if evidence.ratings.is_empty():
        return Part(TITLE, missing=[Missing("severity of judges", "no draft was rated, as no turn has a reference")])
    tables = [Table("judge_severity", "Severity and spread", _SEVERITY, _ratings(evidence, inputs))]
    tables.append(Table("judge_kin", "Preference for their own family", _KIN, _kin(evidence, inputs)))
    if evidence.ratings["kin"].is_null().all():
        return Part(TITLE, tables, [Missing("preference for kin", "no judge rated a draft of its own family")])
    return Part(TITLE, tables)


def _ratings(evidence: Evidence, inputs: Inputs) -> pl.DataFrame:
    draft = ("record", "turn", "rating")
    count, total = pl.len().over(draft), pl.col("value").sum().over(draft)
    others = (total - pl.col("value")) / (count - 1)
    rated = evidence.ratings.with_columns(
        mean="value",
        n=pl.lit(1),
        squares=pl.col("value") ** 2,
        against_others=pl.when(count > 1).then(pl.col("value") - others),
    )
    rated, rows = of_settings(rated, inputs)
    keys = ["row", "judge", "rating"]
    found = [
        means(rated, keys, ["mean", "against_others"], inputs),
        statistics(rated, keys, ["n", "value", "squares"], ["sd"], _deviation, inputs),
    ]
    return named(pl.concat(found).sort(keys, maintain_order=True), rows)


def _deviation(sums: Floats) -> Floats:
    """Return the sample standard deviation from n and the sums of x and xx, shape (…, 3) to (…, 1)."""
    n, x, squares = np.moveaxis(sums, -1, 0)
    return np.sqrt(np.maximum(ratio(n * squares - x * x, n * np.maximum(n - 1, 0.0)), 0.0))[..., None]


def _kin(evidence: Evidence, inputs: Inputs) -> pl.DataFrame:
    drafts = evidence.ratings.group_by("record", "turn", "judge", "row", "conversation", "kin").agg(
        pl.col("value").mean()
    )
    is_kin, over = pl.col("kin").is_not_null(), ("record", "turn")
    impartial = pl.when(~is_kin).then("value")
    others = impartial.sum().over(over) - impartial.fill_null(0.0)
    count = impartial.count().over(over) - impartial.is_not_null().cast(pl.Int64)
    off = pl.when(count > 0).then(pl.col("value") - others / count)
    compared = drafts.with_columns(off=off).with_columns(
        kin=pl.when(is_kin).then("off"), others=pl.when(~is_kin).then("off")
    )
    compared = compared.with_columns(kin_n=pl.col("kin").is_not_null(), others_n=pl.col("others").is_not_null())
    compared, rows = of_settings(compared, inputs)
    keys, sums = ["row", "judge"], ["kin_n", "kin", "others_n", "others"]
    found = [
        means(compared, keys, ["kin", "others"], inputs),
        statistics(compared, keys, sums, ["preference"], _difference_of_means, inputs),
    ]
    return named(pl.concat(found).sort(keys, maintain_order=True), rows)


def _difference_of_means(sums: Floats) -> Floats:
    """Return the first mean less the second, from count and sum of each, shape (…, 4) to (…, 1)."""
    first_n, first, second_n, second = np.moveaxis(sums, -1, 0)
    return (ratio(first, first_n) - ratio(second, second_n))[..., None]


def _against_participants(panel: Sequence[str], evidence: Evidence, inputs: Inputs) -> Part:
    blind = {
        number: record.em_model
        for number, record in enumerate(evidence.records)
        if record.em_model in panel and record.provenance and record.provenance.blind
    }
    of_judges = pl.col("record").is_in([*blind])
    comparisons, orders = evidence.comparisons.filter(of_judges), evidence.orders.filter(of_judges)
    decided = comparisons.drop_nulls("winner").with_columns(
        agreement=(pl.col("chosen") == pl.col("winner")).fill_null(value=False)
    )
    missing = _not_evaluated([judge for judge in panel if judge not in blind.values()])
    if decided.is_empty():
        return Part(TITLE, missing=missing or [Missing("judges against participants", "no comparison was decided")])
    swapped = {blind[number] for number in orders["record"].unique()}
    missing += _not_swapped([judge for judge in panel if judge in blind.values() and judge not in swapped])
    longer = leanings(comparisons, inputs).filter(pl.col("leaning") == LONGER).drop("leaning")
    names = {"model": LONGER, "participants": f"{LONGER}_participants", "difference": f"{LONGER}_difference"}
    found = [
        means(decided, ["row"], ["agreement"], inputs),
        means(orders.rename({"flipped": "flip_rate"}), ["row"], ["flip_rate"], inputs),
        longer.with_columns(pl.col("metric").replace(names)),
    ]
    frame = named(pl.concat(found).sort("row", maintain_order=True), inputs.cube.rows)
    return Part(TITLE, [Table("judges_against_participants", "Judges and participants", _PARTICIPANT, frame)], missing)


def _not_evaluated(judges: Sequence[str]) -> list[Missing]:
    if not judges:
        return []
    reason = f"not evaluated blind in these scores: {', '.join(judges)}; "
    return [Missing("judges against participants", reason + _command(judges))]


def _not_swapped(judges: Sequence[str]) -> list[Missing]:
    if not judges:
        return []
    reason = f"not asked in both orders in these scores: {', '.join(judges)}; "
    return [Missing("flips of judges", reason + _command(judges))]


def _command(judges: Sequence[str]) -> str:
    return _RUN.format(models=" ".join(f"--model {judge}" for judge in judges))
