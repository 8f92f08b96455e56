"""`baseline/NAME` as a model: scripted replies through the same door as any provider's."""

from collections.abc import Callable
from typing import TypeAlias

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    Model,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from attunebench.models.cache import note_request
from attunebench.protocol.calls import CallKey

PREFIX = "baseline/"

Answerer: TypeAlias = Callable[[str, CallKey], str]
"""From a conversation's id and a call to the text of the reply."""


@modelapi(name="baseline")
class BaselineAPI(ModelAPI):
    """A model whose replies come from a function; it knows a call by the metadata of its last message."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - the signature that Inspect calls
        answer: Answerer | None = None,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        self._answer = answer

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Return the reply to the call that the last message belongs to. Scripted replies cost no tokens."""
        label = input[-1].metadata or {}
        if self._answer is None or "kind" not in label:
            raise ValueError("a baseline answers only calls of the protocol, run by `attunebench run`")
        note_request()
        text = self._answer(label["conversation"], CallKey(label["turn"], label["kind"]))
        choice = ChatCompletionChoice(message=ChatMessageAssistant(content=text), stop_reason="stop")
        return ModelOutput(model=self.model_name, choices=[choice], usage=ModelUsage())

    def max_connections(self) -> int:
        """Scripted replies wait for nobody."""
        return 1000


def open_baseline(name: str, answer: Answerer, config: GenerateConfig) -> Model:
    """Return a baseline, `name` without its prefix, as a model."""
    return Model(BaselineAPI(name, answer=answer), config)
