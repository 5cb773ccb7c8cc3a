"""BareMetalHosts of servers that are to be cleaned and nothing else.

A new host without an image is never cleaned: Ironic cleans before it writes, and after something
was removed. So each of these begins as a host whose image is being removed, by the annotation that
carries the status of a host to another cluster. Ironic does not know the server, takes it in, and
cleans it. It is `available` when its disks are clean, and never before.
"""

from __future__ import annotations

import json
from dataclasses import replace

from ingot.assets.documents import yaml_of
from ingot.assets.graph.files import Files
from ingot.assets.hosts import host_object
from ingot.assets.payload import Payload
from ingot.assets.roster import roster
from ingot.config.model import Host, InstallConfig
from ingot.metal3.api.annotation import INSPECT, INSPECT_DISABLED, STATUS
from ingot.metal3.api.baremetalhost import AutomatedCleaningMode, BareMetalHost
from ingot.metal3.api.hoststatus import HostStatus, ProvisionStatus
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.reading import written
from ingot.metal3.api.states import OperationalStatus, ProvisioningState

__all__ = ["wipe_host", "wipe_hosts"]


def wipe_hosts(config: InstallConfig, payload: Payload) -> Files:
    """Return a file for each host."""
    return {
        f"manifests/60-host-{host.name}.yaml": yaml_of(written(wipe_host(config, payload, host)))
        for host in config.baremetal.hosts
    }


def wipe_host(config: InstallConfig, payload: Payload, host: Host) -> BareMetalHost:
    """Return the object of a host.

    Args:
        config: the cluster that it was part of.
        payload: what that ran.
        host: one of its hosts.
    """
    before = host_object(config, payload, host, roles=roster(config))
    spec = replace(
        before.spec,
        online=False,
        image=None,
        user_data=None,
        root_device_hints=None,  # All disks are cleaned, and none is written to.
        automated_cleaning_mode=AutomatedCleaningMode.METADATA,
    )
    status = HostStatus(
        operational_status=OperationalStatus.OK,
        provisioning=ProvisionStatus(
            state=ProvisioningState.DEPROVISIONING, boot_mode=spec.boot_mode
        ),
    )
    return BareMetalHost(
        metadata=Metadata(
            name=before.metadata.name,
            namespace=before.metadata.namespace,
            annotations={INSPECT: INSPECT_DISABLED, STATUS: json.dumps(written(status))},
        ),
        spec=spec,
    )
