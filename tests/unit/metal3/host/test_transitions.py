"""Which state follows which: one case for each row of the specification's table of transitions."""

from __future__ import annotations

from typing import Any

import pytest

from ingot.metal3.api import annotation
from ingot.metal3.api.baremetalhost import BareMetalHost, BMCDetails, InspectionMode
from ingot.metal3.api.image import CustomDeploy
from ingot.metal3.api.raid import RAID, HardwareRaidLevel, HardwareRaidVolume
from ingot.metal3.api.rootdevice import RootDeviceHints
from ingot.metal3.api.states import ErrorType, ProvisioningState
from ingot.metal3.host.observation import CredentialsGood, FirmwareSeen, Observation
from ingot.metal3.node.goal import FirmwareUpdate
from tests.unit.metal3.host.hosts import (
    HARDWARE,
    IMAGE,
    OTHER,
    S,
    failed_host,
    host,
    look,
    seen,
    then,
    unseen,
)

VOLUME = HardwareRaidVolume(level=HardwareRaidLevel.MIRROR)
HINTS = RootDeviceHints(device_name="/dev/sdb")
CUSTOM = CustomDeploy(method="install")
INSTALLED = {"image": IMAGE}
UPDATE = FirmwareUpdate(component="bmc", url="u")


def new(**spec: Any) -> BareMetalHost:  # noqa: ANN401 - any field of the spec
    return host(S.NONE, provisioning={"id": ""}, **spec)


