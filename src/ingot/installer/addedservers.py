"""Finding the servers that were added to a cluster after it was made, so that they go with it.

The API alone knows them and how their BMCs are reached, and it goes with the servers. So they are
asked for first, and written down for the owner alone: a run that was killed is gone on with.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from ingot.assets.kubeconfig import PATH as KUBECONFIG
from ingot.assets.namespaces import METAL3
from ingot.config.model import Host
from ingot.installer.addedhost import AddedHost, added_host
from ingot.installer.apiview import HOSTS
from ingot.installer.directory import InstallDirectory
from ingot.installer.journal import InstallJournal
from ingot.installer.phase import Phase
from ingot.kube.access import NoAccess, from_kubeconfig
from ingot.kube.client import KubeClient, Selection
from ingot.kube.errors import ApiError, NotFound
from ingot.kube.kind import Kind, ObjectKey

__all__ = ["FILE", "AddedServers", "look_for_added"]

FILE: Final = "added.json"
"""Of `.ingot`, what an API told before it went."""

SECRETS = Kind.untyped("", "v1", "Secret", "secrets")
ANSWER_SECONDS: Final = 10.0
TRIES: Final = 3
"""Of a cluster that stands on its own: its VIP may be on the way from one server to another."""
PAUSE_SECONDS: Final = 3.0

Record = dict[str, Any]
"""A BareMetalHost, and the data of the Secret that it names."""


@dataclass(frozen=True, slots=True)
class AddedServers:
    """What is known of them.

    Attributes:
        servers: what is to become of each.
        unknown: whether there may be some that nobody can tell of any more.
    """

    servers: tuple[AddedHost, ...] = ()
    unknown: bool = False

    @property
    def hosts(self) -> tuple[Host, ...]:
        """Those that are taken away with the cluster."""
        return tuple(one.host for one in self.servers if one.host)

    @property
    def unwipeable(self) -> Mapping[str, str]:
        """Why disks of some cannot be wiped."""
        return {one.name: one.unwipeable for one in self.servers if one.unwipeable}


def look_for_added(directory: InstallDirectory, known: Sequence[Host]) -> AddedServers:
    """Return the servers of a cluster that are not among those which are known.

    Whoever asks holds the directory.

    Raises:
        DirectoryUnusable: what the API tells cannot be written down.
    """
    stands = _stands(directory)
    remembered = _remembered(directory)
    told = asyncio.run(_told(directory, tries=TRIES if stands and remembered is None else 1))
    if told is not None:
        directory.keep(FILE, json.dumps(told).encode())
    records = told if told is not None else remembered or []
    judged = [added_host(one["host"], one["secret"]) for one in records]
    names = {host.name for host in known}
    addresses = {host.bmc.address.identity for host in known if host.bmc.address}
    return AddedServers(
        # One that was taken out and put in again by another name is known all the same.
        tuple(one for one in judged if one.name not in names and one.bmc not in addresses),
        unknown=told is None and remembered is None and stands,
    )


def _stands(directory: InstallDirectory) -> bool:
    """Tell whether the cluster came to stand on its own: then somebody may have added servers."""
    entries = InstallJournal(directory.journal).entries()
    return any(entry.what == Phase.CLEAN_UP for entry in entries)


async def _told(directory: InstallDirectory, *, tries: int) -> list[Record] | None:
    """Return what the API tells; None where it does not answer."""
    try:
        access = from_kubeconfig(directory.path / KUBECONFIG)
    except NoAccess:
        return None
    for number in range(tries):
        if number:
            await asyncio.sleep(PAUSE_SECONDS)
        async with KubeClient(access, deadline=ANSWER_SECONDS) as client:
            try:
                return await _records(client)
            except (ApiError, OSError):
                continue
    return None


async def _records(client: KubeClient) -> list[Record]:
    try:
        page = await client.list(HOSTS, Selection(METAL3))
    except NotFound:  # It is so young that it does not know what a BareMetalHost is.
        return []
    return [
        {
            "host": {
                "metadata": {
                    "name": one.metadata.name,
                    "namespace": METAL3,
                    "annotations": dict(one.metadata.annotations),
                },
                "spec": one.content.get("spec", {}),
            },
            "secret": await _secret(client, one.content.get("spec", {})),
        }
        for one in page.objects
    ]


async def _secret(client: KubeClient, spec: Mapping[str, Any]) -> Record | None:
    name = spec.get("bmc", {}).get("credentialsName")
    if not name:
        return None
    try:
        found = await client.get(SECRETS, ObjectKey(METAL3, name))
    except NotFound:
        return None
    return dict(found.content.get("data") or {})


def _remembered(directory: InstallDirectory) -> list[Record] | None:
    try:
        found = json.loads((directory.hidden / FILE).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, list) else None
