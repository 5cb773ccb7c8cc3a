"""The hosts of a site as manifests: without agents, nothing is inspected and nothing cleaned."""

from __future__ import annotations

import base64
from typing import Any, Final

from ingot.metal3.api.wire import GROUP, VERSION
from tests.operator_site.bmcs import Bmcs
from tests.operator_site.ironic import Hardware

Json = dict[str, Any]


def name_of(number: int) -> str:
    """Return a host's name."""
    return f"host-{number:04}"


def secret_of(number: int) -> Json:
    """Return the credentials of a host, which differ from all others'."""
    data = {"username": f"user-{number}", "password": f"password-{number}"}
    encoded = {name: base64.b64encode(text.encode()).decode() for name, text in data.items()}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": f"{name_of(number)}-bmc"},
        "data": encoded,
    }


def host_of(number: int, bmcs: Bmcs) -> Json:
    """Return a host that is to become available, and to stay off."""
    mac = number.to_bytes(3).hex(":")
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "BareMetalHost",
        "metadata": {"name": name_of(number)},
        "spec": {
            "online": False,
            "bootMACAddress": f"52:54:00:{mac}",
            "bmc": {
                "address": bmcs.address(number),
                "credentialsName": f"{name_of(number)}-bmc",
            },
            "inspectionMode": "disabled",
            "automatedCleaningMode": "disabled",
        },
    }


def provisioned(bmcs: Bmcs, hardware: Hardware) -> Json:
    """Return the change by which a host is to be provisioned.

    By Redfish it is a live ISO: Ironic hands it to the BMC, powers the server on and is done, where
    any other image is written by an agent. Ironic's own make-believe hardware takes any image.
    """
    if hardware is Hardware.REDFISH:
        image = {"url": bmcs.live_iso, "format": "live-iso"}
    else:
        image = {"url": bmcs.live_iso, "checksum": "0" * 64, "checksumType": "sha256"}
    return {"spec": {"online": True, "image": image}}


DEPROVISIONED: Final[Json] = {"spec": {"online": False, "image": None}}
"""The change by which a host is to be available again, and off."""
