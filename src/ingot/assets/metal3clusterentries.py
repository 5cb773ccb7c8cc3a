"""The catalogue's entries of what provisions servers and hands out configs within the cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ingot.assets import clusterconfigserver, metal3cluster
from ingot.assets.graph.asset import Asset

__all__ = ["NAMES", "entries"]

NAMES: Final = ("metal3-cluster", "config-server-secret", "config-server-pods")

_PLATFORM: Final = "platform.baremetal"
_VIPS: Final = (f"{_PLATFORM}.apiVIPs", f"{_PLATFORM}.ingressVIPs")
_NODES: Final = (
    "additionalTrustBundle",
    "additionalTrustBundlePolicy",
    "baseDomain",
    "controlPlane.replicas",
    "metadata.name",
    "networking",
    "proxy",
    "sshKey",
    f"{_PLATFORM}.additionalNTPServers",
    f"{_PLATFORM}.dnsRecordsType",
    f"{_PLATFORM}.hosts.name",
    f"{_PLATFORM}.hosts.networkConfig",
    f"{_PLATFORM}.hosts.role",
    f"{_PLATFORM}.loadBalancer",
    f"{_PLATFORM}.provisioningNetworkCIDR",
)
"""What is in the configs of nodes."""


def entries() -> Iterator[Asset]:
    """Return the assets; all of them are manifests."""
    yield Asset(
        name="metal3-cluster",
        about="what provisions servers once the cluster stands alone",
        make=lambda inputs: metal3cluster.metal3_cluster(inputs.config, inputs.payload),
        reads=(
            "sshKey",
            f"{_PLATFORM}.apiVIPs",
            f"{_PLATFORM}.bmcVerifyCA",
            f"{_PLATFORM}.clusterOSImage",
        ),
        carries=True,
        places=(metal3cluster.PATH,),
    )
    yield Asset(
        name="config-server-secret",
        about="what nodes are given that join later",
        make=lambda inputs: clusterconfigserver.config_server_secret(
            inputs.config, inputs.payload, inputs.files
        ),
        needs=(
            "ca",
            "etcd-ca",
            "front-proxy-ca",
            "service-account",
            "config-server-ca",
            "config-server",
            "pointers",
        ),
        reads=(*_VIPS, *_NODES),
        carries=True,
        places=(clusterconfigserver.SECRET_PATH,),
    )
    yield Asset(
        name="config-server-pods",
        about="who gives it to them",
        make=lambda inputs: clusterconfigserver.cluster_config_server(
            inputs.config, inputs.payload, inputs.files
        ),
        needs=("config-server",),
        reads=_VIPS,
        carries=True,
        places=(clusterconfigserver.PATH,),
    )
