"""wipe.ign: the bootstrap VM that cleans servers' disks, and nothing of the cluster that was.

Its keys are its own. Of authorities it has the one that the installer is known by, and Ironic's;
kubeadm makes the others on the VM, where they end with it. There is no config server, and no
manifest of the user's: no machine comes out of this.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from ingot.assets import hostsecrets, kubeconfig, namespaces, tls
from ingot.assets.bootstrapconfig import BOOTSTRAP_UNIT, MEDIA_UNIT
from ingot.assets.bootstrapnetwork import BootstrapMacs, bootstrap_macs, network_files
from ingot.assets.crds import crds
from ingot.assets.endpoints import bootstrap_name
from ingot.assets.graph.files import Files
from ingot.assets.ignition import MachineFile, Unit, machine_config, rendered
from ingot.assets.kubeadm import kubeadm_yaml
from ingot.assets.kubernetespki import FOLDER as PKI
from ingot.assets.machineparts import logins, proxy_files, time_files, trust_files, trust_units
from ingot.assets.metal3settings import CREDENTIALS, credentials, metal3_settings
from ingot.assets.metal3settings import rendered as rendered_settings
from ingot.assets.onprem import OPTIONS, onprem_json, static_pod_yaml
from ingot.assets.payload import Payload
from ingot.assets.wipehosts import wipe_hosts
from ingot.config.model import InstallConfig
from ingot.metal3.pod.manifest import manifest as metal3_pod
from ingot.onprem.model import Role

__all__ = ["WipeAssets", "wipe_assets", "wipe_json"]


@dataclass(frozen=True, slots=True)
class WipeAssets:
    """What a VM that cleans disks is made from, and reached by.

    Attributes:
        ignition: its config.
        kubeconfig: how the installer reaches its API.
        macs: its network cards.
    """

    ignition: bytes = field(repr=False)
    kubeconfig: bytes = field(repr=False)
    macs: BootstrapMacs


def wipe_assets(
    config: InstallConfig, payload: Payload, *, random: Callable[[int], bytes], now: datetime
) -> WipeAssets:
    """Return all of it, with keys of its own.

    Args:
        config: the cluster that was, with the hosts whose disks are to be cleaned.
        payload: what the VM runs.
        random: for secrets.
        now: when certificates begin.
    """
    keys = _keys(config, random, now)
    macs = bootstrap_macs(config, random)
    files = (
        *_own(config, payload),
        *network_files(config, macs),
        MachineFile(f"{PKI}/ca.crt", keys["tls/ca.crt"]),
        MachineFile.secret(f"{PKI}/ca.key", keys["tls/ca.key"]),
        *_metal3(config, payload, keys, macs),
        *_manifests(config, payload),
        *time_files(config),
        *trust_files(config),
        *proxy_files(config),
    )
    units = (
        Unit("ingot-bootstrap.service", BOOTSTRAP_UNIT),
        Unit("run-ingot-media.mount", MEDIA_UNIT),
        *trust_units(config),
    )
    return WipeAssets(
        ignition=rendered(machine_config(files, units, logins(config))),
        kubeconfig=kubeconfig.admin_kubeconfig(config, keys)[kubeconfig.PATH],
        macs=macs,
    )


def wipe_json(config: InstallConfig) -> bytes:
    """Return what `ingot-node bootstrap` is told."""
    platform = config.baremetal
    said = {
        "goal": "wipe",
        "name": bootstrap_name(config),
        "apiVIPs": [str(vip) for vip in platform.api_vips],
        "vips": [str(vip) for vip in (*platform.api_vips, *platform.ingress_vips)],
        "controlPlane": [],
        "wiped": [host.name for host in platform.hosts],
        "namespace": namespaces.METAL3,
    }
    return (json.dumps(said, indent=2) + "\n").encode()


def _keys(config: InstallConfig, random: Callable[[int], bytes], now: datetime) -> Files:
    files = {**tls.authority("ca", now=now), **tls.authority("ironic-ca", now=now)}
    return {
        **files,
        **tls.admin(files, now=now),
        **tls.ironic(config, files, now=now),
        **credentials(random),
    }


def _own(config: InstallConfig, payload: Payload) -> tuple[MachineFile, ...]:
    pod = static_pod_yaml(payload, Role.BOOTSTRAP)
    return (
        MachineFile("/etc/hostname", f"{bootstrap_name(config)}\n".encode()),
        MachineFile("/etc/ingot/bootstrap.json", wipe_json(config)),
        MachineFile("/etc/ingot/kubeadm.yaml", kubeadm_yaml(config, payload)),
        MachineFile(OPTIONS, onprem_json(config, Role.BOOTSTRAP)),
        MachineFile.secret("/etc/ingot/static/10-onprem.yaml", pod),
    )


def _metal3(
    config: InstallConfig, payload: Payload, keys: Files, macs: BootstrapMacs
) -> tuple[MachineFile, ...]:
    settings = metal3_settings(config, macs, lab=payload.slow)
    username, password = (keys[path] for path in CREDENTIALS)
    content = {
        "/etc/ingot/metal3/tls.crt": keys["tls/ironic.crt"],
        "/etc/ingot/metal3/tls.key": keys["tls/ironic.key"],
        "/etc/ingot/metal3/ca.crt": keys["tls/ironic-ca.crt"],
        "/etc/ingot/metal3/settings.json": rendered_settings(settings),
        "/etc/ingot/metal3/username": username,
        "/etc/ingot/metal3/password": password,
        "/etc/ingot/static/30-metal3.yaml": metal3_pod(settings, image=payload.metal3).encode(),
    }
    return tuple(MachineFile.secret(path, one) for path, one in content.items())


def _manifests(config: InstallConfig, payload: Payload) -> tuple[MachineFile, ...]:
    content = {
        **namespaces.namespaces(),
        **crds(),
        **hostsecrets.bmc_secrets(config),
        **hostsecrets.network_secrets(config),
        **wipe_hosts(config, payload),
    }
    return tuple(MachineFile.secret(f"/etc/ingot/{path}", one) for path, one in content.items())
