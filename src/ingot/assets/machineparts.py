"""What every machine of a cluster is given, the bootstrap VM included: logins, time, trust, proxy.

Each function returns nothing where the install-config asks for nothing.
"""

from __future__ import annotations

import re
from typing import Final

from ingot.assets.documents import Json
from ingot.assets.ignition import MachineFile, Unit
from ingot.config.model import InstallConfig
from ingot.config.model.words import TrustBundlePolicy

__all__ = ["logins", "proxy_files", "time_files", "trust_files", "trust_units"]

USER: Final = "core"
PROXY_FILE: Final = "/etc/ingot/proxy.env"
PROXIED: Final = ("containerd", "kubelet")
_CERTIFICATE: Final = re.compile(
    r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL
)

TRUST_UNIT: Final = """\
[Unit]
Description=Trust in additional authorities
DefaultDependencies=no
After=local-fs.target
Before=sysinit.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/update-ca-certificates

[Install]
WantedBy=sysinit.target
"""


def logins(config: InstallConfig) -> tuple[Json, ...]:
    """Return who may log in: one user, by the keys of the config, and become root."""
    keys = [line.strip() for line in config.ssh_key.splitlines() if line.strip()]
    if not keys:
        return ()
    return ({"name": USER, "groups": ["sudo"], "shell": "/bin/bash", "sshAuthorizedKeys": keys},)


def time_files(config: InstallConfig) -> tuple[MachineFile, ...]:
    """Return chrony's further time servers."""
    servers = config.baremetal.additional_ntp_servers
    if not servers:
        return ()
    text = "".join(f"server {server} iburst\n" for server in servers)
    return (MachineFile("/etc/chrony/sources.d/ingot.sources", text.encode()),)


def trust_files(config: InstallConfig) -> tuple[MachineFile, ...]:
    """Return the additional authorities, each in a file: what is trusted is found by its name."""
    always = config.additional_trust_bundle_policy is TrustBundlePolicy.ALWAYS
    if not always and config.proxy is None:
        return ()
    found = _CERTIFICATE.findall(config.additional_trust_bundle)
    return tuple(
        MachineFile(f"/usr/local/share/ca-certificates/ingot-{number}.crt", f"{one}\n".encode())
        for number, one in enumerate(found)
    )


def trust_units(config: InstallConfig) -> tuple[Unit, ...]:
    """Return what has them trusted."""
    return (Unit("ingot-trust.service", TRUST_UNIT),) if trust_files(config) else ()


def proxy_files(config: InstallConfig) -> tuple[MachineFile, ...]:
    """Return the proxy for what pulls images; its URL may have a password in it."""
    proxy = config.proxy
    if proxy is None:
        return ()
    said = {
        "HTTP_PROXY": proxy.http_proxy,
        "HTTPS_PROXY": proxy.https_proxy,
        "NO_PROXY": _without_proxy(config, proxy.no_proxy),
    }
    lines = "".join(f'{name}="{value}"\n' for name, value in said.items() if value)
    drop_in = f"[Service]\nEnvironmentFile={PROXY_FILE}\n".encode()
    return (
        MachineFile.secret(PROXY_FILE, lines.encode()),
        *(
            MachineFile(f"/etc/systemd/system/{name}.service.d/20-ingot-proxy.conf", drop_in)
            for name in PROXIED
        ),
    )


def _without_proxy(config: InstallConfig, asked: str) -> str:
    if asked.strip() == "*":
        return "*"
    networking, platform = config.networking, config.baremetal
    own = (
        "localhost",
        "127.0.0.1",
        ".svc",
        ".cluster.local",
        f".{config.cluster_domain}",
        *map(str, networking.machine_cidrs),
        *map(str, networking.cluster_cidrs),
        *map(str, networking.service_network),
        *map(str, platform.api_vips),
        *((str(platform.provisioning_network_cidr),) if platform.provisioning_network_cidr else ()),
    )
    given = (part.strip() for part in asked.split(","))
    return ",".join(dict.fromkeys(part for part in (*given, *own) if part))
