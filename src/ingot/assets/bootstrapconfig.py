"""bootstrap.ign: everything that the bootstrap VM needs, in one config."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from ingot.assets.bootstrapnetwork import BootstrapMacs, network_files
from ingot.assets.endpoints import bootstrap_name
from ingot.assets.graph.files import Files
from ingot.assets.ignition import MachineFile, Unit, machine_config, rendered
from ingot.assets.kubeadm import kubeadm_yaml
from ingot.assets.kubernetespki import pki_files
from ingot.assets.machineparts import logins, proxy_files, time_files, trust_files, trust_units
from ingot.assets.namespaces import METAL3
from ingot.assets.nodeconfig import control_plane_config, worker_config
from ingot.assets.onprem import OPTIONS, onprem_json, static_pod_yaml
from ingot.assets.payload import Payload
from ingot.assets.pointer import hosts_json
from ingot.assets.roster import roster
from ingot.config.model import InstallConfig
from ingot.onprem.model import Role

__all__ = ["PATH", "bootstrap_config", "bootstrap_json"]

PATH: Final = "bootstrap.ign"
MEDIA_LABEL: Final = "INGOT-MEDIA"

BOOTSTRAP_UNIT: Final = """\
[Unit]
Description=Bootstrap of the cluster
RequiresMountsFor=/run/ingot/media
Wants=network-online.target containerd.service
After=network-online.target containerd.service
StartLimitIntervalSec=0

[Service]
Type=exec
RemainAfterExit=yes
ExecStart=/usr/bin/ingot-node bootstrap
StandardOutput=journal+console
StandardError=journal+console
Restart=on-failure
RestartSec=5

[Install]
WantedBy=multi-user.target
"""

MEDIA_UNIT: Final = f"""\
[Unit]
Description=Images for servers

[Mount]
What=/dev/disk/by-label/{MEDIA_LABEL}
Where=/run/ingot/media
Type=ext4
Options=ro

[Install]
WantedBy=multi-user.target
"""


def bootstrap_config(
    config: InstallConfig,
    payload: Payload,
    files: Files,
    *,
    macs: BootstrapMacs,
    static_pods: Mapping[str, str],
    metal3_files: Mapping[str, bytes],
) -> Files:
    """Return bootstrap.ign.

    Args:
        config: the cluster.
        payload: what it runs.
        files: of the install directory: `tls/`, `hosts/` and `manifests/`.
        macs: the VM's network cards.
        static_pods: those of other rooms, by their file names, such as `30-metal3.yaml`.
        metal3_files: what the metal3 pod is told, by file names: settings.json, username, password.
    """
    found = (
        *_own(config, payload),
        *network_files(config, macs),
        *pki_files(files),
        *_config_server(config, payload, files),
        *_metal3(files, metal3_files),
        *_manifests(files),
        *_static_pods(payload, static_pods),
        *time_files(config),
        *trust_files(config),
        *proxy_files(config),
    )
    units = (
        Unit("ingot-bootstrap.service", BOOTSTRAP_UNIT),
        Unit("run-ingot-media.mount", MEDIA_UNIT),
        *trust_units(config),
    )
    return {PATH: rendered(machine_config(found, units, logins(config)))}


def bootstrap_json(config: InstallConfig) -> bytes:
    """Return what `ingot-node bootstrap` is told."""
    platform = config.baremetal
    said = {
        "name": bootstrap_name(config),
        "apiVIPs": [str(vip) for vip in platform.api_vips],
        "vips": [str(vip) for vip in (*platform.api_vips, *platform.ingress_vips)],
        "controlPlane": [host.name for host in roster(config).control_plane],
        "namespace": METAL3,
    }
    return (json.dumps(said, indent=2) + "\n").encode()


def _own(config: InstallConfig, payload: Payload) -> tuple[MachineFile, ...]:
    return (
        MachineFile("/etc/hostname", f"{bootstrap_name(config)}\n".encode()),
        MachineFile("/etc/ingot/bootstrap.json", bootstrap_json(config)),
        MachineFile("/etc/ingot/kubeadm.yaml", kubeadm_yaml(config, payload)),
        MachineFile(OPTIONS, onprem_json(config, Role.BOOTSTRAP)),
    )


def _config_server(
    config: InstallConfig, payload: Payload, files: Files
) -> tuple[MachineFile, ...]:
    content = {
        "tls.crt": files["tls/config-server.crt"],
        "tls.key": files["tls/config-server.key"],
        "ca.crt": files["tls/config-server-ca.crt"],
        "hosts.json": hosts_json(config, files),
        "control-plane.ign": control_plane_config(config, payload, files),
        "worker.ign": worker_config(config, payload),
    }
    folder = "/etc/ingot/configserver"
    return tuple(MachineFile.secret(f"{folder}/{name}", one) for name, one in content.items())


def _metal3(files: Files, given: Mapping[str, bytes]) -> tuple[MachineFile, ...]:
    content = {
        "tls.crt": files["tls/ironic.crt"],
        "tls.key": files["tls/ironic.key"],
        "ca.crt": files["tls/ironic-ca.crt"],
        **given,
    }
    folder = "/etc/ingot/metal3"
    return tuple(MachineFile.secret(f"{folder}/{name}", one) for name, one in content.items())


def _manifests(files: Files) -> tuple[MachineFile, ...]:
    """Return what is applied, the user's own included."""
    return tuple(
        MachineFile.secret(f"/etc/ingot/{path}", content)
        for path, content in files.items()
        if PurePosixPath(path).parts[0] == "manifests"
    )


def _static_pods(payload: Payload, others: Mapping[str, str]) -> tuple[MachineFile, ...]:
    pods = {
        "10-onprem.yaml": static_pod_yaml(payload, Role.BOOTSTRAP),
        **{name: text.encode() for name, text in others.items()},
    }
    return tuple(MachineFile.secret(f"/etc/ingot/static/{name}", one) for name, one in pods.items())
