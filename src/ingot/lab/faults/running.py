"""The processes of a machine that is on, held so that no others can be taken for them."""

from __future__ import annotations

import errno
import os
import select
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ingot.background import Background

__all__ = ["RunningMachine"]

PIDFD_SIGNAL_PROCESS_GROUP = 1 << 2
"""Has pidfd_send_signal reach a whole group; since Linux 6.9."""

STARTED = 19
"""Which of the words after a process's name in /proc/PID/stat is the time it was started."""


@dataclass(frozen=True, slots=True)
class RunningMachine:
    """A machine's process group, by the process that leads it.

    Attributes:
        handle: a descriptor of that process. It never means another one, as a number may.
    """

    pid: int
    handle: int

    @classmethod
    def found(cls, process: Background) -> RunningMachine | None:
        """Return the machine's processes, if it is on."""
        pid = process.pid()
        if pid is None:
            return None
        try:
            found = cls(pid, os.pidfd_open(pid))
        except ProcessLookupError:
            return None
        if process.pid() != pid:  # Between the two, the number may have become another's.
            found.close()
            return None
        return found

    @property
    def has_ended(self) -> bool:
        """Whether the machine is off."""
        waiting = select.poll()
        waiting.register(self.handle, select.POLLIN)
        return bool(waiting.poll(0))

    def age(self) -> float:
        """Return for how many seconds the machine has been on."""
        try:
            stat = Path("/proc", str(self.pid), "stat").read_text(encoding="utf-8")
        except (FileNotFoundError, ProcessLookupError):
            return 0
        ticks = int(stat.rpartition(")")[2].split()[STARTED])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")

    def tell(self, number: signal.Signals) -> None:
        """Send all processes a signal; nothing where they have ended."""
        with suppress(ProcessLookupError):
            try:
                signal.pidfd_send_signal(self.handle, number, None, PIDFD_SIGNAL_PROCESS_GROUP)
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
                if not self.has_ended:  # An older kernel. The number is still the machine's own.
                    os.killpg(self.pid, number)

    def close(self) -> None:
        """Let go of it."""
        os.close(self.handle)
