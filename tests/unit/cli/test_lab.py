"""`ingot lab …` as it is typed, without a lab that runs."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Protocol

import pytest

from ingot.cli import boundary
from ingot.lab.drivers import machine_spec
from ingot.lab.faults.kind import FaultKind
from ingot.lab.labs import STATE_VARIABLE, Lab
from ingot.machine.home import Home
from tests.unit.cli.test_start import imported_by
from tests.unit.lab.descriptions import planned


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


class Run(Protocol):
    def __call__(self, *words: str, stdin: str = "") -> Done: ...


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Return how to run a command in an empty folder, with labs kept in another."""
    folder = tmp_path / "folder"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    monkeypatch.setenv("NO_COLOR", "1")

    def run_one(*words: str, stdin: str = "") -> Done:
        monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(stdin.encode())))
        code = boundary.run(["lab", *words])
        told = capfd.readouterr()
        return Done(code, told.out, told.err)

    return run_one


@pytest.fixture
def lab(run: Run) -> Lab:
    """A lab that was planned, and of which nothing else was made."""
    del run
    made = Lab("lab")
    made.write_plan(planned())
    return made


@pytest.mark.parametrize("words", [["lab", "--help"], ["lab", "fault", "--help"]], ids=" ".join)
def test_help_imports_nothing_slow(words: list[str]) -> None:
    slow = {"yaml", "cryptography", "questionary", "sushy_tools", "pyghmi"}
    assert imported_by(*words).isdisjoint(slow)


def test_no_labs_are_no_error(run: Run) -> None:
    done = run("list")
    assert (done.returncode, done.stdout) == (0, "")
    assert "ingot lab create" in done.stderr
    assert json.loads(run("list", "-o", "json").stdout) == []


@pytest.mark.usefixtures("lab")
def test_labs_are_listed(run: Run) -> None:
    (entry,) = json.loads(run("list", "-o", "json").stdout)
    assert (entry["name"], entry["running"], entry["hosts"]) == ("lab", False, 5)
    assert "lab  stopped  5" in run("list").stdout


@pytest.mark.parametrize(
    "words",
    [
        ["status"],
        ["start"],
        ["stop"],
        ["power", "cp-0", "on"],
        ["console", "cp-0"],
        ["exec", "--", "true"],
        ["fault", "list"],
        ["fault", "set", "cp-0", "bmc-slow"],
        ["fault", "clear", "--all"],
    ],
    ids=" ".join,
)
def test_a_lab_that_is_not_there_is_told(words: list[str], run: Run) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert "there is no lab 'lab'" in done.stderr
    assert "ingot lab create" in done.stderr


@pytest.mark.usefixtures("lab")
@pytest.mark.parametrize(
    "words",
    [
        ["power", "cp-9", "on"],
        ["console", "cp-9"],
        ["fault", "list", "cp-9"],
        ["fault", "set", "cp-9", "bmc-slow"],
        ["fault", "clear", "cp-9"],
    ],
    ids=" ".join,
)
def test_a_host_that_is_not_there_is_told(words: list[str], run: Run) -> None:
    done = run(*words)
    assert done.returncode == 2
    assert "the lab 'lab' has no host 'cp-9'" in done.stderr
    assert "did you mean cp-" in done.stderr


@pytest.mark.usefixtures("lab")
@pytest.mark.parametrize(
    "words",
    [["power", "cp-0", "on"], ["fault", "list"], ["fault", "set", "cp-0", "bmc-slow"]],
    ids=" ".join,
)
def test_a_daemon_that_is_gone_names_the_way_out(words: list[str], run: Run) -> None:
    done = run(*words)
    assert done.returncode == 4
    assert "run `ingot lab start`" in done.stderr


def test_the_way_out_names_the_lab(run: Run) -> None:
    Lab("second").write_plan(planned(name="second"))
    assert "ingot lab start --name second" in run("fault", "list", "--name", "second").stderr


