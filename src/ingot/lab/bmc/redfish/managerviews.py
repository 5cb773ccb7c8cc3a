"""What the emulator lacks of the BMC itself: its network card, its restart, its firmware."""

from __future__ import annotations

from http import HTTPStatus

import flask

from ingot.lab.bmc.redfish import inventory
from ingot.lab.bmc.redfish.amendments import MANAGER_RESETS
from ingot.lab.bmc.redfish.bmc import Bmc, here
from ingot.lab.bmc.redfish.refusal import Refused

__all__ = ["manager_views"]

INVENTORY = "/redfish/v1/UpdateService/FirmwareInventory"

manager_views = flask.Blueprint("Manager", __name__)


@manager_views.get("/redfish")
def versions() -> dict[str, str]:
    """Say where the service root is."""
    return {"v1": "/redfish/v1/"}


@manager_views.get("/redfish/v1/Managers/<identity>/EthernetInterfaces")
def nics(identity: str) -> dict[str, object]:
    """List the one card."""
    path = f"/redfish/v1/Managers/{_own(identity).system_id}/EthernetInterfaces"
    return _collection(path, "EthernetInterface", ["1"])


@manager_views.get("/redfish/v1/Managers/<identity>/EthernetInterfaces/1")
def nic(identity: str) -> dict[str, object]:
    """Describe it."""
    plan = _own(identity).plan
    mac = inventory.bmc_mac(plan)
    return {
        "@odata.id": f"/redfish/v1/Managers/{plan.uuid}/EthernetInterfaces/1",
        "@odata.type": "#EthernetInterface.v1_8_0.EthernetInterface",
        "Id": "1",
        "Name": "BMC network card",
        "HostName": f"{plan.name}-bmc",
        "MACAddress": mac,
        "PermanentMACAddress": mac,
        "InterfaceEnabled": True,
        "LinkStatus": "LinkUp",
        "SpeedMbps": 1000,
        "Status": {"State": "Enabled", "Health": "OK"},
        "IPv4Addresses": [{"Address": str(plan.bmc.address), "AddressOrigin": "Static"}],
    }


@manager_views.post("/redfish/v1/Managers/<identity>/Actions/Manager.Reset")
def reset(identity: str) -> tuple[str, HTTPStatus]:
    """Start the BMC over."""
    asked = flask.request.get_json()
    how = asked.get("ResetType", MANAGER_RESETS[0]) if isinstance(asked, dict) else None
    if how not in MANAGER_RESETS:
        raise Refused(
            HTTPStatus.BAD_REQUEST,
            f"ResetType {how!r} is not one of {', '.join(MANAGER_RESETS)}",
            message_id="ActionParameterValueNotInList",
        )
    _own(identity).restart()
    return "", HTTPStatus.NO_CONTENT


@manager_views.get(INVENTORY)
def firmware() -> dict[str, object]:
    """List what has firmware."""
    return _collection(INVENTORY, "SoftwareInventory", ["BIOS", "BMC"])


@manager_views.get(f"{INVENTORY}/<component>")
def component(component: str) -> dict[str, object]:
    """Describe one."""
    known = {"BIOS": here().nvram.memory.bios_version, "BMC": inventory.BMC_VERSION}
    if component not in known:
        raise _not_found(f"there is no firmware of {component}")
    return {
        "@odata.id": f"{INVENTORY}/{component}",
        "@odata.type": "#SoftwareInventory.v1_5_0.SoftwareInventory",
        "Id": component,
        "Name": f"{component} firmware",
        "Version": known[component],
        "Manufacturer": inventory.MANUFACTURER,
        "Updateable": component == "BIOS",
        "Status": {"State": "Enabled", "Health": "OK"},
    }


def _own(identity: str) -> Bmc:
    if identity.lower() != here().system_id.lower():
        raise _not_found(f"there is no manager {identity}")
    return here()


def _not_found(message: str) -> Refused:
    return Refused(HTTPStatus.NOT_FOUND, message, message_id="ResourceNotFound")


def _collection(path: str, kind: str, members: list[str]) -> dict[str, object]:
    return {
        "@odata.id": path,
        "@odata.type": f"#{kind}Collection.{kind}Collection",
        "Name": f"{kind} Collection",
        "Members": [{"@odata.id": f"{path}/{one}"} for one in members],
        "Members@odata.count": len(members),
    }
