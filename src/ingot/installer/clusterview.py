"""What the API tells of a cluster that stands on its own: its workers, and what runs in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ingot.installer.addons import DAEMON_SET, DEPLOYMENT, OURS, REQUIRED, AddOn, Lack
from ingot.installer.addons import missing_add_ons as lacking
from ingot.installer.apiview import NAMESPACE, SECONDS
from ingot.installer.workers import Fleet
from ingot.kube.access import from_kubeconfig
from ingot.kube.client import KubeClient, Selection
from ingot.kube.errors import ApiError, NotFound
from ingot.kube.kind import Content, Kind, ObjectKey
from ingot.kube.object import KubeObject
from ingot.machineapi.api.wire import GROUP, VERSION
from ingot.metal3.api.provisioning import DEFINITION
from ingot.metal3.api.provisioning import NAME as PROVISIONING
from ingot.metal3.cluster.names import DAEMON_SETS, DEPLOYMENTS

__all__ = ["ClusterView"]

MACHINE_SETS = Kind.untyped(GROUP, VERSION, "MachineSet", "machinesets")
MACHINES = Kind.untyped(GROUP, VERSION, "Machine", "machines")
# Read as it is: what is said of it counts, also where its spec is not as it should be.
PROVISIONINGS = Kind.untyped(
    DEFINITION.group, DEFINITION.version, "Provisioning", DEFINITION.plural, namespaced=False
)
KINDS = {DEPLOYMENT: DEPLOYMENTS, DAEMON_SET: DAEMON_SETS}


class ClusterView:
    """Looks at the API through the administrator's kubeconfig."""

    def __init__(self, kubeconfig: Path) -> None:
        self._kubeconfig = kubeconfig

    async def fleet(self) -> Fleet | None:
        """Return what is seen of the MachineSets; None while the API does not answer."""
        async with self._client() as client:
            try:
                sets = await _listed(client, MACHINE_SETS, Selection(NAMESPACE))
                machines = await _listed(client, MACHINES, Selection(NAMESPACE))
            except (ApiError, OSError):
                return None
        return Fleet.of(sets, machines)

    async def missing_add_ons(self) -> tuple[Lack, ...] | None:
        """Return what is not available; None while the API does not answer."""
        async with self._client() as client:
            try:
                found: list[KubeObject[Content]] = []
                for kind, key in REQUIRED.items():
                    found += await _listed(client, KINDS[kind], Selection(labels=OURS))
                    found += await _one(client, KINDS[kind], key)
                metal3 = await _one(client, PROVISIONINGS, ObjectKey("", PROVISIONING))
            except (ApiError, OSError):
                return None
        return lacking(tuple(map(AddOn.of, found)), next(iter(metal3), None))

    def _client(self) -> KubeClient:
        # Each look on a connection of its own: the address moves from one server to another.
        return KubeClient(from_kubeconfig(self._kubeconfig), deadline=SECONDS)


async def _listed(
    client: KubeClient, kind: Kind[Content], selection: Selection
) -> Sequence[KubeObject[Content]]:
    try:
        return (await client.list(kind, selection)).objects
    except NotFound:  # The kind itself.
        return ()


async def _one(
    client: KubeClient, kind: Kind[Content], key: ObjectKey
) -> Sequence[KubeObject[Content]]:
    try:
        return (await client.get(kind, key),)
    except NotFound:
        return ()
