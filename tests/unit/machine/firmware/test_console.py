"""What the firmware says is stamped with the time since power on."""

from __future__ import annotations

import os
from pathlib import Path

from ingot.machine.firmware.console import Console, size_of
from ingot.machine.home import Home
from ingot.machine.model import BootSource


def test_lines_are_stamped(tmp_path: Path) -> None:
    times = iter([100.0, 101.2344, 1100.0])
    reader, writer = os.pipe()
    console = Console(Home(tmp_path), clock=lambda: next(times), output=writer)
    console.say("one\ntwo")
    console.say("three")
    os.close(writer)
    with os.fdopen(reader, "rb") as shown:
        assert shown.read() == b"[  1.234] one\n[  1.234] two\n[1000.000] three\n"


def test_nobody_has_to_listen(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    Console(Home(tmp_path), output=writer).say("into the void")
    os.close(writer)


def test_activity_is_noted(tmp_path: Path) -> None:
    Console(Home(tmp_path)).doing("DHCP as PXE", BootSource.NETWORK)
    assert Home(tmp_path).activity() == "network: DHCP as PXE"


def test_sizes_are_readable() -> None:
    assert [size_of(n) for n in (0, 1000, 1 << 20, 66485052)] == [
        "0 bytes", "1000 bytes", "1.0 MiB", "63.4 MiB",
    ]  # fmt: skip
