"""Who looks after Machines: the controller, what it may do, and what servers that join may do."""

from __future__ import annotations

from typing import Final

from ingot.assets.documents import yaml_of
from ingot.assets.graph.files import Files
from ingot.assets.namespaces import METAL3
from ingot.assets.payload import Payload
from ingot.assets.rights import account, bound
from ingot.config.model import InstallConfig
from ingot.machineapi import access, pod
from ingot.machineapi.approving import access as approving
from ingot.machineapi.healing import access as healing
from ingot.metal3.pod.manifest import control_plane_only

__all__ = ["PATH", "machine_controller", "static_pod"]

PATH: Final = "manifests/44-machine-controller.yaml"
LEAVES_AFTER: Final = 60
"""Seconds that a node may be away before the controller is begun on another one."""

INSIDE: Final = (*access.NAMESPACE_RULES, *healing.NAMESPACE_RULES)
EVERYWHERE: Final = (
    *access.CLUSTER_RULES,
    *approving.CLUSTER_RULES,
    *healing.CLUSTER_RULES,
)


def machine_controller(config: InstallConfig, payload: Payload) -> Files:
    """Return the controller in the cluster, with all rights that it needs and that it gives."""
    who = (pod.NAME, METAL3)
    deployed = pod.deployment(payload.onprem, _told(config), control_plane_only(LEAVES_AFTER))
    return {
        PATH: yaml_of(
            account(*who),
            *bound(pod.NAME, METAL3, INSIDE, account=who),
            *bound(f"ingot:{pod.NAME}", "", EVERYWHERE, account=who),
            *approving.joiners_rights(),
            deployed,
        )
    }


def static_pod(config: InstallConfig, payload: Payload) -> bytes:
    """Return the same controller as the bootstrap VM runs it, until the cluster has its own."""
    return yaml_of(pod.static_pod(payload.onprem, _told(config)))


def _told(config: InstallConfig) -> pod.Told:
    platform = config.baremetal
    return pod.Told(
        networks=tuple(map(str, config.networking.machine_cidrs)),
        vips=tuple(map(str, (*platform.api_vips, *platform.ingress_vips))),
    )
