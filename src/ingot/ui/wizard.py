"""The wizard behind `ingot create install-config`.

The answers are kept after every one of them, so however it ends, the next run can go on. It walks
the questions in order and stops at each that has no answer, or one that no longer stands: a changed
machine network asks for the VIPs again by itself, and there is no other logic for going back.
"""

from __future__ import annotations

import contextlib
import shlex
import signal
import sys
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from ingot.config.draft import Draft, Question, Slot, problems, questions, refusal, render
from ingot.errors import IngotError, Interrupted
from ingot.ui import keeping, prompts
from ingot.ui.summary import gist, summary, told

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from types import FrameType

__all__ = ["run"]

FILE = "install-config.yaml"
STOPPING = (signal.SIGTERM, signal.SIGHUP)


class _Next(Enum):
    GO_ON = auto()
    CHANGE = auto()
    STOP = auto()
    ANEW = auto()


def run(directory: Path) -> Path:
    """Ask for everything, write the install-config and return its path.

    Raises:
        IngotError: there is no terminal, or the directory cannot be written.
        Interrupted: the person stopped; the answers are kept.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise IngotError(
            "the wizard needs a terminal to ask on",
            remedy="print a sample with --example managed, and edit it",
        )
    wizard = _Wizard(directory)
    try:
        with _signals_interrupt():
            return wizard.run()
    except (KeyboardInterrupt, EOFError):
        raise wizard.interrupted() from None


class _Wizard:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.path = directory / FILE
        self.draft = Draft()
        self.console = Console(highlight=False)

    def run(self) -> Path:
        earlier = keeping.kept(self.directory)
        self._keep(earlier or Draft())
        self._welcome()
        if earlier is None:
            self._fill()
        else:
            self._resume()
        while not self._finished():
            pass
        keeping.write(self.path, render(self.draft))
        keeping.forget(self.directory)
        self._tell_next()
        return self.path

    def interrupted(self) -> Interrupted:
        if keeping.kept(self.directory) is None:
            keeping.forget(self.directory)
            return Interrupted("stopped before the first answer; nothing was written")
        return Interrupted(
            f"stopped; the answers so far are kept in {keeping.path_of(self.directory)}",
            remedy=f"run `{self._command('create install-config')}` again to continue",
        )

    def _keep(self, draft: Draft) -> None:
        keeping.keep(self.directory, draft)
        self.draft = draft

    def _welcome(self) -> None:
        self._say(f"This writes {self.path}.")
        if self.path.exists():
            self._say("That file exists; you are asked before it is overwritten.")
        self._say("Ctrl-C stops, and keeps your answers.")

    def _resume(self) -> None:
        self._heading("Your answers so far")
        self.console.print(summary(self.draft))
        self.console.print()
        answer = prompts.choose(
            "An earlier run was stopped",
            (
                (_Next.GO_ON, "Continue", "where it stopped"),
                (_Next.CHANGE, "Change", "an earlier answer, then continue"),
                (_Next.ANEW, "Start anew", "and forget these answers"),
            ),
        )
        if answer is _Next.CHANGE:
            self._change()
        if answer is _Next.ANEW:
            self._keep(Draft())
        self._fill()

    def _fill(self, again: Collection[Slot] = ()) -> None:
        """Ask what is unanswered, what no longer stands, and what is to be asked again."""
        position, section = 0, ""
        while position < len(order := questions(self.draft)):
            question = order[position]
            position += 1
            answer = self.draft.answer(question.slot)
            why = "" if answer is None else refusal(self.draft, question, answer)
            if answer is not None and not why and question.slot not in again:
                continue
            if question.section != section:
                section = question.section
                self._heading(section)
            if why and question.slot not in again:
                self._say(f"This no longer fits: {why}.", style="yellow")
            self._ask(question)

    def _ask(self, question: Question) -> None:
        answer = prompts.ask(question, self.draft)
        self._keep(self.draft.answered(question.slot, answer))

    def _change(self) -> None:
        """Ask for a section, and everything in it again."""
        answered = [one for one in questions(self.draft) if self.draft.answer(one.slot) is not None]
        sections = dict.fromkeys(question.section for question in answered)
        options = [(section, section, gist(self.draft, section)) for section in sections]
        chosen = prompts.choose("Change", [*options, ("", "Nothing", "go back")])
        self._fill([question.slot for question in answered if question.section == chosen])

    def _finished(self) -> bool:
        """Show everything, and return whether it is to be written."""
        self._heading("Summary")
        self.console.print(summary(self.draft))
        report = problems(self.draft)
        for problem in (*report.errors, *report.warnings):
            self.console.print()
            self.console.print(told(problem))
        self.console.print()
        answer = prompts.choose(
            "All right?",
            (
                (_Next.GO_ON, "Write it", f"to {FILE}"),
                (_Next.CHANGE, "Change something", "and come back here"),
                (_Next.STOP, "Stop", "and keep the answers for another time"),
            ),
        )
        if answer is _Next.STOP:
            raise KeyboardInterrupt
        if answer is _Next.CHANGE:
            self._change()
            return False
        return not self.path.exists() or prompts.confirm(f"{FILE} exists. Overwrite it?")

    def _tell_next(self) -> None:
        self.console.print()
        self.console.print(Text.assemble("Wrote ", (str(self.path), "bold"), "."))
        command = self._command("validate")
        self.console.print(Text.assemble("Next: ", (command, "bold"), " checks it whole."))

    def _command(self, words: str) -> str:
        place = "" if self.directory.resolve() == Path.cwd() else str(self.directory)
        return f"ingot {words}" + (f" --dir {shlex.quote(place)}" if place else "")

    def _heading(self, text: str) -> None:
        self.console.print()
        self.console.print(Text(text, style="bold underline"))

    def _say(self, text: str, *, style: str = "dim") -> None:
        self.console.print(Text(text, style=style))


@contextlib.contextmanager
def _signals_interrupt() -> Iterator[None]:
    """Let a closed terminal and a polite kill end the wizard as Ctrl-C does, terminal restored."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
