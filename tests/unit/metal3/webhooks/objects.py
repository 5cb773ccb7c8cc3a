"""Objects as the API server sends them: good ones, and what is changed in them."""

from __future__ import annotations

import copy
from typing import Any

Json = dict[str, Any]

MAC = "52:54:00:12:34:56"
IMAGE = {"url": "https://images/os.qcow2", "checksum": "abc", "checksumType": "sha256"}


def host(
    spec: Json | None = None,
    *,
    annotations: Json | None = None,
    status: Json | None = None,
    name: str = "worker-0",
) -> Json:
    """Return a host with nothing wrong but what is said; a field of None is left out."""
    whole: Json = {
        "online": True,
        "bmc": {"address": "redfish://10.0.0.9/redfish/v1/Systems/1", "credentialsName": "bmc"},
        "bootMACAddress": MAC,
    }
    return _object("BareMetalHost", name, whole | (spec or {}), annotations, status)


def bmc(address: str) -> Json:
    return {"bmc": {"address": address, "credentialsName": "bmc"}}


def in_state(state: str, operational: str = "OK", spec: Json | None = None) -> Json:
    """Return a host that stands somewhere."""
    return host(
        spec, status={"operationalStatus": operational, "provisioning": {"state": state, "ID": "1"}}
    )


def subscription(spec: Json | None = None) -> Json:
    whole = {"hostName": "worker-0", "destination": "https://events/receive"}
    return _object("BMCEventSubscription", "events", whole | (spec or {}))


def provisioning(spec: Json | None = None, *, name: str = "provisioning-configuration") -> Json:
    whole = {
        "provisioningNetwork": "Managed",
        "provisioningIP": "172.22.0.3",
        "provisioningNetworkCIDR": "172.22.0.0/24",
        "provisioningDHCPRange": "172.22.0.10,172.22.0.100",
    }
    return _object("Provisioning", name, whole | (spec or {}))


def data_image(url: str) -> Json:
    return _object("DataImage", "worker-0", {"url": url})


def components(*urls: str) -> Json:
    updates = [{"component": "bios", "url": url} for url in urls]
    return _object("HostFirmwareComponents", "worker-0", {"updates": updates})


def _object(
    kind: str,
    name: str,
    spec: Json,
    annotations: Json | None = None,
    status: Json | None = None,
) -> Json:
    made: Json = {
        "apiVersion": "metal3.io/v1alpha1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "metal3", "annotations": annotations or {}},
        "spec": {key: value for key, value in spec.items() if value is not None},
    }
    if status is not None:
        made["status"] = status
    return copy.deepcopy(made)
