"""etcd of the cluster, as Machines need it: who its members are, who is well, and to forget one.

It is asked at the control-plane nodes, with the certificate by which kubeadm's health check asks.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, Final

from ingot.kube.object import KubeObject
from ingot.machineapi.etcd import MemberSeen
from ingot.machineapi.seeing import NodeSeen
from ingot.node.etcd import Etcd, EtcdError, Member

__all__ = ["ClusterEtcd", "control_plane_urls"]

CLIENT_PORT: Final = 2379
CONTROL_PLANE: Final = "node-role.kubernetes.io/control-plane"


def control_plane_urls(nodes: Iterable[KubeObject[Any]]) -> tuple[str, ...]:
    """Return where etcd is asked: at the Nodes of the control plane, those that are ready first."""
    seen = [NodeSeen.of(one) for one in nodes if CONTROL_PLANE in one.metadata.labels]
    ordered = sorted(seen, key=lambda one: (not one.ready, one.name))
    return tuple(_url(address) for one in ordered for address in sorted(one.addresses))


def _url(address: str) -> str:
    host = f"[{address}]" if ip_address(address).version == 6 else address  # noqa: PLR2004 - a family
    return f"https://{host}:{CLIENT_PORT}"


@dataclass(frozen=True, slots=True)
class ClusterEtcd:
    """All members together.

    Attributes:
        etcd: how one is asked.
        urls: returns where to ask first.
    """

    etcd: Etcd
    urls: Callable[[], Sequence[str]]

    async def members(self) -> tuple[MemberSeen, ...]:
        """Return all members, each asked for itself whether it is well.

        Raises:
            EtcdError: none can be asked.
        """
        known = await self._known()
        healthy = await asyncio.gather(*(self._is_healthy(one) for one in known))
        return tuple(
            MemberSeen(number=one.number, name=one.name, voter=not one.learner, healthy=well)
            for one, well in zip(known, healthy, strict=True)
        )

    async def remove(self, member: MemberSeen) -> None:
        """Have the others forget a member.

        Raises:
            EtcdError: none of them answers, or does it.
        """
        known = await self._known()
        others = [url for one in known if one.number != member.number for url in one.urls]
        await self.etcd.remove(others, member.number)

    async def _known(self) -> tuple[Member, ...]:
        failed: EtcdError | None = None
        for url in self.urls():
            try:
                return await self.etcd.members(url)
            except EtcdError as error:
                failed = error
            except OSError as error:  # its certificates are not there
                raise EtcdError(
                    f"etcd cannot be asked: {error}",
                    remedy="mount kubeadm's folder of etcd's certificates",
                ) from error
        raise failed or EtcdError(
            "no control-plane Node is known where etcd could be asked",
            remedy=f"see whether Nodes have the label {CONTROL_PLANE}",
        )

    async def _is_healthy(self, member: Member) -> bool:
        for url in member.urls:
            if await self.etcd.is_healthy(url):
                return True
        return False
