"""What the program is told by its environment; all mistakes are found at once.

docs/reference/machine-api.md has the table of `VARIABLES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Final, TypeVar

from ingot.errors import ExitCode, IngotError
from ingot.kube.lease import Terms
from ingot.machineapi.approving.world import Policy
from ingot.machineapi.parts import Patience

__all__ = ["VARIABLES", "Options", "OptionsError", "read"]

VARIABLES: Final = {
    "KUBECONFIG": ("", "The kubeconfig to use; without it, the pod's service account."),
    "WATCH_NAMESPACE": ("metal3", "The one namespace of machines and hosts; empty for all."),
    "POD_NAMESPACE": ("metal3", "Where the lease is."),
    "LEADER_ELECTION": ("true", "Act only while holding the lease."),
    "LEASE_DURATION_SECONDS": ("137", "How long others wait for a leader that is silent."),
    "RENEW_DEADLINE_SECONDS": ("107", "How long a leader acts without having renewed."),
    "RETRY_PERIOD_SECONDS": ("26", "How often the lease is renewed or asked for."),
    "INGOT_DRAIN_SECONDS": ("600", "How long a Node is waited for to be empty."),
    "INGOT_RELEASE_SECONDS": ("1800", "How long a host that is given back is waited for."),
    "INGOT_CLUSTER_CA": (
        "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt",
        "The cluster's authority, by which kubelets are known.",
    ),
    "INGOT_ETCD_PKI": ("/etc/kubernetes/pki/etcd", "kubeadm's folder of etcd's certificates."),
    "INGOT_NODE_NETWORKS": (
        "",
        "Networks with commas between: a Node may have an address of them that is nobody else's.",
    ),
    "INGOT_VIPS": ("", "Addresses that no Node may have for its own, with commas between."),
    "INGOT_HEALTH_PORT": ("9441", "/healthz, /readyz and /metrics; 0 takes any free port."),
    "INGOT_LOG_LEVEL": ("info", "debug, info, warning or error."),
}
"""Each with its default and its meaning."""

One = TypeVar("One")

_BOOLEAN: Final = {"true": True, "1": True, "false": False, "0": False, "": False}
_LEVELS: Final = frozenset({"debug", "info", "warning", "error"})


class OptionsError(IngotError):
    """The environment does not say what the program has to know.

    Attributes:
        mistakes: each with its variable.
    """

    exit_code = ExitCode.USAGE

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__(
            "the environment cannot be used: " + "; ".join(mistakes),
            remedy="set these variables as docs/reference/machine-api.md says",
        )
        self.mistakes = mistakes


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """All that the program is told."""

    kubeconfig: Path | None
    namespace: str
    own_namespace: str
    terms: Terms | None
    patience: Patience = field(default_factory=Patience)
    policy: Policy = field(default_factory=Policy)
    cluster_ca: Path
    etcd_pki: Path
    health_port: int
    log_level: str = "info"


def read(environment: Mapping[str, str]) -> Options:
    """Return what the environment says.

    Raises:
        OptionsError: something is wrong; all of it is named.
    """
    reading = _Reading(environment)
    kubeconfig = reading.text("KUBECONFIG")
    level = reading.text("INGOT_LOG_LEVEL")
    if level not in _LEVELS:
        named = ", ".join(sorted(_LEVELS))
        reading.mistakes.append(f"INGOT_LOG_LEVEL is {level!r}, and none of {named}")
    options = Options(
        kubeconfig=Path(kubeconfig) if kubeconfig else None,
        namespace=reading.text("WATCH_NAMESPACE"),
        own_namespace=reading.text("POD_NAMESPACE"),
        terms=reading.terms(),
        patience=Patience(
            drain=reading.number("INGOT_DRAIN_SECONDS"),
            release=reading.number("INGOT_RELEASE_SECONDS"),
        ),
        policy=reading.policy(),
        cluster_ca=Path(reading.text("INGOT_CLUSTER_CA")),
        etcd_pki=Path(reading.text("INGOT_ETCD_PKI")),
        health_port=int(reading.number("INGOT_HEALTH_PORT")),
        log_level=level,
    )
    if reading.mistakes:
        raise OptionsError(reading.mistakes)
    return options


class _Reading:
    """Reads variables, and collects what is wrong with them."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self.mistakes: list[str] = []

    def text(self, name: str) -> str:
        return self._environment.get(name, VARIABLES[name][0]).strip()

    def number(self, name: str) -> float:
        text = self.text(name)
        if not (text.isascii() and text.isdigit()):
            self.mistakes.append(f"{name} is {text!r}, and no number")
            return 0.0
        return float(text)

    def policy(self) -> Policy:
        networks = self._each("INGOT_NODE_NETWORKS", ip_network)
        vips = self._each("INGOT_VIPS", ip_address)
        return Policy(networks=networks, reserved=frozenset(map(str, vips)))

    def _each(self, name: str, read: Callable[[str], One]) -> tuple[One, ...]:
        try:
            return tuple(read(one.strip()) for one in self.text(name).split(",") if one.strip())
        except ValueError as error:
            self.mistakes.append(f"{name}: {error}")
            return ()

    def terms(self) -> Terms | None:
        wanted = self.text("LEADER_ELECTION").lower()
        if wanted not in _BOOLEAN:
            self.mistakes.append(f"LEADER_ELECTION is {wanted!r}, and neither true nor false")
        if not _BOOLEAN.get(wanted, False):
            return None
        before = len(self.mistakes)
        duration = self.number("LEASE_DURATION_SECONDS")
        renew, retry = self.number("RENEW_DEADLINE_SECONDS"), self.number("RETRY_PERIOD_SECONDS")
        if len(self.mistakes) > before:
            return None
        try:
            return Terms(duration=duration, renew_deadline=renew, retry_period=retry)
        except ValueError as error:
            self.mistakes.append(f"LEASE_DURATION_SECONDS: {error}")
            return None
