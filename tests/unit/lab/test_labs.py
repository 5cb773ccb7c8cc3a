"""The labs on this PC, by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingot.lab.labs import (
    STATE_VARIABLE,
    DamagedLab,
    Lab,
    NoSuchLab,
    OutOfReach,
    is_lab_name,
    labs,
    labs_home,
)
from ingot.lab.summaries import summary
from tests.unit.lab.descriptions import planned


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path))
    return tmp_path


def test_a_plan_is_kept_for_its_owner_alone(state: Path) -> None:
    lab = Lab("mine")
    assert not lab.exists
    lab.write_plan(planned(name="mine"))
    assert lab.exists
    assert lab.plan() == planned(name="mine")
    assert lab.home == state / "labs/mine"
    assert lab.home.stat().st_mode & 0o777 == 0o700
    assert lab.plan_file.stat().st_mode & 0o777 == 0o600


def test_labs_are_listed_by_name() -> None:
    assert labs() == ()
    for name in ("b", "a"):
        Lab(name).write_plan(planned(name=name))
    (labs_home() / ".a.lock").touch()
    assert [lab.name for lab in labs()] == ["a", "b"]


def test_a_lab_that_is_not_there_is_told_with_those_that_are() -> None:
    Lab("other").write_plan(planned(name="other"))
    with pytest.raises(NoSuchLab) as refused:
        Lab("lab").plan()
    assert refused.value.remedy == "those that exist: other"


@pytest.mark.parametrize("content", [None, "", "{}", '{"name": 3}'])
def test_a_plan_that_cannot_be_read_names_the_way_out(content: str | None) -> None:
    lab = Lab("lab")
    lab.home.mkdir(parents=True)
    if content is not None:
        lab.plan_file.write_text(content)
    with pytest.raises(DamagedLab) as refused:
        lab.plan()
    assert "ingot lab destroy --name lab" in refused.value.remedy
    assert summary(lab).problem == refused.value.what


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "../x", "A", "a_b", "-a", "x" * 33])
def test_what_is_no_name_never_is_a_lab(name: str, state: Path) -> None:
    (state / "labs").mkdir()
    assert not is_lab_name(name)
    assert not Lab(name).exists


def test_a_summary_says_whether_the_daemon_is_there() -> None:
    lab = Lab("lab")
    lab.write_plan(planned())
    found = summary(lab)
    assert (found.running, found.hosts, found.api_vip) == (False, 5, "192.168.111.5")


@contextmanager
def somebody_else() -> Iterator[None]:
    """Be a user without rights for a while."""
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
@pytest.mark.parametrize("ask", [labs, lambda: Lab("lab").exists, lambda: Lab("lab").plan()])
def test_labs_are_roots_alone(ask: Callable[[], object], state: Path) -> None:
    Lab("lab").write_plan(planned())
    (state / "labs").chmod(0o700)
    with somebody_else(), pytest.raises(OutOfReach) as refused:
        ask()
    assert "sudo" in refused.value.remedy
