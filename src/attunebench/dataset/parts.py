"""The bases of all parts of a conversation."""

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel

from attunebench.dataset.values import resolve_older_spellings


class Part(BaseModel):
    """Base of all parts of a conversation: frozen, unknown keys kept.

    Written under the names in files. `attunebench.dataset.reading` reads files by those names alone; code may
    also use the attributes' names.
    """

    model_config = ConfigDict(
        frozen=True, extra="allow", alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True
    )


class Renamed(Part):
    """Base of the parts of which some fields had other names before; both are read."""

    older_spellings: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    @model_validator(mode="before")
    @classmethod
    def _read_older_spellings(cls, raw: Any) -> Any:
        return resolve_older_spellings(raw, cls.older_spellings)
