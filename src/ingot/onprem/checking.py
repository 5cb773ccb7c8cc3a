"""The daemons' own checkers: what they refuse is never put in place.

keepalived, haproxy and nft can check a file without using it. CoreDNS cannot; it is started for a
moment with the same file on a port of loopback that it chooses itself.
"""

from __future__ import annotations

import subprocess
import tempfile
import threading
from pathlib import Path

from ingot.onprem.coredns import Coredns
from ingot.onprem.problem import RefusedConfigError
from ingot.process import CommandFailed, run

__all__ = ["check_coredns", "check_haproxy", "check_keepalived", "check_nftables"]

PATIENCE = 10.0
"""Seconds for CoreDNS to start; a tenth of one is usual."""

STARTED = "CoreDNS-"
"""What it says with its version once it serves."""


def check_keepalived(text: str, *, program: Path = Path("keepalived")) -> None:
    """Have keepalived check its configuration; it wants the network cards to be there.

    Raises:
        RefusedConfigError: with what it says.
    """
    _check("keepalived", [program, "-t", "-f"], text)


def check_haproxy(text: str, *, program: Path = Path("haproxy")) -> None:
    """Have haproxy check its configuration.

    Raises:
        RefusedConfigError: with what it says.
    """
    _check("haproxy", [program, "-c", "-f"], text)


def check_nftables(text: str, *, program: Path = Path("nft")) -> None:
    """Have the kernel check a transaction without doing it.

    Raises:
        RefusedConfigError: with what nft says.
    """
    _check("nft", [program, "--check", "-f"], text)


def _check(name: str, command: list[str | Path], text: str) -> None:
    # A folder that only we can read, since the file is not yet what anybody should see.
    with tempfile.TemporaryDirectory(prefix="ingot-check-") as folder:
        path = Path(folder, f"{name}.conf")
        path.write_text(text, encoding="utf-8")
        try:
            run([*command, path])
        except CommandFailed as error:
            raise RefusedConfigError(name, error.output) from error


def check_coredns(wanted: Coredns, *, program: Path = Path("coredns")) -> None:
    """Have CoreDNS start with what it is to be told, on a port that nobody knows, and end it.

    Raises:
        RefusedConfigError: it ended by itself, or did not start in time.
    """
    with tempfile.TemporaryDirectory(prefix="ingot-check-") as folder:
        path = Path(folder, "Corefile")
        path.write_text(wanted.for_trial().render(), encoding="utf-8")
        with subprocess.Popen(  # noqa: S603 - the caller names the program
            [program, "-conf", path],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as process:
            limit = threading.Timer(PATIENCE, process.kill)
            limit.start()
            try:
                said: list[str] = []
                for line in process.stdout or ():
                    said.append(line)
                    if line.startswith(STARTED):
                        return
            finally:
                limit.cancel()
                process.kill()
        raise RefusedConfigError("CoreDNS", "".join(said[-10:]))