@pytest.mark.usefixtures("lab")
def test_a_command_needs_the_labs_network(run: Run) -> None:
    done = run("exec", "--", "true")
    assert done.returncode == 4
    assert "sudo" in done.stderr or "ingot lab start" in done.stderr


def test_a_console_is_printed_as_it_is(lab: Lab, run: Run) -> None:
    home = Home(lab.machines / "cp-0")
    home.path.mkdir(parents=True)
    home.set_spec(machine_spec(planned().hosts[0]))
    home.console.write_text("one\ntwo\nthree\n")
    assert run("console", "cp-0").stdout == "one\ntwo\nthree\n"
    assert run("console", "cp-0", "-n", "1").stdout == "three\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["bmc-slo"], "did you mean 'bmc-slow'?"),
        (["bmc-slow", "--rate", "2"], "rate 2"),
        (["bmc-slow", "--times", "0"], "times 0"),
        (["bmc-500", "--amount", "3"], "takes no amount"),
    ],
)
@pytest.mark.usefixtures("lab")
def test_a_fault_that_cannot_be_is_refused(words: list[str], told: str, run: Run) -> None:
    done = run("fault", "set", "cp-0", *words)
    assert done.returncode == 2
    assert told in done.stderr


@pytest.mark.usefixtures("lab")
@pytest.mark.parametrize("words", [[], ["cp-0", "--all"]])
def test_clearing_says_which_faults_are_meant(words: list[str], run: Run) -> None:
    done = run("fault", "clear", *words)
    assert done.returncode == 2
    assert "name a host, or --all" in done.stderr


def test_every_kind_of_fault_is_listed(run: Run) -> None:
    assert json.loads(run("fault", "kinds", "-o", "json").stdout).keys() == set(FaultKind)
    assert all(kind in run("fault", "kinds").stdout for kind in list(FaultKind)[:3])


def test_a_bad_description_is_told_like_a_bad_install_config(run: Run, tmp_path: Path) -> None:
    (tmp_path / "folder/lab.yaml").write_text("workers: 1\ndefaults:\n  memoryMiB: 64\nhost: x\n")
    done = run("create")
    assert done.returncode == 3
    assert "lab.yaml:3: error L17: defaults.memoryMiB: 64 MiB" in done.stdout
    assert "lab.yaml:4: error F5: host: host is not a field\n    did you mean hosts?" in done.stdout
    assert "lab.yaml is not valid (2 errors, 0 warnings)" in done.stdout
    assert not Lab("lab").exists
    assert not (tmp_path / "folder/install-config.yaml").exists()


def test_a_bad_description_is_told_to_machines(run: Run) -> None:
    done = run("create", "-f", "-", "-o", "json", stdin="controlPlane: 2")
    assert done.returncode == 3
    report = json.loads(done.stdout)
    assert not report["valid"]
    assert [(one["rule"], one["line"]) for one in report["errors"]] == [("L6", 1)]


def test_bad_options_are_told_as_such(run: Run) -> None:
    done = run("create", "--control-plane", "2")
    assert done.returncode == 2
    assert "options: error L6: controlPlane" in done.stdout


def test_a_description_that_is_not_there_is_told(run: Run) -> None:
    done = run("create", "-f", "nowhere.yaml")
    assert done.returncode == 3
    assert "nowhere.yaml cannot be read: no such file" in done.stdout


@pytest.mark.usefixtures("lab")
def test_a_lab_is_not_made_twice(run: Run) -> None:
    done = run("create", "--driver", "uml")
    assert done.returncode == 2
    assert "there is a lab 'lab' already" in done.stderr


@pytest.mark.parametrize("name", ["..", "a/b", "X"])
def test_what_is_no_name_is_never_removed(name: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "state/labs/a/b").mkdir(parents=True)
    done = run("destroy", "--name", name)
    assert "is gone" not in done.stdout
    assert (tmp_path / "state/labs/a/b").is_dir()
