"""What a judge is asked about one draft, and how its reply is read. Pure.

A judge sees, in a fresh thread, the participant's message, the draft and, if there is one, the reply as the participant
rewrote it. All three are data: each stands between tags with a code that none of them contains, so that no text can
close its own tag. Source: AttuneBench, arXiv 2605.21739; the delimiters are this project's.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from attunebench.dataset.schema import Conversation, Turn
from attunebench.protocol.answers import RATINGS, JudgeAnswer, Reading
from attunebench.protocol.calls import Message, turn_questions
from attunebench.protocol.parse import Count, MismatchError, StopReason, needed, read_object, read_yes_no_answers
from attunebench.protocol.prompts import JudgePrompts

BEHAVIOURS = "binary_assessment"
"""The key of the yes/no answers in a judge's reply."""

CODE_DIGITS = 16


@dataclass(frozen=True, slots=True)
class JudgeAsked:
    """What a judge is asked about a draft, by which its reply is read.

    `rates`: whether it rates the draft, which needs a reference. `yes_no`: ids of the yes/no questions.
    """

    rates: bool
    yes_no: tuple[str, ...]

    def __bool__(self) -> bool:
        """Whether there is anything to ask."""
        return self.rates or bool(self.yes_no)


@dataclass(frozen=True, slots=True)
class JudgeCall:
    """One request about one draft, the same to every judge of a panel."""

    conversation_id: str
    turn: int
    messages: tuple[Message, ...]
    asked: JudgeAsked


def judge_asked(turn: Turn) -> JudgeAsked:
    """Return what can be asked about a draft of this turn: ratings with a reference, and its applicable questions."""
    return JudgeAsked(rates=bool(turn.reply("human")), yes_no=turn_questions(turn).asked)


def judge_call(conversation: Conversation, turn: Turn, draft: str, prompts: JudgePrompts) -> JudgeCall:
    """Return the call that asks a judge about a draft, which may be empty.

    Raises:
        PromptError: a template lacks a variable or is wrong.
    """
    asked = judge_asked(turn)
    texts = {"message": turn.user_message, "draft": draft, "reference": turn.reply("human") or ""}
    code = delimiter_code(texts.values())
    blocks = {name: f"<{name}-{code}>\n{text}\n</{name}-{code}>" for name, text in texts.items()}
    prompt = prompts.render(
        "judge",
        code=code,
        message=blocks["message"] if texts["message"] else None,
        draft=blocks["draft"],
        reference=blocks["reference"] if texts["reference"] else None,
        ratings=RATINGS if asked.rates else (),
        yes_no=[{"id": id_, "text": prompts.questions.yes_no_text(id_, "about_participant")} for id_ in asked.yes_no],
    )
    messages = (Message("system", prompts.render("judge_system")), Message("user", prompt))
    return JudgeCall(conversation.conversation_id, turn.turn_number, messages, asked)


def delimiter_code(texts: Iterable[str]) -> str:
    """Return a code that stands in none of the texts: hexadecimal digits that follow from the texts alone.

    Whoever wrote one of them could not know the code, and the same texts have the same code again.
    """
    joined = "\0".join(texts)
    seed = joined.encode("utf-8", "surrogatepass")
    codes = (hashlib.sha256(b"%d\0%b" % (n, seed)).hexdigest()[:CODE_DIGITS] for n in count())
    return next(code for code in codes if code not in joined.lower())


def read_judgement(asked: JudgeAsked, text: str, stop: StopReason = "stop") -> Reading:
    """Read one reply of a judge.

    All ratings that were asked for must be there as numbers from 1 to 7; they are never clamped, and a number spelled
    as a text is none. Of the yes/no answers any may be missing.
    """
    return read_object(lambda value, counters: _read(asked, value, counters), text, stop)


def _read(asked: JudgeAsked, value: Mapping[str, Any], counters: Count) -> JudgeAnswer:
    ratings = {name: _rating(value, name) for name in RATINGS} if asked.rates else {}
    counters["unasked"] += sum(name in value for name in RATINGS if name not in ratings)
    found = needed(value, BEHAVIOURS, dict, "an object") if asked.yes_no else value.get(BEHAVIOURS)
    given = found if isinstance(found, dict) else {}
    return JudgeAnswer(ratings, read_yes_no_answers(given, asked.yes_no, counters))


def _rating(value: Mapping[str, Any], name: str) -> float:
    number: float = needed(value, name, (int, float), "a number from 1 to 7")
    if isinstance(number, bool) or not 1 <= number <= 7:
        raise MismatchError(f"{name} must be a number from 1 to 7, got {float(number):g}")
    return number
