"""A program whose log does not grow for ever.

dnsmasq and nginx write into files and never shorten them, and the files are in a pod's memory. So
each runs as the child of this one, in its own container: when its log is too long, the log is moved
aside and the program told to begin a new one, which both know a signal for. No line is lost, and no
other container has to be alive for it.

Emptying the file in place was rejected: who follows it would miss the last lines before. So was a
pipe through this program: when it stood still, so would DHCP.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ingot.metal3.operator.boots.logfile import LogFile, older

__all__ = ["LIMIT", "run_bounded"]

LIMIT: Final = 4 << 20
"""Bytes of a log before it is replaced; with the one before it, twice as much is kept at most. One
boot of the agent takes 10 kB of dnsmasq's log, and 0.6 kB of the web server's."""
EVERY: Final = 1.0


async def run_bounded(
    command: Sequence[str],
    log: Path,
    *,
    reopen: signal.Signals,
    limit: int = LIMIT,
    every: float = EVERY,
    echo: bool = False,
) -> int:
    """Run a program to its end, and return its exit code.

    A request to end is passed on to it.

    Args:
        command: what to run; it stays in the foreground.
        log: the file that it writes.
        reopen: has it begin a new one.
        limit: how many bytes are too many.
        every: seconds between two looks.
        echo: show on standard output what it writes there, for who reads a container's log.
    """
    loop = asyncio.get_running_loop()
    shown = LogFile(log, tail=0) if echo else None
    _show(shown)
    replaced(log, limit)  # later on, a long log shows that the program is up and hears signals
    child = await asyncio.create_subprocess_exec(*command)
    for request in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(request, child.send_signal, request)
    ended = asyncio.ensure_future(child.wait())
    try:
        while not ended.done():
            await asyncio.wait({ended}, timeout=every)
            try:
                _show(shown)
                if not ended.done() and replaced(log, limit):
                    child.send_signal(reopen)
            except OSError as error:  # a log is not worth the program
                print(f"{log} is not kept short: {error}", file=sys.stderr)  # noqa: T201
        return ended.result()
    finally:
        if child.returncode is None:
            child.kill()
            await ended
        if shown is not None:
            shown.close()


def replaced(log: Path, limit: int) -> bool:
    """Move a log aside that is too long, and return whether it was.

    The new one belongs to whom the old one did: a program that has given up its rights could not
    make it.
    """
    try:
        old = log.stat()
    except FileNotFoundError:
        return False
    if old.st_size <= limit:
        return False
    log.rename(older(log))
    made = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, old.st_mode & 0o777)
    try:
        os.fchmod(made, old.st_mode & 0o777)
        os.fchown(made, old.st_uid, old.st_gid)
    finally:
        os.close(made)
    return True


def _show(log: LogFile | None) -> None:
    if log is None:
        return
    for line in log.lines():
        print(line, file=sys.stdout)  # noqa: T201 - this is what it is for
    sys.stdout.flush()
