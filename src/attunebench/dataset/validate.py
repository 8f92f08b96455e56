"""Check a data set and report all that is wrong or odd."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from attunebench.dataset.load import no_conversations, read_conversations
from attunebench.dataset.problems import Kind, Problem


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """All problems of a data set, in reading order.

    `conversations` counts the sound ones, `counts` the problems of each kind, the most frequent first.
    """

    conversations: int
    errors: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    counts: Mapping[Kind, int]

    @property
    def ok(self) -> bool:
        """Whether the data set can be used: no errors; warnings do not matter."""
        return not self.errors


def validate(path: str | Path) -> ValidationReport:
    """Read a whole data set, never stopping at an error; no conversation at all is an error too.

    Raises:
        DataError: the path does not exist or is no data set.
    """
    sound, problems = 0, list[Problem]()
    for reading in read_conversations(path):
        sound += reading.conversation is not None
        problems += reading.problems
    errors = [problem for problem in problems if problem.severity == "error"]
    if not sound and not errors:
        errors.append(no_conversations(path))
    warnings = [problem for problem in problems if problem.severity == "warning"]
    counts = Counter(problem.kind for problem in (*errors, *warnings))
    return ValidationReport(sound, tuple(errors), tuple(warnings), dict(counts.most_common()))
