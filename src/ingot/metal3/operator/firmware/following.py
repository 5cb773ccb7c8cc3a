"""Whom the controllers of this room work for, and what may be asked of Ironic for them."""

from __future__ import annotations

from ingot.bmc.address import BmcAddressError, parse
from ingot.bmc.scheme import Scheme
from ingot.ironic.node import NodeId, NodeStatus
from ingot.kube.object import KubeObject
from ingot.metal3.api import annotation
from ingot.metal3.api.baremetalhost import BareMetalHost, HostSpec
from ingot.metal3.operator.firmware.reading import is_verified
from ingot.metal3.operator.parts import Parts

__all__ = ["is_followed", "node_of", "offers_settings", "offers_updates"]


def is_followed(host: KubeObject[BareMetalHost]) -> bool:
    """Return whether anything is done for a host: not while it is paused, detached or goes."""
    meta = host.metadata
    return not (
        meta.is_going
        or annotation.PAUSED in meta.annotations
        or annotation.DETACHED in meta.annotations
    )


def offers_settings(spec: HostSpec, driver: str | None) -> bool:
    """Return whether a host's driver knows BIOS settings; IPMI does not.

    Args:
        spec: of the host.
        driver: what drives all hosts of the site, whatever their addresses say.
    """
    scheme = _scheme(spec)
    return scheme is not None and (driver is not None or scheme.is_redfish)


def offers_updates(spec: HostSpec, driver: str | None) -> bool:
    """Return whether a host's driver knows firmware and can update it."""
    scheme = _scheme(spec)
    return scheme is not None and (driver is not None or scheme.firmware_interface is not None)


def node_of(parts: Parts, host: BareMetalHost) -> NodeStatus | None:
    """Return the node to ask for, if Ironic can be asked and has something to tell."""
    if not parts.census.ready:
        return None
    name = f"{host.metadata.namespace}~{host.metadata.name}"
    node = parts.census.known(NodeId(host.status.provisioning.id), name)
    return node if node is not None and is_verified(node) else None


def _scheme(spec: HostSpec) -> Scheme | None:
    if spec.bmc is None or not spec.bmc.address:
        return None
    try:
        return parse(spec.bmc.address).traits
    except BmcAddressError:
        return None
