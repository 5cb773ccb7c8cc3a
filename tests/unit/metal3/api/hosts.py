"""A BareMetalHost as a live cluster has it: provisioned, with two disks and two cards."""

from __future__ import annotations

import json
from typing import Any

MOMENT = "2026-03-01T12:30:15Z"
FLAGS = [f"flag{number}" for number in range(120)]
CONDITIONS = ("Manageable", "AvailableForProvisioning", "Provisioned", "Ready", "Progressing")


def raw_host(name: str) -> dict[str, Any]:
    """Return a host as JSON data that shares nothing with any other."""
    image = {"url": "https://images/os.qcow2", "checksum": "abc", "format": "qcow2"}
    hints = {"minSizeGigabytes": 100, "rotational": False}
    credentials = {
        "credentials": {"name": f"{name}-bmc", "namespace": "metal3"},
        "credentialsVersion": "123",
    }
    host = {
        "metadata": {
            "name": name,
            "namespace": "metal3",
            "uid": "7c9a1de6-0000-4000-8000-000000000001",
            "resourceVersion": "4711",
            "generation": 3,
            "creationTimestamp": MOMENT,
            "labels": {"rack": "a", "role": "worker"},
            "annotations": {"metal3.io/note": "a note"},
            "finalizers": ["baremetalhost.metal3.io"],
        },
        "apiVersion": "metal3.io/v1alpha1",
        "kind": "BareMetalHost",
        "spec": {
            "online": True,
            "bmc": {"address": "redfish://10.0.0.9/s/1", "credentialsName": f"{name}-bmc"},
            "rootDeviceHints": hints,
            "bootMode": "UEFI",
            "bootMACAddress": "52:54:00:00:00:01",
            "consumerRef": {"kind": "Machine", "name": name, "namespace": "metal3"},
            "image": image,
            "userData": {"name": f"{name}-user-data", "namespace": "metal3"},
            "automatedCleaningMode": "metadata",
            "architecture": "x86_64",
        },
        "status": {
            "operationalStatus": "OK",
            "lastUpdated": MOMENT,
            "hardware": hardware(),
            "provisioning": {
                "state": "provisioned",
                "ID": "7c9a1de6-0000-4000-8000-000000000002",
                "image": image,
                "rootDeviceHints": hints,
                "bootMode": "UEFI",
            },
            "goodCredentials": credentials,
            "triedCredentials": credentials,
            "errorMessage": "",
            "poweredOn": True,
            "operationHistory": {
                operation: {"start": MOMENT, "end": MOMENT}
                for operation in ("register", "inspect", "provision")
            },
            "errorCount": 0,
            "provisioningFailCount": 0,
            "conditions": [
                {
                    "type": condition,
                    "status": "True",
                    "reason": "Provisioned",
                    "message": "",
                    "lastTransitionTime": MOMENT,
                    "observedGeneration": 3,
                }
                for condition in CONDITIONS
            ],
        },
    }
    copy: dict[str, Any] = json.loads(json.dumps(host))
    return copy


def hardware() -> dict[str, Any]:
    """Return what inspection finds in a small server."""
    return {
        "systemVendor": {"manufacturer": "Maker", "productName": "M1", "serialNumber": "s1"},
        "firmware": {"bios": {"date": "01/01/2025", "vendor": "Maker", "version": "1.2"}},
        "ramMebibytes": 65536,
        "nics": [
            {
                "name": f"eno{number}",
                "model": "0x8086 0x1572",
                "mac": f"52:54:00:00:00:0{number}",
                "ip": f"172.22.0.1{number}",
                "speedGbps": 10,
                "pxe": True,
                "lldp": {"switchID": "aa:bb:cc:dd:ee:ff", "portID": "Ethernet1"},
                "pciAddress": f"0000:01:00.{number}",
            }
            for number in (1, 2)
        ],
        "storage": [
            {
                "name": f"/dev/disk/by-path/pci-{number}",
                "alternateNames": [f"/dev/nvme{number}n1"],
                "type": "NVME",
                "sizeBytes": 960197124096,
                "model": "Fast",
                "serialNumber": f"d{number}",
                "wwn": f"0x500{number}",
            }
            for number in (1, 2)
        ],
        "cpu": {
            "arch": "x86_64",
            "model": "Some CPU",
            "clockMegahertz": 2400.0,
            "flags": FLAGS,
            "count": 64,
        },
        "hostname": "ramdisk",
    }
