"""A host as Ironic has to know it."""

from __future__ import annotations

import pytest

from ingot.metal3.api.baremetalhost import BareMetalHost, InspectionMode
from ingot.metal3.api.bootmode import BootMode
from ingot.metal3.api.reading import read
from ingot.metal3.node.goal import Delete, Detach, PowerOn, Register
from ingot.metal3.node.progress import Failed
from ingot.metal3.node.subject import Credentials, Site
from ingot.metal3.operator.hosts.subject import Means, named


def host(
    address: str = "redfish://10.0.0.5/redfish/v1/Systems/1", **parts: object
) -> BareMetalHost:
    spec = {"online": True, "bmc": {"address": address, "credentialsName": "bmc"}}
    meta = {"name": "worker-0", "namespace": "metal3", "uid": "u-1"}
    return read(
        BareMetalHost,
        {
            "metadata": {**meta, **parts.get("metadata", {})},  # type: ignore[dict-item]
            "spec": {**spec, **parts.get("spec", {})},  # type: ignore[dict-item]
            "status": parts.get("status", {}),
        },
    )


def test_host_is_known_by_namespace_and_name() -> None:
    subject = named(host(), Means(), Site()).subject
    assert subject.node_name == "metal3~worker-0"
    assert subject.boot_mode is BootMode.UEFI
    assert subject.automated_clean


def test_credentials_are_not_shown() -> None:
    means = Means(credentials=Credentials("root", "hidden"))
    assert "hidden" not in repr(named(host(), means, Site()))


def test_boot_mode_is_the_one_that_was_last_recorded() -> None:
    status = {"provisioning": {"state": "provisioned", "ID": "", "bootMode": "legacy"}}
    changed = host(spec={"bootMode": "UEFI"}, status=status)
    assert named(changed, Means(), Site()).subject.boot_mode is BootMode.LEGACY


def test_annotation_turns_inspection_off() -> None:
    annotated = host(metadata={"annotations": {"inspect.metal3.io": "disabled"}})
    assert named(annotated, Means(), Site()).subject.inspection is InspectionMode.DISABLED


@pytest.mark.parametrize("address", ["carrier-pigeon://10.0.0.5", "redfish://", "ipmi://"])
def test_unreadable_address_refuses_all_goals_but_removal(address: str) -> None:
    found = named(host(address), Means(), Site())
    for goal in (Register(), PowerOn()):
        refusal = found.refuses(goal)
        assert isinstance(refusal, Failed)
        assert refusal.why.startswith("spec.bmc.address")
        assert not refusal.retryable
    assert found.refuses(Delete()) is None
    assert found.refuses(Detach()) is None
