"""Commands that decide what runs next, or say something, or wait."""

from __future__ import annotations

import math

from ingot.machine.firmware.ipxe.options import BadOption, split_options
from ingot.machine.firmware.ipxe.outcome import PowerOff, Reset, Stuck
from ingot.machine.firmware.ipxe.session import Command, Left, ScriptDone, Shell

__all__ = ["FLOW", "milliseconds"]

TIMED_OUT = 1
LONG_MODE = 29
"""The processor flag of 64 bits, in the extended leaf."""


def _echo(shell: Shell, words: tuple[str, ...]) -> int:
    _, rest = split_options(words, flags={"n": "n"}, values={})
    shell.session.machine.say(" ".join(rest))
    return 0


def _sleep(shell: Shell, words: tuple[str, ...]) -> int:
    if len(words) != 1 or not words[0].isdecimal():
        raise BadOption("takes a number of seconds")
    shell.session.pause(int(words[0]))
    return 0


def _prompt(shell: Shell, words: tuple[str, ...]) -> int:
    """Wait for a key. There is no keyboard, so the time always runs out, which is a failure."""
    given, rest = split_options(words, flags={}, values={"key": "k", "timeout": "t"})
    if rest:
        shell.session.machine.say(" ".join(rest))
    seconds = milliseconds(given.get("timeout"))
    if not seconds:
        raise Left(Stuck("iPXE waits for a key"))
    shell.session.pause(seconds)
    return TIMED_OUT


def _goto(shell: Shell, words: tuple[str, ...]) -> int:
    if len(words) != 1:
        raise BadOption("takes one label")
    return shell.jump(words[0])


def _exit(_shell: Shell, words: tuple[str, ...]) -> int:
    try:
        raise ScriptDone(int(words[0], 0) if words else 0)
    except ValueError as wrong:
        raise BadOption(f"{words[0]!r} is not a number") from wrong


def _reboot(_shell: Shell, _words: tuple[str, ...]) -> int:
    raise Left(Reset())


def _poweroff(_shell: Shell, _words: tuple[str, ...]) -> int:
    raise Left(PowerOff())


def _shell(shell: Shell, _words: tuple[str, ...]) -> int:
    shell.session.machine.say("iPXE> ")
    raise Left(Stuck("the shell of iPXE waits for someone to type"))


def _cpuid(_shell: Shell, words: tuple[str, ...]) -> int:
    given, rest = split_options(words, flags={"ext": "e", "ecx": "c"}, values={})
    return 0 if "ext" in given and rest == (str(LONG_MODE),) else 1


def _time(shell: Shell, words: tuple[str, ...]) -> int:
    return shell.execute(words)


def milliseconds(text: str | None) -> float | None:
    """Return an option's milliseconds as seconds; None for no limit.

    Raises:
        BadOption: it is no number.
    """
    if text is None:
        return None
    try:
        number = int(text, 0)
    except ValueError as wrong:
        raise BadOption(f"{text!r} is not a number of milliseconds") from wrong
    return math.fabs(number) / 1000 or None


FLOW: dict[str, Command] = {
    "cpuid": _cpuid,
    "echo": _echo,
    "exit": _exit,
    "goto": _goto,
    "poweroff": _poweroff,
    "prompt": _prompt,
    "reboot": _reboot,
    "shell": _shell,
    "sleep": _sleep,
    "time": _time,
}
