"""The words a config chooses from."""

from __future__ import annotations

from enum import StrEnum

__all__ = [
    "Architecture",
    "BootMode",
    "DnsRecordsType",
    "Hyperthreading",
    "LoadBalancerType",
    "MachineManagement",
    "NetworkType",
    "ObservabilityPolicy",
    "ProvisioningNetwork",
    "Role",
    "SourcePolicy",
    "TrustBundlePolicy",
]


class NetworkType(StrEnum):
    """How pods reach each other."""

    HOST_GATEWAY = "HostGateway"
    NONE = "None"


class ObservabilityPolicy(StrEnum):
    """Whether OpenShift's network observability is installed."""

    INSTALL_AND_ENABLE = "InstallAndEnable"
    NO_ACTION = "NoAction"


class ProvisioningNetwork(StrEnum):
    """Who runs the network that servers are provisioned over."""

    MANAGED = "Managed"
    UNMANAGED = "Unmanaged"
    DISABLED = "Disabled"


class LoadBalancerType(StrEnum):
    """Who runs the load balancer of the API and of ingress."""

    OPENSHIFT_MANAGED_DEFAULT = "OpenShiftManagedDefault"
    USER_MANAGED = "UserManaged"


class DnsRecordsType(StrEnum):
    """Who serves the names of the API and of ingress."""

    INTERNAL = "Internal"
    EXTERNAL = "External"


class Role(StrEnum):
    """What a host becomes; a host without a role fills a gap."""

    MASTER = "master"
    WORKER = "worker"
    ARBITER = "arbiter"
    NONE = ""


class BootMode(StrEnum):
    """How a host's firmware boots."""

    UEFI = "UEFI"
    UEFI_SECURE_BOOT = "UEFISecureBoot"
    LEGACY = "legacy"


class Hyperthreading(StrEnum):
    """Whether a core runs two threads."""

    ENABLED = "Enabled"
    DISABLED = "Disabled"


class Architecture(StrEnum):
    """The instruction set of a pool's machines."""

    AMD64 = "amd64"
    ARM64 = "arm64"
    S390X = "s390x"
    PPC64LE = "ppc64le"


class MachineManagement(StrEnum):
    """Which API manages a pool's machines."""

    MACHINE_API = "MachineAPI"
    CLUSTER_API = "ClusterAPI"


class TrustBundlePolicy(StrEnum):
    """When nodes trust the additional certificates."""

    PROXY_ONLY = "Proxyonly"
    ALWAYS = "Always"


class SourcePolicy(StrEnum):
    """Whether an image's own registry may be asked when its mirrors fail."""

    NEVER = "NeverContactSource"
    ALLOW = "AllowContactingSource"
