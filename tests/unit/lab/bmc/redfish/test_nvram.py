"""What a BMC remembers."""

from __future__ import annotations

from pathlib import Path

from ingot.lab.bmc.redfish.nvram import Continuous, Memory, Nvram, StoredMedia
from ingot.machine.model import BootSource


def test_it_starts_as_from_the_factory(tmp_path: Path) -> None:
    assert Nvram(tmp_path / "bmc.json").memory == Memory()


def test_everything_is_there_again_as_it_was(tmp_path: Path) -> None:
    nvram = Nvram(tmp_path / "bmc.json")
    nvram.remember(
        bios={"QuietBoot": True, "BootTimeout": 1, "AssetTag": "1"},
        continuous=Continuous(source=BootSource.MEDIA, before=(BootSource.DISK,)),
        media=StoredMedia(url="http://x", name="x", file=Path("/x")),
    )
    again = Nvram(tmp_path / "bmc.json").memory
    assert again == nvram.memory
    assert again.bios["QuietBoot"] is True


def test_a_file_that_cannot_be_read_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "bmc.json").write_text('{"bios_version": 7')
    assert Nvram(tmp_path / "bmc.json").memory == Memory()
