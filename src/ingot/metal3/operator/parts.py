"""What the controllers of the operator share."""

from __future__ import annotations

from dataclasses import dataclass

from ingot.ironic.client import Ironic
from ingot.kube.client import KubeClient
from ingot.kube.object import KubeObject
from ingot.kube.runtime import Runtime
from ingot.kube.sharedwatch import SharedWatch
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.host.settings import Settings
from ingot.metal3.node.subject import Site
from ingot.metal3.operator.census import Census
from ingot.metal3.operator.kinds import HOST
from ingot.metal3.operator.secrets import Secrets

__all__ = ["Parts", "owned_by"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """One of each.

    Attributes:
        runtime: the API server: client, watches, events, metrics.
        ironic: the back end.
        census: all its nodes, as last listed.
        secrets: what hosts name, labelled and followed.
        site: what holds for all hosts.
        settings: how patient to be.
        builds_ramdisks: a PreprovisioningImage is asked for each host, and waited for.
    """

    runtime: Runtime
    ironic: Ironic
    census: Census
    secrets: Secrets
    site: Site
    settings: Settings
    builds_ramdisks: bool = False

    @property
    def client(self) -> KubeClient:
        """The API server."""
        return self.runtime.client

    @property
    def hosts(self) -> SharedWatch[BareMetalHost]:
        """The watch of all hosts."""
        return self.runtime.watches.of(HOST)


def owned_by(host: KubeObject[BareMetalHost], *, controller: bool = False) -> dict[str, object]:
    """Return the owner reference by which an object goes when its host goes."""
    reference: dict[str, object] = {
        "apiVersion": HOST.api_version,
        "kind": HOST.kind,
        "name": host.metadata.name,
        "uid": host.metadata.uid,
    }
    if controller:
        reference |= {"controller": True, "blockOwnerDeletion": True}
    return reference
