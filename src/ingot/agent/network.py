"""Network settings that Ironic put on the virtual CD this ramdisk was booted from.

Ironic writes them as `openstack/latest/network_data.json` beside the kernel, and names the CD by an
identity that is on the kernel command line (`ir_pub_id`) and in the CD's volume descriptor. By that
one is found, whatever device it is: a server's USB CD, or a block device of a lab machine. Without
such an argument there is nothing to look for, and every card asks by DHCP.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from ingot.agent.applying import apply
from ingot.agent.networkdata import UnusableData

__all__ = ["find_medium", "identity", "publisher"]

COMMAND_LINE: Final = Path("/proc/cmdline")
BLOCK: Final = Path("/sys/class/block")
FILES: Final = Path("/run/systemd/network")
DATA: Final = "openstack/latest/network_data.json"

DESCRIPTOR_AT: Final = 32768
"""The primary volume descriptor of ISO 9660, and below: its mark, and who published the volume."""
MARK: Final = b"\x01CD001"
PUBLISHER: Final = slice(318, 446)
SECONDS: Final = 30.0
"""How long a CD may take to appear: some BMCs plug it in while the kernel starts."""


def identity(command_line: str) -> str | None:
    """Return the identity of the CD that was booted, if it was one of Ironic's."""
    for word in command_line.split():
        name, _, value = word.partition("=")
        if name == "ir_pub_id" and value:
            return value
    return None


def publisher(descriptor: bytes) -> str | None:
    """Return who published a volume, by its descriptor; None where it is none."""
    if not descriptor.startswith(MARK):
        return None
    return descriptor[PUBLISHER].decode("ascii", "replace").strip()


def find_medium(
    wanted: str,
    devices: Callable[[], Iterable[Path]],
    *,
    within: float = SECONDS,
) -> Path | None:
    """Return the device with a volume of an identity, as soon as there is one."""
    deadline = time.monotonic() + within
    while True:
        for device in devices():
            found = publisher(_descriptor(device))
            if found is not None and found.lower() == wanted.lower():
                return device
        if time.monotonic() > deadline:
            return None
        time.sleep(0.2)


def main() -> int:
    """Apply what the CD of this machine says."""
    wanted = identity(COMMAND_LINE.read_text(encoding="utf-8"))
    if wanted is None:
        return 0
    device = find_medium(wanted, _disks)
    if device is None:
        _say(f"the CD {wanted} that this was booted from is not to be seen")
        return 1
    text = _data_on(device)
    if text is None:
        return 0
    try:
        apply(text, FILES)
    except UnusableData as refused:
        _say(str(refused))
        return 1
    _say("the network is set as Ironic says")
    return 0


def _data_on(device: Path) -> str | None:
    with tempfile.TemporaryDirectory() as place:
        options = ["-t", "iso9660", "-o", "ro,nosuid,nodev,noexec"]
        subprocess.run(["/usr/bin/mount", *options, device, place], check=True)  # noqa: S603
        try:
            return Path(place, DATA).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        finally:
            subprocess.run(["/usr/bin/umount", place], check=True)  # noqa: S603


def _disks() -> Iterable[Path]:
    """Return whole disks; a partition has a file that says so."""
    names = (path.name for path in sorted(BLOCK.iterdir()) if not (path / "partition").exists())
    return [Path("/dev", name) for name in names]


def _descriptor(device: Path) -> bytes:
    try:
        with device.open("rb") as file:
            file.seek(DESCRIPTOR_AT)
            return file.read(PUBLISHER.stop)
    except OSError:  # an empty drive
        return b""


def _say(text: str) -> None:
    print(f"ingot: {text}", file=sys.stderr)  # noqa: T201 - the journal is the only reader


if __name__ == "__main__":
    sys.exit(main())
