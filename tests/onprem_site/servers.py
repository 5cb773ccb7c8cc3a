"""The servers that nodes run, as a test sees them: what they are told, and how they end."""

from __future__ import annotations

from dataclasses import dataclass

from tests.onprem_site.certificates import Certificate
from tests.onprem_site.node import Node
from tests.onprem_site.nodestore import NodeStore
from tests.onprem_site.process import Process, own_program, when_ready
from tests.onprem_site.service import Mode

API_PORT = 6443
CONFIG_PORT = 22623
ROUTER_PORTS = ("80", "443", "1936")


@dataclass
class Server:
    """A server on a node; it may be started again when it has died.

    Attributes:
        node: where it runs.
        command: the module of the bed that it is, and its arguments.
        process: what it runs as, when it does.
    """

    node: Node
    command: tuple[str, ...]
    process: Process | None = None

    def start(self) -> None:
        """Start it; it serves when this returns."""
        start(self)

    def kill(self) -> None:
        """End it at once."""
        self.running.kill()

    def become(self, mode: Mode) -> None:
        """Let it behave that way; it does when this returns."""
        assert self.running.ask(mode.value) == "ok"

    def blip(self, mode: Mode, seconds: float) -> None:
        """Let it behave that way for a moment, and then as it did."""
        assert self.running.ask(f"{mode.value} {seconds}") == "ok"

    @property
    def connections(self) -> int:
        """How many it has open."""
        return int(self.running.ask("connections"))

    @property
    def running(self) -> Process:
        assert self.process is not None, f"{self.command[0]} was not started"
        return self.process


def start(*servers: Server) -> None:
    """Start servers, all at the same time; they serve when this returns."""
    for server in servers:
        module, *arguments = server.command
        command = own_program(module, *arguments)
        server.process = server.node.start(*command, name=module, talking=True)
    for server in servers:
        when_ready(server.running)


def api_server(
    node: Node, nodes: NodeStore, certificate: Certificate | None, *, port: int = API_PORT
) -> Server:
    """Return an API server, to be started."""
    words = (node.name, str(port), str(nodes.path), *_words(certificate))
    return Server(node, ("apiserver", *words))


def config_server(
    node: Node, certificate: Certificate | None, *, port: int = CONFIG_PORT
) -> Server:
    """Return a server of machine configurations, to be started."""
    return Server(node, ("configserver", node.name, str(port), *_words(certificate)))


def router(node: Node, certificate: Certificate | None) -> Server:
    """Return an ingress router, to be started."""
    return Server(node, ("router", node.name, *_words(certificate), *ROUTER_PORTS))


def _words(certificate: Certificate | None) -> tuple[str, str]:
    if certificate is None:
        return "", ""
    return str(certificate.certificate), str(certificate.key)
