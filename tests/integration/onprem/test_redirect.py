"""The real nftables: what is rendered is accepted, found again by content, and redirects."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from typing import TypeVar

import pytest

from ingot.machine import namespaces
from ingot.onprem.checking import check_nftables
from ingot.onprem.haproxy import API
from ingot.onprem.problem import RefusedConfigError
from ingot.onprem.redirect import TABLE, Redirect, ensure, is_loaded, remove
from ingot.process import run
from tests.integration.onprem.wires import wired

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

T = TypeVar("T")
V4, V6 = ip_address("10.9.0.100"), ip_address("fd09::100")
DUAL = Redirect((V4, V6))


class Holder:
    """A node that has the VIP as an address, and a neighbour."""

    def __init__(self, spaces: dict[str, str]) -> None:
        self.spaces = spaces

    def here(self, work: Callable[[], T], *, on: str = "holder") -> T:
        return namespaces.inside(self.spaces[on], work)

    def answered(self, vip: object, *, by: str) -> str:
        def ask() -> str:
            with socket.create_connection((str(vip), API.server_port), timeout=5) as client:
                return client.recv(100).decode()

        return self.here(ask, on=by)


@pytest.fixture
def holder() -> Iterator[Holder]:
    nodes = {
        "holder": ["10.9.0.11/24", "10.9.0.100/32", "fd09::11/64", "fd09::100/128"],
        "client": ["10.9.0.21/24", "fd09::21/64"],
    }
    with wired(nodes) as spaces:
        yield Holder(spaces)


def speak(listener: socket.socket, said: str) -> None:
    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                connection.sendall(said.encode())

    threading.Thread(target=serve, daemon=True).start()


@pytest.fixture
def servers(holder: Holder) -> Iterator[None]:
    """An API server and a balancer, which say what they are."""
    listeners = []
    for port, said in ((API.server_port, "server"), (API.port, "balancer")):
        listener = holder.here(
            lambda port=port: socket.create_server(  # type: ignore[misc]
                ("::", port), family=socket.AF_INET6, dualstack_ipv6=True
            )
        )
        speak(listener, said)
        listeners.append(listener)
    yield
    for listener in listeners:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


@pytest.mark.parametrize("redirect", [Redirect((V4,)), Redirect((V6,)), DUAL])
def test_nftables_accepts_and_shows_again_what_is_rendered(
    holder: Holder, redirect: Redirect
) -> None:
    holder.here(lambda: check_nftables(redirect.render()))
    assert holder.here(lambda: ensure(redirect))
    assert not holder.here(lambda: ensure(redirect))


@pytest.mark.usefixtures("servers")
@pytest.mark.parametrize("vip", [V4, V6])
@pytest.mark.parametrize("by", ["client", "holder"])
def test_the_vip_leads_to_the_balancer_and_the_nodes_own_address_does_not(
    holder: Holder, vip: object, by: str
) -> None:
    assert holder.answered(vip, by=by) == "server"
    holder.here(lambda: ensure(DUAL))
    assert holder.answered(vip, by=by) == "balancer"
    assert holder.answered("10.9.0.11", by=by) == "server"
    holder.here(remove)
    assert holder.answered(vip, by=by) == "server"


@pytest.mark.usefixtures("servers")
def test_a_packet_on_its_way_to_a_vip_of_another_node_is_left_alone(holder: Holder) -> None:
    holder.here(lambda: ensure(DUAL), on="client")
    assert holder.answered(V4, by="client") == "server"


@pytest.mark.parametrize(
    "damage",
    [
        f"flush chain inet {TABLE} output",
        f"add rule inet {TABLE} prerouting drop",
        f"add chain inet {TABLE} other",
        f"insert rule inet {TABLE} prerouting ip daddr 10.9.0.100 tcp dport 6443 redirect to :1",
        f"delete table inet {TABLE}",
    ],
)
def test_any_other_content_is_replaced(holder: Holder, damage: str) -> None:
    holder.here(lambda: ensure(DUAL))
    holder.here(lambda: run(["nft", damage]))
    assert holder.here(lambda: ensure(DUAL))
    listed = holder.here(lambda: run(["nft", "-j", "list", "table", "inet", TABLE]))
    assert is_loaded(DUAL, listed)
    assert not is_loaded(Redirect((V4,)), listed)


def test_what_nftables_refuses_is_an_error_with_its_words(holder: Holder) -> None:
    with pytest.raises(RefusedConfigError, match="nat"):
        holder.here(lambda: check_nftables(DUAL.render().replace("type nat", "type gnat")))
