"""What the goals ask for in detail: images, steps, RAID, power."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ingot.ironic.driving import ConfigDrive, Step
from ingot.ironic.states import PowerTarget, ProvisionState, Verb
from ingot.metal3.api.baremetalhost import InspectionMode
from ingot.metal3.api.bootmode import BootMode
from ingot.metal3.api.firmware import FirmwareConfig
from ingot.metal3.api.image import ChecksumType, CustomDeploy, DiskFormat, Image
from ingot.metal3.api.raid import (
    RAID,
    HardwareRaidLevel,
    HardwareRaidVolume,
    SoftwareRaidLevel,
    SoftwareRaidVolume,
)
from ingot.metal3.api.rootdevice import RootDeviceHints
from ingot.metal3.node.advancing import advance
from ingot.metal3.node.calls import (
    Ask,
    Clean,
    Deploy,
    PatchNode,
    SetPower,
    Validate,
    WantRaid,
    hardened,
)
from ingot.metal3.node.goal import (
    Adopt,
    Deprovision,
    FirmwareUpdate,
    Inspect,
    PowerOff,
    PowerOn,
    Prepare,
    Provision,
    Service,
)
from ingot.metal3.node.progress import Act, Done, Failed, Waiting
from ingot.metal3.node.subject import PersistentBoot
from tests.unit.metal3.node.nodes import IMAGE, INSTANCE, SITE, host, node
from tests.unit.metal3.node.words import said

S = ProvisionState
NODE = host().node_id
DRIVE = ConfigDrive(meta_data={"name": "worker-0"}, user_data="{}")


def acted(progress: Any) -> tuple[Any, ...]:  # noqa: ANN401 - any answer
    assert isinstance(progress, Act), progress
    return progress.calls


def told(goal: Provision | Adopt, **subject: Any) -> dict[str, Any]:  # noqa: ANN401 - any field
    """Return what is written before a deployment, by its path."""
    state = S.AVAILABLE if isinstance(goal, Provision) else S.MANAGEABLE
    calls = acted(advance(goal, host(**subject), node(state)))
    patches = [call for call in calls if isinstance(call, PatchNode)]
    return {str(one["path"]): one.get("value") for call in patches for one in call.operations}


def provision(image: Image | None = IMAGE, **said: Any) -> Provision:  # noqa: ANN401 - any field
    return Provision(instance_uuid=INSTANCE, image=image, config_drive=DRIVE, **said)


def test_a_deployment_is_told_validated_and_started() -> None:
    calls = acted(advance(provision(), host(), node(S.AVAILABLE)))
    assert calls[1:] == (
        Validate(node=NODE, interfaces=("boot", "deploy")),
        Deploy(node=NODE, config_drive=DRIVE),
    )
    assert told(provision()) == {
        "/instance_uuid": INSTANCE,
        "/instance_info/capabilities": {},
        "/instance_info/image_source": IMAGE.url,
        "/instance_info/image_os_hash_algo": "sha256",
        "/instance_info/image_os_hash_value": IMAGE.checksum,
        "/driver_info/force_persistent_boot_device": "Default",
    }


LIVE = Image(url="http://10.0.0.1/live.iso", format=DiskFormat.LIVE_ISO)
OCI = Image(url="oci://registry.example.com/image@sha256:0", format=DiskFormat.RAW)
IMAGES: dict[str, tuple[Provision, dict[str, Any]]] = {
    "a checksum of unknown kind": (
        provision(replace(IMAGE, checksum_type=None)),
        {"/instance_info/image_checksum": IMAGE.checksum},
    ),
    "a checksum to be told by its length": (
        provision(replace(IMAGE, checksum_type=ChecksumType.AUTO)),
        {"/instance_info/image_checksum": IMAGE.checksum},
    ),
    "a format": (
        provision(replace(IMAGE, format=DiskFormat.QCOW2)),
        {"/instance_info/image_disk_format": "qcow2"},
    ),
    "a live ISO": (
        provision(LIVE), {"/instance_info/boot_iso": LIVE.url, "/deploy_interface": "ramdisk"},
    ),
    "an image of a registry": (
        provision(OCI, pull_secret="c2VjcmV0"),
        {
            "/instance_info/image_source": OCI.url,
            "/instance_info/image_pull_secret": "c2VjcmV0",
        },
    ),
    "a way of one's own": (
        provision(None, custom_deploy=CustomDeploy(method="install_coreos")),
        {"/deploy_interface": "custom-agent"},
    ),
    "a root disk": (
        provision(root_hints=RootDeviceHints(device_name="/dev/vda")),
        {"/instance_info/root_device": {"name": "s== /dev/vda"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", IMAGES)
def test_every_kind_of_image_is_told_in_its_own_way(name: str) -> None:
    goal, expected = IMAGES[name]
    written = told(goal)
    assert {path: written.get(path) for path in expected} == expected


def test_a_live_iso_has_neither_disk_image_nor_config_drive() -> None:
    calls = acted(advance(provision(LIVE), host(), node(S.AVAILABLE)))
    assert calls[-1] == Deploy(node=NODE, config_drive=None)
    assert not [path for path in told(provision(LIVE)) if "image_" in path]


def test_a_custom_deployment_is_a_step_of_its_own() -> None:
    goal = provision(None, custom_deploy=CustomDeploy(method="install_coreos"))
    [*_, deploy] = acted(advance(goal, host(), node(S.AVAILABLE)))
    step = Step(interface="deploy", step="install_coreos", args={}, priority=80)
    assert deploy == Deploy(node=NODE, config_drive=DRIVE, steps=(step,))


def test_a_disk_image_after_a_live_iso_has_ironics_default_interface_again() -> None:
    seen = node(S.AVAILABLE, deploy_interface="ramdisk", instance_info={"boot_iso": LIVE.url})
    [patch, *_] = acted(advance(provision(), host(), seen))
    removed = {one["path"] for one in patch.operations if one["op"] == "remove"}
    assert removed == {"/deploy_interface", "/instance_info/boot_iso"}


def test_secure_boot_and_persistent_boot_are_told() -> None:
    site = replace(SITE, persistent_boot=PersistentBoot(image="Always", live_iso="Never"))
    written = told(provision(), boot_mode=BootMode.UEFI_SECURE_BOOT, site=site)
    assert written["/instance_info/capabilities"] == {"secure_boot": "true"}
    assert written["/driver_info/force_persistent_boot_device"] == "Always"
    assert told(provision(LIVE), site=site)["/driver_info/force_persistent_boot_device"] == "Never"


UNUSABLE: dict[str, tuple[Provision, str]] = {
    "nothing": (provision(None), "spec.image"),
    "no URL": (provision(Image(url="")), "spec.image.url"),
    "no checksum": (provision(Image(url="http://10.0.0.1/image")), "spec.image.checksum"),
}


@pytest.mark.parametrize("name", UNUSABLE)
def test_an_image_that_cannot_be_used_is_refused_by_its_field(name: str) -> None:
    goal, field = UNUSABLE[name]
    progress = advance(goal, host(), node(S.AVAILABLE))
    assert isinstance(progress, Failed)
    assert not progress.retryable
    assert progress.why.startswith(field)


def test_a_failed_image_is_told_and_another_one_is_tried() -> None:
    seen = node(
        S.DEPLOY_FAILED,
        last_error="no space left",
        instance_uuid=INSTANCE,
        instance_info={
            "image_source": IMAGE.url,
            "image_os_hash_algo": "sha256",
            "image_os_hash_value": IMAGE.checksum,
        },
    )
    progress = advance(provision(), host(), seen)
    assert isinstance(progress, Failed)
    assert "no space left" in progress.why
    other = provision(replace(IMAGE, url="http://10.0.0.1/other"))
    assert said(advance(other, host(), seen)) == "patch+validate+deploy!"
    # Interfaces can only be changed once the node is available again.
    assert said(advance(provision(LIVE), host(), seen)) == "deleted"


def test_an_instance_is_not_replaced_but_removed_first() -> None:
    calls = acted(advance(provision(), host(), node(S.AVAILABLE, instance_uuid="another")))
    assert calls[0] == PatchNode(
        node=NODE, operations=({"op": "remove", "path": "/instance_uuid"},)
    )


def test_a_server_that_runs_something_unknown_is_taken_over_without_an_image() -> None:
    written = told(Adopt(instance_uuid=INSTANCE))
    assert written["/instance_uuid"] == INSTANCE
    assert not [path for path in written if "image" in path]


def test_inspection_uses_the_interface_of_its_mode() -> None:
    goal = Inspect(mode=InspectionMode.FAST)
    patch, ask = acted(advance(goal, host(), node(S.MANAGEABLE)))
    assert patch.operations == (
        {"op": "replace", "path": "/inspect_interface", "value": "redfish"},
    )
    assert ask == Ask(node=NODE, verb=Verb.INSPECT)


def test_hardware_that_is_known_is_not_inspected_unless_wanted() -> None:
    seen = node(S.MANAGEABLE, inspection_finished_at="2026-01-01T00:00:00")
    goal = Inspect(mode=InspectionMode.AGENT)
    assert advance(goal, host(), seen) == Done()
    assert said(advance(replace(goal, refresh=True), host(), seen)) == "inspect!"


@pytest.mark.parametrize("why", ["Inspection was aborted by request.", None])
def test_an_aborted_inspection_starts_over_by_itself(why: str | None) -> None:
    seen = node(S.INSPECT_FAILED, last_error=why)
    assert said(advance(Inspect(mode=InspectionMode.AGENT), host(), seen)) == "manage"


SOFT = RAID(software_raid_volumes=(SoftwareRaidVolume(level=SoftwareRaidLevel.MIRROR),))
HARD = RAID(
    hardware_raid_volumes=(
        HardwareRaidVolume(
            level=HardwareRaidLevel.MIRROR, name="root", size_gibibytes=100, rotational=False
        ),
        HardwareRaidVolume(level=HardwareRaidLevel.PARITY, physical_disks=("a", "b", "c")),
    )
)
EMPTY_HARD = RAID(hardware_raid_volumes=())


def prepared(**goal: Any) -> tuple[Any, list[str]]:  # noqa: ANN401 - any field
    """Return the target RAID and the steps of cleaning."""
    progress = advance(Prepare(**goal), host(), node(S.MANAGEABLE))
    if isinstance(progress, Done):
        return None, []
    calls = acted(progress)
    [clean] = [call for call in calls if isinstance(call, Clean)]
    targets = [call.target for call in calls if isinstance(call, WantRaid)]
    return (targets[0] if targets else None), [
        f"{step.interface}.{step.step}" for step in clean.steps
    ]


def test_all_is_prepared_in_one_cleaning_in_order() -> None:
    _, steps = prepared(
        raid=SOFT,
        bios={"B": "1", "A": "2"},
        updates=(FirmwareUpdate(component="bmc", url="http://10.0.0.1/bmc"),),
    )
    assert steps == [
        "raid.delete_configuration",
        "deploy.erase_devices_metadata",
        "raid.create_configuration",
        "bios.apply_configuration",
        "firmware.update",
    ]


def test_settings_and_updates_are_arguments_of_their_steps() -> None:
    update = FirmwareUpdate(component="bmc", url="http://10.0.0.1/bmc")
    for goal, state in (
        (Prepare(bios={"A": "2"}, updates=(update,)), S.MANAGEABLE),
        (Service(bios={"A": "2"}, updates=(update,)), S.ACTIVE),
    ):
        [call] = acted(advance(goal, host(), node(state)))
        bios, firmware = call.steps
        assert bios.args == {"settings": [{"name": "A", "value": "2"}]}
        assert firmware.args == {"settings": [{"component": "bmc", "url": update.url}]}


RAIDS: dict[str, tuple[RAID | None, RAID | None, list[str]]] = {
    "no wish keeps hardware RAID": (None, HARD, []),
    "no wish removes software RAID": (None, SOFT, ["delete", "erase"]),
    "as made": (HARD, HARD, []),
    "software as made": (SOFT, SOFT, []),
    "new hardware RAID": (HARD, None, ["delete", "create"]),
    "hardware RAID removed": (EMPTY_HARD, HARD, ["delete"]),
    "hardware RAID removed that was never made here": (EMPTY_HARD, None, ["delete"]),
    "hardware RAID removed before": (EMPTY_HARD, EMPTY_HARD, []),
    "software instead of removed hardware": (SOFT, EMPTY_HARD, ["delete", "erase", "create"]),
    "hardware instead of software": (HARD, SOFT, ["delete", "create"]),
    "an empty wish": (RAID(), None, []),
}


@pytest.mark.parametrize("name", RAIDS)
def test_raid_is_made_where_it_differs(name: str) -> None:
    wanted, now, expected = RAIDS[name]
    _, steps = prepared(raid=wanted, raid_now=now)
    assert [step.partition(".")[2].partition("_")[0] for step in steps] == expected


def test_hardware_volumes_are_told_in_ironics_words() -> None:
    target, _ = prepared(raid=HARD)
    assert target == {
        "logical_disks": [
            {
                "raid_level": "1",
                "size_gb": 100,
                "volume_name": "root",
                "disk_type": "ssd",
                "is_root_volume": True,
            },
            {
                "raid_level": "5",
                "size_gb": "MAX",
                "physical_disks": ["a", "b", "c"],
                "number_of_physical_disks": 3,
            },
        ]
    }


def test_hints_decide_over_the_first_hardware_volume() -> None:
    target, _ = prepared(raid=HARD, root_hints=RootDeviceHints(serial_number="1"))
    assert target is not None
    assert "is_root_volume" not in target["logical_disks"][0]


def test_software_volumes_are_made_by_the_agent_from_hinted_disks() -> None:
    disks = (RootDeviceHints(serial_number="1"), RootDeviceHints(serial_number="2"))
    volume = SoftwareRaidVolume(level=SoftwareRaidLevel.MIRROR, physical_disks=disks)
    goal = Prepare(raid=RAID(software_raid_volumes=(volume,)))
    patch, want, _ = acted(advance(goal, host(), node(S.MANAGEABLE)))
    assert patch.operations == ({"op": "replace", "path": "/raid_interface", "value": "agent"},)
    assert want.target["logical_disks"] == [
        {
            "controller": "software",
            "raid_level": "1",
            "size_gb": "MAX",
            "is_root_volume": True,
            "physical_disks": [{"serial": "s== 1"}, {"serial": "s== 2"}],
        }
    ]


UNMAKEABLE: dict[str, tuple[Prepare, str, str]] = {
    "both sorts": (
        Prepare(raid=replace(HARD, software_raid_volumes=SOFT.software_raid_volumes)),
        "redfish://10.0.0.7", "spec.raid",
    ),
    "one removed for the other": (
        Prepare(raid=replace(SOFT, hardware_raid_volumes=()), raid_now=HARD),
        "redfish://10.0.0.7", "spec.raid",
    ),
    "IPMI": (Prepare(raid=HARD), "ipmi://10.0.0.7", "spec.raid.hardwareRAIDVolumes"),
    "the old switches": (
        Prepare(firmware=FirmwareConfig(sriov_enabled=True)),
        "redfish://10.0.0.7", "spec.firmware",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", UNMAKEABLE)
def test_what_cannot_be_prepared_is_refused_by_its_field(name: str) -> None:
    goal, address, field = UNMAKEABLE[name]
    subject = host(address)
    progress = advance(goal, subject, node(S.MANAGEABLE, subject))
    assert isinstance(progress, Failed)
    assert not progress.retryable
    assert progress.why.startswith(field)


def test_cleaning_is_as_the_host_wants_it_when_the_image_goes() -> None:
    for goal, subject in (
        (Deprovision(), host(automated_clean=False)),
        (Deprovision(clean=False), host()),
    ):
        patch, ask = acted(advance(goal, subject, node(S.ACTIVE)))
        assert patch.operations == ({"op": "replace", "path": "/automated_clean", "value": False},)
        assert ask.verb is Verb.DELETED


def test_a_dead_bmc_does_not_hold_a_deprovisioning_up() -> None:
    seen = node(S.MANAGEABLE, maintenance=True, fault="power failure")
    assert said(advance(Deprovision(), host(), seen)) == "free+provide!"


def test_other_work_waits_for_a_bmc_that_does_not_answer_and_says_so() -> None:
    seen = node(
        S.AVAILABLE, maintenance=True, fault="power failure", maintenance_reason="no answer"
    )
    progress = advance(provision(), host(), seen)
    assert isinstance(progress, Waiting)
    assert "no answer" in progress.doing


def test_a_server_is_shut_down_before_it_is_switched_off() -> None:
    seen = node(S.ACTIVE, power_state="power on")
    soft = SetPower(node=NODE, target=PowerTarget.SOFT_OFF, timeout_seconds=180)
    assert acted(advance(PowerOff(), host(), seen)) == (soft,)
    hard = SetPower(node=NODE, target=PowerTarget.OFF)
    assert acted(advance(PowerOff(hard=True), host(), seen)) == (hard,)
    assert hardened(soft) == hard
    assert hardened(hard) is None


def test_a_power_failure_is_told_once_and_then_tried_again() -> None:
    seen = node(S.ACTIVE, last_error="Failed to change power state to 'power on'")
    assert said(advance(PowerOn(), host(), seen)) == "failed"
    assert said(advance(PowerOn(force=True), host(), seen)) == "on!"
    other = node(S.ACTIVE, last_error="Failed to attach virtual media")
    assert said(advance(PowerOn(), host(), other)) == "on!"


def test_a_switch_under_way_is_waited_for() -> None:
    seen = node(S.ACTIVE, target_power_state="power on")
    assert said(advance(PowerOn(), host(), seen)) == "wait"


def test_automated_cleaning_is_let_finish_unless_it_is_not_wanted() -> None:
    goal = PowerOff(hard=True, abort=True)
    seen = node(S.CLEAN_WAIT, target_provision_state="available")
    assert said(advance(goal, host(), seen)) == "wait"
    assert said(advance(goal, host(automated_clean=False), seen)) == "abort"
    manual = node(S.CLEAN_WAIT, target_provision_state="manageable")
    assert said(advance(goal, host(), manual)) == "abort"


def test_the_same_question_has_the_same_answer() -> None:
    seen = node(S.AVAILABLE)
    assert advance(provision(), host(), seen) == advance(provision(), host(), seen)
