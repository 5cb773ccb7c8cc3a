"""What the emulator's documents say instead of what its templates have fixed.

The templates know things like the serial number of all chassis in the world. Each function here
returns what is so for the BMC at hand; it is laid over the template's document.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from ingot.lab.bmc.redfish import inventory
from ingot.lab.bmc.redfish.biosattributes import REGISTRY
from ingot.lab.bmc.redfish.bmc import here
from ingot.lab.bmc.redfish.bootoverride import boot_document
from ingot.lab.bmc.redfish.gate import SESSIONS
from ingot.lab.chassis import PowerAction

__all__ = ["AMENDMENTS", "GONE", "MANAGER_RESETS", "Document", "amended"]

Document = dict[str, object]

GONE: Final = object()
"""Takes a property away."""
MANAGER_RESETS: Final = ("GracefulRestart", "ForceRestart")


def amended(document: Mapping[str, object], changes: Mapping[str, object]) -> Document:
    """Return a document with changes laid over it, at every depth."""
    result = dict(document)
    for key, value in changes.items():
        under = result.get(key)
        if value is GONE:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(under, dict):
            result[key] = amended(under, value)
        else:
            result[key] = value
    return result


def root(**_: str) -> Document:
    """The service root."""
    return {
        "Id": "RootService",
        "Name": f"BMC of {here().plan.name}",
        "UUID": here().service_id,
        "RedfishVersion": "1.15.0",
        "Product": "Ingot Lab BMC",
        "Vendor": inventory.MANUFACTURER,
        "SessionService": {"@odata.id": "/redfish/v1/SessionService"},
        "Tasks": {"@odata.id": "/redfish/v1/TaskService"},
        "Links": {"Sessions": {"@odata.id": SESSIONS}},
    }


def system(**_: str) -> Document:
    """The computer."""
    bmc = here()
    # The standard and sushy write HealthRollup; the template does not.
    health = {"HealthRollUp": GONE, "HealthRollup": "OK"}
    reset = f"/redfish/v1/Systems/{bmc.system_id}/Actions/ComputerSystem.Reset"
    return {
        "SystemType": "Physical",
        "Manufacturer": inventory.MANUFACTURER,
        "Model": inventory.MODEL,
        "SKU": inventory.SKU,
        "SerialNumber": bmc.plan.serial,
        "Status": health,
        "ProcessorSummary": {"Status": health},
        "MemorySummary": {"Status": health},
        "Memory": GONE,
        "Boot": boot_document(bmc.chassis.boot_settings(), bmc.nvram.memory),
        "Actions": {
            "#ComputerSystem.Reset": {
                "target": reset,
                "ResetType@Redfish.AllowableValues": list(PowerAction),
            }
        },
    }


def chassis(**_: str) -> Document:
    """The box."""
    return {
        "ChassisType": "RackMount",
        "Manufacturer": inventory.MANUFACTURER,
        "Model": inventory.MODEL,
        "SKU": inventory.SKU,
        "SerialNumber": here().plan.serial,
        "AssetTag": GONE,
        "PartNumber": GONE,
        "Location": GONE,
    }


def manager(**_: str) -> Document:
    """The BMC itself."""
    path = f"/redfish/v1/Managers/{here().system_id}"
    return {
        "Description": "BMC of a lab host",
        "Manufacturer": inventory.MANUFACTURER,
        "Model": "Lab BMC",
        "FirmwareVersion": inventory.BMC_VERSION,
        "ServiceEntryPointUUID": here().service_id,
        "EthernetInterfaces": {"@odata.id": f"{path}/EthernetInterfaces"},
        "Actions": {
            "#Manager.Reset": {
                "target": f"{path}/Actions/Manager.Reset",
                "ResetType@Redfish.AllowableValues": list(MANAGER_RESETS),
            }
        },
    }


def nic(nic_id: str, **_: str) -> Document:
    """A network card."""
    return {
        "Name": nic_id,
        "InterfaceEnabled": True,
        "LinkStatus": "LinkUp",
        "SpeedMbps": 1000,
        "FullDuplex": True,
    }


def processors(**_: str) -> Document:
    """The collection of processors, whose own address the template gets wrong."""
    return {"@odata.id": f"/redfish/v1/Systems/{here().system_id}/Processors"}


def processor(**_: str) -> Document:
    """A processor; numbers are numbers."""
    return {"TotalCores": here().plan.cpus, "TotalThreads": here().plan.cpus}


def storage(**_: str) -> Document:
    """The storage controller."""
    path = f"/redfish/v1/Systems/{here().system_id}/Storage/{inventory.CONTROLLER}"
    one = {
        "@odata.id": f"{path}#/StorageControllers/0",
        "MemberId": "0",
        "Name": "SATA controller",
        "Manufacturer": inventory.MANUFACTURER,
        "Model": "Lab Controller",
        "SerialNumber": f"{here().plan.serial}-S1",
        "FirmwareVersion": "1.0.0",
        "SpeedGbps": 6,
        "SupportedControllerProtocols": ["PCIe"],
        "SupportedDeviceProtocols": ["SATA"],
        "Status": {"State": "Enabled", "Health": "OK"},
    }
    return {"@odata.type": "#Storage.v1_4_0.Storage", "StorageControllers": [one]}


def drive(drv_id: str, **_: str) -> Document:
    """A disk."""
    fixed = ("IndicatorLED", "PartNumber", "HotspareType", "RotationSpeedRPM")
    secrets = ("EncryptionAbility", "EncryptionStatus")
    disk = here().plan.disks[int(drv_id) - 1]
    return {
        **dict.fromkeys((*fixed, *secrets), GONE),
        **inventory.drive_document(disk),
        "CapableSpeedGbs": 6,
        "NegotiatedSpeedGbs": 6,
    }


def bios(**_: str) -> Document:
    """The settings that hold."""
    return {
        "AttributeRegistry": REGISTRY,
        "@Redfish.Settings": {"SupportedApplyTimes": ["OnReset"]},
        "Actions": {"#Bios.ChangePassword": GONE},
    }


def bios_settings(**_: str) -> Document:
    """The settings that wait."""
    return {"AttributeRegistry": REGISTRY}


def registry_file(**_: str) -> Document:
    """Where the registry of settings is."""
    return {"Registry": REGISTRY}


def update_service(**_: str) -> Document:
    """Updating; only what is served is named."""
    return {"SoftwareInventory": GONE, "HttpPushUri": GONE}


AMENDMENTS: Final[Mapping[str, Callable[..., Document]]] = {
    "UpdateService.update_service_resource": update_service,
    "bios": bios,
    "bios_attribute_registry_file": registry_file,
    "bios_settings": bios_settings,
    "chassis_resource": chassis,
    "drive_resource": drive,
    "ethernet_interface": nic,
    "manager_resource": manager,
    "processor": processor,
    "processors_collection": processors,
    "root_resource": root,
    "storage": storage,
    "system_resource": system,
}
"""By the name of the emulator's view."""
