"""The top of install-config.yaml."""

from __future__ import annotations

from typing import Annotated

from ingot.config.model.networking import Networking
from ingot.config.model.platform import BareMetal, Platform
from ingot.config.model.pools import MachinePool
from ingot.config.model.section import HIDDEN, OPENSHIFT_ONLY, Deprecated, NotYet, Section
from ingot.config.model.words import SourcePolicy, TrustBundlePolicy
from ingot.config.reading import choice, secret
from ingot.config.secret import Secret

__all__ = ["ImageSource", "InstallConfig", "Metadata", "Proxy"]


class Metadata(Section):
    """What the cluster is called."""

    name: str = ""
    """The cluster's name: at most 54 characters, no dots. The API is `api.<name>.<baseDomain>`."""

    annotations: object = None
    """Kept by tools; without effect."""

    creation_timestamp: object = None
    """Written by tools; without effect."""

    labels: object = None
    """Kept by tools; without effect."""

    namespace: object = None
    """Written by tools; without effect."""


class Proxy(Section):
    """How machines reach the outside through a proxy."""

    http_proxy: Annotated[str, HIDDEN] = ""
    """The proxy for http, such as `http://proxy.example.com:3128`."""

    https_proxy: Annotated[str, HIDDEN] = ""
    """The proxy for https."""

    no_proxy: str = ""
    """What is reached without the proxy, separated by commas: addresses, CIDRs, domains, or `*`
    for everything. The cluster's own networks are added by themselves."""


class ImageSource(Section):
    """Where images of one repository are mirrored."""

    source: Annotated[str, HIDDEN] = ""
    """The repository that images name, such as `registry.k8s.io`."""

    mirrors: Annotated[tuple[str, ...], HIDDEN] = ()
    """Repositories that hold the same images, tried in order."""

    source_policy: Annotated[SourcePolicy | None, choice("G14", SourcePolicy)] = None
    """Whether the source itself may be asked when no mirror answers."""


class InstallConfig(Section):
    """One cluster, as its owner asks for it."""

    api_version: str = ""
    """The version of this format: `v1`. `v1beta3` and `v1beta4` are converted."""

    metadata: Metadata = Metadata()
    """What the cluster is called."""

    base_domain: str = ""
    """The DNS domain the cluster lives under."""

    additional_trust_bundle: Annotated[str, HIDDEN] = ""
    """Certificates, in PEM form, that nodes trust in addition to the usual ones."""

    additional_trust_bundle_policy: Annotated[
        TrustBundlePolicy, choice("G6", TrustBundlePolicy)
    ] = TrustBundlePolicy.PROXY_ONLY
    """When nodes trust them: with a proxy only, or always."""

    ssh_key: Annotated[str, HIDDEN] = ""
    """Public keys, one a line, that may log in to the bootstrap VM and the nodes."""

    networking: Networking = Networking()
    """The cluster's networks."""

    control_plane: MachinePool = MachinePool()
    """The machines that run Kubernetes itself."""

    arbiter: Annotated[
        object, HIDDEN, NotYet("U1", "clusters with an arbiter node are not built yet")
    ] = None
    """A small third machine for etcd's majority."""

    compute: tuple[MachinePool, ...] = ()
    """The machines that run workloads. Default: one pool `worker` of 3."""

    platform: Platform = Platform()
    """Where the cluster runs."""

    pull_secret: Annotated[Secret | None, secret("X19")] = None
    """Credentials of image registries, as JSON. Optional: our images need none."""

    proxy: Proxy | None = None
    """How machines reach the outside through a proxy."""

    image_content_sources: Annotated[tuple[ImageSource, ...], Deprecated("imageDigestSources")] = ()
    """The old form of `imageDigestSources`."""

    image_digest_sources: tuple[ImageSource, ...] = ()
    """Where images are mirrored."""

    publish: Annotated[object, OPENSHIFT_ONLY] = None
    """How OpenShift publishes its endpoints."""

    operator_publishing_strategy: Annotated[object, OPENSHIFT_ONLY] = None
    """How OpenShift's operators publish their endpoints."""

    fips: Annotated[object, OPENSHIFT_ONLY] = None
    """OpenShift's FIPS mode."""

    cpu_partitioning_mode: Annotated[object, OPENSHIFT_ONLY] = None
    """OpenShift's CPU partitioning."""

    credentials_mode: Annotated[object, OPENSHIFT_ONLY] = None
    """OpenShift's cloud credentials."""

    bootstrap_in_place: Annotated[object, OPENSHIFT_ONLY] = None
    """OpenShift's single-node installation."""

    capabilities: Annotated[object, OPENSHIFT_ONLY] = None
    """OpenShift's optional components."""

    feature_set: Annotated[object, OPENSHIFT_ONLY] = None
    """OpenShift's feature sets."""

    feature_gates: Annotated[object, OPENSHIFT_ONLY] = None
    """OpenShift's feature gates."""

    os_image_stream: Annotated[object, OPENSHIFT_ONLY] = None
    """OpenShift's choice of operating system."""

    pki: Annotated[object, OPENSHIFT_ONLY] = None
    """OpenShift's choice of signing keys."""

    @property
    def baremetal(self) -> BareMetal:
        """The bare metal platform, empty when it is missing."""
        return self.platform.baremetal or BareMetal()

    @property
    def cluster_domain(self) -> str:
        """The cluster's own DNS domain."""
        return f"{self.metadata.name}.{self.base_domain.rstrip('.')}"

    @property
    def worker_replicas(self) -> int:
        """How many workers are asked for, over all pools."""
        return sum(max(pool.replicas or 0, 0) for pool in self.compute)
