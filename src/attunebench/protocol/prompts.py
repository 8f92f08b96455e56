"""Loading prompt templates: versioned data files, one folder a version, identified by a hash of their contents."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from jinja2 import DictLoader, Environment, StrictUndefined, TemplateError, TemplateSyntaxError
from jinja2.meta import find_undeclared_variables

from attunebench.dataset.schema import Conversation
from attunebench.errors import PromptError
from attunebench.instrument import CUSTOM_PREFIX, Questions, load_questions
from attunebench.protocol.calls import turn_questions
from attunebench.protocol.probe import FULL, unused_variables

CURRENT_VERSION = "1"
TEMPLATES = ("system", "draft", "review", "perspective", "pairwise", "outcome", "background")
PLACEHOLDER = "placeholder.txt"
JUDGE_TEMPLATES = ("judge_system", "judge")


@dataclass(frozen=True, kw_only=True)
class JudgePrompts:
    """What a judge of drafts is asked with: templates together with the question wordings they carry.

    `sha256` covers the bytes of every template and of the questions: equal hashes mean equal messages for equal data.
    `questions_file` is the user's own, if there is one.
    """

    version: str
    sha256: str
    questions: Questions
    questions_file: Path | None
    _texts: Mapping[str, str] = field(repr=False, compare=False)
    _source: str = field(repr=False, compare=False)

    @cached_property
    def _environment(self) -> Environment:
        return _environment(self._texts, self._source)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_environment"}

    def render(self, name: str, /, **values: Any) -> str:
        """Render one template; values are data and never template source.

        Raises:
            PromptError: the template uses a variable that does not exist, or fails otherwise.
        """
        try:
            return self._environment.get_template(f"{name}.jinja").render(values).strip()
        except Exception as error:  # a template can fail in any way an expression can
            raise _prompt_error(self._source, f"{name}.jinja", error) from error

    def require_wordings(self, conversations: Iterable[Conversation]) -> None:
        """Hold the user's own question file, if there is one, against the questions that conversations ask.

        Without one, questions that the instrument does not know are asked by their ids.

        Raises:
            PromptError: the file words a question not at all; all such ids are named.
        """
        if self.questions_file is None:
            return
        asked = {place: None for one in conversations for place in _asked(one)}
        known = {"yes_no": self.questions.yes_no, "pairwise": self.questions.pairwise}
        if missing := [f"{section} {id_!r}" for section, id_ in asked if id_ not in known[section]]:
            rule = "must word every question that the data set asks"
            raise PromptError(f"{self.questions_file}: {rule}, got none of {', '.join(missing)}")


def _asked(conversation: Conversation) -> Iterator[tuple[str, str]]:
    """Yield section and id of the questions that need a wording: not those that bring their own, or have no id."""
    for turn in conversation.turns:
        yield from (("yes_no", id_) for id_ in turn_questions(turn).asked)
        named = (comparison.question_id for comparison in turn.comparisons)
        yield from (("pairwise", id_) for id_ in named if id_ and not id_.startswith(CUSTOM_PREFIX))


@dataclass(frozen=True, kw_only=True)
class Prompts(JudgePrompts):
    """What an evaluated model is asked with, the fixed answer that stands in for its own included."""

    placeholder: str


def load_prompts(folder: Path | None = None, questions: Path | None = None) -> Prompts:
    """Load the templates of a folder; without one, the bundled current version. So with the questions.

    Raises:
        PromptError: a template is missing, is not UTF-8 or not valid, uses a variable that it does not get or fails to
            use one that its call cannot do without; or the question file is wrong.
    """
    source = _bundled() if folder is None else folder
    names = (*(f"{name}.jinja" for name in TEMPLATES), PLACEHOLDER)
    contents = {name: _read(source, name) for name in names}
    texts = {name: _decode(content, source, name) for name, content in contents.items()}
    placeholder = texts.pop(PLACEHOLDER).strip()
    if not placeholder:
        raise PromptError(f"{source}: {PLACEHOLDER} must hold a text, got none")
    wording = load_questions(questions)
    prompts = Prompts(
        version=CURRENT_VERSION if folder is None else folder.resolve().name,
        sha256=_sha256(contents, wording),
        placeholder=placeholder,
        questions=wording,
        questions_file=questions,
        _texts=texts,
        _source=str(source),
    )
    _check(prompts, TEMPLATES, texts)
    return prompts


def _check(prompts: JudgePrompts, names: Iterable[str], texts: Mapping[str, str]) -> None:
    problems = [f"{prompts._source}: {problem}" for name in names for problem in _problems(prompts, name, texts)]
    if problems:
        raise PromptError("\n".join(problems))


def _problems(prompts: JudgePrompts, name: str, texts: Mapping[str, str]) -> Iterator[str]:
    file = f"{name}.jinja"
    environment = prompts._environment
    used = find_undeclared_variables(environment.parse(texts[file])) - environment.globals.keys()
    if unknown := sorted(used - FULL[name].keys()):
        yield f"{file}: may use {', '.join(FULL[name]) or 'no variable'}, got {', '.join(unknown)}"
    elif unused := unused_variables(name, lambda values: prompts.render(name, **values)):
        yield f"{file}: must use {', '.join(unused)}, got a text that is the same whatever they are"


def load_judge_prompts(folder: Path | None = None, questions: Path | None = None) -> JudgePrompts:
    """Load the judge's templates of a folder that holds them; otherwise, the bundled ones.

    They have a hash of their own: a judge asked otherwise leaves what the evaluated model was asked as it was.

    Raises:
        PromptError: the folder holds one of the templates only; or as `load_prompts` does.
    """
    names = [f"{name}.jinja" for name in JUDGE_TEMPLATES]
    own = folder is not None and any((folder / name).exists() for name in names)
    source = folder if folder and own else _bundled()
    contents = {name: _read(source, name) for name in names}
    texts = {name: _decode(content, source, name) for name, content in contents.items()}
    wording = load_questions(questions)
    prompts = JudgePrompts(
        version=folder.resolve().name if folder and own else CURRENT_VERSION,
        sha256=_sha256(contents, wording),
        questions=wording,
        questions_file=questions,
        _texts=texts,
        _source=str(source),
    )
    _check(prompts, JUDGE_TEMPLATES, texts)
    return prompts


def _bundled() -> Traversable:
    return files("attunebench.protocol") / "prompts" / CURRENT_VERSION


def _sha256(contents: Mapping[str, bytes], wording: Questions) -> str:
    digest = hashlib.sha256()
    for part in (*contents.values(), wording.sha256.encode()):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()


def _read(source: Traversable | Path, name: str) -> bytes:
    try:
        return (source / name).read_bytes()
    except OSError as error:
        raise PromptError(f"{source}: a prompt folder must hold {name}, got {error.strerror}") from None


def _decode(content: bytes, source: Traversable | Path, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        got = f"byte 0x{content[error.start]:02x} at offset {error.start}"
        raise PromptError(f"{source}: {name} must be UTF-8, got {got}") from error


def _environment(texts: Mapping[str, str], source: str) -> Environment:
    # Prompts are plain text: escaping for HTML would change what people wrote.
    environment = Environment(  # noqa: S701
        loader=DictLoader(texts), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    for name in texts:
        try:
            environment.get_template(name)
        except TemplateError as error:
            raise _prompt_error(source, name, error) from error
    return environment


def _prompt_error(source: str, name: str, error: Exception) -> PromptError:
    if isinstance(error, TemplateSyntaxError):
        # it may stand in another template, which this one includes
        return PromptError(f"{source}: {error.name or name}: line {error.lineno}: {error.message}")
    return PromptError(f"{source}: {name}: {error}")
