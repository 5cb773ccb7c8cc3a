"""Who was on when a lab was stopped is known when it is started."""

from __future__ import annotations

from pathlib import Path

from ingot.lab.poweredhosts import PoweredHosts


def test_nobody_is_remembered_at_first(tmp_path: Path) -> None:
    assert PoweredHosts(tmp_path).remembered() == ()


def test_hosts_are_remembered_until_they_are_forgotten(tmp_path: Path) -> None:
    PoweredHosts(tmp_path).remember(["b", "a"])
    assert PoweredHosts(tmp_path).remembered() == ("a", "b")
    PoweredHosts(tmp_path).forget()
    assert PoweredHosts(tmp_path).remembered() == ()


def test_stopping_twice_forgets_nobody(tmp_path: Path) -> None:
    """The second time all are off, which is the work of the first."""
    powered = PoweredHosts(tmp_path)
    powered.remember(["a"])
    powered.remember([])
    assert powered.remembered() == ("a",)


def test_a_file_that_was_damaged_costs_nothing_but_the_memory(tmp_path: Path) -> None:
    (tmp_path / "powered.json").write_text("{", encoding="utf-8")
    assert PoweredHosts(tmp_path).remembered() == ()
