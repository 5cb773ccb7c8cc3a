"""Install-configs for tests, and everything that is made from one."""

from __future__ import annotations

import itertools
import json
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import yaml

from ingot.assets import (
    clusterconfigserver,
    hosts,
    hostsecrets,
    ingress,
    namespaces,
    pointer,
    provisioning,
    rbac,
    tls,
)
from ingot.assets.bootstrapconfig import bootstrap_config
from ingot.assets.bootstrapnetwork import bootstrap_macs
from ingot.assets.crds import crds
from ingot.assets.kubeconfig import admin_kubeconfig
from ingot.assets.machinecontroller import machine_controller
from ingot.assets.machines import machines
from ingot.assets.metal3cluster import metal3_cluster
from ingot.assets.payload import Payload
from ingot.config.loading import load
from ingot.config.model import InstallConfig
from ingot.config.sample import sample

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PAYLOAD = Payload(
    kubernetes="v1.36.3",
    onprem="ingot.local/onprem:0",
    metal3="ingot.local/metal3:0",
    traefik="ingot.local/traefik:0",
    disk_sha256="a" * 64,
)
SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx me@example.com"

BONDED = {
    "interfaces": [
        {"name": "eno1", "type": "ethernet", "mac-address": "52:54:00:00:01:01"},
        {"name": "eno2", "type": "ethernet", "mac-address": "52:54:00:00:01:02"},
        {
            "name": "bond0",
            "type": "bond",
            "mtu": 9000,
            "link-aggregation": {"mode": "802.3ad", "port": ["eno1", "eno2"]},
            "ipv4": {"enabled": False},
            "ipv6": {"enabled": True, "autoconf": True},
        },
        {
            "name": "bond0.7",
            "type": "vlan",
            "vlan": {"base-iface": "bond0", "id": 7},
            "ipv4": {"enabled": True, "dhcp": True},
        },
    ]
}
"""A networkConfig with a bond of two cards, and a VLAN on it."""

Tree = dict[str, Any]


def cluster(
    name: str = "managed", *, change: Callable[[Tree], object] | None = None
) -> InstallConfig:
    """Return the config of a sample, with changes."""
    text = re.sub(r"password: \{.+?\}", "password: hunter2", sample(name))
    # YAML 1.1 takes a MAC address of digits for a number in base 60.
    tree: Tree = yaml.safe_load(re.sub(r"(MACAddress: )(\S+)", r'\1"\2"', text))
    if change is not None:
        change(tree)
    config = load(yaml.safe_dump(tree).encode()).config
    assert config is not None
    return config


def platform_with(**fields: object) -> Callable[[Tree], None]:
    """Return a change of some fields of the platform."""

    def change(tree: Tree) -> None:
        tree["platform"]["baremetal"].update(fields)

    return change


def counting() -> Callable[[int], bytes]:
    """Return randomness that never repeats."""
    numbers = itertools.count(1)
    return lambda size: next(numbers).to_bytes(size, "big")


def install_files(config: InstallConfig, *, now: datetime = NOW) -> dict[str, bytes]:
    """Return all files of the install directory but bootstrap.ign."""
    files: dict[str, bytes] = {}
    for name in tls.AUTHORITIES:
        files |= tls.authority(name, now=now)
    files |= tls.service_account()
    files |= tls.admin(files, now=now)
    files |= tls.config_server(config, files, now=now)
    files |= tls.ironic(config, files, now=now)
    files |= tls.ingress(config, files, now=now)
    files |= admin_kubeconfig(config, files)
    files |= pointer.pointers(config, files, counting())
    files |= manifests(config, files)
    return files


def manifests(config: InstallConfig, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return all manifests."""
    return {
        **namespaces.namespaces(),
        **crds(),
        **rbac.rbac(),
        **ingress.ingress(config, files, image=PAYLOAD.traefik),
        **provisioning.provisioning(config),
        **metal3_cluster(config, PAYLOAD),
        **clusterconfigserver.config_server_secret(config, PAYLOAD, files),
        **clusterconfigserver.cluster_config_server(config, PAYLOAD, files),
        **machine_controller(config, PAYLOAD),
        **hostsecrets.bmc_secrets(config),
        **hostsecrets.network_secrets(config),
        **hostsecrets.user_data_secrets(config, files),
        **hosts.hosts(config, PAYLOAD),
        **machines(config, PAYLOAD),
    }


def bootstrap_ign(config: InstallConfig, files: Mapping[str, bytes]) -> Tree:
    """Return bootstrap.ign."""
    made = bootstrap_config(
        config,
        PAYLOAD,
        files,
        macs=bootstrap_macs(config, counting()),
        static_pods={"20-config-server.yaml": "kind: Pod\n", "30-metal3.yaml": "kind: Pod\n"},
        metal3_files={"settings.json": b"{}", "username": b"ironic", "password": b"secret"},
    )
    found: Tree = json.loads(made["bootstrap.ign"])
    return found


def on_machine(ignition: Tree) -> dict[str, bytes]:
    """Return the files that a config writes."""
    return {
        one["path"]: b64decode(one["contents"]["source"].partition(",")[2])
        for one in ignition["storage"]["files"]
    }


def modes(ignition: Tree) -> dict[str, int]:
    """Return who may read the files that a config writes."""
    return {one["path"]: one["mode"] for one in ignition["storage"]["files"]}


def units(ignition: Tree) -> dict[str, str]:
    """Return the units that a config enables."""
    return {
        one["name"]: one.get("contents", "")
        for one in ignition["systemd"]["units"]
        if one["enabled"]
    }


def objects(files: Mapping[str, bytes]) -> dict[tuple[str, str], Tree]:
    """Return the objects of manifests by kind and name."""
    found = [one for content in files.values() for one in yaml.safe_load_all(content)]
    return {(one["kind"], one["metadata"]["name"]): one for one in found}
