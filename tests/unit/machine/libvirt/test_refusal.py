"""What libvirt 9 to 11 said when it was asked for what it could not do."""

from __future__ import annotations

import pytest

from ingot.errors import ExitCode
from ingot.machine.libvirt.refusal import (
    BridgeMissing,
    EmulatorMissing,
    FirmwareMissing,
    LibvirtRefused,
    LibvirtUnreachable,
    NotEnough,
    PermissionMissing,
    refusal,
)

SAID = {
    "error: failed to connect to the hypervisor\n"
    "error: Failed to connect socket to '/run/libvirt/libvirt-sock': No such file or directory":
        LibvirtUnreachable,
    "error: failed to connect to the hypervisor\n"
    "error: Failed to connect socket to '/run/libvirt/libvirt-sock': Permission denied":
        PermissionMissing,
    "error: failed to connect to the hypervisor\n"
    "error: authentication unavailable: no polkit agent available": PermissionMissing,
    "error: failed to connect to the hypervisor\n"
    "error: Cannot recv data: root@far: Permission denied (publickey).: Connection reset by peer":
        PermissionMissing,
    "error: failed to connect to the hypervisor\n"
    "error: Cannot recv data: ssh: Could not resolve hostname far: Name or service not known":
        LibvirtUnreachable,
    "error: Failed to start domain 'a'\n"
    "error: Cannot get interface MTU on 'nowhere': No such device": BridgeMissing,
    "error: Cannot check QEMU binary /none/qemu: No such file or directory": EmulatorMissing,
    "error: operation failed: Unable to find any firmware to satisfy 'efi'": FirmwareMissing,
    "error: internal error: qemu unexpectedly closed the monitor: cannot set up guest memory"
    " 'pc.ram': Cannot allocate memory": NotEnough,
    "error: cannot write data to file: No space left on device": NotEnough,
    "error: cannot create path '/proc/pool': Operation not permitted": PermissionMissing,
    "error: something that nobody has seen yet": LibvirtRefused,
}  # fmt: skip


@pytest.mark.parametrize("said", SAID, ids=lambda said: said.splitlines()[-1][7:60])
def test_cause_is_told_from_what_libvirt_says(said: str) -> None:
    error = refusal("qemu:///system", "start a", 1, said)
    assert type(error) is SAID[said]
    assert error.remedy
    assert error.exit_code is ExitCode.INFRASTRUCTURE


def test_message_names_the_libvirt_the_request_and_the_reason() -> None:
    error = refusal("qemu+ssh://far/system", "start a", 1, "error: no\nerror: never\n")
    assert error.what == "qemu+ssh://far/system refused `start a`: no never"


def test_call_that_was_cut_off_means_that_nobody_answers() -> None:
    error = refusal("qemu+ssh://far/system", "start a", 124, "")
    assert isinstance(error, LibvirtUnreachable)
    assert "in time" in error.what
