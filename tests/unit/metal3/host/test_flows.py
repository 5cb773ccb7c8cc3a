"""Inspection, preparing, servicing, adoption and detaching: what happens within a state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ingot.metal3.api import annotation
from ingot.metal3.api.baremetalhost import AutomatedCleaningMode, InspectionMode
from ingot.metal3.api.image import DiskFormat, Image
from ingot.metal3.api.raid import RAID, SoftwareRaidLevel, SoftwareRaidVolume
from ingot.metal3.api.states import OperationalStatus
from ingot.metal3.host.decision import FirmwareRecord
from ingot.metal3.host.observation import (
    CredentialsGood,
    DeployData,
    FirmwareSeen,
    NodeSeen,
    RamdiskSeen,
    RamdiskState,
)
from ingot.metal3.node.goal import (
    Adopt,
    Deprovision,
    Detach,
    FirmwareUpdate,
    Inspect,
    PowerOff,
    PowerOn,
    Prepare,
    Provision,
    Register,
    Service,
)
from tests.unit.metal3.host.asking import Asked
from tests.unit.metal3.host.hosts import (
    HARDWARE,
    IMAGE,
    N,
    S,
    act,
    broken,
    condition,
    counted,
    host,
    look,
    reasons,
    seen,
    then,
    unseen,
    wait,
)

IN_USE: dict[str, Any] = {"image": IMAGE, "provisioning": {"image": IMAGE}}
OFF = NodeSeen(id="node-1", state=N.ACTIVE, powered_on=False)
DETACHED = {"operational_status": OperationalStatus.DETACHED}
UPDATE = FirmwareUpdate(component="bmc", url="http://x/bmc.bin")


# Registration


def test_registering_writes_the_status_after_the_calls() -> None:
    subject = host(S.REGISTERING, status={"tried_credentials": {}, "good_credentials": {}})
    decision = look(subject, unseen(answers={Register: act("create")}))
    assert decision.calls == ("create",)
    assert decision.calls_first
    assert decision.status.tried_credentials.credentials_version == "1"
    assert decision.status.good_credentials.credentials_version == ""


def test_credentials_are_good_once_the_bmc_took_them() -> None:
    subject = host(S.REGISTERING, status={"good_credentials": {}})
    decision = look(subject, seen(S.REGISTERING))
    assert decision.status.good_credentials.credentials_version == "1"
    assert "BMCAccessValidated" in reasons(decision)


def test_new_credentials_are_handed_over_in_whatever_state() -> None:
    asked = Asked(seen(S.PROVISIONED, {Register: act("patch")}, credentials=CredentialsGood("2")))
    decision = look(host(S.PROVISIONED, **IN_USE), asked.seen)
    assert asked.goals == [Register(again=True)]
    assert decision.status.provisioning.state is S.PROVISIONED
    taken = seen(S.PROVISIONED, credentials=CredentialsGood("2"))
    good = look(then(host(S.PROVISIONED, **IN_USE), decision), taken)
    assert good.status.good_credentials.credentials_version == "2"
    assert "metal3_credentials_updated_total" in counted(good)


def test_a_node_that_ironic_lost_is_made_again_and_counted() -> None:
    subject = host(S.PROVISIONED, **IN_USE)
    decision = look(subject, unseen(answers={Register: act("create")}))
    assert decision.calls == ("create",)
    assert "metal3_host_registration_required_total" in counted(decision)
    node = NodeSeen(id="node-2", state=N.MANAGEABLE)
    adopting = look(then(subject, decision), seen(answers={Adopt: act("adopt")}, node=node))
    assert adopting.calls == ("adopt",)
    assert adopting.status.provisioning.id == "node-2"


# Inspection


@pytest.mark.parametrize("mode", [InspectionMode.AGENT, InspectionMode.FAST])
def test_inspection_runs_in_its_mode(mode: InspectionMode) -> None:
    asked = Asked(seen(S.INSPECTING, {Inspect: act()}))
    decision = look(host(S.INSPECTING, inspection_mode=mode), asked.seen)
    assert Inspect(mode=mode) in asked.goals
    assert reasons(decision) == {"InspectionStarted"}


def test_the_inspect_annotation_goes_when_the_inspection_begins() -> None:
    subject = host(S.INSPECTING, annotations={annotation.INSPECT: ""})
    asked = Asked(seen(S.INSPECTING, {Inspect: act()}))
    decision = look(subject, asked.seen)
    assert Inspect(mode=InspectionMode.AGENT, refresh=True) in asked.goals
    assert decision.annotations_removed == (annotation.INSPECT,)


def test_the_inspect_annotation_goes_too_when_we_died_after_the_inspection_began() -> None:
    subject = host(S.INSPECTING, annotations={annotation.INSPECT: ""})
    node = NodeSeen(id="node-1", state=N.INSPECT_WAIT)
    decision = look(subject, seen(S.INSPECTING, {Inspect: wait()}, node=node))
    assert decision.annotations_removed == (annotation.INSPECT,)


def test_what_inspection_found_is_fetched_and_kept() -> None:
    fetching = look(host(S.INSPECTING), seen(S.INSPECTING))
    assert fetching.wants_inventory
    kept = look(host(S.INSPECTING), seen(S.INSPECTING, inventory=HARDWARE))
    assert kept.status.hardware == HARDWARE
    assert kept.hardware_data == HARDWARE
    assert "InspectionComplete" in reasons(kept)


def test_inspection_that_is_disabled_meanwhile_ends() -> None:
    subject = host(S.INSPECTING, inspection_mode=InspectionMode.DISABLED)
    decision = look(subject, seen(S.INSPECTING, {Inspect: wait()}))
    assert decision.status.provisioning.state is S.PREPARING


def test_the_architecture_is_written_into_the_spec_once_it_is_known() -> None:
    assert look(host(), seen(hardware_data=HARDWARE)).architecture == "x86_64"
    assert look(host(architecture="aarch64"), seen(hardware_data=HARDWARE)).architecture == ""


# Preparing

VOLUME = SoftwareRaidVolume(level=SoftwareRaidLevel.MIRROR)
SOFTWARE = RAID(software_raid_volumes=(VOLUME,))


def test_what_a_host_is_prepared_with_is_noted_when_it_begins() -> None:
    subject = host(S.PREPARING, raid=SOFTWARE)
    firmware = FirmwareSeen(asked=True, settings={"a": "b"}, updates=(UPDATE,))
    asked = Asked(seen(S.PREPARING, {Prepare: act("clean")}, firmware=firmware))
    decision = look(subject, asked.seen)
    assert decision.status.provisioning.raid == SOFTWARE
    assert decision.firmware_updates is FirmwareRecord.RECORD
    prepare = next(goal for goal in asked.goals if isinstance(goal, Prepare))
    assert not prepare.started
    asked = Asked(seen(S.PREPARING, {Prepare: wait()}, firmware=firmware))
    look(then(subject, decision), asked.seen)
    prepare = next(goal for goal in asked.goals if isinstance(goal, Prepare))
    assert prepare.started


def test_nothing_is_noted_before_it_begins() -> None:
    to_manage = act("manage", begins=False)
    decision = look(host(S.PREPARING, raid=SOFTWARE), seen(S.PREPARING, {Prepare: to_manage}))
    assert decision.status.provisioning.raid is None


def test_firmware_that_does_not_show_its_new_settings_is_not_prepared_for_ever() -> None:
    firmware = FirmwareSeen(asked=True, settings={"a": "b"})
    subject = host(S.PREPARING)
    subject = then(subject, look(subject, seen(S.PREPARING, firmware=firmware)))
    still = look(subject, seen(firmware=firmware))
    assert still.status.provisioning.state is S.AVAILABLE
    other = FirmwareSeen(asked=True, settings={"a": "c"})
    assert look(subject, seen(firmware=other)).status.provisioning.state is S.PREPARING


def test_the_same_settings_are_prepared_again_after_they_were_there_once() -> None:
    firmware = FirmwareSeen(asked=True, settings={"a": "b"})
    subject = host(S.PREPARING)
    subject = then(subject, look(subject, seen(S.PREPARING, firmware=firmware)))
    subject = then(subject, look(subject, seen()))
    assert look(subject, seen(firmware=firmware)).status.provisioning.state is S.PREPARING


# Provisioning and deprovisioning


def test_a_live_iso_gets_no_config_drive() -> None:
    image = Image(url="http://x/live.iso", format=DiskFormat.LIVE_ISO)
    drive = DeployData(config_drive=object())  # type: ignore[arg-type]
    for wanted, expected in ((image, None), (IMAGE, drive.config_drive)):
        asked = Asked(seen(S.PROVISIONING, {Provision: act()}, deploy=drive))
        look(host(S.PROVISIONING, image=wanted, provisioning={"image": wanted}), asked.seen)
        goal = next(goal for goal in asked.goals if isinstance(goal, Provision))
        assert goal.config_drive is expected


def test_the_instance_is_named_by_the_host() -> None:
    asked = Asked(seen(S.PROVISIONING, {Provision: act()}))
    look(host(S.PROVISIONING, **IN_USE), asked.seen)
    goal = next(goal for goal in asked.goals if isinstance(goal, Provision))
    assert goal.instance_uuid == host().metadata.uid


@pytest.mark.parametrize(
    ("mode", "clean"),
    [(AutomatedCleaningMode.METADATA, True), (AutomatedCleaningMode.DISABLED, False)],
)
def test_cleaning_follows_its_mode(mode: AutomatedCleaningMode, clean: bool) -> None:  # noqa: FBT001
    asked = Asked(seen(S.DEPROVISIONING, {Deprovision: act()}))
    decision = look(host(S.DEPROVISIONING, automated_cleaning_mode=mode), asked.seen)
    assert Deprovision(clean=clean) in asked.goals
    assert reasons(decision) == {"DeprovisioningStarted"}


# Servicing

SERVICED = FirmwareSeen(asked=True, settings={"a": "b"}, settings_on_reboot=True)


def test_servicing_yields_one_look_then_begins_then_the_host_is_turned_on() -> None:
    subject = host(S.PROVISIONED, **IN_USE)
    answers = {Service: act("service"), PowerOn: act("on")}
    first = look(subject, seen(S.PROVISIONED, answers, node=OFF, firmware=SERVICED))
    assert first.status.operational_status is OperationalStatus.SERVICING
    assert not first.calls
    subject = then(subject, first)
    begun = look(subject, seen(S.PROVISIONED, answers, node=OFF, firmware=SERVICED))
    assert begun.calls == ("service",)
    assert begun.status.operational_status is OperationalStatus.SERVICING
    assert condition(begun, "Ready") == ("False", "Servicing")
    subject = then(subject, begun)
    over = look(subject, seen(S.PROVISIONED, {PowerOn: act("on")}, node=OFF, firmware=SERVICED))
    assert over.calls == ("on",)
    assert over.status.operational_status is OperationalStatus.OK


@pytest.mark.parametrize(
    "firmware",
    [
        FirmwareSeen(asked=True, settings={"a": "b"}),
        FirmwareSeen(asked=True, updates=(UPDATE,), settings_on_reboot=True),
        FirmwareSeen(settings_on_reboot=True, updates_on_reboot=True),
    ],
    ids=["no policy", "policy for something else", "nothing asked"],
)
def test_a_host_is_not_serviced_without_leave(firmware: FirmwareSeen) -> None:
    observed = seen(S.PROVISIONED, {PowerOn: act("on")}, node=OFF, firmware=firmware)
    assert look(host(S.PROVISIONED, **IN_USE), observed).calls == ("on",)


def test_updates_that_may_not_be_made_now_are_not_noted_as_made() -> None:
    subject = host(
        S.PROVISIONED, status={"operational_status": OperationalStatus.SERVICING}, **IN_USE
    )
    firmware = replace(SERVICED, updates=(UPDATE,))
    observed = seen(S.PROVISIONED, {Service: act("service")}, node=OFF, firmware=firmware)
    decision = look(subject, observed)
    assert decision.calls == ("service",)
    assert decision.firmware_updates is None


def test_servicing_waits_for_a_ramdisk() -> None:
    subject = host(
        S.PROVISIONED, status={"operational_status": OperationalStatus.SERVICING}, **IN_USE
    )
    pending = RamdiskSeen(state=RamdiskState.PENDING)
    observed = seen(S.PROVISIONED, {Service: act()}, node=OFF, firmware=SERVICED, ramdisk=pending)
    assert not look(subject, observed).calls


def test_servicing_that_is_not_wanted_any_more_is_withdrawn() -> None:
    subject = host(
        S.PROVISIONED, status={"operational_status": OperationalStatus.SERVICING}, **IN_USE
    )
    node = NodeSeen(id="node-1", state=N.SERVICE_WAIT, powered_on=True)
    asked = Asked(seen(S.PROVISIONED, {Service: act("abort")}, node=node))
    assert look(subject, asked.seen).calls == ("abort",)
    assert Service(started=True, withdrawn=True) in asked.goals


def test_the_power_of_a_host_that_is_serviced_is_left_alone() -> None:
    node = NodeSeen(id="node-1", state=N.SERVICING, powered_on=True)
    asked = Asked(seen(S.PROVISIONED, {Service: wait()}, node=node, firmware=SERVICED))
    look(host(S.PROVISIONED, **IN_USE), asked.seen)
    assert not any(isinstance(goal, PowerOn | PowerOff) for goal in asked.goals)


# Detaching

ASKED = {annotation.DETACHED: ""}
FORCED = {annotation.DETACHED: '{"force": true}'}


@pytest.mark.parametrize("state", [S.PROVISIONED, S.EXTERNALLY_PROVISIONED, S.AVAILABLE, S.READY])
def test_a_quiet_host_is_detached_and_keeps_its_state(state: S) -> None:
    spec: dict[str, Any] = IN_USE if state is S.PROVISIONED else {}
    subject = host(state, annotations=ASKED, **spec)
    begun = look(subject, seen(state, {Detach: act("delete")}))
    assert begun.calls == ("delete",)
    done = look(subject, unseen())
    assert done.status.operational_status is OperationalStatus.DETACHED
    assert done.status.provisioning.state is state
    assert condition(done, "Progressing") == ("False", "Detached")
    again = look(then(subject, done), unseen(answers={Register: act()}))
    assert not again.changed
    assert not again.calls


@pytest.mark.parametrize("state", [S.INSPECTING, S.PREPARING, S.PROVISIONING, S.DEPROVISIONING])
def test_a_busy_host_is_detached_only_by_force(state: S) -> None:
    spec: dict[str, Any] = IN_USE if state is S.PROVISIONING else {}
    working = {Inspect: wait(), Prepare: wait(), Provision: wait(), Deprovision: wait()}
    asked = Asked(seen(state, working))
    look(host(state, annotations=ASKED, **spec), asked.seen)
    assert not any(isinstance(goal, Detach) for goal in asked.goals)
    asked = Asked(seen(state, {**working, Detach: act()}))
    assert look(host(state, annotations=FORCED, **spec), asked.seen).calls
    assert asked.goals == [Detach(force=True)]


def test_a_host_comes_back_when_the_annotation_goes() -> None:
    subject = host(S.PROVISIONED, status=DETACHED, **IN_USE)
    decision = look(subject, unseen(answers={Register: act("create")}))
    assert decision.calls == ("create",)
    assert decision.status.operational_status is OperationalStatus.OK
    assert decision.status.provisioning.state is S.PROVISIONED


def test_a_detached_host_that_is_in_error_is_not() -> None:
    subject = host(S.AVAILABLE, annotations=ASKED)
    failed = look(subject, seen(answers={Register: broken()}))
    assert failed.status.operational_status is OperationalStatus.DETACHED
    assert failed.status.error_type is None
