"""A shortcut through the OpenAI client's request transform, which costs more than all the rest of a call.

The client walks every message of a request against each of the message types it knows, to rename keys and encode files.
Plain text messages need neither. Handed over as `extra_body`, a public argument that is merged into the request as it
is, they skip the walk; what goes over the wire is the same, byte for byte (a test holds it to that).
"""

from typing import Any, cast

from inspect_ai.model import Model

_DONE = "skips_transform"


def skip_transform(model: Model) -> None:
    """Let a model's chat-completions client skip the transform; do nothing for a model that has no such client."""
    completions = getattr(getattr(getattr(model.api, "client", None), "chat", None), "completions", None)
    create = getattr(completions, "create", None)
    if create is None or hasattr(create, _DONE):  # wrapped twice, the messages would be lost
        return

    async def create_lean(*, messages: list[Any], extra_body: dict[str, Any] | None = None, **others: Any) -> Any:
        return await create(messages=[], extra_body={**(extra_body or {}), "messages": messages}, **others)

    setattr(create_lean, _DONE, True)
    cast(Any, completions).create = create_lean
