"""`ingot create cluster` as tests watch it: killed where they ask for it, and what clients saw.

While the cluster is handed over, a client asks for `/readyz` through the VIP ten times a second,
from the user's shell: what it saw is what users see. Earlier it would keep a busy API from serving
those who join.
"""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

from ingot.installer.journal import Entry, InstallJournal
from ingot.installer.phase import Phase
from tests.e2e.lab import INGOT, TestLab
from tests.onprem_site.availability import Asked, Client

CREATE_SECONDS = 3000
ASKED_A_SECOND = 10
PATIENCE_SECONDS = 1
LOOK_SECONDS = 0.2


@dataclass(frozen=True)
class Created:
    """How a creation went.

    Attributes:
        returncode: that of its last run.
        said: what that wrote.
        killed: the phases in which it was killed.
        answers: what a client saw, from the hand-over on.
    """

    returncode: int
    said: str
    killed: tuple[Phase, ...]
    answers: tuple[Asked, ...]


NOT_CREATED = Created(returncode=0, said="", killed=(), answers=())
"""Of a cluster that nobody has begun to make."""


def create_cluster(
    lab: TestLab, *options: str, killed_in: Sequence[Phase] = (), after: float = 1.0
) -> Created:
    """Make a cluster to the end.

    Args:
        lab: where.
        options: further words of the command.
        killed_in: the phases in which the command is killed, once each, and run again.
        after: the seconds for which such a phase has gone on when it is.
    """
    journal = InstallJournal(lab.directory / ".ingot/journal")
    waiting = list(killed_in)
    killed: list[Phase] = []
    deadline = time.monotonic() + CREATE_SECONDS
    with ExitStack() as stack:
        client: Client | None = None
        while True:
            log = lab.directory.parent / f"create-{len(killed)}.log"
            process = _started(lab, options, log)
            while process.poll() is None and time.monotonic() < deadline:
                time.sleep(LOOK_SECONDS)
                now = _current(journal)
                if client is None and _has_begun(journal, Phase.HAND_OVER):
                    client = stack.enter_context(_asking(lab))
                if now and now.what in waiting and time.time() - now.at.timestamp() > after:
                    process.send_signal(signal.SIGKILL)
                    waiting.remove(Phase(now.what))
                    killed.append(Phase(now.what))
            if process.poll() is None:
                process.kill()
            if process.wait() != -signal.SIGKILL or time.monotonic() > deadline:
                answers = tuple(client.read()) if client else ()
                said = log.read_text(encoding="utf-8")
                return Created(process.returncode, said, tuple(killed), answers)


def _started(lab: TestLab, options: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as stream:
        return subprocess.Popen(
            [INGOT, "create", "cluster", "--dir", lab.directory, *options],
            env={**os.environ, "INGOT_STATE": str(lab.state)},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
        )


def _current(journal: InstallJournal) -> Entry | None:
    entries = list(journal.entries())
    return entries[-1] if entries and entries[-1].state == "began" else None


def _has_begun(journal: InstallJournal, phase: Phase) -> bool:
    return any(one.what == phase for one in journal.entries())


@contextmanager
def _asking(lab: TestLab) -> Iterator[Client]:
    kubeconfig = yaml.safe_load((lab.directory / "auth/kubeconfig").read_text(encoding="utf-8"))
    authority = lab.directory.parent / "authority.pem"
    cluster = kubeconfig["clusters"][0]["cluster"]
    authority.write_bytes(base64.b64decode(cluster["certificate-authority-data"]))
    client = Client(lab.directory.parent / "answers.jsonl")
    where = (str(lab.plan.networks.api_vip), "6443", "/readyz")
    how = (str(ASKED_A_SECOND), str(PATIENCE_SECONDS), str(authority))
    command = [sys.executable, "-m", "tests.onprem_site.requesting", str(client.record)]
    with subprocess.Popen(
        [*command, *where, *how], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # It is ready: the record is there.
        try:
            yield client
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait()
