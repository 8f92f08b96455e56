"""The null baseline: well-formed replies with nothing in them. Scores show what silence earns."""

from collections.abc import Mapping
from typing import ClassVar

from attunebench.baselines.parts import Ask, PartsBaseline
from attunebench.dataset.schema import Letter
from attunebench.protocol.answers import JudgementAnswers, OutcomeAnswer, PanasAnswer, Tag


class NullBaseline(PartsBaseline):
    """Answers every call in state parsed and says nothing: `[]`, `{}` and `""`."""

    name: ClassVar[str] = "null"

    def draft(self, _ask: Ask, /) -> str:
        """An empty text."""
        return ""

    def emotions(self, _ask: Ask, /) -> tuple[Tag, ...]:
        """No emotion."""
        return ()

    def judgements(self, _ask: Ask, /) -> JudgementAnswers:
        """No answer to any question."""
        return JudgementAnswers()

    def selections(self, _ask: Ask, /) -> Mapping[str, Letter]:
        """No side in any comparison."""
        return {}

    def outcome(self, _ask: Ask, /) -> OutcomeAnswer:
        """No item, no option, no text, no branch."""
        return OutcomeAnswer(PanasAnswer(), (), "", "", (), {})
