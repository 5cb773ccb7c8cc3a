"""What the config server is told by its environment; all mistakes are found at once.

docs/reference/config-server.md has the table of `VARIABLES`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from ingot.configserver.answering import Cluster
from ingot.errors import ExitCode, IngotError

__all__ = ["PORT", "VARIABLES", "Options", "OptionsError", "read"]

PORT: Final = 22623

VARIABLES: Final = {
    "INGOT_CONFIG_FOLDER": (
        "/etc/ingot/configserver",
        "`tls.crt`, `tls.key`, `ca.crt`, `hosts.json`, `control-plane.ign`, `worker.ign`.",
    ),
    "INGOT_CONFIG_ADDRESS": ("", "The address to listen on; empty for all."),
    "INGOT_CONFIG_PORT": (str(PORT), "The port to listen on."),
    "KUBECONFIG": ("", "The kubeconfig to use; without it, the pod's service account."),
    "INGOT_API_SERVER": ("", "`https://VIP:6443`, as nodes reach the API. Has to be given."),
    "INGOT_VIPS": ("", "All VIPs of the cluster, with commas between. Has to be given."),
    "INGOT_CLUSTER_CA": ("/etc/kubernetes/pki/ca.crt", "The cluster's authority."),
    "INGOT_LOG_LEVEL": ("info", "debug, info, warning or error."),
}
"""Each with its default and its meaning."""

_LEVELS: Final = frozenset({"debug", "info", "warning", "error"})
_LAST_PORT: Final = 65535


class OptionsError(IngotError):
    """The environment does not say what the config server has to know.

    Attributes:
        mistakes: each with its variable.
    """

    exit_code = ExitCode.USAGE

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__(
            "the environment cannot be used: " + "; ".join(mistakes),
            remedy="set these variables as docs/reference/config-server.md says",
        )
        self.mistakes = mistakes


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """All that the config server is told."""

    folder: Path
    address: str
    port: int
    kubeconfig: Path | None
    cluster: Cluster
    log_level: str

    @property
    def certificate(self) -> Path:
        """What it serves with."""
        return self.folder / "tls.crt"

    @property
    def key(self) -> Path:
        """The key of what it serves with."""
        return self.folder / "tls.key"


def read(environment: Mapping[str, str]) -> Options:
    """Return what the environment says.

    Raises:
        OptionsError: something is missing or wrong; all of it is named.
    """

    def said(name: str) -> str:
        return environment.get(name, VARIABLES[name][0]).strip()

    mistakes: list[str] = []
    folder = Path(said("INGOT_CONFIG_FOLDER"))
    port = said("INGOT_CONFIG_PORT")
    if not (port.isascii() and port.isdigit() and int(port) <= _LAST_PORT):
        mistakes.append(f"INGOT_CONFIG_PORT is {port!r}, and no port")
    level = said("INGOT_LOG_LEVEL")
    if level not in _LEVELS:
        mistakes.append(f"INGOT_LOG_LEVEL is {level!r}, and none of {', '.join(sorted(_LEVELS))}")
    host = _host(said("INGOT_API_SERVER"), mistakes)
    cluster = Cluster(
        api_server=said("INGOT_API_SERVER"),
        ca_certificate=_pem(Path(said("INGOT_CLUSTER_CA")), "INGOT_CLUSTER_CA", mistakes),
        vips=_vips(said("INGOT_VIPS"), mistakes),
        config_url=f"https://{host}:{PORT}",
        config_ca=_pem(folder / "ca.crt", "", mistakes),
    )
    if mistakes:
        raise OptionsError(mistakes)
    kubeconfig = said("KUBECONFIG")
    return Options(
        folder=folder,
        address=said("INGOT_CONFIG_ADDRESS"),
        port=int(port),
        kubeconfig=Path(kubeconfig) if kubeconfig else None,
        cluster=cluster,
        log_level=level,
    )


def _host(api_server: str, mistakes: list[str]) -> str:
    """Return the host of an address, IPv6 in brackets."""
    if not api_server:
        mistakes.append("INGOT_API_SERVER is missing")
        return ""
    try:
        parts = urlsplit(api_server)
        host = parts.hostname or ""
    except ValueError:
        host = ""
    if not host or not api_server.startswith("https://"):
        mistakes.append(f"INGOT_API_SERVER is {api_server!r}, and no https:// address")
    return f"[{host}]" if ":" in host else host


def _vips(text: str, mistakes: list[str]) -> tuple[IPv4Address | IPv6Address, ...]:
    try:
        found = tuple(ip_address(one.strip()) for one in text.split(",") if one.strip())
    except ValueError as error:
        mistakes.append(f"INGOT_VIPS: {error}")
        return ()
    if not found:
        mistakes.append("INGOT_VIPS is missing")
    return found


def _pem(path: Path, needed_by: str, mistakes: list[str]) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        if needed_by:
            mistakes.append(f"{needed_by}: {path} cannot be read: {error}")
        return ""
