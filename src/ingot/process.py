"""One way to run a program: its output is always taken, its result always checked.

A program gets a process group of its own, so that an interrupt ends it with everything it started,
and leaves the decision to us. Arguments are recorded in errors, so secrets never go into them.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from ingot.errors import ExitCode, IngotError

__all__ = ["CommandFailed", "MissingProgram", "require", "run"]

KEPT_LINES = 30
"""How much of a failed program's output an error shows."""

GRACE_SECONDS = 5.0
"""How long a program has to end after it was asked to."""


class CommandFailed(IngotError):  # noqa: N818 - it says what happened
    """A program ended with an error.

    Attributes:
        command: the program and its arguments.
        returncode: what it returned; negative for a signal.
        output: the last lines it wrote.
    """

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, command: Sequence[str], returncode: int, output: str, remedy: str) -> None:
        shown = shlex.join(command)
        ended = f"signal {-returncode}" if returncode < 0 else f"exit code {returncode}"
        tail = f"\n{output}" if output else ""
        super().__init__(f"`{shown[:300]}` ended with {ended}{tail}", remedy=remedy)
        self.command = tuple(command)
        self.returncode = returncode
        self.output = output


class MissingProgram(IngotError):  # noqa: N818 - it names what was seen
    """A program is not installed."""

    exit_code = ExitCode.INFRASTRUCTURE


def require(programs: Mapping[str, str]) -> None:
    """Check that programs are installed, all at once.

    Args:
        programs: each program with the Debian package that has it.

    Raises:
        MissingProgram: naming every missing one and the command that installs them.
    """
    missing = [name for name in programs if shutil.which(name, path=_search_path()) is None]
    if missing:
        packages = sorted({programs[name] for name in missing})
        raise MissingProgram(
            f"not installed: {', '.join(sorted(missing))}",
            remedy=f"run `make setup`, or `apt-get install {' '.join(packages)}`",
        )


def _search_path() -> str:
    # Debian keeps mkfs and its like in sbin, which is not on every user's path.
    return f"{os.environ.get('PATH', os.defpath)}:/usr/local/sbin:/usr/sbin:/sbin"


def run(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str = "",
    on_line: Callable[[str], None] | None = None,
    remedy: str = "see the output above",
) -> str:
    """Run a program to its end and return what it wrote.

    Args:
        command: the program and its arguments.
        cwd: where to run it.
        env: variables to add to our own.
        stdin: what it reads.
        on_line: told each line of output as it comes, errors included.
        remedy: what to do if it fails.

    Raises:
        CommandFailed: it returned anything but 0.
    """
    words = [str(word) for word in command]
    environment = {**os.environ, "PATH": _search_path(), "LC_ALL": "C.UTF-8", **(env or {})}
    kept: deque[str] = deque(maxlen=KEPT_LINES)
    lines: list[str] = []
    with ExitStack() as ending:
        with _interrupts_held_back():
            process = ending.enter_context(
                subprocess.Popen(  # noqa: S603 - every caller names its program
                    words,
                    cwd=cwd,
                    env=environment,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT if on_line else subprocess.PIPE,
                    text=True,
                    errors="replace",
                    start_new_session=True,
                )
            )
            ending.push(lambda kind, _error, _trace: _end(process) if kind else None)
        if on_line is None:
            output, errors = process.communicate(stdin)
            kept.extend((errors or output).splitlines())
            lines.append(output)
        else:
            _feed(process.stdin, stdin)
            for line in process.stdout or ():
                kept.append(line.rstrip("\n"))
                lines.append(line)
                on_line(line.rstrip("\n"))
    if process.returncode:
        raise CommandFailed(words, process.returncode, "\n".join(kept), remedy)
    return "".join(lines)


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Let signals act only after the block, so that by then it is known what it has started.

    Between a program's start and the moment we know of it, an interrupt would leave it running.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # Signals act on the main thread only.
        return
    caught: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _frame: caught.append(number))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        if callable(signal.getsignal(number))
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for first in caught[:1]:
            signal.raise_signal(first)


def _feed(pipe: IO[str] | None, text: str) -> None:
    if pipe is None:
        return
    try:
        pipe.write(text)
        pipe.close()
    except BrokenPipeError:
        return  # It ended without reading; its exit code says why.


def _end(process: subprocess.Popen[str]) -> None:
    """End a program and everything in its process group."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, how)
            process.wait(GRACE_SECONDS)
        except ProcessLookupError:
            break
        except subprocess.TimeoutExpired:
            continue
