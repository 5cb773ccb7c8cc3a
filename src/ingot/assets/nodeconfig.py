"""What the config server hands to hosts: one config for each role.

The host's own files, its name and what it joins with, are added by the config server when it asks.
"""

from __future__ import annotations

from typing import Final

from ingot.assets.graph.files import Files
from ingot.assets.ignition import MachineFile, Unit, machine_config, rendered
from ingot.assets.kubernetespki import pki_files
from ingot.assets.machineparts import logins, proxy_files, time_files, trust_files, trust_units
from ingot.assets.onprem import OPTIONS, onprem_json, static_pod_yaml
from ingot.assets.payload import Payload
from ingot.config.model import InstallConfig
from ingot.onprem.model import Role

__all__ = ["JOIN_UNIT", "control_plane_config", "worker_config"]

JOIN_UNIT: Final = """\
[Unit]
Description=Joining the cluster
ConditionPathExists=/etc/ingot/join.json
Wants=network-online.target containerd.service
After=network-online.target containerd.service
StartLimitIntervalSec=0

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/ingot-node join
StandardOutput=journal+console
StandardError=journal+console
TimeoutStartSec=infinity
Restart=on-failure
RestartSec=10

[Install]
WantedBy=multi-user.target
"""


def control_plane_config(config: InstallConfig, payload: Payload, files: Files) -> bytes:
    """Return the config of the control plane.

    Args:
        config: the cluster.
        payload: what it runs.
        files: `tls/`: the authorities and the keys for service accounts.
    """
    return _config(config, payload, Role.CONTROL_PLANE, pki_files(files))


def worker_config(config: InstallConfig, payload: Payload) -> bytes:
    """Return the config of workers: no authority's key is in it."""
    return _config(config, payload, Role.WORKER)


def _config(
    config: InstallConfig, payload: Payload, role: Role, own: tuple[MachineFile, ...] = ()
) -> bytes:
    files = (
        MachineFile(OPTIONS, onprem_json(config, role)),
        MachineFile.secret("/etc/kubernetes/manifests/onprem.yaml", static_pod_yaml(payload, role)),
        *own,
        *time_files(config),
        *trust_files(config),
        *proxy_files(config),
    )
    units = (Unit("ingot-join.service", JOIN_UNIT), *trust_units(config))
    return rendered(machine_config(files, units, logins(config)))
