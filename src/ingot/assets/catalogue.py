"""Which assets there are, and what each is made from.

One entry an asset. What it reads is said to the field, so that a new password of a BMC makes one
manifest again and not the keys of the cluster. `ingot graph` draws what stands here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import lru_cache, partial
from typing import Final

from ingot.assets import (
    bootstrapconfig,
    bootstrapnetwork,
    crds,
    endpoints,
    hosts,
    hostsecrets,
    ingressentries,
    kubeconfig,
    machinecontroller,
    machineentries,
    metadata,
    metal3clusterentries,
    metal3settings,
    namespaces,
    pointer,
    provisioning,
    rbac,
    tls,
)
from ingot.assets.graph.asset import Asset, Inputs
from ingot.assets.graph.files import Files
from ingot.assets.graph.web import Graph
from ingot.config.model import NetworkType
from ingot.configserver.pod import manifest as config_server_pod
from ingot.hostgateway.manifest import manifest as host_gateway
from ingot.metal3.pod.manifest import manifest as metal3_pod

__all__ = ["TARGETS", "graph"]

PLATFORM: Final = "platform.baremetal"
HOSTS: Final = f"{PLATFORM}.hosts"
NAMES: Final = ("metadata.name", "baseDomain")
VIPS: Final = (f"{PLATFORM}.apiVIPs",)
SERVICES: Final = (
    *VIPS,
    f"{PLATFORM}.provisioningNetwork",
    f"{PLATFORM}.bootstrapProvisioningIP",
)
"""Where the provisioning services are reached."""
ROSTER: Final = (f"{HOSTS}.name", f"{HOSTS}.role", "controlPlane.replicas")
"""Which host becomes what."""

BOOTSTRAP_PLATFORM: Final = (
    "additionalNTPServers",
    "apiVIPs",
    "bmcVerifyCA",
    "bootstrapExternalStaticDNS",
    "bootstrapExternalStaticGateway",
    "bootstrapExternalStaticIP",
    "bootstrapProvisioningIP",
    "dnsRecordsType",
    "hosts.bootMACAddress",
    "hosts.networkConfig",
    "ingressVIPs",
    "loadBalancer",
    "provisioningDHCPRange",
    "provisioningNetwork",
    "provisioningNetworkCIDR",
    "provisioningNetworkGateway",
)
BOOTSTRAP_MACS: Final = "bootstrap-macs.json"

MANIFESTS: Final = (
    "namespaces",
    "crds",
    "rbac",
    "host-gateway",
    *ingressentries.NAMES,
    "provisioning",
    *metal3clusterentries.NAMES,
    *machineentries.NAMES,
    "bmc-secrets",
    "network-secrets",
    "user-data-secrets",
    "hosts",
)

MACHINES: Final = ("bootstrap", "pointers", "kubeconfig", "metadata")

TARGETS: Final = {
    "manifests": ("manifests",),
    "ignition-configs": MACHINES,
    "cluster": MACHINES,
}
"""What a person can ask for; what a target needs comes with it."""


@lru_cache(maxsize=1)
def graph() -> Graph:
    """Return all assets."""
    return Graph((*_identity(), *_keys(), *_manifests(), *_machines()), TARGETS)


def _identity() -> Iterator[Asset]:
    yield Asset(
        name="identity",
        about="what tells this cluster from every other",
        make=lambda inputs: metadata.identity(inputs.config, inputs.random),
        reads=("metadata.name",),
        places=(metadata.IDENTITY,),
        shown=False,
        lasting=True,
    )
    yield Asset(
        name="metadata",
        about="what the cluster is found again by",
        make=lambda inputs: metadata.metadata(inputs.config, inputs.files),
        needs=("identity",),
        reads=(*NAMES, f"{PLATFORM}.libvirtURI"),
        places=(metadata.PATH,),
    )


def _keys() -> Iterator[Asset]:
    for name in tls.AUTHORITIES:
        yield Asset(
            name=name,
            about=f"the authority {tls.AUTHORITIES[name]}",
            make=partial(_authority, name),
            places=_pair(name),
            lasting=True,
        )
    yield Asset(
        name="service-account",
        about="the keys of service accounts' tokens",
        make=lambda _: tls.service_account(),
        places=("tls/sa.key", "tls/sa.pub"),
        lasting=True,
    )
    yield Asset(
        name="admin",
        about="the administrator's certificate",
        make=lambda inputs: tls.admin(inputs.files, now=inputs.now),
        needs=("ca",),
        places=_pair("admin"),
        lasting=True,
    )
    yield Asset(
        name="config-server",
        about="the config server's certificate",
        make=lambda inputs: tls.config_server(inputs.config, inputs.files, now=inputs.now),
        needs=("config-server-ca",),
        reads=(*NAMES, *VIPS),
        places=_pair("config-server"),
        lasting=True,
    )
    yield Asset(
        name="ironic",
        about="Ironic's certificate",
        make=lambda inputs: tls.ironic(inputs.config, inputs.files, now=inputs.now),
        needs=("ironic-ca",),
        reads=(*NAMES, *SERVICES, f"{PLATFORM}.clusterProvisioningIP"),
        places=_pair("ironic"),
        lasting=True,
    )
    yield Asset(
        name="kubeconfig",
        about="how the administrator reaches the cluster",
        make=lambda inputs: kubeconfig.admin_kubeconfig(inputs.config, inputs.files),
        needs=("ca", "admin"),
        reads=("metadata.name", *VIPS),
        places=(kubeconfig.PATH,),
    )


def _manifests() -> Iterator[Asset]:
    yield _fixed("namespaces", "where Ingot's parts live", namespaces.namespaces, namespaces.PATH)
    yield _fixed("crds", "the kinds of hosts and machines", crds.crds, "manifests/10-crd-*.yaml")
    yield _fixed("rbac", "what nodes may do", rbac.rbac, rbac.PATH)
    yield Asset(
        name="host-gateway",
        about="the network of pods",
        make=_host_gateway,
        reads=("networking.networkType", "networking.clusterNetwork", *VIPS),
        carries=True,
        places=("manifests/30-host-gateway.yaml",),
    )
    yield Asset(
        name="provisioning",
        about="the provisioning network",
        make=lambda inputs: provisioning.provisioning(inputs.config),
        reads=(
            *ROSTER,
            f"{HOSTS}.bootMACAddress",
            f"{PLATFORM}.additionalNTPServers",
            f"{PLATFORM}.clusterProvisioningIP",
            f"{PLATFORM}.provisioningDHCPRange",
            f"{PLATFORM}.provisioningNetwork",
            f"{PLATFORM}.provisioningNetworkCIDR",
            f"{PLATFORM}.provisioningNetworkGateway",
            f"{PLATFORM}.provisioningNetworkInterface",
        ),
        places=(provisioning.PATH,),
    )
    yield from ingressentries.entries()
    yield from metal3clusterentries.entries()
    yield from machineentries.entries()
    yield from _host_manifests()
    yield Asset(
        name="manifests",
        about="all that is applied to the cluster, yours included",
        make=None,
        needs=MANIFESTS,
        places=("manifests/*.yaml",),
    )


def _host_manifests() -> Iterator[Asset]:
    yield Asset(
        name="bmc-secrets",
        about="credentials of BMCs",
        make=lambda inputs: hostsecrets.bmc_secrets(inputs.config),
        reads=(f"{HOSTS}.name", f"{HOSTS}.bmc.username", f"{HOSTS}.bmc.password"),
        places=("manifests/50-bmc-secret-*.yaml",),
    )
    yield Asset(
        name="network-secrets",
        about="networks of hosts without DHCP",
        make=lambda inputs: hostsecrets.network_secrets(inputs.config),
        reads=(
            f"{PLATFORM}.provisioningNetwork",
            f"{HOSTS}.name",
            f"{HOSTS}.bootMACAddress",
            f"{HOSTS}.networkConfig",
        ),
        places=("manifests/51-network-secret-*.yaml",),
    )
    yield Asset(
        name="user-data-secrets",
        about="the pointer configs, as hosts are given them",
        make=lambda inputs: hostsecrets.user_data_secrets(inputs.config, inputs.files),
        needs=("pointers",),
        reads=(f"{HOSTS}.name",),
        places=("manifests/52-user-data-*.yaml",),
    )
    yield Asset(
        name="hosts",
        about="the servers",
        make=lambda inputs: hosts.hosts(inputs.config, inputs.payload),
        reads=(
            *ROSTER,
            *SERVICES,
            "controlPlane.architecture",
            "compute.architecture",
            f"{PLATFORM}.clusterOSImage",
            f"{HOSTS}.bmc.address",
            f"{HOSTS}.bmc.disableCertificateVerification",
            f"{HOSTS}.bootMACAddress",
            f"{HOSTS}.bootMode",
            f"{HOSTS}.networkConfig",
            f"{HOSTS}.rootDeviceHints",
        ),
        carries=True,
        places=("manifests/60-host-*.yaml",),
    )


def _machines() -> Iterator[Asset]:
    yield Asset(
        name="pointers",
        about="where each host gets its config, and its token",
        make=lambda inputs: pointer.pointers(inputs.config, inputs.files, inputs.random),
        needs=("config-server-ca",),
        reads=(*ROSTER, *VIPS),
        places=("hosts/*.ign",),
        lasting=True,
    )
    yield Asset(
        name="bootstrap-macs",
        about="network cards of the bootstrap VM",
        make=_bootstrap_macs,
        reads=(
            f"{PLATFORM}.externalMACAddress",
            f"{PLATFORM}.provisioningMACAddress",
            f"{PLATFORM}.provisioningNetwork",
        ),
        places=(BOOTSTRAP_MACS,),
        shown=False,
        lasting=True,
    )
    yield Asset(
        name="ironic-credentials",
        about="the user of Ironic's API",
        make=lambda inputs: metal3settings.credentials(inputs.random),
        places=metal3settings.CREDENTIALS,
        shown=False,
        lasting=True,
    )
    yield Asset(
        name="bootstrap",
        about="everything on the bootstrap VM",
        make=_bootstrap,
        needs=(
            "bootstrap-macs",
            "ironic-credentials",
            "manifests",
            "pointers",
            *tls.AUTHORITIES,
            "service-account",
            "config-server",
            "ironic",
        ),
        reads=(
            *NAMES,
            *ROSTER,
            "additionalTrustBundle",
            "additionalTrustBundlePolicy",
            "networking",
            "proxy",
            "sshKey",
            *(f"{PLATFORM}.{name}" for name in BOOTSTRAP_PLATFORM),
        ),
        carries=True,
        places=(bootstrapconfig.PATH,),
    )


def _authority(name: str, inputs: Inputs) -> Files:
    return tls.authority(name, now=inputs.now)


def _bootstrap_macs(inputs: Inputs) -> Files:
    macs = bootstrapnetwork.bootstrap_macs(inputs.config, inputs.random)
    return {BOOTSTRAP_MACS: json.dumps(asdict(macs)).encode()}


def _bootstrap(inputs: Inputs) -> Files:
    config, payload, files = inputs.config, inputs.payload, inputs.files
    macs = bootstrapnetwork.BootstrapMacs(**json.loads(files[BOOTSTRAP_MACS]))
    settings = metal3settings.metal3_settings(config, macs, lab=payload.slow)
    username, password = (files[path] for path in metal3settings.CREDENTIALS)
    vips = (*config.baremetal.api_vips, *config.baremetal.ingress_vips)
    return bootstrapconfig.bootstrap_config(
        config,
        payload,
        files,
        macs=macs,
        static_pods={
            "20-config-server.yaml": config_server_pod(
                payload.onprem, api_server=endpoints.api_url(config), vips=map(str, vips)
            ),
            "30-metal3.yaml": metal3_pod(settings, image=payload.metal3),
            "40-machine-controller.yaml": machinecontroller.static_pod(config, payload).decode(),
        },
        metal3_files={
            "settings.json": metal3settings.rendered(settings),
            "username": username,
            "password": password,
        },
    )


def _host_gateway(inputs: Inputs) -> Files:
    if inputs.config.networking.network_type is not NetworkType.HOST_GATEWAY:
        return {}
    vip = str(inputs.config.baremetal.api_vips[0])
    text = host_gateway(
        inputs.payload.onprem, vip, endpoints.API_PORT, inputs.config.networking.cluster_cidrs
    )
    return {"manifests/30-host-gateway.yaml": text.encode()}


def _fixed(name: str, about: str, make: Callable[[], Files], place: str) -> Asset:
    return Asset(name=name, about=about, make=lambda _: make(), places=(place,))


def _pair(name: str) -> tuple[str, ...]:
    return tls.certificate_path(name), tls.key_path(name)
