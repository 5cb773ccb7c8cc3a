"""How a daemon tells whoever starts it that it is up, or why it is not.

It is started with its output on a pipe. The first line there is the answer: ready, or an error for
the person at the terminal. Whatever else comes first, such as a traceback of a broken installation,
is told as it is. Afterwards the daemon lets go of the pipe and writes to its log alone.
"""

from __future__ import annotations

import logging
import os
import select
import sys
import threading
import time
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from pydantic import ValidationError

from ingot.errors import ExitCode, IngotError
from ingot.lab.messages import Answer, Failure

__all__ = ["DaemonFailed", "log_to", "tell_failed", "tell_ready", "wait_until_told"]

MAX_LOG_BYTES = 2_000_000
OLD_LOGS = 1
MAX_WORDS = 4000

_LOG = logging.getLogger(__name__)


class DaemonFailed(IngotError):  # noqa: N818 - it says what happened
    """The lab's daemon does not start."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.what, remedy=failure.remedy)
        self.exit_code = failure.exit_code


def log_to(path: Path) -> None:
    """Have everything logged to a file that never grows for ever, unforeseen errors included."""
    handler = RotatingFileHandler(path, maxBytes=MAX_LOG_BYTES, backupCount=OLD_LOGS)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.captureWarnings(capture=True)
    threading.excepthook = _log_unforeseen


def tell_ready() -> None:
    """Say that everything is up, and let go of the terminal."""
    _say(Answer())
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)


def tell_failed(error: Exception) -> None:
    """Say why nothing is up."""
    if isinstance(error, IngotError):
        _say(Answer(error=Failure(what=error.what, remedy=error.remedy, exit_code=error.exit_code)))
        return
    what = f"the lab's daemon does not start: {type(error).__name__}: {error}"
    failure = Failure(what=what, remedy="see daemon.log in the lab's folder")
    _say(Answer(error=failure))


def wait_until_told(output: int, *, within: float) -> None:
    """Read a daemon's output until it says that it is ready.

    Raises:
        DaemonFailed: it says why not, or ended, or took too long.
    """
    said = b""
    deadline = time.monotonic() + within
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([output], [], [], left)[0]:
            break
        more = os.read(output, 65536)
        said += more
        answer = _first_answer(said)
        if answer is not None and answer.error is None:
            return
        if answer is not None and answer.error is not None:
            raise DaemonFailed(answer.error)
        if not more:
            raise DaemonFailed(_failure("the lab's daemon ended while it started", said))
    raise DaemonFailed(_failure(f"the lab's daemon is not up after {within:g} seconds", said))


def _first_answer(said: bytes) -> Answer | None:
    for line in said.splitlines(keepends=True):
        if not line.endswith(b"\n"):
            return None
        try:
            return Answer.model_validate_json(line)
        except ValidationError:
            continue
    return None


def _failure(what: str, said: bytes) -> Failure:
    words = said.decode(errors="replace").strip()[-MAX_WORDS:]
    return Failure(
        what=f"{what}:\n{words}" if words else what,
        remedy="see daemon.log in the lab's folder, then run `ingot lab start`",
        exit_code=ExitCode.INFRASTRUCTURE,
    )


def _say(answer: Answer) -> None:
    sys.stdout.write(answer.model_dump_json() + "\n")
    sys.stdout.flush()


def _log_unforeseen(raised: threading.ExceptHookArgs) -> None:
    name = raised.thread.name if raised.thread else "a thread"
    facts: tuple[type[BaseException], BaseException, TracebackType | None] | None = None
    if raised.exc_value is not None:
        facts = raised.exc_type, raised.exc_value, raised.exc_traceback
    _LOG.error("%s ended by an unforeseen error", name, exc_info=facts)
