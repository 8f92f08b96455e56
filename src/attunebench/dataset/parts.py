"""The bases of all parts of a conversation, and how a field says which reader its values go through.

Reading has two speeds. Nearly all values are spelled as our own writers spell them, and pydantic's strict mode takes
those, and only those, without a call into Python. Where it refuses anything, the whole is read again by the readers,
which know every other spelling and say what is wrong. Both give the same parts.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, cast

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema
from pydantic_core.core_schema import (
    is_instance_schema,
    lax_or_strict_schema,
    no_info_after_validator_function,
    no_info_before_validator_function,
    no_info_plain_validator_function,
)

from attunebench.dataset.values import resolve_older_spellings


@dataclass(frozen=True, slots=True)
class ReadBy:
    """Annotation of a field: `reader` reads its values; in strict mode they must be canonical already.

    `mode` "plain": what the reader returns is the value; "before" and "after": pydantic checks it too. `canonical` is
    what strict mode takes; left out, it is the field's type.
    """

    reader: Callable[[Any], Any]
    mode: Literal["plain", "before", "after"] = "plain"
    canonical: CoreSchema | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        typed = handler(source)
        lax: CoreSchema
        match self.mode:
            case "plain":
                lax = no_info_plain_validator_function(self.reader)
            case "before":
                lax = no_info_before_validator_function(self.reader, typed)
            case "after":
                lax = no_info_after_validator_function(self.reader, typed)
        return lax_or_strict_schema(lax_schema=lax, strict_schema=self.canonical or typed)


class Part(BaseModel):
    """Base of all parts of a conversation: frozen, unknown keys kept.

    Written under the names in files. `attunebench.dataset.reading` reads files by those names alone; code may
    also use the attributes' names.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="allow",
        alias_generator=to_camel,
        populate_by_name=True,
        serialize_by_alias=True,
        defer_build=True,
    )


class _Nothing:
    """What no value is an instance of."""


class Renamed(Part):
    """Base of the parts of which some fields had other names before; both are read.

    Strict mode takes no key that it does not know, which might be an older name.
    """

    older_spellings: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    @model_validator(mode="before")
    @classmethod
    def _read_older_spellings(cls, raw: Any) -> Any:
        return resolve_older_spellings(raw, cls.older_spellings)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        schema = handler(source)
        model = cast(dict[str, Any], handler.resolve_ref_schema(schema))
        lax = fields = model["schema"]
        while fields["type"] == "function-before":
            fields = fields["schema"]
        if lax["type"] != "lax-or-strict":  # else pydantic hands out again what this made
            strict = fields | {"extras_schema": is_instance_schema(_Nothing)}
            model["schema"] = lax_or_strict_schema(lax_schema=lax, strict_schema=strict)
        return schema
