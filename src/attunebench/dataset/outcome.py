"""What a participant reported before and after the conversation; public in `attunebench.dataset.schema`."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    StrictStr,
    model_serializer,
    model_validator,
)
from pydantic_core.core_schema import (
    dict_schema,
    float_schema,
    literal_schema,
    no_info_after_validator_function,
    nullable_schema,
)

from attunebench.dataset.parts import Part, ReadBy, Renamed
from attunebench.dataset.values import (
    PANAS_ITEMS_KEY,
    gather_branch_scores,
    other_branch_scores,
    read_branch_score,
    read_panas,
    read_panas_item,
    read_panas_total,
)
from attunebench.instrument import BRANCHES, NEGATIVE_ITEMS, POSITIVE_ITEMS

PanasItem = Annotated[int, Field(ge=1, le=7), ReadBy(read_panas_item)]
PanasTotal = Annotated[Annotated[int, Field(ge=10, le=70)] | None, ReadBy(read_panas_total)]
BranchScore = Annotated[float, Field(ge=1, le=7), ReadBy(read_branch_score)]

CANONICAL_BRANCH_SCORES = nullable_schema(
    no_info_after_validator_function(
        gather_branch_scores, dict_schema(literal_schema(list(BRANCHES)), float_schema(ge=1, le=7))
    )
)
"""Scores of none but the four branches, put in their order."""

_OTHER_BRANCHES_KEY = "(other branches)"


class Panas(Part):
    """A PANAS report: items 1-7 by canonical name, totals 10-70 as given (Watson, Clark & Tellegen 1988).

    In files the items stand flat beside the totals; any letter case and one level of nesting are read.
    """

    total_positive_affect: PanasTotal = None
    total_negative_affect: PanasTotal = None
    items: Annotated[dict[str, PanasItem], Field(alias=PANAS_ITEMS_KEY)] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _gather_items(cls, raw: Any) -> Any:
        return read_panas(raw)

    @model_serializer(mode="wrap")
    def _flatten_items(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = serialize(self)
        items: dict[str, int] = written.pop(PANAS_ITEMS_KEY, {})
        return written | items

    @property
    def positive_affect(self) -> int | None:
        """Positive affect: the total as given, else the sum of the items present, else none."""
        return _total(self.total_positive_affect, self.items, POSITIVE_ITEMS)

    @property
    def negative_affect(self) -> int | None:
        """Negative affect: the total as given, else the sum of the items present, else none."""
        return _total(self.total_negative_affect, self.items, NEGATIVE_ITEMS)


def _total(given: int | None, items: Mapping[str, int], names: tuple[str, ...]) -> int | None:
    present = [items[name] for name in names if name in items]
    return given if given is not None or not present else sum(present)


class ConversationQuestions(Renamed):
    """The participant's answers after the conversation; branch scores 1-7 by branch.

    Keys of `fourBranchScores` that name no branch are kept in `other_branch_scores`.
    """

    older_spellings: ClassVar = {
        "q1_lookingFor": ("Q1",),
        "q2_emotionClarity": ("Q2",),
        "q3_modelFit": ("Q3",),
    }

    looking_for: Annotated[list[StrictStr] | None, Field(alias="q1_lookingFor")] = None
    emotion_clarity: Annotated[StrictStr | None, Field(alias="q2_emotionClarity")] = None
    model_fit: Annotated[StrictStr | None, Field(alias="q3_modelFit")] = None
    what_felt_off: Annotated[list[StrictStr] | None, Field(alias="q3_followUp_whatFeltOff")] = None
    four_branch_scores: Annotated[
        dict[str, BranchScore] | None, ReadBy(gather_branch_scores, "before", CANONICAL_BRANCH_SCORES)
    ] = None
    other_branch_scores: Annotated[dict[str, Any], Field(alias=_OTHER_BRANCHES_KEY)] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _keep_other_branches(cls, raw: Any) -> Any:
        others = other_branch_scores(raw.get("fourBranchScores")) if isinstance(raw, dict) else {}
        return raw | {_OTHER_BRANCHES_KEY: others} if others else raw

    @model_serializer(mode="wrap")
    def _rejoin_branches(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = serialize(self)
        if others := written.pop(_OTHER_BRANCHES_KEY, {}):
            written["fourBranchScores"] = (written.get("fourBranchScores") or {}) | others
        return written
