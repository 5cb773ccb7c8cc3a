"""What is put into the virtual drive of a running machine is there, as far as the guest allows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ingot.machine.home import Home
from ingot.machine.model import BootSettings, BootSource
from ingot.machine.uml.mconsole import KernelAbsent, KernelRefuses, order
from tests.machines.tiny import Guest, Rack

DRIVE = "/dev/ubdc"
ABSENT = f"{DRIVE}: absent"


@pytest.fixture
def disc(tmp_path: Path) -> Path:
    return image(tmp_path / "disc.iso", "disc")


def image(path: Path, text: str) -> Path:
    path.write_bytes(text.encode().ljust(1 << 16, b"\0"))
    return path


def insert(guest: Guest, media: Path | None) -> None:
    settings = guest.driver.boot_settings(guest.name)
    guest.driver.set_boot_settings(guest.name, replace(settings, media=media))


def test_media_is_there_at_once_and_gone_at_once(running: Guest, disc: Path) -> None:
    assert ABSENT in running.does("show", DRIVE)
    insert(running, disc)
    assert f"{DRIVE}: disc" in running.does("show", DRIVE)
    insert(running, None)
    assert ABSENT in running.does("show", DRIVE)


def test_media_is_replaced_by_other_media(running: Guest, disc: Path, tmp_path: Path) -> None:
    insert(running, disc)
    insert(running, image(tmp_path / "other.iso", "other"))
    assert f"{DRIVE}: other" in running.does("show", DRIVE)


def test_media_is_kept_over_a_reset(running: Guest, disc: Path) -> None:
    insert(running, disc)
    running.driver.reset(running.name)
    running.comes_up(2)
    assert f"{DRIVE}: disc" in running.does("show", DRIVE)


def test_guest_that_holds_the_drive_keeps_it_until_it_starts_over(
    running: Guest, disc: Path
) -> None:
    insert(running, disc)
    running.does("hold", DRIVE)
    insert(running, None)
    assert running.driver.boot_settings(running.name).media is None
    assert f"{DRIVE}: disc" in running.does("show", DRIVE)

    running.is_told("reboot")
    running.comes_up(2)
    assert ABSENT in running.does("show", DRIVE)


def test_settings_of_a_machine_that_is_off_are_kept(guest: Guest, rack: Rack, disc: Path) -> None:
    told = BootSettings(order=(BootSource.NETWORK,), once=BootSource.MEDIA, media=disc)
    guest.driver.set_boot_settings(guest.name, told)
    assert rack.driver().boot_settings(guest.name) == told


def test_kernel_says_why_it_refuses(running: Guest) -> None:
    with pytest.raises(KernelRefuses, match="no-such-order"):
        order(Home(running.folder).mconsole, "no-such-order")


def test_kernel_answers(running: Guest) -> None:
    assert "Linux" in order(Home(running.folder).mconsole, "version")


def test_long_answer_is_complete(running: Guest) -> None:
    answer = order(Home(running.folder).mconsole, "help")
    assert len(answer) > 512
    assert "version" in answer


def test_order_that_is_too_long_is_not_sent(running: Guest) -> None:
    with pytest.raises(KernelRefuses, match="511 bytes"):
        order(Home(running.folder).mconsole, "config ubd2r=" + "x" * 600)


def test_machine_that_is_off_has_no_kernel_to_tell(guest: Guest) -> None:
    with pytest.raises(KernelAbsent):
        order(Home(guest.folder).mconsole, "version")
