"""Whoever starts a daemon learns that it is up, or why it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingot.errors import ExitCode
from ingot.lab.daemon.telling import DaemonFailed, wait_until_told

READY = "from ingot.lab.daemon.telling import tell_ready; tell_ready()"
FAILED = """
from ingot.errors import ExitCode, IngotError
from ingot.lab.daemon.telling import tell_failed
error = IngotError("port 443 is taken", remedy="free it")
error.exit_code = ExitCode.INFRASTRUCTURE
tell_failed(error)
"""


@contextmanager
def output_of(program: str) -> Iterator[int]:
    """Run a program that stands for a daemon, and give what it writes."""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        yield process.stdout.fileno()
        process.stdout.close()


def test_a_daemon_that_is_ready_is_believed() -> None:
    with output_of(READY) as output:
        wait_until_told(output, within=30)


def test_a_daemon_that_is_ready_lets_go_of_the_terminal() -> None:
    with output_of(f"{READY}; print('for nobody'); import sys; sys.stdin.read()") as output:
        wait_until_told(output, within=30)
        assert os.read(output, 1) == b""


def test_a_warning_before_it_does_no_harm() -> None:
    with output_of(f"print('a library warns', flush=True); {READY}") as output:
        wait_until_told(output, within=30)


def test_what_the_daemon_says_reaches_the_user() -> None:
    with output_of(FAILED) as output, pytest.raises(DaemonFailed, match="port 443") as failed:
        wait_until_told(output, within=30)
    assert failed.value.remedy == "free it"
    assert failed.value.exit_code is ExitCode.INFRASTRUCTURE


def test_a_daemon_that_dies_tells_by_its_last_words() -> None:
    with (
        output_of("raise SystemExit('ModuleNotFoundError: pyghmi')") as output,
        pytest.raises(DaemonFailed, match=r"ended while it started:\nModuleNotFoundError: pyghmi"),
    ):
        wait_until_told(output, within=30)


def test_a_daemon_that_hangs_is_not_waited_for_for_ever() -> None:
    reading, writing = os.pipe()
    try:
        with pytest.raises(DaemonFailed, match="is not up after"):
            wait_until_told(reading, within=0.01)
    finally:
        os.close(reading)
        os.close(writing)


def test_the_log_is_bounded_and_has_what_ends_a_thread(tmp_path: Path) -> None:
    log = tmp_path / "daemon.log"
    program = f"""
import logging, pathlib, threading
from ingot.lab.daemon import telling
telling.MAX_LOG_BYTES = 5000
telling.log_to(pathlib.Path({str(log)!r}))
for number in range(500):
    logging.info("line %d", number)
thread = threading.Thread(target=lambda: 1 / 0, name="worker")
thread.start()
thread.join()
"""
    with output_of(program) as output:
        assert os.read(output, 1) == b""
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 12_000
    text = log.read_text(encoding="utf-8")
    assert "worker ended by an unforeseen error" in text
    assert "ZeroDivisionError" in text
