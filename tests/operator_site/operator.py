"""The operator under test, as a process that can be stopped, killed and started again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.operator_site.process import cpu_seconds, peak_megabytes

PROGRAM = Path(sys.executable).parent / "ingot-node"
STOPS_WITHIN = 30.0


@dataclass
class Operator:
    """One operator.

    Attributes:
        environment: what it is told.
        log: where its words go.
    """

    environment: Mapping[str, str]
    log: Path
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    def pid(self) -> int:
        assert self._process is not None, "the operator is not running"
        return self._process.pid

    @property
    def said(self) -> str:
        return self.log.read_text("utf-8", errors="replace")

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def cpu_seconds(self) -> float:
        """What the process has used since it was started."""
        return cpu_seconds(self.pid)

    @property
    def peak_megabytes(self) -> float:
        """The most memory that it ever had."""
        return peak_megabytes(self.pid)

    def start(self) -> None:
        """Start it; whether it acts yet is for the caller to see."""
        assert self._process is None, "the operator is running"
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [PROGRAM, "operator"],
                env={"PATH": os.environ["PATH"], **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def kill(self) -> None:
        """End it as a power cut does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(STOPS_WITHIN)
            self._process = None

    def stop(self) -> float:
        """Ask it to end; return how many seconds that took."""
        assert self._process is not None, "the operator is not running"
        began = time.monotonic()
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(STOPS_WITHIN)
        self._process = None
        assert code == 0, f"the operator ended with {code}:\n{self.said[-3000:]}"
        return time.monotonic() - began
