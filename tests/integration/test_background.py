"""A program in the background is found by its record, and by nothing that only looks like it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ingot import background
from ingot.background import Background, end_process
from tests.e2e.site import eventually

WITHIN = 20.0

STARTER = """
import sys
from pathlib import Path
from ingot.background import Background

Background(Path(sys.argv[1])).start(["sleep", "1000"], output=1)
print("started", flush=True)
sys.stdin.read()
"""

DYING_STARTER = """
import os, signal, sys
from pathlib import Path
from ingot.background import Background

Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
Background(Path(sys.argv[1])).start(["sh", "-c", "echo begun"], output=1)
"""


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "process.json"


def started(record: Path, *command: str) -> tuple[Background, int]:
    program = Background(record)
    pid = program.start(command, output=subprocess.DEVNULL).pid
    return program, pid


def exists(pid: int) -> bool:
    return Path("/proc", str(pid)).exists()


def test_program_is_found_until_it_is_stopped(record: Path) -> None:
    program, pid = started(record, "sleep", "1000")
    assert program.pid() == Background(record).pid() == pid
    program.stop()
    assert not exists(pid)
    assert not record.exists()
    assert program.pid() is None
    program.stop()


def test_program_that_ended_by_itself_is_not_found_and_is_buried(record: Path) -> None:
    program, pid = started(record, "true")
    eventually(lambda: program.pid() is None, within=WITHIN, every=0.01)
    assert not exists(pid)


def test_program_gets_words_and_variables_and_no_input(record: Path, tmp_path: Path) -> None:
    said = tmp_path / "said"
    with said.open("wb") as output:
        Background(record).start(
            ["sh", "-c", 'cat; echo "$1|$COLOUR"; echo problem >&2', "sh", "two words"],
            output=output,
            env={"COLOUR": "red"},
        )
    eventually(lambda: "problem" in said.read_text(), within=WITHIN, every=0.01)
    assert said.read_text() == "two words|red\nproblem\n"


def test_program_leads_a_session_of_its_own(record: Path) -> None:
    program, pid = started(record, "sleep", "1000")
    assert os.getsid(pid) == pid
    program.stop(grace=0)


def test_program_that_ignores_the_request_is_killed(record: Path, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    script = f"trap '' TERM; touch {ready}; while :; do sleep 1000; done"
    program, pid = started(record, "sh", "-c", script)
    eventually(ready.exists, within=WITHIN, every=0.01)
    program.stop(grace=0.1)
    assert not exists(pid)


def test_everything_the_program_started_goes_with_it(record: Path, tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    program, _ = started(record, "sh", "-c", f"sleep 1000 & echo $! > {noted}; wait")
    eventually(lambda: noted.exists() and noted.read_text().strip(), within=WITHIN, every=0.01)
    child = int(noted.read_text())
    program.stop()
    assert not exists(child) or _state(child) == "Z"


def test_another_process_with_the_number_is_not_taken_for_the_program(record: Path) -> None:
    program, pid = started(record, "sleep", "1000")
    seen = json.loads(record.read_text())
    for changed in ({"started": seen["started"] - 1}, {"boot": "another"}):
        record.write_text(json.dumps({**seen, **changed}))
        assert program.pid() is None
        program.stop()
        assert exists(pid)
    record.write_text(json.dumps(seen))
    program.stop()


@pytest.mark.parametrize("content", ["", "{", "no record"])
def test_damaged_record_is_no_program(record: Path, content: str) -> None:
    record.write_text(content)
    assert Background(record).pid() is None


def test_program_outlives_whoever_started_it(record: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARTER, record],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as starter:
        assert starter.stdout is not None
        assert starter.stdout.readline() == b"started\n"
        starter.kill()
    pid = Background(record).pid()
    assert pid is not None
    Background(record).stop()
    assert not exists(pid) or _state(pid) == "Z"


def test_program_does_not_begin_where_its_record_cannot_be_written(record: Path) -> None:
    starter = subprocess.run(
        [sys.executable, "-c", DYING_STARTER, record], check=False, capture_output=True
    )
    assert starter.returncode == -signal.SIGKILL
    assert starter.stdout == b""  # Read to its end: nobody is left who could still write.
    assert Background(record).pid() is None


def test_program_whose_parent_does_not_bury_it_counts_as_gone(record: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STARTER, record],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as starter:
        assert starter.stdout is not None
        assert starter.stdout.readline() == b"started\n"
        pid = Background(record).pid()
        assert pid is not None
        end_process(pid, grace=0)
        assert _state(pid) == "Z"
        assert Background(record).pid() is None
        starter.communicate(b"")


def test_process_that_the_kernel_keeps_is_reported(
    record: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, pid = started(record, "sleep", "1000")
    with monkeypatch.context() as patch:
        patch.setattr(background, "KILL_SECONDS", 0.05)
        patch.setattr(os, "killpg", lambda *_: None)
        with pytest.raises(background.StillRunning, match=str(pid)) as reported:
            program.stop(grace=0)
        assert reported.value.remedy
    assert program.pid() == pid
    program.stop()


def _state(pid: int) -> str:
    stat = Path("/proc", str(pid), "stat").read_text()
    return stat.rpartition(")")[2].split()[0]
