"""The Secrets that hosts name: their BMCs' credentials, their networks, their first boot."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml

from ingot.assets.documents import Json, yaml_of
from ingot.assets.graph.files import Files
from ingot.assets.namespaces import METAL3
from ingot.assets.networkdata import network_data
from ingot.assets.pointer import path_of
from ingot.config.model import Host, InstallConfig
from ingot.metal3.api.label import ENVIRONMENT, ENVIRONMENT_VALUE

__all__ = [
    "bmc_secret_name",
    "bmc_secrets",
    "network_secret_name",
    "network_secrets",
    "user_data_name",
    "user_data_secrets",
]


def bmc_secret_name(host: Host) -> str:
    """Return what the Secret with a BMC's credentials is called."""
    return f"{host.name}-bmc-secret"


def network_secret_name(host: Host) -> str:
    """Return what the Secret with a host's network is called."""
    return f"{host.name}-network-config-secret"


def user_data_name(host: Host) -> str:
    """Return what the Secret with a host's pointer config is called."""
    return f"{host.name}-user-data"


def bmc_secrets(config: InstallConfig) -> Files:
    """Return the credentials of every BMC.

    Raises:
        InstallConfigError: one is in a variable or file that is not there.
    """
    return {
        f"manifests/50-bmc-secret-{host.name}.yaml": _secret(
            bmc_secret_name(host),
            {"username": host.bmc.username.reveal(), "password": host.bmc.password.reveal()},
        )
        for host in config.baremetal.hosts
        if host.bmc.username is not None and host.bmc.password is not None
    }


def network_secrets(config: InstallConfig) -> Files:
    """Return the network of every host that has one of its own, in nmstate's form and in Ironic's.

    Raises:
        InstallConfigError: one cannot be said in Ironic's form.
    """
    from_machine_network = not config.baremetal.has_provisioning_network
    return {
        f"manifests/51-network-secret-{host.name}.yaml": _secret(
            network_secret_name(host),
            {
                "nmstate": yaml.safe_dump(host.network_config, sort_keys=False),
                "networkData": json.dumps(
                    network_data(host, boots_from_machine_network=from_machine_network), indent=2
                ),
            },
        )
        for host in config.baremetal.hosts
        if host.network_config is not None
    }


def user_data_secrets(config: InstallConfig, files: Files) -> Files:
    """Return the pointer config of every host, as the host operator takes it.

    Args:
        config: the hosts.
        files: their pointer configs.
    """
    return {
        f"manifests/52-user-data-{host.name}.yaml": _secret(
            user_data_name(host), {"userData": files[path_of(host.name)].decode()}
        )
        for host in config.baremetal.hosts
    }


def _secret(name: str, content: Mapping[str, Any]) -> bytes:
    # The operator looks at Secrets with this label only, and would have to add it.
    labels = {ENVIRONMENT: ENVIRONMENT_VALUE}
    secret: Json = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": name, "namespace": METAL3, "labels": labels},
        "type": "Opaque",
        "stringData": dict(content),
    }
    return yaml_of(secret)
