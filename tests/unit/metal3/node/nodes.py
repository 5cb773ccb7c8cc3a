"""Hosts and nodes to ask about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ingot.bmc.address import parse
from ingot.ironic.node import Node
from ingot.ironic.patch import MASK
from ingot.ironic.states import ProvisionState
from ingot.metal3.api.image import ChecksumType, Image
from ingot.metal3.node.record import creation
from ingot.metal3.node.subject import Credentials, Ramdisk, Site, Subject

REDFISH = "redfish-virtualmedia://10.0.0.7/redfish/v1/Systems/1"
PASSWORD = "tr0ub4dor"
MAC = "52:54:00:00:00:01"
INSTANCE = "6f6cd1ab-4d5f-4e5c-8d7c-5c9a8f3f7a10"
IMAGE = Image(url="http://10.0.0.1/image.raw", checksum="0" * 64, checksum_type=ChecksumType.SHA256)

SITE = Site(
    ramdisk=Ramdisk(
        iso="http://10.0.0.1/agent.iso",
        kernel="http://10.0.0.1/agent.kernel",
        initrd="http://10.0.0.1/agent.initrd",
    )
)


def host(address: str = REDFISH, **said: Any) -> Subject:  # noqa: ANN401 - any field
    """Return a host."""
    values: dict[str, Any] = {
        "namespace": "metal3",
        "name": "worker-0",
        "uid": "0b8f9c1e-55a4-4d5e-8f3a-0123456789ab",
        "bmc": parse(address),
        "credentials": Credentials("admin", PASSWORD),
        "boot_mac": MAC,
        "site": SITE,
    }
    return Subject(**{**values, **said})


def masked(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node's fields as Ironic shows them once they were created."""
    shown: dict[str, Any] = dict.fromkeys(Node.FIELDS)
    shown |= {"disable_power_off": False, "health": None, "maintenance": False}
    shown |= {"instance_info": {}, "driver_internal_info": {}, "network_data": {}, "extra": {}}
    shown |= {"clean_step": {}, "deploy_step": {}, "service_step": {}}
    shown |= {"deploy_interface": "autodetect", "management_interface": "redfish"}
    shown |= fields
    info = dict(shown["driver_info"])
    shown["driver_info"] = {
        key: MASK if key.endswith("_password") else value for key, value in info.items()
    }
    return shown


def node(state: ProvisionState, subject: Subject | None = None, **fields: Any) -> Node:  # noqa: ANN401
    """Return the node of a host, registered as it should be, in a state."""
    document = masked(creation(subject or host()))
    document |= {"provision_state": state.value, "power_state": "power off", **fields}
    return Node.read(document)
