"""How each kind of question is put to a person at a terminal."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import questionary
from prompt_toolkit import print_formatted_text
from prompt_toolkit.filters import Always, has_validation_error
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.layout import BufferControl, ConditionalContainer, Window

from ingot.config.draft import Answer, Draft, Kind, Question, refusal
from ingot.config.draft.suggesting import previous_host, suggestion
from ingot.config.secret import Secret, SecretSource
from ingot.ui.summary import key_in_short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["STYLE", "ask", "choose", "confirm"]

STYLE = questionary.Style(
    [
        ("qmark", "fg:ansicyan"),
        ("question", "bold"),
        ("answer", "fg:ansicyan"),
        ("pointer", "fg:ansicyan bold"),
        ("highlighted", "fg:ansicyan bold"),
        ("instruction", "fg:ansibrightblack"),
        ("placeholder", "fg:ansibrightblack"),
        ("validation-toolbar", "bg:default fg:ansired noreverse"),
    ]
)
MARK = "?"
POINTER = ">"
BACK = "Enter alone goes back"
WIDTH = 76
"""What fits beside the pointer on a terminal of 80 columns."""
PASSWORD_VARIABLE = "BMC_PASSWORD"  # noqa: S105 - the name of a variable

_Value = TypeVar("_Value")


def ask(question: Question, draft: Draft) -> Answer:
    """Ask until the answer can stand, and return it."""
    given = draft.answer(question.slot)
    if given is None or refusal(draft, question, given):
        offered = suggestion(draft, question)
        given = given if offered is None else offered
    if question.kind is Kind.CHOICE:
        options = [(one.value, one.name, one.meaning) for one in question.options]
        return choose(question.label, options, default=given)
    if question.kind is Kind.SSH_KEY:
        return _ask_ssh_key(question, draft, given if isinstance(given, str) else None)
    if question.kind is Kind.PASSWORD:
        return _ask_password(question, draft, given if isinstance(given, Secret) else None)
    return _ask_text(question, draft, "" if given is None else str(given))


def choose(
    label: str, options: Sequence[tuple[_Value, str, str]], *, default: object = None
) -> _Value:
    """Let one of several be chosen with the arrow keys: its value, name and meaning."""
    width = max(len(name) for _, name, _ in options)
    lines = [f"{name:<{width}}  {meaning}".rstrip() for _, name, meaning in options]
    titles = [line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…" for line in lines]
    choices = [questionary.Choice(title, index) for index, title in enumerate(titles)]
    start = next((i for i, (value, _, _) in enumerate(options) if value == default), 0)
    chosen: int = questionary.select(
        label,
        choices=choices,
        default=choices[start],
        qmark=MARK,
        pointer=POINTER,
        style=STYLE,
        instruction="(arrow keys, then Enter)",
        erase_when_done=True,
    ).unsafe_ask()
    _answered(label, options[chosen][1])
    return options[chosen][0]


def confirm(label: str) -> bool:
    """Ask for a yes; Enter alone is a no."""
    agreed: bool = questionary.confirm(label, default=False, qmark=MARK, style=STYLE).unsafe_ask()
    return agreed


def _ask_text(question: Question, draft: Draft, default: str) -> Answer:
    def check(text: str) -> str:
        answer = _read(question, text)
        if answer is None:
            return f"{text.strip()!r} is not a whole number; write 0, 1, 2 …"
        return refusal(draft, question, answer)

    answer = _read(question, _line(question.label, check, default, question.example))
    return "" if answer is None else answer


def _read(question: Question, text: str) -> Answer | None:
    stripped = " ".join(text.split())
    if question.kind is Kind.NUMBER and stripped:
        digits = stripped.removeprefix("-")
        return int(stripped) if digits.isascii() and digits.isdigit() else None
    return stripped


def _ask_ssh_key(question: Question, draft: Draft, given: str | None) -> str:
    found: list[tuple[str | None, str, str]] = []
    for name, key in _public_keys():
        if not refusal(draft, question, key):
            found.append((key, name, key_in_short(key)))
    if given and all(key != given for key, _, _ in found):
        found.append((given, "As before", key_in_short(given)))
    found.append((None, "Another", "paste the content of a .pub file"))
    found.append(("", "None", "nobody can log in to the nodes"))

    def check(text: str) -> str:
        return refusal(draft, question, text.strip())

    start = found[0][0] if given is None else given
    while (chosen := choose(question.label, found, default=start)) is None:
        if key := _line("Public key", check, example=f"ssh-ed25519 AAAA…; {BACK}").strip():
            return key
    return chosen


def _public_keys() -> list[tuple[str, str]]:
    keys = []
    for path in sorted(Path("~/.ssh").expanduser().glob("*.pub")):
        try:
            keys.append((path.name, path.read_text(encoding="utf-8").strip()))
        except (OSError, UnicodeDecodeError):
            continue  # not a key that could be offered
    return keys


def _ask_password(question: Question, draft: Draft, given: Secret | None) -> Secret:
    env, inline = SecretSource.ENV, SecretSource.INLINE
    ways: list[tuple[Secret | SecretSource, str, str]] = []
    previous = previous_host(draft, question.slot)
    shared = previous.password if previous else None
    if given is not None:
        ways.append((given, "As before", _source(given)))
    if previous is not None and shared is not None and shared != given:
        ways.append((shared, f"Same as {previous.name}", _source(shared)))
    ways.append((env, "Environment variable", "read at install time, not kept in the file"))
    ways.append((inline, "Type it", "kept in the file, which only you can read"))

    while True:
        way = choose(question.label, ways)
        if isinstance(way, Secret):
            return way
        if secret := _ask_secret(question, draft, way):
            return secret


def _ask_secret(question: Question, draft: Draft, source: SecretSource) -> Secret | None:
    def check(text: str) -> str:
        return refusal(draft, question, Secret(source, text)) if text else ""

    if source is SecretSource.ENV:
        text = _line("Name of the variable", check, PASSWORD_VARIABLE, BACK)
    else:
        text = _line("Password", check, example=BACK, hidden=True)
    return Secret(source, text) if text else None


def _source(secret: Secret) -> str:
    return "typed" if secret.source is SecretSource.INLINE else f"in ${secret.value}"


def _line(
    label: str,
    check: Callable[[str], str],
    default: str = "",
    example: str = "",
    *,
    hidden: bool = False,
) -> str:
    """Ask for a line; it is checked on Enter, and stays to be corrected when it is refused.

    Args:
        label: the question.
        check: returns why the line cannot stand, or an empty string.
        default: what Enter alone answers.
        example: shown until something is typed.
        hidden: whether stars are shown for what is typed.
    """

    def judge(text: str) -> bool | str:
        return _wrapped(reason) if (reason := check(text)) else True

    question = questionary.text(
        label,
        default=default,
        validate=judge,
        qmark=MARK,
        style=STYLE,
        is_password=hidden,
        placeholder=FormattedText([("class:placeholder", f"({example})" if example else "")]),
        # While an address is half typed, it is always wrong: no need to say so.
        validate_while_typing=False,
    )
    _put_reasons_below(question)
    text: str = question.unsafe_ask()
    return text


def _put_reasons_below(question: questionary.Question) -> None:
    """Show why an answer is refused, whole and below it.

    The terminal library has one line for it, at the bottom of the screen.
    """
    for container in question.application.layout.walk():
        if isinstance(container, Window) and isinstance(container.content, BufferControl):
            container.dont_extend_height = Always()
        if isinstance(container, ConditionalContainer) and container.filter is has_validation_error:
            window = container.content
            if isinstance(window, Window):
                window.height = None
                window.dont_extend_height = Always()


def _wrapped(reason: str) -> str:
    width = min(shutil.get_terminal_size().columns, 100) - 1
    return textwrap.fill(reason, width, initial_indent="  ", subsequent_indent="  ")


def _answered(label: str, answer: str) -> None:
    tokens = [("class:qmark", MARK), ("class:question", f" {label} "), ("class:answer", answer)]
    print_formatted_text(FormattedText(tokens), style=STYLE)
