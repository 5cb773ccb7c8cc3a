"""Running a script: line after line, as iPXE decides what runs and what ends it.

A line that fails ends its script, unless it says itself what to do then. A script that another one
chained to hands its result back there, and the other one goes on.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingot.machine.firmware.ipxe.commands import COMMANDS
from ingot.machine.firmware.ipxe.options import BadOption
from ingot.machine.firmware.ipxe.outcome import Exit, Outcome, Stuck
from ingot.machine.firmware.ipxe.script import Script, steps_of
from ingot.machine.firmware.ipxe.session import Left, LineDone, ScriptDone, Session, Spinning
from ingot.machine.firmware.target import NotBootable

__all__ = ["Interpreter", "interpret"]

FAILED = 1
SHOWN_CHARACTERS = 80
MOST_DEPTH = 32
"""Scripts within scripts; more is one that chains to itself."""


def interpret(session: Session, *words: str) -> Outcome:
    """Run one command as if it was typed, and all that follows from it."""
    interpreter = Interpreter(session)
    try:
        return Exit(interpreter.execute(words))
    except Left as left:
        return left.outcome
    except ScriptDone as done:
        return Exit(done.code)
    except LineDone:
        return Exit(0)
    except Spinning as spinning:
        session.machine.say(f"the script is stuck: {spinning}")
        return Stuck("a script runs in circles")


class Interpreter:
    """A session with the scripts that run in it, one within the other."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._scripts: list[Script] = []
        self._lines: list[int] = []

    def execute(self, words: Sequence[str]) -> int:
        """Run one command; return 0 where it succeeds."""
        if not words or not words[0]:
            return 0
        say = self.session.machine.say
        name, *rest = words
        command = COMMANDS.get(name)
        if command is None:
            say(f"{name}: command not found")
            return FAILED
        try:
            return command(self, tuple(rest))
        except (NotBootable, BadOption) as failed:
            say(f"{name}: {failed}")
            return FAILED

    def run(self, script: Script) -> int:
        """Run a script to its end; return its result."""
        if len(self._scripts) >= MOST_DEPTH:
            raise Spinning(f"{MOST_DEPTH} scripts chained to each other")
        outer, self.session.url = self.session.url, script.url
        self._scripts.append(script)
        self._lines.append(1)
        try:
            while self._lines[-1] < len(script.lines):
                line = script.lines[self._lines[-1]]
                self._lines[-1] += 1
                self.session.count_line()
                result = self._line(line)
                if result:
                    shown = line if len(line) <= SHOWN_CHARACTERS else f"{line[:SHOWN_CHARACTERS]}…"
                    self.session.machine.say(f"{script.url} ends here with an error: {shown}")
                    return result
        except ScriptDone as done:
            return done.code
        finally:
            self._scripts.pop()
            self._lines.pop()
            self.session.url = outer
        return 0

    def _line(self, line: str) -> int:
        result = 0
        try:
            for step in steps_of(line):
                if step.runs_after(succeeded=result == 0):
                    result = self.execute([self.session.settings.expand(w) for w in step.words])
        except LineDone:
            return 0
        return result

    def jump(self, label: str) -> int:
        """Go on behind a label of the running script."""
        if self._scripts:
            line = self._scripts[-1].line_after(label)
            if line is not None:
                self._lines[-1] = line
                raise LineDone
        self.session.machine.say(f"goto: no label {label!r}")
        return FAILED
