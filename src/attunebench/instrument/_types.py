"""The questions as typed, frozen values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

Voice: TypeAlias = Literal["about_participant", "to_participant"]
"""Whom a wording addresses: a reader of the conversation, or the person who held it ("your message")."""

CUSTOM_PREFIX: Final = "custom:"
"""A pairwise id that starts with this carries the participant's own question after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question in both voices."""

    id: str
    about_participant: str
    to_participant: str

    def text(self, voice: Voice) -> str:
        """Return the wording in that voice."""
        return self.to_participant if voice == "to_participant" else self.about_participant


@dataclass(frozen=True, slots=True, kw_only=True)
class YesNoQuestion(Question):
    """A question about a reply; "yes" means that the reply shows the behaviour, be it welcome or not.

    `branch`: perceiving, understanding, using, regulating or cognitive_framing.
    """

    branch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """The wordings of one question file, each section keyed by id in instrument order, a user's own ids after that.

    `sha256` is the hex digest of the file's bytes. `outcome` holds the questions after the conversation, and
    `branches` how well the replies did at each of the four branches (1-7; Mayer & Salovey's model). `unknown`
    words the ids that a data set uses and the instrument lacks, with `{id}` in place of the id.
    """

    version: str
    sha256: str
    yes_no: Mapping[str, YesNoQuestion] = field(hash=False)
    pairwise: Mapping[str, Question] = field(hash=False)
    outcome: Mapping[str, Question] = field(hash=False)
    branches: Mapping[str, Question] = field(hash=False)
    unknown: Mapping[str, Question] = field(hash=False)

    def yes_no_text(self, question_id: str, voice: Voice) -> str:
        """Return the wording of a yes/no question; an unknown id is asked by its name, never refused."""
        question = self.yes_no.get(question_id)
        return question.text(voice) if question else self._unknown_text("yes_no", question_id, voice)

    def pairwise_text(self, question_id: str, voice: Voice) -> str:
        """Return the wording of a pairwise question.

        `custom:<text>` is that text in either voice; any other unknown id is asked by its name.
        """
        if question := self.pairwise.get(question_id):
            return question.text(voice)
        own = question_id.removeprefix(CUSTOM_PREFIX).strip()
        if own and question_id.startswith(CUSTOM_PREFIX):
            return own
        return self._unknown_text("pairwise", question_id, voice)

    def _unknown_text(self, section: str, question_id: str, voice: Voice) -> str:
        # replace, not format: the id comes from a data set and may hold braces
        return self.unknown[section].text(voice).replace("{id}", question_id)
