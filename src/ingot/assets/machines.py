"""Machines of a new cluster: one for each server of the control plane, and sets of workers.

The control plane's are installed by the bootstrap, and their Machines have them as they are. What
is written to later ones comes from the cluster itself, so all name the image where the cluster has
it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ingot.assets.documents import yaml_of
from ingot.assets.graph.files import Files
from ingot.assets.hosts import CONTROL_PLANE, image_of
from ingot.assets.metal3cluster import node_image_url
from ingot.assets.namespaces import METAL3
from ingot.assets.payload import Payload
from ingot.assets.roster import roster
from ingot.config.model import InstallConfig
from ingot.machineapi.api.providerspec import Image
from ingot.machineapi.manifests import Pool, control_plane_machine, health_check, worker_set

__all__ = ["CHECK_PATH", "MACHINES_PATH", "SETS_PATH", "machines"]

MACHINES_PATH: Final = "manifests/61-machines.yaml"
SETS_PATH: Final = "manifests/62-machine-sets.yaml"
CHECK_PATH: Final = "manifests/63-machine-health-checks.yaml"

WORKER: Final = ("node-role.kubernetes.io/worker", "")
"""What a worker's Node carries, so that people see what it is for."""


def machines(config: InstallConfig, payload: Payload) -> Files:
    """Return the Machines of the control plane, the sets of workers, and who heals those."""
    pool = Pool(cluster=config.metadata.name, namespace=METAL3, image=_image(config, payload))
    leading = [
        control_plane_machine(pool, host=host.name, number=number)
        for number, host in enumerate(roster(config).control_plane)
    ]
    return {
        MACHINES_PATH: yaml_of(*leading),
        SETS_PATH: yaml_of(*_sets(config, pool)),
        CHECK_PATH: yaml_of(health_check(config.metadata.name, METAL3)),
    }


def _sets(config: InstallConfig, pool: Pool) -> Iterator[dict[str, object]]:
    workers = replace(pool, kept_out=(CONTROL_PLANE,), node_labels=(WORKER,))
    for number, asked in enumerate(config.compute):
        yield worker_set(workers, replicas=asked.replicas or 0, number=number)


def _image(config: InstallConfig, payload: Payload) -> Image:
    found = image_of(config, payload)
    assert found.checksum_type is not None  # noqa: S101 - `image_of` names it
    assert found.format is not None  # noqa: S101 - likewise
    url = found.url if config.baremetal.cluster_os_image else node_image_url(config)
    return Image(
        url=url,
        checksum=found.checksum,
        checksum_type=found.checksum_type.value,
        format=found.format.value,
    )
