"""What the monitor is told: one file of JSON or YAML, named by a variable of the environment.

It says what is true from the first second: the cluster, this node, and the nodes that are planned.
docs/reference/onprem-monitor.md has the keys.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from pathlib import Path
from socket import gethostname
from typing import Any

from ingot.errors import ExitCode, IngotError
from ingot.onprem.model import Address, Cluster, Peer, Role
from ingot.onprem.peers import from_plan

__all__ = ["RUN_FOLDER", "VARIABLE", "Folders", "Options", "OptionsError", "parse", "read"]

VARIABLE = "INGOT_ONPREM"
"""Names the file."""

RUN_FOLDER = Path("/run/ingot-onprem")
METRICS_PORT = 9455

GIVEN = (Path("/run/systemd/netif/state"), Path("/run/NetworkManager/resolv.conf"))
"""Where the servers that DHCP or a static configuration gave may be found; the first counts."""

DEFAULT_ROUTER = "/var/log/pods/*_router-default-*"
"""kubelet makes a folder for each pod of this node, and removes it with the pod. So the name of the
default router's pod is seen without asking anybody, and nothing is started to ask."""


class OptionsError(IngotError):
    """The file does not say what the monitor has to know."""

    exit_code = ExitCode.USAGE

    def __init__(self, source: str, what: str) -> None:
        super().__init__(
            f"{source}: {what}",
            remedy="write the file as docs/reference/onprem-monitor.md says",
        )


@dataclass(frozen=True, slots=True)
class Folders:
    """Where the monitor keeps things.

    Attributes:
        run: what is only of use while it runs: configurations, sockets, pid files.
        state: what it has to know after a restart of the machine: peers, the chosen address.
    """

    run: Path = RUN_FOLDER
    state: Path = Path("/var/lib/ingot/onprem")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """All that the monitor is told.

    Attributes:
        cluster: what this node belongs to.
        name: this node's own name; the host name where the file does not say.
        role: what it is.
        planned: the nodes that all know of from the first second.
        kubeconfig: how the API is asked for Nodes; None: it is not.
        api_servers: where, in place of the kubeconfig's server; several are tried in turn.
        folders: where things are kept.
        programs: where a program is, if not on the path; by its name.
        resolv_conf: the file that is ours; None: none is.
        given: where the upstream DNS servers are found.
        default_router: a pattern of files that tells that the default router is on this node.
        done_file: what the bootstrap's own state machine makes when its work is done.
        metrics_port: 0 takes any free port; None serves nothing.
        log_level: debug, info, warning or error.
    """

    cluster: Cluster
    name: str
    role: Role
    planned: tuple[Peer, ...]
    kubeconfig: Path | None = None
    api_servers: tuple[str, ...] = ()
    folders: Folders = field(default_factory=Folders)
    programs: Mapping[str, Path] = field(default_factory=dict)
    resolv_conf: Path | None = Path("/etc/resolv.conf")
    given: tuple[Path, ...] = GIVEN
    default_router: str = DEFAULT_ROUTER
    done_file: Path | None = None
    metrics_port: int | None = METRICS_PORT
    log_level: str = "info"

    def program(self, name: str) -> Path:
        """Return how a program is called."""
        return self.programs.get(name, Path(name))

    def is_planned(self, own: tuple[Address, ...]) -> bool:
        """Return whether this node was planned with an address that it has."""
        return any(
            peer.name == self.name and set(peer.addresses) & set(own) for peer in self.planned
        )


def read(environment: Mapping[str, str]) -> Options:
    """Return what the file says that the environment names.

    Raises:
        OptionsError: it is not there, or cannot be used.
    """
    named = environment.get(VARIABLE)
    if not named:
        raise OptionsError(VARIABLE, "is not set, but has to name the file of options")
    try:
        return parse(Path(named).read_text(encoding="utf-8"), source=named)
    except (OSError, UnicodeDecodeError) as error:
        raise OptionsError(named, f"cannot be read: {error}") from error


def parse(text: str, *, source: str) -> Options:
    """Return what a file says.

    Raises:
        OptionsError: it cannot be used.
        OnPremError: what it says cannot be true.
    """
    try:
        return _options(_tree(text))
    except KeyError as error:
        raise OptionsError(source, f"{error.args[0]} is missing") from error
    except (ValueError, TypeError, AttributeError) as error:
        raise OptionsError(source, str(error)) from error


def _tree(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        import yaml  # noqa: PLC0415 - two megabytes that a node need not have

        try:
            found = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise ValueError(f"is neither JSON nor YAML: {error}") from error
    if not isinstance(found, dict):
        raise TypeError("is not a mapping")
    return found


def _options(said: dict[str, Any]) -> Options:
    node = said["node"]
    folders, resolver = said.get("folders", {}), said.get("resolver", {})
    done = said.get("doneFile")
    kubeconfig = said.get("kubeconfig")
    owned = resolver.get("path", "/etc/resolv.conf")
    planned = tuple(
        Peer(one["name"], Role(one["role"]), _addresses(one["addresses"]))
        for one in said["planned"]
    )
    from_plan(planned)  # It would be refused later, after something was started.
    return Options(
        cluster=_cluster(said["cluster"]),
        name=str(node.get("name") or gethostname()),
        role=Role(node["role"]),
        planned=planned,
        kubeconfig=Path(kubeconfig) if kubeconfig else None,
        api_servers=tuple(said.get("apiServers", ())),
        folders=Folders(
            run=Path(folders.get("run", Folders().run)),
            state=Path(folders.get("state", Folders().state)),
        ),
        programs={name: Path(path) for name, path in said.get("programs", {}).items()},
        resolv_conf=Path(owned) if owned else None,
        given=tuple(map(Path, resolver.get("given", GIVEN))),
        default_router=str(said.get("defaultRouter", DEFAULT_ROUTER)),
        done_file=Path(done) if done else None,
        metrics_port=said.get("metricsPort", METRICS_PORT),
        log_level=str(said.get("logLevel", "info")),
    )


def _cluster(said: dict[str, Any]) -> Cluster:
    return Cluster(
        name=str(said["name"]),
        domain=str(said["domain"]),
        api_vips=_addresses(said["apiVIPs"]),
        ingress_vips=_addresses(said["ingressVIPs"]),
        user_managed_balancer=bool(said.get("userManagedLoadBalancer", False)),
        external_dns=bool(said.get("externalDNS", False)),
        dns_clients=tuple(map(ip_network, said.get("dnsClients", ()))),
    )


def _addresses(said: list[str]) -> tuple[Address, ...]:
    return tuple(map(ip_address, said))
