"""How Ironic is told to reach a BMC."""

from __future__ import annotations

from typing import Final

from ingot.ironic.document import Json
from ingot.ironic.node import Node
from ingot.ironic.patch import REMOVED, Removed
from ingot.metal3.node.subject import Subject

__all__ = ["bmc_access", "names_another_bmc"]

_IPMI: Final = (
    "ipmi_address",
    "ipmi_port",
    "ipmi_username",
    "ipmi_password",
    "ipmi_priv_level",
    "ipmi_verify_ca",
)
_REDFISH: Final = (
    "redfish_address",
    "redfish_username",
    "redfish_password",
    "redfish_system_id",
    "redfish_verify_ca",
)


def bmc_access(subject: Subject) -> dict[str, Json | Removed]:
    """Return the keys of `driver_info` about the BMC; those of the other family go."""
    bmc, credentials = subject.bmc, subject.credentials
    keys: dict[str, Json | Removed] = dict.fromkeys((*_IPMI, *_REDFISH), REMOVED)
    family = "redfish" if bmc.traits.is_redfish else "ipmi"
    if bmc.traits.is_redfish:
        keys["redfish_address"] = bmc.origin
        if bmc.system_id is not None:
            keys["redfish_system_id"] = bmc.system_id
    else:
        keys["ipmi_address"] = bmc.host
        keys["ipmi_port"] = bmc.port
        keys["ipmi_priv_level"] = str(bmc.privilege_level)
    if not subject.verify_certificate:
        keys[f"{family}_verify_ca"] = False
    if credentials is None:
        # Lost, not withdrawn: what Ironic has may still do.
        del keys[f"{family}_username"], keys[f"{family}_password"]
    else:
        keys[f"{family}_username"] = credentials.username
        keys[f"{family}_password"] = credentials.password
    return keys


def names_another_bmc(subject: Subject, node: Node) -> bool:
    """Whether the node has another BMC or another user than the host.

    The password is then written too, though Ironic shows it masked: it can hardly be the same.
    """
    wanted = bmc_access(subject)
    seen = node.driver_info
    return any(
        value is not REMOVED and seen.get(key) != value
        for key, value in wanted.items()
        if key.endswith(("_address", "_port", "_username"))
    )
