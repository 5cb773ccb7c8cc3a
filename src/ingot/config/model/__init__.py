"""The install-config as typed, immutable models: one file for each section of the YAML.

Every field carries its meaning as a docstring below it; `ingot explain` and the reference page are
made from those. Whether a value is right is said by the readings and rules, not here.
"""

from ingot.config.model.host import Bmc, BootMode, Host, RootDeviceHints
from ingot.config.model.installconfig import ImageSource, InstallConfig, Metadata, Proxy
from ingot.config.model.networking import (
    ClusterNetwork,
    MachineNetwork,
    Networking,
    NetworkType,
)
from ingot.config.model.platform import (
    BareMetal,
    LoadBalancer,
    LoadBalancerType,
    Platform,
    ProvisioningNetwork,
)
from ingot.config.model.pools import Architecture, MachinePool, PoolPlatform
from ingot.config.model.words import Role

__all__ = [
    "Architecture",
    "BareMetal",
    "Bmc",
    "BootMode",
    "ClusterNetwork",
    "Host",
    "ImageSource",
    "InstallConfig",
    "LoadBalancer",
    "LoadBalancerType",
    "MachineNetwork",
    "MachinePool",
    "Metadata",
    "NetworkType",
    "Networking",
    "Platform",
    "PoolPlatform",
    "ProvisioningNetwork",
    "Proxy",
    "Role",
    "RootDeviceHints",
]
