"""Where things are reached: addresses and names that follow from the install-config."""

from __future__ import annotations

from typing import Final

from ingot.bmc.host import in_url
from ingot.config.model import InstallConfig
from ingot.config.reading import IPAddress

__all__ = [
    "API_PORT",
    "CONFIG_PORT",
    "api_address",
    "api_names",
    "api_url",
    "apps_domain",
    "bootstrap_name",
    "config_url",
    "media_url",
    "services_address",
]

API_PORT: Final = 6443
CONFIG_PORT: Final = 22623
MEDIA_PORT: Final = 6180


def api_address(config: InstallConfig) -> str:
    """Return where the API is, as `host:port`: the VIP itself, so that no DNS is needed."""
    return f"{in_url(str(config.baremetal.api_vips[0]))}:{API_PORT}"


def api_url(config: InstallConfig) -> str:
    """Return the URL of the API."""
    return f"https://{api_address(config)}"


def config_url(config: InstallConfig) -> str:
    """Return the URL of the config server."""
    return f"https://{in_url(str(config.baremetal.api_vips[0]))}:{CONFIG_PORT}"


def api_names(config: InstallConfig) -> tuple[str, ...]:
    """Return the DNS names of the API, the one for users first."""
    return tuple(f"{name}.{config.cluster_domain}" for name in ("api", "api-int"))


def apps_domain(config: InstallConfig) -> str:
    """Return the DNS domain of applications; each has a name in it, and all lead to one VIP."""
    return f"apps.{config.cluster_domain}"


def services_address(config: InstallConfig) -> IPAddress:
    """Return where servers reach the provisioning services while the bootstrap VM has them."""
    platform = config.baremetal
    if platform.has_provisioning_network and platform.bootstrap_provisioning_ip is not None:
        return platform.bootstrap_provisioning_ip
    return platform.api_vips[0]


def media_url(config: InstallConfig, name: str) -> str:
    """Return the URL of an image that the provisioning services serve."""
    return f"http://{in_url(str(services_address(config)))}:{MEDIA_PORT}/images/{name}"


def bootstrap_name(config: InstallConfig) -> str:
    """Return the host name of the bootstrap VM."""
    return f"{config.metadata.name}-bootstrap"
