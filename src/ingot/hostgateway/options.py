"""What the host gateway is told by its environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Final

from ingot.errors import ExitCode, IngotError
from ingot.hostgateway.model import Address, Network

__all__ = ["HEALTH_PORT", "VARIABLES", "Options", "OptionsError", "read"]

HEALTH_PORT: Final = 9456
"""Beside 9440 of the host operator and 9455 of the monitor of a node's network."""

VARIABLES: Final = {
    "NODE_NAME": ("", "This node's name. Has to be given."),
    "INGOT_CLUSTER_NETWORKS": ("", "The networks of all pods, with commas. Have to be given."),
    "KUBERNETES_SERVICE_HOST": ("", "The API's VIP: where it is asked, and no node's own address."),
    "KUBECONFIG": ("", "The kubeconfig to use; without it, the pod's service account."),
    "INGOT_CNI_FOLDER": ("/etc/cni/net.d", "Where the CNI configuration is written."),
    "INGOT_SYSCTL_FOLDER": ("/proc/sys/net", "Where forwarding is looked at, and turned on."),
    "INGOT_CHECK_SECONDS": ("30", "How often everything is compared with what is there."),
    "INGOT_HEALTH_ADDRESS": ("127.0.0.1", "Where /healthz, /readyz and /metrics are."),
    "INGOT_HEALTH_PORT": (str(HEALTH_PORT), "Their port; 0 takes any free one."),
    "INGOT_LOG_LEVEL": ("info", "debug, info, warning or error."),
}
"""Each with its default and its meaning."""

_LEVELS: Final = frozenset({"debug", "info", "warning", "error"})


class OptionsError(IngotError):
    """The environment does not say what the host gateway has to know."""

    exit_code = ExitCode.USAGE

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__(
            "the environment cannot be used: " + "; ".join(mistakes),
            remedy="set these variables as docs/reference/host-gateway.md says",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """All that the host gateway is told; VARIABLES says what each means."""

    name: str
    cluster_networks: tuple[Network, ...]
    vip: Address | None
    kubeconfig: Path | None
    cni_folder: Path
    sysctl_folder: Path
    check_seconds: float
    health_address: str
    health_port: int
    log_level: str


def read(environment: Mapping[str, str]) -> Options:
    """Return what the environment says.

    Raises:
        OptionsError: something is missing or wrong; all of it is named.
    """
    said = {name: environment.get(name, default) for name, (default, _) in VARIABLES.items()}
    mistakes = [
        f"{name} is missing" for name in ("NODE_NAME", "INGOT_CLUSTER_NETWORKS") if not said[name]
    ]
    networks = []
    for text in filter(None, said["INGOT_CLUSTER_NETWORKS"].split(",")):
        try:
            networks.append(ip_network(text.strip()))
        except ValueError as error:
            mistakes.append(f"INGOT_CLUSTER_NETWORKS: {error}")
    numbers = {"INGOT_CHECK_SECONDS": 30.0, "INGOT_HEALTH_PORT": 0.0}
    for name in numbers:
        try:
            numbers[name] = float(said[name])
        except ValueError:
            mistakes.append(f"{name} is {said[name]!r}, and no number")
    if said["INGOT_LOG_LEVEL"] not in _LEVELS:
        known = ", ".join(sorted(_LEVELS))
        mistakes.append(f"INGOT_LOG_LEVEL is {said['INGOT_LOG_LEVEL']!r}, and none of {known}")
    if mistakes:
        raise OptionsError(mistakes)
    return Options(
        name=said["NODE_NAME"],
        cluster_networks=tuple(networks),
        vip=_address(said["KUBERNETES_SERVICE_HOST"]),
        kubeconfig=Path(said["KUBECONFIG"]) if said["KUBECONFIG"] else None,
        cni_folder=Path(said["INGOT_CNI_FOLDER"]),
        sysctl_folder=Path(said["INGOT_SYSCTL_FOLDER"]),
        check_seconds=numbers["INGOT_CHECK_SECONDS"],
        health_address=said["INGOT_HEALTH_ADDRESS"],
        health_port=int(numbers["INGOT_HEALTH_PORT"]),
        log_level=said["INGOT_LOG_LEVEL"],
    )


def _address(text: str) -> Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None  # A name, or nothing: then there is no VIP to tell from node addresses.
