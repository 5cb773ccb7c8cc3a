"""How Traefik is told what to do: the words it is started with, and the file beside them.

Two Traefiks of one node may listen at the same ports (`reusePort`). So a new one takes over while
the old one still has requests to finish, and the VIP need not move for it.

What the node's monitor asks for is answered thus:

* `/healthz` by Traefik itself, from the start.
* `/healthz/ready` by a route that is an Ingress object. A Traefik that has not heard of the cluster
  yet knows no routes, so it does not know this one, and no VIP comes to it.
* Neither, once it is told to end: its health is the first thing that it no longer serves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ingot.onprem.monitor.duties import ROUTER_PORT

__all__ = [
    "ACCEPT_SECONDS",
    "CLASS",
    "FINISH_SECONDS",
    "FIRST",
    "HEALTH",
    "HTTPS_ONLY",
    "KNOWS_ROUTES",
    "Ports",
    "arguments",
    "dynamic_yaml",
]

CLASS: Final = "traefik"
"""The IngressClass: charts and pages about Traefik call it so."""

HEALTH: Final = "health"
"""What the place is called where health is asked for."""

HTTPS_ONLY: Final = "https-only"
"""For Ingresses that want it: whoever asks by HTTP is sent to HTTPS."""

KNOWS_ROUTES: Final = "knows-routes"
"""Answers that all is well; what stands behind it is never asked."""

FIRST: Final = 2**63 - 1 - 1000
"""The highest priority that Traefik lets a route have: no other Ingress comes before health."""

ACCEPT_SECONDS: Final = 30
"""How long new connections are still taken, once it is told to end. The VIP is elsewhere within a
second; a load balancer of the site's own asks every few seconds and believes the third answer."""

FINISH_SECONDS: Final = 300
"""How long requests may then take to end."""

UPLOAD: Final = "10m"
"""How long a request may take to arrive. Traefik's own minute cuts long uploads off; without any
limit, a client that never ends its request keeps its connection for good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Where it listens; metrics on loopback alone, as they tell what runs in the cluster."""

    http: int = 80
    https: int = 443
    health: int = ROUTER_PORT
    metrics: int = 9457


def arguments(vip: str, file: str, ports: Ports) -> list[str]:
    """Return what Traefik is started with.

    Args:
        vip: where the cluster's applications are reached; told to all who read an Ingress.
        file: where `dynamic_yaml` lies.
        ports: where it listens.
    """
    return [
        f"--{one}"
        for one in (
            "global.checkNewVersion=false",
            "global.sendAnonymousUsage=false",
            "log.level=INFO",
            *_takes_requests("web", ports.http),
            *_takes_requests("websecure", ports.https),
            "entryPoints.websecure.http.tls=true",
            *_listens(HEALTH, f":{ports.health}"),
            *_listens("metrics", f"127.0.0.1:{ports.metrics}"),
            f"ping.entryPoint={HEALTH}",
            "ping.manualRouting=true",
            "metrics.prometheus.entryPoint=metrics",
            f"providers.file.filename={file}",
            "providers.file.watch=false",
            f"providers.kubernetesIngress.ingressClass={CLASS}",
            f"providers.kubernetesIngress.ingressEndpoint.ip={vip}",
            # An application without a ready pod is 503, not 404: it is there, and down.
            "providers.kubernetesIngress.allowEmptyServices=true",
            # `/shop` is not `/shopping`, as Kubernetes has it and Traefik by default has not.
            "providers.kubernetesIngress.strictPrefixMatching=true",
        )
    ]


def dynamic_yaml() -> str:
    """Return the file: the route to its own health, and what Ingresses may ask for."""
    return f"""\
http:
  routers:
    alive:
      entryPoints: [{HEALTH}]
      rule: Path(`/healthz`)
      priority: {FIRST}
      service: ping@internal
  middlewares:
    {KNOWS_ROUTES}:
      # Nobody comes from this address, so everybody is refused, and that with 200.
      ipAllowList:
        sourceRange: [255.255.255.255/32]
        rejectStatusCode: 200
    {HTTPS_ONLY}:
      redirectScheme:
        scheme: https
        permanent: true
"""


def _takes_requests(name: str, port: int) -> Iterator[str]:
    yield from _listens(name, f":{port}")
    yield f"entryPoints.{name}.asDefault=true"
    transport = f"entryPoints.{name}.transport"
    yield f"{transport}.respondingTimeouts.readTimeout={UPLOAD}"
    yield f"{transport}.lifeCycle.requestAcceptGraceTimeout={ACCEPT_SECONDS}s"
    yield f"{transport}.lifeCycle.graceTimeOut={FINISH_SECONDS}s"


def _listens(name: str, address: str) -> Iterator[str]:
    yield f"entryPoints.{name}.address={address}"
    yield f"entryPoints.{name}.reusePort=true"
