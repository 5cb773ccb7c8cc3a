"""What is written to a host when a Machine takes it, and when it gives it back."""

from __future__ import annotations

from typing import Any

from ingot.kube.kind import ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi.api.providerspec import BareMetalMachineProviderSpec
from ingot.machineapi.api.wire import GROUP, VERSION
from ingot.machineapi.hosts import Host
from ingot.machineapi.observing import written

__all__ = ["adopted", "cleared", "freed", "taken", "user_data_name"]


def user_data_name(host: str) -> str:
    """Return what the Secret with a host's own user data is called."""
    return f"{host}-user-data"


def taken(
    value: BareMetalMachineProviderSpec, machine: ObjectKey, host: KubeObject[Host]
) -> dict[str, Any]:
    """Return the patch by which a Machine takes a host, all at once: whose it is and what it runs.

    It holds for the version of the host that was looked at, and for no other.
    """
    secret = value.user_data.name if value.user_data else user_data_name(host.key.name)
    spec: dict[str, Any] = {
        "consumerRef": _reference(machine),
        "userData": {"name": secret, "namespace": host.key.namespace},
        "online": True,
    }
    if value.image is not None:
        spec["image"] = written(value.image)
    if value.custom_deploy is not None:
        spec["customDeploy"] = written(value.custom_deploy)
    return _for(host, spec)


def adopted(machine: ObjectKey, host: KubeObject[Host]) -> dict[str, Any]:
    """Return the patch by which a Machine has a host as it is: what it runs is not touched."""
    return _for(host, {"consumerRef": _reference(machine)})


def cleared(host: KubeObject[Host]) -> dict[str, Any]:
    """Return the patch by which a host is to be deprovisioned; it still has its Machine."""
    never_off = host.model.spec.disable_power_off
    return _for(host, {"image": None, "customDeploy": None, "userData": None, "online": never_off})


def freed(host: KubeObject[Host]) -> dict[str, Any]:
    """Return the patch by which a host has no Machine any more."""
    return _for(host, {"consumerRef": None})


def _reference(machine: ObjectKey) -> dict[str, str]:
    return {
        "apiVersion": f"{GROUP}/{VERSION}",
        "kind": "Machine",
        "namespace": machine.namespace,
        "name": machine.name,
    }


def _for(host: KubeObject[Host], spec: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"resourceVersion": host.metadata.resource_version}, "spec": spec}
