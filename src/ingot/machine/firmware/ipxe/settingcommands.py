"""Commands that set, compare and show settings."""

from __future__ import annotations

from ingot.machine.firmware.ipxe.options import BadOption, split_options
from ingot.machine.firmware.ipxe.session import Command, Shell
from ingot.machine.firmware.ipxe.value import BadValue, Value

__all__ = ["SETTINGS"]


def _set(shell: Shell, words: tuple[str, ...]) -> int:
    if not words:
        raise BadOption("takes a setting and its value")
    reference, *rest = words
    name, _, kind = reference.partition(":")
    text = " ".join(rest)
    if not text:
        shell.session.settings.clear(name)
        return 0
    try:
        shell.session.settings.store(name, Value.of(text, kind or "string"))
    except BadValue as wrong:
        raise BadOption(str(wrong)) from wrong
    return 0


def _clear(shell: Shell, words: tuple[str, ...]) -> int:
    if len(words) != 1:
        raise BadOption("takes one setting")
    shell.session.settings.clear(words[0].partition(":")[0])
    return 0


def _show(shell: Shell, words: tuple[str, ...]) -> int:
    if len(words) != 1:
        raise BadOption("takes one setting")
    if shell.session.settings.fetch(words[0].partition(":")[0]) is None:
        shell.session.machine.say(f"{words[0]}: not set")
        return 1
    shell.session.machine.say(f"{words[0]} = {shell.session.settings.shown(words[0])}")
    return 0


def _isset(_shell: Shell, words: tuple[str, ...]) -> int:
    return 0 if words and words[0] else 1


def _iseq(_shell: Shell, words: tuple[str, ...]) -> int:
    match words:
        case [left, right]:
            return 0 if left == right else 1
        case _:
            raise BadOption("takes two values")


def _inc(shell: Shell, words: tuple[str, ...]) -> int:
    match words:
        case [reference]:
            step = "1"
        case [reference, step]:
            pass
        case _:
            raise BadOption("takes a setting and a number")
    name = reference.partition(":")[0]
    settings = shell.session.settings
    before = settings.fetch(name)
    try:
        total = (before.number if before else 0) + int(step, 0)
        kind = before.kind if before else "int32"
        settings.store(name, Value.of(str(total), kind))
    except ValueError as wrong:
        raise BadOption(f"{name} cannot be increased") from wrong
    return 0


def _params(shell: Shell, words: tuple[str, ...]) -> int:
    given, rest = split_options(words, flags={"delete": "d"}, values={"name": "n"})
    if rest:
        raise BadOption("takes options only")
    name = given.get("name", "")
    shell.session.forms.pop(name, None)
    if "delete" not in given:
        shell.session.forms[name] = {}
    return 0


def _param(shell: Shell, words: tuple[str, ...]) -> int:
    given, rest = split_options(words, flags={"header": "H"}, values={"params": "p"})
    form = shell.session.forms.get(given.get("params", ""))
    if form is None or not rest:
        raise BadOption("takes a name and a value, after `params`")
    form[rest[0]] = " ".join(rest[1:])
    return 0


SETTINGS: dict[str, Command] = {
    "clear": _clear,
    "inc": _inc,
    "iseq": _iseq,
    "isset": _isset,
    "param": _param,
    "params": _params,
    "set": _set,
    "show": _show,
}
