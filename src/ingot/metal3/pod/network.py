"""The pod's place on the provisioning network: its address there, and whom it answers."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from pathlib import Path

from lightkube.config.kubeconfig import SingleConfig

from ingot.kube.client import KubeClient
from ingot.kube.kind import ObjectKey
from ingot.kube.leadership import Leadership, LeadershipLost
from ingot.kube.sharedwatch import Watches
from ingot.metal3.operator.kinds import HOST
from ingot.metal3.pod import places
from ingot.metal3.pod.answering import BootMacs
from ingot.metal3.pod.keeping import LEASE, TERMS, AddressKeeper
from ingot.metal3.pod.operating import NAMESPACE
from ingot.metal3.pod.settings import Settings

__all__ = ["run"]

log = logging.getLogger(__name__)

COMPONENT = "metal3-network"


async def run(settings: Settings, access: SingleConfig, stop: asyncio.Event) -> None:
    """Have the address and answer hosts until told to stop.

    Raises:
        NoInterfaceError: no card of this machine is on the provisioning network.
        LeadershipLost: another pod may have the address now.
    """
    async with KubeClient(access, field_manager=COMPONENT) as client:
        watches = Watches(client, namespace=NAMESPACE)
        hosts = Path(places.HOSTS)
        watches.of(HOST).subscribe(BootMacs(hosts, hosts.parent).on_change)
        leadership = Leadership(client, ObjectKey(NAMESPACE, LEASE), terms=TERMS)
        keeper = AddressKeeper(settings, leadership.held)
        try:
            async with asyncio.TaskGroup() as group:
                following = group.create_task(watches.run(), name="watches")
                log.info("waiting for the lease of %s", settings.provisioning_ip)
                await leadership.run(partial(keeper.keep, stop), stop)
                following.cancel()
        except BaseExceptionGroup as several:
            raise LeadershipLost.found_in(several) or _only(several) from None


def _only(several: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the one error that there is, without what groups are around it."""
    first = several.exceptions[0]
    if len(several.exceptions) > 1:
        return several
    return _only(first) if isinstance(first, BaseExceptionGroup) else first
