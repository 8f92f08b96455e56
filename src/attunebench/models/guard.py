"""What stands between Inspect and a provider, so that faults mean the same everywhere and no secret gets past.

Inspect retries what `should_retry` allows, after the seconds `retry_wait` says; provider clients that retry beneath it
are told not to, or each of its attempts would be several requests. A provider that rejects the temperature is asked
without it.
"""

from collections.abc import Callable
from math import inf
from typing import Any, cast

from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelCall, ModelOutput, RetryDecision
from inspect_ai.tool import ToolChoice, ToolInfo
from tenacity import RetryCallState
from tenacity.wait import WaitBaseT, wait_base, wait_exponential_jitter

from attunebench.models.cache import note_request
from attunebench.models.faults import ProviderError, read_error
from attunebench.models.secrets import Secrets, without_credentials
from attunebench.models.settings import Settings

DROPPED = "dropped"
"""Key of an output's metadata: the settings that were asked for and not sent."""

_LONGEST_WAIT = 300.0


def guard(model: Model, settings: Settings, secrets: Secrets) -> None:
    """Guard a model that is not guarded yet."""
    guarded = _Guard(model, settings, secrets)
    api = cast(Any, model.api)
    api.generate, api.should_retry, api.retry_wait = guarded.generate, guarded.should_retry, guarded.retry_wait
    if api.base_url:
        api.base_url = without_credentials(api.base_url)
    client = getattr(api, "client", None)
    if client is not None and hasattr(client, "max_retries"):
        client.max_retries = 0
        _hide_credentials(client)


def _hide_credentials(client: Any) -> None:
    """Send user and password beside the address, not in it: Inspect's traces hold the address of every request."""
    address = client.base_url
    if address.userinfo:
        client._client.auth = (address.username, address.password)
        client.base_url = without_credentials(str(address))


class _Guard:
    """The three methods of a provider that are replaced."""

    def __init__(self, model: Model, settings: Settings, secrets: Secrets) -> None:
        self._generate = model.api.generate
        self._should_retry = model.api.should_retry
        self._settings = settings
        self._secrets = secrets
        self._no_temperature = False

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput | tuple[ModelOutput, ModelCall]:
        """Ask once, and once more without a temperature that is rejected; raises only `ProviderError`."""
        note_request()
        without = config.model_copy(update={"temperature": None})
        sent = without if self._no_temperature else config
        try:
            output, call = await self._ask(input, tools, tool_choice, sent)
        except ProviderError as fault:
            if sent.temperature is None or not fault.names_temperature:
                raise
            sent = without
            output, call = await self._ask(input, tools, tool_choice, sent)
            self._no_temperature = True
        if config.temperature is not None and _is_dropped(sent, call):
            output.metadata = {**(output.metadata or {}), DROPPED: ["temperature"]}
        return output if call is None else (output, call)

    async def _ask(self, *request: Any) -> tuple[ModelOutput, ModelCall | None]:
        try:
            result = await self._generate(*request)
        except Exception as error:
            raise read_error(error, self._secrets, self._should_retry(error)) from None
        output, call = result if isinstance(result, tuple) else (result, None)
        if call is not None and call.error and call.response is not None:
            call.response = _each_text(call.response, self._secrets.scrub)
        if isinstance(output, Exception):
            raise read_error(output, self._secrets, self._should_retry(output)) from None
        return _scrubbed(output, self._secrets), call

    def should_retry(self, error: Exception) -> bool | RetryDecision:
        """Return what the provider's rules said when the error came in."""
        return error.retry if isinstance(error, ProviderError) else self._should_retry(error)

    def retry_wait(self) -> WaitBaseT:
        """Return the wait before the next request."""
        return _Wait(self._settings)


class _Wait(wait_base):
    """The seconds a server asks for; else ever longer ones. Never past the time a call has."""

    def __init__(self, settings: Settings) -> None:
        first = settings.first_wait
        self._longer = wait_exponential_jitter(initial=first, max=_LONGEST_WAIT, jitter=first)
        self._timeout = inf if settings.batch else settings.timeout

    def __call__(self, retry_state: RetryCallState) -> float:
        error = retry_state.outcome.exception() if retry_state.outcome else None
        asked = error.wait if isinstance(error, ProviderError) else None
        left = self._timeout - (retry_state.seconds_since_start or 0)
        return max(0.0, min(self._longer(retry_state) if asked is None else asked, left))


def _scrubbed(output: ModelOutput, secrets: Secrets) -> ModelOutput:
    said = output.model_dump()
    scrubbed = _each_text(said, secrets.scrub_reply)
    return output if scrubbed == said else ModelOutput.model_validate(scrubbed)


def _each_text(value: Any, change: Callable[[str], str]) -> Any:
    match value:
        case str():
            return change(value)
        case dict():
            return {name: _each_text(part, change) for name, part in value.items()}
        case list():
            return [_each_text(part, change) for part in value]
        case _:
            return value


def _is_dropped(sent: GenerateConfig, call: ModelCall | None) -> bool:
    """Whether no temperature was sent: by us, or by Inspect, which knows models that take none."""
    return sent.temperature is None or (call is not None and not _holds(call.request, "temperature"))


def _holds(request: Any, key: str) -> bool:
    return isinstance(request, dict) and (key in request or any(_holds(value, key) for value in request.values()))
