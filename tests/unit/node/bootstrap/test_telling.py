"""What the bootstrap says on its console, as the installer reads it there."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ingot.errors import IngotError
from ingot.installer.console import Said, said_in
from ingot.node.bootstrap.problem import NeedsAPersonError, told
from ingot.node.bootstrap.stage import Journal, Stage
from ingot.node.bootstrap.telling import Teller


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def teller(tmp_path: Path, lines: list[str]) -> Teller:
    made = Teller(Journal.read(tmp_path / "journal.json"), lines.append)
    asyncio.run(made.begins(Stage.SERVICES, "starting"))
    lines.clear()
    return made


@pytest.mark.parametrize("lasting", [False, True])
def test_the_installer_reads_whether_an_error_lasts(
    teller: Teller, lines: list[str], *, lasting: bool
) -> None:
    asyncio.run(teller.fails("no image", lasting=lasting))
    assert list(map(said_in, lines)) == [
        Said("services", "no image", is_error=True, lasting=lasting)
    ]


def test_an_error_is_told_once_and_again_when_it_begins_to_last(
    teller: Teller, lines: list[str]
) -> None:
    for lasting in (False, False, True, True):
        asyncio.run(teller.fails("no image", lasting=lasting))
    assert len(lines) == 2


def test_what_goes_on_after_an_error_is_told_though_it_was_said_before(
    teller: Teller, lines: list[str]
) -> None:
    asyncio.run(teller.fails("no image", lasting=True))
    asyncio.run(teller.says("starting"))
    assert said_in(lines[-1]) == Said("services", "starting")


def test_an_error_that_needs_a_person_is_told_with_what_to_do() -> None:
    error = NeedsAPersonError("another DHCP server answers", remedy="switch it off")
    assert told(error) == "another DHCP server answers; switch it off"


def test_an_error_is_one_line_on_the_console() -> None:
    passing = IngotError("`kubectl` ended with exit code 1\nno matches", remedy="see above")
    assert told(passing) == "`kubectl` ended with exit code 1 no matches"
