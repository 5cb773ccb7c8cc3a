"""Whether the ports that our daemons need are free, asked before they are started."""

from __future__ import annotations

import errno
import socket
from collections.abc import Mapping

from ingot.onprem import coredns, haproxy
from ingot.onprem.problem import PortTakenError

__all__ = ["BALANCER_PORTS", "DNS_PORTS", "check_free"]

BALANCER_PORTS = {
    haproxy.API.port: "the balancer of the API",
    haproxy.CONFIG.port: "the balancer of the config server",
    haproxy.READY_PORT: "the balancer's health",
    haproxy.HEALTH_PORT: "the balancer's health",
    haproxy.STATS_PORT: "the balancer's statistics",
}
DNS_PORTS = {53: "the node's DNS", coredns.HEALTH_PORT: "the health of the node's DNS"}


def check_free(ports: Mapping[int, str], *, address: str = "0.0.0.0") -> None:  # noqa: S104
    """Check that nobody listens at some TCP ports, by listening there for a moment.

    Args:
        ports: each with what needs it.
        address: where; by default, on any address.

    Raises:
        PortTakenError: somebody does.
    """
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for port, purpose in ports.items():
        with socket.socket(family, socket.SOCK_STREAM) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                trial.bind((address, port))
                trial.listen(1)
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    raise PortTakenError(port, purpose) from error
                raise
