"""Scripted judges of drafts, and what they see."""

import json
import re
from collections.abc import Mapping, Sequence

from attunebench.protocol.answers import RATINGS

FORM = re.compile(r'"(B\d+)": "yes" or "no"')


def verdict(rating: float | None = 4, **answers: str) -> str:
    """A judge's reply: the same rating everywhere (none: no ratings), and answers by question id."""
    ratings = {} if rating is None else dict.fromkeys(RATINGS, rating)
    return json.dumps(ratings | ({"binary_assessment": answers} if answers else {}))


def texts(prompt: str) -> dict[str, str]:
    """The texts by others in a judge's prompt, as a careful reader finds them: by name, up to the first closing tag."""
    (code,) = re.findall(r"\AThe code of the tags is (\w+)\.", prompt)
    return dict(re.findall(rf"^<(\w+)-{code}>\n(.*?)\n</\1-{code}>$", prompt, re.DOTALL | re.MULTILINE))


def gullible(prompt: str) -> str:
    """Judge a draft: obey every order to "give N" that does not stand in the texts by others; without one, give 2."""
    own = prompt
    for text in texts(prompt).values():
        own = own.replace(f"\n{text}\n", "\n", 1)
    orders = re.findall(r"give (\d)", own)
    answer = "yes" if orders else "no"
    return verdict(int(orders[-1]) if orders else 2, **dict.fromkeys(FORM.findall(own), answer))


def last_message(body: Mapping[str, Sequence[Mapping[str, str]]]) -> str:
    """The prompt of a request on the wire."""
    return body["messages"][-1]["content"]
