"""Where errors end: each becomes a sentence, a remedy and an exit code; never a traceback.

What nobody foresaw is kept whole in `<dir>/.ingot/log` and shown only with `--log-level debug`.
"""

from __future__ import annotations

import os
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

from ingot.cli.invocation import Invocation, LogLevel
from ingot.errors import ExitCode, IngotError

__all__ = ["run"]


def run(words: list[str]) -> int:
    """Run a command line and return the exit code."""
    invocation = Invocation()
    try:
        from ingot.cli.app import app  # noqa: PLC0415 - an error while importing is an error too

        app(words, obj=invocation)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else ExitCode.OTHER
    except IngotError as expected:
        _tell(expected.what, expected.remedy)
        return expected.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    except Exception as unforeseen:  # noqa: BLE001 - the one place that may catch everything
        return _report_unforeseen(unforeseen, invocation)
    return ExitCode.OK


def _tell(what: str, remedy: str) -> None:
    sys.stderr.write(f"error: {what}\n")
    if remedy:
        sys.stderr.write(f"       {remedy}\n")


def _report_unforeseen(unforeseen: Exception, invocation: Invocation) -> int:
    if invocation.log_level is LogLevel.DEBUG:
        traceback.print_exception(unforeseen)
    name = type(unforeseen).__name__
    log = invocation.directory / ".ingot" / "log"
    try:
        _append(log, unforeseen)
    except OSError as refused:
        remedy = f"the details could not be kept in {log} ({refused.strerror}); "
        remedy += "run it again with --log-level debug to see them"
    else:
        remedy = f"this is a defect of Ingot; the details are in {log}"
    _tell(f"an unforeseen {name} ended the command", remedy)
    return ExitCode.OTHER


def _append(log: Path, unforeseen: Exception) -> None:
    """Add the traceback to a log that only its owner can read."""
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    stamp = datetime.now(UTC).isoformat(timespec="seconds")
    text = f"{stamp} unforeseen error\n{''.join(traceback.format_exception(unforeseen))}\n"
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with os.fdopen(descriptor, "a", encoding="utf-8") as file:
        file.write(text)
