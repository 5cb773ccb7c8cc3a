"""How a host is made known to Ironic, and kept as it should be known."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_address
from typing import Any

import pytest

from ingot.bmc.scheme import SPELLINGS
from ingot.ironic.node import Node, NodeId
from ingot.ironic.patch import MASK
from ingot.ironic.ports import Port, PortId
from ingot.ironic.states import ProvisionState
from ingot.ironic.version import BASELINE
from ingot.metal3.api.baremetalhost import InspectionMode
from ingot.metal3.api.bootmode import BootMode
from ingot.metal3.node.advancing import advance
from ingot.metal3.node.calls import CreateNode, CreatePort, DeletePort, PatchNode
from ingot.metal3.node.goal import Register
from ingot.metal3.node.progress import Act, Done, Failed
from ingot.metal3.node.record import creation
from ingot.metal3.node.subject import Credentials, Ramdisk, Subject
from tests.unit.metal3.node.nodes import MAC, PASSWORD, SITE, host, node
from tests.unit.metal3.node.words import said

S = ProvisionState


def made(subject: Subject) -> dict[str, Any]:
    """Return the fields of a new node."""
    progress = advance(Register(), subject, None)
    assert isinstance(progress, Act)
    [create] = [call for call in progress.calls if isinstance(call, CreateNode)]
    return dict(create.fields)


def patched(goal: Register, subject: Subject, seen: Node) -> dict[str, Any]:
    """Return what is written to a node, by its path; None stands for removed."""
    progress = advance(goal, subject, seen)
    if isinstance(progress, Done):
        return {}
    assert isinstance(progress, Act), progress
    written: dict[str, Any] = {}
    for call in progress.calls:
        if isinstance(call, PatchNode):
            written |= {str(one["path"]): one.get("value") for one in call.operations}
    return written


def port(address: str, owner: Node | None, *, pxe: bool = True) -> Port:
    whose = owner.uuid if owner else NodeId("another")
    return Port(uuid=PortId(address), address=address, node_uuid=whose, pxe_enabled=pxe)


def test_a_new_node_is_named_for_its_host_and_has_all_that_ironic_needs() -> None:
    assert made(host()) == {
        "uuid": host().node_id,
        "name": "metal3~worker-0",
        "driver": "redfish",
        "boot_interface": "redfish-virtual-media",
        "firmware_interface": "redfish",
        "inspect_interface": "agent",
        "raid_interface": "redfish",
        "automated_clean": True,
        "disable_power_off": False,
        "properties": {"capabilities": "boot_mode:uefi"},
        "driver_info": {
            "redfish_address": "https://10.0.0.7",
            "redfish_system_id": "/redfish/v1/Systems/1",
            "redfish_username": "admin",
            "redfish_password": PASSWORD,
            "deploy_iso": "http://10.0.0.1/agent.iso",
        },
    }


def test_an_ipmi_host_boots_a_kernel_over_the_network() -> None:
    fields = made(host("ipmi://10.0.0.7:6230?privilegelevel=operator", verify_certificate=False))
    assert fields["driver"] == "ipmi"
    assert fields["boot_interface"] == "ipxe"
    assert fields["raid_interface"] == "no-raid"
    assert fields["driver_info"] == {
        "ipmi_address": "10.0.0.7",
        "ipmi_port": 6230,
        "ipmi_priv_level": "OPERATOR",
        "ipmi_username": "admin",
        "ipmi_password": PASSWORD,
        "ipmi_verify_ca": False,
        "deploy_kernel": "http://10.0.0.1/agent.kernel",
        "deploy_ramdisk": "http://10.0.0.1/agent.initrd",
    }


@pytest.mark.parametrize("spelling", sorted(SPELLINGS))
def test_a_host_of_every_scheme_is_registered_once_and_then_left_alone(spelling: str) -> None:
    subject = host(f"{spelling}://10.0.0.7")
    assert made(subject)["driver"] == subject.bmc.traits.driver
    assert advance(Register(), subject, node(S.MANAGEABLE, subject), ports=()) != Done()
    known = node(S.MANAGEABLE, subject)
    assert advance(Register(), subject, known, ports=[port(MAC, known)]) == Done()


CREATED: dict[str, tuple[dict[str, Any], str, Any]] = {
    "fast inspection asks the BMC": (
        {"inspection": InspectionMode.FAST}, "inspect_interface", "redfish",
    ),
    "secure boot": (
        {"boot_mode": BootMode.UEFI_SECURE_BOOT},
        "properties", {"capabilities": "boot_mode:uefi,secure_boot:true"},
    ),
    "legacy boot of an architecture": (
        {"boot_mode": BootMode.LEGACY, "architecture": "x86_64"},
        "properties", {"capabilities": "boot_mode:bios", "cpu_arch": "x86_64"},
    ),
    "no cleaning": ({"automated_clean": False}, "automated_clean", False),
    "never off": ({"disable_power_off": True}, "disable_power_off", True),
    "network data": ({"network_data": {"links": []}}, "network_data", {"links": []}),
}  # fmt: skip


@pytest.mark.parametrize("name", CREATED)
def test_a_new_node_has_what_the_host_says(name: str) -> None:
    changed, field, value = CREATED[name]
    assert made(host(**changed))[field] == value


def test_a_ramdisk_made_for_the_host_is_used_with_its_parameters() -> None:
    ramdisk = Ramdisk(initrd="http://10.0.0.1/own.initrd", kernel_params="ip=dhcp")
    info = made(host(ramdisk=ramdisk))["driver_info"]
    assert info["deploy_ramdisk"] == "http://10.0.0.1/own.initrd"
    assert info["deploy_kernel"] == "http://10.0.0.1/agent.kernel"
    assert info["kernel_append_params"] == "%default% ip=dhcp"
    assert "deploy_iso" not in info


@pytest.mark.parametrize(
    ("address", "resolved", "expected"),
    [
        ("redfish://[2001:db8::7]", None, True),
        ("redfish://bmc.example.com", "2001:db8::7", True),
        ("redfish://bmc.example.com", "10.0.0.7", False),
        ("redfish://10.0.0.7", None, False),
    ],
)
def test_a_bmc_with_ipv6_is_given_an_address_that_it_can_reach(
    address: str, resolved: str | None, *, expected: bool
) -> None:
    site = replace(SITE, external_url_v6="http://[2001:db8::1]:6180")
    subject = host(address, site=site, resolved=ip_address(resolved) if resolved else None)
    assert ("external_http_url" in made(subject)["driver_info"]) is expected


def test_a_node_id_follows_from_the_host_so_that_a_lost_answer_does_no_harm() -> None:
    assert host().node_id == host(name="renamed").node_id
    assert host().node_id != host(uid="another").node_id


def test_every_network_card_that_is_known_gets_a_port() -> None:
    subject = host(nics=(MAC.upper(), "52:54:00:00:00:AA"))
    progress = advance(Register(), subject, None)
    assert isinstance(progress, Act)
    ports = [call for call in progress.calls if isinstance(call, CreatePort)]
    assert [(one.address, one.pxe_enabled) for one in ports] == [
        (MAC, True),
        ("52:54:00:00:00:aa", False),
    ]


def test_a_changed_boot_address_replaces_its_port() -> None:
    seen = node(S.MANAGEABLE)
    old = port("52:54:00:00:00:99", seen)
    progress = advance(Register(), host(), seen, ports=[old])
    assert isinstance(progress, Act)
    assert progress.calls == (
        CreatePort(node=seen.uuid, address=MAC, pxe_enabled=True),
        DeletePort(port=old),
    )


def test_ports_that_nobody_looked_at_are_neither_made_nor_removed() -> None:
    assert advance(Register(), host(), node(S.MANAGEABLE)) == Done()


def test_a_boot_address_that_another_node_has_is_refused_without_a_call() -> None:
    progress = advance(Register(), host(), None, ports=[port(MAC, None)])
    assert isinstance(progress, Failed)
    assert f"spec.bootMACAddress {MAC}" in progress.why
    assert progress.retryable  # the other host may go


def test_only_what_differs_is_written() -> None:
    seen = node(S.ACTIVE, host(automated_clean=False))
    assert patched(Register(), host(), seen) == {"/automated_clean": True}


def test_capabilities_of_others_stay() -> None:
    seen = node(S.ACTIVE, properties={"capabilities": "iscsi_boot:true,boot_mode:bios"})
    written = patched(Register(), host(), seen)
    assert written == {"/properties/capabilities": "boot_mode:uefi,iscsi_boot:true"}


def test_a_password_is_written_when_it_changed_and_not_before() -> None:
    assert patched(Register(), host(), node(S.ACTIVE)) == {}
    subject = host(credentials=Credentials("admin", "new"))
    assert patched(Register(), subject, node(S.ACTIVE)) == {}  # masked: nobody can tell
    written = patched(Register(again=True), subject, node(S.ACTIVE))
    assert written == {"/driver_info/redfish_password": "new"}


def test_another_user_or_address_takes_its_password_along() -> None:
    subject = host(credentials=Credentials("root", "new"))
    written = patched(Register(), subject, node(S.ACTIVE))
    assert written == {
        "/driver_info/redfish_username": "root",
        "/driver_info/redfish_password": "new",
    }
    moved = host("redfish-virtualmedia://10.0.0.8/redfish/v1/Systems/1")
    assert patched(Register(), moved, node(S.ACTIVE)) == {
        "/driver_info/redfish_address": "https://10.0.0.8",
        "/driver_info/redfish_password": PASSWORD,
    }


def test_lost_credentials_do_not_take_from_ironic_what_it_has() -> None:
    assert patched(Register(), host(credentials=None), node(S.ACTIVE)) == {}


def test_another_scheme_changes_driver_and_keys_at_once_also_while_deployed() -> None:
    progress = advance(Register(), host("ipmi://10.0.0.7"), node(S.ACTIVE))
    assert said(progress) == "hold+patch+free"
    written = patched(Register(), host("ipmi://10.0.0.7"), node(S.ACTIVE))
    assert written["/driver"] == "ipmi"
    assert written["/management_interface"] is None  # its own default again
    assert written["/driver_info/redfish_address"] is None
    assert written["/driver_info/ipmi_address"] == "10.0.0.7"


def test_an_interface_is_changed_only_where_ironic_allows_it() -> None:
    moved = host("redfish://10.0.0.7/redfish/v1/Systems/1")
    written = patched(Register(), moved, node(S.MANAGEABLE))
    assert written["/boot_interface"] == "ipxe"
    assert "/boot_interface" not in patched(Register(), moved, node(S.ACTIVE))


def test_an_interface_for_software_raid_is_left_until_the_next_raid() -> None:
    assert patched(Register(), host(), node(S.MANAGEABLE, raid_interface="agent")) == {}


def test_network_data_that_is_not_wanted_any_more_goes() -> None:
    seen = node(S.MANAGEABLE, network_data={"links": [1], "services": []})
    written = patched(Register(), host(network_data={"links": []}), seen)
    assert written == {"/network_data/links": [], "/network_data/services": None}


def test_a_bmc_that_was_not_reached_is_a_failure_until_something_changes() -> None:
    seen = node(S.ENROLL, last_error="Unable to connect")
    progress = advance(Register(), host(), seen)
    assert isinstance(progress, Failed)
    assert "Unable to connect" in progress.why
    assert said(advance(Register(again=True), host(), seen)) == "patch+manage!"
    moved = host("redfish-virtualmedia://10.0.0.8/redfish/v1/Systems/1")
    assert said(advance(Register(), moved, seen)) == "patch+manage!"


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        ("HTTP GET https://10.0.0.5/redfish/v1/Systems/1 returned code 401.", "refuses the cred"),
        ("HTTP GET https://10.0.0.5/redfish/v1/Systems/1 returned code 504.", "cannot reach"),
        ("Error: IPMI call failed: power status.", "does not answer by IPMI, or refuses"),
    ],
)
def test_what_kept_ironic_from_a_bmc_is_told_in_plain_words(error: str, meaning: str) -> None:
    progress = advance(Register(), host(), node(S.ENROLL, last_error=error))
    assert isinstance(progress, Failed)
    assert meaning in progress.why
    assert progress.why.endswith(error)


def test_maintenance_without_a_fault_is_left_behind() -> None:
    seen = node(S.ACTIVE, maintenance=True)
    assert said(advance(Register(), host(), seen)) == "free"
    broken = node(S.ACTIVE, maintenance=True, fault="power failure")
    assert advance(Register(), host(), broken) == Done()


REFUSED: dict[str, tuple[Subject, str]] = {
    "secure boot over IPMI": (
        host("ipmi://10.0.0.7", boot_mode=BootMode.UEFI_SECURE_BOOT), "spec.bootMode",
    ),
    "no provisioning network": (
        host("ipmi://10.0.0.7", site=replace(SITE, provisioning_network=False)),
        "spec.bmc.address",
    ),
    "an old Ironic": (
        host(disable_power_off=True, site=replace(SITE, version=BASELINE)),
        "spec.disablePowerOff",
    ),
    "fast inspection over IPMI": (
        host("ipmi://10.0.0.7", inspection=InspectionMode.FAST), "spec.inspectionMode",
    ),
    "no MAC address for libvirt": (
        host("libvirt://10.0.0.7", boot_mac=None), "spec.bootMACAddress",
    ),
    "no MAC address and no inspection": (
        host(boot_mac=None, inspection=InspectionMode.DISABLED), "spec.bootMACAddress",
    ),
    "no password": (host(credentials=Credentials("admin", "")), "spec.bmc.credentialsName"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_is_refused_before_any_call_by_its_field(name: str) -> None:
    subject, field = REFUSED[name]
    progress = advance(Register(), subject, None)
    assert isinstance(progress, Failed)
    assert not progress.retryable
    assert progress.why.startswith(field)
    assert ":" in progress.why  # and then what to do


def test_all_that_is_wrong_is_told_at_once() -> None:
    subject = host("libvirt://10.0.0.7", boot_mac=None, inspection=InspectionMode.FAST)
    progress = advance(Register(), subject, None)
    assert isinstance(progress, Failed)
    assert "spec.inspectionMode" in progress.why
    assert "spec.bootMACAddress" in progress.why


def test_no_secret_is_ever_shown() -> None:
    progress = advance(Register(), host(), None)
    changed = advance(Register(again=True), host(), node(S.ACTIVE))
    for shown in (host(), progress, changed):
        assert PASSWORD not in repr(shown)
        assert PASSWORD not in str(shown)
    assert node(S.ACTIVE).driver_info["redfish_password"] == MASK


def test_a_site_without_servers_has_another_driver_and_its_defaults() -> None:
    fields = creation(host(site=replace(SITE, driver="fake-hardware")))
    assert fields["driver"] == "fake-hardware"
    assert not [name for name in fields if name.endswith("_interface")]
