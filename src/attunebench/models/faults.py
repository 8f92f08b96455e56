"""What went wrong at a provider, and what it means: ask again, ask otherwise, give up on the call, or on the model."""

import json
import os
from collections.abc import Mapping
from typing import Literal, TypeAlias

from inspect_ai.model import Model, RetryDecision
from tenacity import RetryError

from attunebench.errors import UnusableModelError
from attunebench.models.secrets import Secrets
from attunebench.protocol.answers import CallState

Hopeless: TypeAlias = Literal["key", "model", "credit"]
"""Why no call of a model can get an answer."""

_LONGEST = 1000
_TOO_LONG = ("context length", "context size", "context window", "prompt is too long")
"""What servers say that Inspect does not know by a code: vLLM, llama.cpp, and those that follow them."""
_FLAGGED = ("moderation", "flagged")
_BAD_KEY = ("api key not valid", "api_key_invalid", "invalid api key")
_NO_MODEL = ("model not exist", "invalid model:", "not a valid model", "model_not_found")
_NO_CREDIT = ("insufficient_quota", "credit balance is too low")


class ProviderError(Exception):
    """What a provider's client raised, as a text without secrets.

    `status`: the HTTP status, none if there was no response. `retry`: whether the same request may fare better.
    `wait`: the seconds the server asked for before that.
    """

    def __init__(
        self, said: str, *, status: int | None = None, retry: RetryDecision | None = None, wait: float | None = None
    ) -> None:
        super().__init__(said)
        self.said = said
        self.status = status
        self.retry = retry or RetryDecision.no()
        self.wait = wait

    @property
    def state(self) -> CallState:
        """How the call ends, if this is the end of it."""
        if self.status in {400, 413} and self._says(_TOO_LONG):
            return CallState.CONTEXT_OVERFLOW
        if self.status == 403 and self._says(_FLAGGED):
            return CallState.REFUSED
        return CallState.PROVIDER_ERROR

    @property
    def hopeless(self) -> Hopeless | None:
        """Why no other call of this model can fare better, or none if one can."""
        if self.status == 402 or (self.status in {400, 403, 429} and self._says(_NO_CREDIT)):
            return "credit"
        if self.status == 404 or (self.status == 400 and self._says(_NO_MODEL)):
            return "model"
        forbidden = self.status == 403 and self.state is not CallState.REFUSED
        return "key" if self.status == 401 or forbidden or (self.status == 400 and self._says(_BAD_KEY)) else None

    @property
    def names_temperature(self) -> bool:
        """Whether the server refused the request and spoke of the temperature."""
        return self.status in {400, 422} and self._says(("temperature",))

    def _says(self, words: tuple[str, ...]) -> bool:
        said = self.said.lower()
        return any(word in said for word in words)


def read_error(error: BaseException, secrets: Secrets, retry: RetryDecision | bool = False) -> ProviderError:
    """Return what an exception says. `retry`: what the provider's own rules say about it."""
    if isinstance(error, ProviderError):
        return error
    if isinstance(error, RetryError):  # says only that it gave up; the last attempt says why
        return read_error(error.last_attempt.exception() or ValueError("no attempt was made"), secrets, retry)
    said = secrets.scrub(_words(error))[:_LONGEST]
    decision = retry if isinstance(retry, RetryDecision) else RetryDecision(retry)
    if isinstance(error, json.JSONDecodeError):  # a body that was cut off or garbled on its way
        decision = RetryDecision.transient()
    fault = ProviderError(said, status=_status(error), retry=decision, wait=_wait(error, decision))
    if fault.hopeless:
        fault.retry = RetryDecision.no()
    return fault


def unusable(model: Model, fault: ProviderError) -> UnusableModelError:
    """Return the error for a model that a fault shows to be beyond hope: what the server said, and what to do."""
    variable = _key_variable(model)
    match fault.hopeless:
        case "model":
            what, remedy = "the server has no such model", "check the model's name and the server's address"
        case "credit":
            what, remedy = "the account may not ask for more", f"top it up, or set {variable} to another one's key"
        case _:
            what, remedy = "the server refused the key", f"set {variable} to a valid one"
    said = " ".join(fault.said.split())
    return UnusableModelError(f"{model}: {what} ({said}); {remedy}")


def _key_variable(model: Model) -> str:
    """Return the environment variable that a model's key comes from, or would."""
    variables = model.api.api_key_vars
    used = [name for name in variables if os.environ.get(name) and os.environ[name] == model.api.api_key]
    return next(iter([*used, *variables]), "the provider's key variable")


def _words(error: BaseException) -> str:
    """Return all that an exception says: its cause, and the code and parameter that the server named, too."""
    words = f"{type(error).__name__}: {error}"
    if error.__cause__ is not None:
        words += f" ({type(error.__cause__).__name__}: {error.__cause__})"
    named = [getattr(error, name, None) for name in ("code", "param")]
    return words + "".join(f" ({name})" for name in named if isinstance(name, str) and name not in words)


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    for status in (getattr(error, "status_code", None), getattr(response, "status_code", None)):
        if isinstance(status, int):
            return status
    code = getattr(error, "code", None)  # Google's; a name elsewhere
    return code if isinstance(code, int) else None


def _wait(error: BaseException, decision: RetryDecision) -> float | None:
    """Return the seconds a server asked for. When a limit is reset says something only once it is reached."""
    headers = getattr(getattr(error, "response", None), "headers", None)
    if not isinstance(headers, Mapping):
        return decision.retry_after
    try:
        return float(headers["retry-after-ms"]) / 1000
    except (KeyError, ValueError):
        return decision.retry_after if decision.kind == "rate_limit" or "retry-after" in headers else None
