"""Every error a user can meet, on one page.

Library code raises these; the command line turns them into one message and an exit code. A failed model call
is none of them: it is data (see `attunebench.protocol.parse`).

    AttuneError
    ├── UsageError       the request itself makes no sense               exit 2
    ├── DataError        a data set that cannot be used                  exit 1
    ├── RecordError      run records that cannot be used                 exit 1
    ├── PromptError      a prompt or question file that is incomplete    exit 1
    └── RunError         a run that cannot start or cannot go on         exit 1
        └── UnusableModelError  no call of a model can be answered    exit 1
"""

from collections.abc import Sequence


class AttuneError(Exception):
    """Base of all errors meant for the user; `str()` is the whole message, one problem a line."""

    exit_code = 1


class UsageError(AttuneError):
    """An option or argument that makes no sense; names the option, the rule and the value."""

    exit_code = 2


class _ProblemsError(AttuneError):
    """An error of many parts: `problems` holds every message, in reading order."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)  # from its arguments it is made again in another process

    def __str__(self) -> str:
        return "\n".join(self.problems)


class DataError(_ProblemsError):
    """A data set that cannot be used."""


class RecordError(_ProblemsError):
    """Run records that cannot be used."""


class PromptError(AttuneError):
    """A prompt template or question file that lacks something; names the file and what it lacks."""


class RunError(AttuneError):
    """A run that cannot start or cannot go on; says what to do next."""


class UnusableModelError(RunError):
    """A model that every call of must fail: a wrong key, no such model, no credit; names the model and the remedy."""