ROWS: dict[str, tuple[BareMetalHost, Observation[str], ProvisioningState]] = {
    "new to registering, with a BMC": (new(), unseen(), S.REGISTERING),
    "new to registering, with nothing but a Secret": (
        new(bmc=BMCDetails(address="", credentials_name="bmc")), unseen(), S.REGISTERING,
    ),
    "new to unmanaged, without a BMC": (new(bmc=None), unseen(), S.UNMANAGED),
    "unmanaged stays without a BMC": (host(S.UNMANAGED, bmc=None), unseen(), S.UNMANAGED),
    "unmanaged to registering, when a BMC is given": (
        host(S.UNMANAGED), unseen(), S.REGISTERING,
    ),
    "registering to externally provisioned": (
        host(S.REGISTERING, externally_provisioned=True),
        seen(S.REGISTERING), S.EXTERNALLY_PROVISIONED,
    ),
    "registering to preparing, inspection disabled in spec": (
        host(S.REGISTERING, inspection_mode=InspectionMode.DISABLED),
        seen(S.REGISTERING), S.PREPARING,
    ),
    "registering to preparing, inspection disabled by annotation": (
        host(S.REGISTERING, annotations={annotation.INSPECT: "disabled"}),
        seen(S.REGISTERING), S.PREPARING,
    ),
    "registering to inspecting": (host(S.REGISTERING), seen(S.REGISTERING), S.INSPECTING),
    "inspecting to preparing, with an inventory": (
        host(S.INSPECTING), seen(S.INSPECTING, inventory=HARDWARE), S.PREPARING,
    ),
    "inspecting stays until the inventory is read": (
        host(S.INSPECTING), seen(S.INSPECTING), S.INSPECTING,
    ),
    "match profile to preparing": (host(S.MATCH_PROFILE), seen(), S.PREPARING),
    "preparing to available": (host(S.PREPARING), seen(S.PREPARING), S.AVAILABLE),
    "available to externally provisioned": (
        host(externally_provisioned=True), seen(), S.EXTERNALLY_PROVISIONED,
    ),
    "available to inspecting, by annotation": (
        host(annotations={annotation.INSPECT: ""}), seen(), S.INSPECTING,
    ),
    "available stays when inspection is disabled by annotation": (
        host(annotations={annotation.INSPECT: "disabled"}), seen(), S.AVAILABLE,
    ),
    "available to preparing, other root hints": (
        host(root_device_hints=HINTS), seen(), S.PREPARING,
    ),
    "available to preparing, other RAID": (
        host(raid=RAID(hardware_raid_volumes=(VOLUME,))), seen(), S.PREPARING,
    ),
    "available stays when no RAID is said and there is hardware RAID": (
        host(provisioning={"raid": RAID(hardware_raid_volumes=(VOLUME,))}), seen(), S.AVAILABLE,
    ),
    "available to preparing, other BIOS settings": (
        host(), seen(firmware=FirmwareSeen(asked=True, settings={"a": "b"})), S.PREPARING,
    ),
    "available to preparing, firmware updates": (
        host(),
        seen(firmware=FirmwareSeen(asked=True, updates=(UPDATE,))),
        S.PREPARING,
    ),
    "available stays while what firmware says is out of date": (
        host(), seen(firmware=FirmwareSeen(ready=False, settings={"a": "b"})), S.AVAILABLE,
    ),
    "available to provisioning, with an image": (host(image=IMAGE), seen(), S.PROVISIONING),
    "available to provisioning, with a custom deploy": (
        host(custom_deploy=CUSTOM), seen(), S.PROVISIONING,
    ),
    "available stays while it should be off": (
        host(image=IMAGE, online=False), seen(), S.AVAILABLE,
    ),
    "available stays at the retry limit": (
        host(image=IMAGE, status={"provisioning_fail_count": 5, "last_attempted_image": IMAGE}),
        seen(), S.AVAILABLE,
    ),
    "ready, the old word, to provisioning": (host(S.READY, image=IMAGE), seen(), S.PROVISIONING),
    "provisioning to provisioned": (
        host(S.PROVISIONING, image=IMAGE, provisioning=INSTALLED),
        seen(S.PROVISIONING), S.PROVISIONED,
    ),
    "provisioning to deprovisioning, after an error": (
        failed_host(S.PROVISIONING, ErrorType.PROVISIONING, image=IMAGE, provisioning=INSTALLED),
        seen(S.PROVISIONING), S.DEPROVISIONING,
    ),
    "provisioning to deprovisioning, other image": (
        host(S.PROVISIONING, image=OTHER, provisioning=INSTALLED),
        seen(S.PROVISIONING), S.DEPROVISIONING,
    ),
    "provisioning to deprovisioning, image removed": (
        host(S.PROVISIONING, provisioning=INSTALLED), seen(S.PROVISIONING), S.DEPROVISIONING,
    ),
    "provisioned stays": (
        host(S.PROVISIONED, image=IMAGE, provisioning=INSTALLED),
        seen(S.PROVISIONED), S.PROVISIONED,
    ),
    "provisioned stays with another checksum": (
        host(S.PROVISIONED, image=IMAGE.__class__(url=IMAGE.url, checksum="new"),
             provisioning=INSTALLED),
        seen(S.PROVISIONED), S.PROVISIONED,
    ),
    "provisioned to deprovisioning, other image": (
        host(S.PROVISIONED, image=OTHER, provisioning=INSTALLED),
        seen(S.PROVISIONED), S.DEPROVISIONING,
    ),
    "provisioned to deprovisioning, image removed": (
        host(S.PROVISIONED, provisioning=INSTALLED), seen(S.PROVISIONED), S.DEPROVISIONING,
    ),
    "provisioned to deprovisioning, other custom deploy": (
        host(S.PROVISIONED, custom_deploy=CustomDeploy(method="other"),
             provisioning={"custom_deploy": CUSTOM}),
        seen(S.PROVISIONED), S.DEPROVISIONING,
    ),
    "provisioned to deprovisioning, custom deploy removed": (
        host(S.PROVISIONED, provisioning={"custom_deploy": CUSTOM}),
        seen(S.PROVISIONED), S.DEPROVISIONING,
    ),
    "externally provisioned stays": (
        host(S.EXTERNALLY_PROVISIONED, externally_provisioned=True),
        seen(S.EXTERNALLY_PROVISIONED), S.EXTERNALLY_PROVISIONED,
    ),
    "externally provisioned to provisioned, flag cleared": (
        host(S.EXTERNALLY_PROVISIONED, image=IMAGE),
        seen(S.EXTERNALLY_PROVISIONED), S.PROVISIONED,
    ),
    "deprovisioning to available": (
        host(S.DEPROVISIONING, provisioning=INSTALLED), seen(S.DEPROVISIONING), S.AVAILABLE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("row", ROWS)
def test_transition(row: str) -> None:
    subject, observed, expected = ROWS[row]
    assert look(subject, observed).status.provisioning.state == expected


def test_an_image_that_was_there_already_is_not_wiped_when_the_flag_is_cleared() -> None:
    subject = host(S.EXTERNALLY_PROVISIONED, image=IMAGE)
    kept = then(subject, look(subject, seen(S.PROVISIONED)))
    assert kept.status.provisioning.image == IMAGE
    assert look(kept, seen(S.PROVISIONED)).status.provisioning.state is S.PROVISIONED


def test_without_an_image_it_is_deprovisioned_after_the_flag_is_cleared() -> None:
    subject = host(S.EXTERNALLY_PROVISIONED)
    kept = then(subject, look(subject, seen(S.PROVISIONED)))
    assert look(kept, seen(S.PROVISIONED)).status.provisioning.state is S.DEPROVISIONING


def test_registering_is_never_entered_again_for_new_credentials() -> None:
    for state in (S.INSPECTING, S.PREPARING, S.AVAILABLE, S.PROVISIONING, S.DEPROVISIONING):
        subject = host(state, image=IMAGE, provisioning=INSTALLED)
        new = seen(state, credentials=CredentialsGood("2"))
        assert look(subject, new).status.provisioning.state is not S.REGISTERING


def test_software_raid_is_forgotten_by_deprovisioning_and_hardware_raid_kept() -> None:
    raid = RAID(hardware_raid_volumes=(VOLUME,), software_raid_volumes=())
    subject = host(S.DEPROVISIONING, provisioning={"image": IMAGE, "raid": raid})
    made = look(subject, seen(S.DEPROVISIONING)).status.provisioning
    assert made.image is None
    assert made.raid == RAID(hardware_raid_volumes=(VOLUME,))


def test_the_boot_mode_is_kept_when_work_begins() -> None:
    assert look(host(S.REGISTERING), seen(S.REGISTERING)).status.provisioning.boot_mode == "UEFI"


def test_times_of_each_operation_are_kept_and_counted() -> None:
    begun = look(host(image=IMAGE), seen())
    history = begun.status.operation_history.provision
    assert history.start is not None
    assert history.end is None
    subject = then(host(image=IMAGE), begun)
    ended = look(subject, seen(S.PROVISIONING), after=90)
    assert ended.status.operation_history.provision.end is not None
    durations = [count for count in ended.counts if count.seconds is not None]
    assert [(count.name, count.seconds) for count in durations] == [
        ("metal3_operation_provision_duration_seconds", 90.0)
    ]


def test_a_provisioning_that_failed_has_no_end_though_the_host_is_free_again() -> None:
    """By that a Machine tells on which of the free hosts the last installation failed."""
    history = look(host(image=IMAGE), seen()).status.operation_history
    subject = failed_host(
        S.PROVISIONING,
        ErrorType.PROVISIONING,
        provisioning={"image": IMAGE},
        status={"operation_history": history},
    )
    removed = then(subject, look(subject, seen(S.PROVISIONING)))
    assert removed.status.provisioning.state is S.DEPROVISIONING
    free = look(removed, seen(S.DEPROVISIONING)).status
    assert free.provisioning.state is S.AVAILABLE
    assert free.operation_history.provision.start is not None
    assert free.operation_history.provision.end is None
