"""The CD that a ramdisk was booted from is found by its identity."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from ingot.agent.network import DATA, find_medium, identity

OURS = "0d5c7d5e-5b5b-4f0e-8a53-0f4bb0a7a0a1"


def test_identity_is_on_the_command_line() -> None:
    assert identity(f'console=tty0 sshkey="a b" ir_pub_id={OURS} text') == OURS
    assert identity("console=tty0 ir_pub_id= text") is None


@pytest.mark.skipif(shutil.which("xorriso") is None, reason="makes a CD with xorriso")
def test_a_cd_as_ironic_makes_it_is_found_among_other_devices(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    (tree / DATA).parent.mkdir(parents=True)
    (tree / DATA).write_text("{}")
    cds = {}
    for name, published in (("other", "somebody-else"), ("ours", OURS)):
        cds[name] = tmp_path / f"{name}.iso"
        subprocess.run(
            ["xorriso", "-as", "mkisofs", "-quiet", "-r", "-V", "VMEDIA_BOOT_ISO", "-J", "-l",
             "-publisher", published, "-o", cds[name], tree],
            check=True, capture_output=True,
        )  # fmt: skip
    (tmp_path / "disk").write_bytes(bytes(65536))
    devices = [tmp_path / "empty", tmp_path / "disk", cds["other"], cds["ours"]]
    assert find_medium(OURS, lambda: devices) == cds["ours"]


def test_a_cd_that_comes_late_is_waited_for(tmp_path: Path) -> None:
    medium = tmp_path / "cd"
    looks = 0

    def devices() -> list[Path]:
        nonlocal looks
        looks += 1
        if looks == 2:
            content = bytearray(32768 + 2048)
            content[32768 : 32768 + 6] = b"\x01CD001"
            content[32768 + 318 : 32768 + 446] = OURS.upper().ljust(128).encode()
            medium.write_bytes(content)
        return [medium]

    assert find_medium(OURS, devices) == medium


def test_a_cd_that_never_comes_is_not_waited_for_ever() -> None:
    assert find_medium(OURS, list, within=0) is None
