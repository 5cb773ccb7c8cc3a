"""Why libvirt refuses, told from what it says, and what to do about it.

libvirt's error numbers do not tell a missing bridge from a missing file, and virsh does not show
them; its sentences do, and have been stable for years.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingot.machine.driver import MachineError

__all__ = [
    "BridgeMissing",
    "EmulatorMissing",
    "FirmwareMissing",
    "LibvirtRefused",
    "LibvirtUnreachable",
    "NotEnough",
    "PermissionMissing",
    "refusal",
]

TIMED_OUT = 124
"""What `timeout` returns when it has ended a program."""


class LibvirtRefused(MachineError):  # noqa: N818 - it says what was seen
    """libvirt did not do what it was asked."""


class LibvirtUnreachable(LibvirtRefused):
    """Nobody answers at a URI."""


class PermissionMissing(LibvirtRefused):
    """We may not ask, or libvirt may not do it."""


class BridgeMissing(LibvirtRefused):
    """A card's bridge is not where libvirt runs."""


class EmulatorMissing(LibvirtRefused):
    """There is no QEMU for these machines."""


class FirmwareMissing(LibvirtRefused):
    """There is no UEFI for these machines."""


class NotEnough(LibvirtRefused):
    """Memory or space has run out."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A sentence of libvirt's, and what it means."""

    said: re.Pattern[str]
    kind: type[LibvirtRefused]
    remedy: str


def _sign(said: str, kind: type[LibvirtRefused], remedy: str) -> Sign:
    return Sign(re.compile(said, re.IGNORECASE | re.DOTALL), kind, remedy)


SIGNS = (
    _sign(
        r"authentication (failed|unavailable|cancelled)|"
        r"failed to connect socket to .*: permission denied|permission denied \(publickey",
        PermissionMissing,
        "run as root, or as a member of the group libvirt; over SSH, install a key first",
    ),
    _sign(
        r"failed to connect (socket )?to|unable to connect to server|no connection driver|"
        r"cannot recv data|could not resolve hostname|unable to resolve address",
        LibvirtUnreachable,
        "start libvirt there (`systemctl start libvirtd` or `virtqemud`), or correct the URI;"
        " without a URI, the lab runs a libvirt of its own",
    ),
    _sign(
        r"cannot get interface mtu on .*no such device|unable to add bridge|is not a bridge|"
        r"failed to add tap interface to bridge",
        BridgeMissing,
        "make the bridge on the machine, and in the network namespace, in which libvirt runs",
    ),
    _sign(
        r"cannot check qemu binary|could not find capabilities for|"
        r"unable to find .* emulator|no emulator found|binary .* is not executable",
        EmulatorMissing,
        "install qemu-system-x86 where libvirt runs, or correct the emulator's path",
    ),
    _sign(
        r"unable to find any firmware|unable to find .*efi",
        FirmwareMissing,
        "install ovmf where libvirt runs",
    ),
    _sign(
        r"cannot allocate memory|cannot set up guest memory|no space left on device|"
        r"disk quota exceeded",
        NotEnough,
        "stop other machines or free some space where libvirt runs, or ask for smaller machines",
    ),
    _sign(
        r"permission denied|operation not permitted|read-only file system",
        PermissionMissing,
        "give libvirt's QEMU access to that path, or name another folder for the disks",
    ),
)


def refusal(uri: str, asked: str, returncode: int, said: str) -> LibvirtRefused:
    """Return the error for a call of virsh that failed."""
    if returncode == TIMED_OUT:
        return LibvirtUnreachable(
            f"{uri} did not answer to `{asked}` in time",
            remedy="see whether libvirt, and the machine it runs on, can still be reached",
        )
    reason = " ".join(line.removeprefix("error: ") for line in said.splitlines() if line.strip())
    what = f"{uri} refused `{asked}`: {reason}"
    for sign in SIGNS:
        if sign.said.search(said):
            return sign.kind(what, remedy=sign.remedy)
    return LibvirtRefused(what, remedy="see libvirt's own log")
