"""What must never be shown: keys, tokens and passwords that this process was given, in whatever setting.

The one place that knows them. What a provider says is scrubbed where it comes in (`attunebench.models.guard`), so that
no log, record, ledger, report or message holds a secret, not even one that a server echoes.
"""

import base64
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self
from urllib.parse import parse_qsl, quote, unquote

MARK = "[secret]"
_SHORTEST = 6
_SHORTEST_IN_REPLIES = 16
"""A shorter one may be a word that a model means."""

_NAME = re.compile(
    r"(?:^|[_.-])(?:(?:api|access|secret|private|account)?keys?|tokens?|secrets?|pass(?:word|wd|phrase)?|pwd|auth|"
    r"credentials?|pat|sig(?:nature)?)(?:[_.-]|$)",
    re.IGNORECASE,
)
_HEADERS = re.compile(r"headers?$", re.IGNORECASE)
_URL = re.compile(r"[a-z][a-z0-9+.-]*://[^\s\"'<>]+", re.IGNORECASE)
_IN_URL = re.compile(r"(?<=://)[^\s/@\"'<>]+@")
_SENT = re.compile(r"\b(bearer|basic)\s+[\w.~+/=-]{6,}", re.IGNORECASE)
_HALF_HIDDEN = re.compile(r"[\w.-]*\*{3,}[\w.*-]*")
"""A key of which the provider shows the ends."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """Secrets by value, the longest first, so that none is hidden only in part."""

    values: tuple[str, ...]

    @classmethod
    def of(cls, environment: Mapping[str, str] = os.environ, *others: str | None) -> Self:
        """Collect the secrets of an environment, and `others`.

        A variable's value is secret if its name looks it (`…_API_KEY`, `…_TOKEN`, `…_PASSWORD`), or if it holds
        headers; of any address, those are which stand in it (`https://user:password@host`, `?api-key=…`).
        """
        found = {value for name, text in environment.items() for value in _secrets(name, text)}
        found |= {other for other in others if other}
        spelled = {spelling for value in found for spelling in _spellings(value.strip())}
        return cls(tuple(sorted((s for s in spelled if len(s) >= _SHORTEST), key=lambda s: (-len(s), s))))

    def scrub(self, text: str) -> str:
        """Return a provider's or program's words without secrets, nor what looks like one that is not known here."""
        text = _hide(text, self.values)
        text = _SENT.sub(rf"\1 {MARK}", _IN_URL.sub(f"{MARK}@", text))
        return _HALF_HIDDEN.sub(MARK, text)

    def scrub_reply(self, text: str) -> str:
        """Return a model's words without known secrets; all else stays as it is."""
        return _hide(text, [value for value in self.values if len(value) >= _SHORTEST_IN_REPLIES])


def without_credentials(url: str) -> str:
    """Return an address without the user and password in it."""
    return _IN_URL.sub("", url)


def _hide(text: str, values: tuple[str, ...] | list[str]) -> str:
    for value in values:
        text = text.replace(value, MARK)
    return text


def _secrets(name: str, text: str) -> Iterator[str]:
    if _NAME.search(name):
        yield text
    if _HEADERS.search(name):
        yield from (line.partition(":")[2] for line in text.splitlines())
    for url in _URL.findall(text):
        yield from _in_url(url)


def _in_url(url: str) -> Iterator[str]:
    address, _, query = url.partition("://")[2].partition("?")
    user, at, _ = address.partition("/")[0].rpartition("@")
    if at:
        plain = unquote(user)
        # What HTTP makes of user and password.
        yield from (user, plain, base64.b64encode(plain.encode()).decode(), *plain.split(":", 1)[1:])
    yield from (value for name, value in parse_qsl(query) if _NAME.search(name))


def _spellings(value: str) -> tuple[str, ...]:
    """Return a secret as it may stand in a text, in JSON, and in an address."""
    return value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], quote(value, safe="")
