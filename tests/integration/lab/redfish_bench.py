"""Two hosts in memory with real Redfish BMCs on loopback, and a web server that has an image."""

from __future__ import annotations

import ssl
import threading
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import IPv4Address
from pathlib import Path
from typing import TypedDict, Unpack

import requests
import sushy
from sushy.auth import AuthBase, SessionOrBasicAuth
from sushy.exceptions import SushyError
from sushy.resources.system.system import System

from ingot.lab.bmc.certificates import Authority
from ingot.lab.bmc.redfish.bmcs import RedfishBmcs
from ingot.lab.faults.book import Fault, FaultBook
from ingot.lab.faults.kind import FaultKind
from ingot.lab.hostchassis import HostChassis
from ingot.lab.plan import DiskPlan, HostPlan, NicPlan
from ingot.machine.model import BootMode, MacAddress
from tests.unit.lab.memory import ManualAgenda, MemoryDriver, host_plan

FIRST, SECOND = "master-0", "worker-0"
USER, PASSWORD = "admin", "correct-horse"


class RequestOptions(TypedDict, total=False):
    """What a request may have, by the names of requests."""

    auth: tuple[str | bytes, str | bytes] | None
    json: object
    data: str
    headers: dict[str, str]
    timeout: float


class FaultOptions(TypedDict, total=False):
    """What a fault may have."""

    rate: float
    times: int
    after: int
    seed: int
    amount: float


@dataclass
class Bench:
    """What a test has in its hands."""

    home: Path
    plans: dict[str, HostPlan]
    driver: MemoryDriver
    faults: FaultBook
    chassis: dict[str, HostChassis]
    authority: Authority
    bmcs: RedfishBmcs
    restarted: list[str]
    clients: list[sushy.Sushy] = field(default_factory=list)

    def url(self, host: str = FIRST, path: str = "") -> str:
        return f"https://{self.plans[host].bmc.address}:{self.bmcs.port(host)}{path}"

    def system_path(self, host: str = FIRST) -> str:
        return f"/redfish/v1/Systems/{self.plans[host].uuid}"

    def root(
        self,
        host: str = FIRST,
        *,
        auth: AuthBase | None = None,
        server_side_retries: int = 0,
    ) -> sushy.Sushy:
        """A client as Ironic makes it, but one that gives up sooner."""
        client = sushy.Sushy(
            self.url(host),
            auth=auth or SessionOrBasicAuth(USER, PASSWORD),
            verify=str(self.authority.certificate),
            server_side_retries=server_side_retries,
            server_side_retries_delay=0,
            read_timeout=10,
        )
        self.clients.append(client)
        return client

    def system(self, host: str = FIRST, *, auth: AuthBase | None = None) -> System:
        return self.root(host, auth=auth).get_system(self.system_path(host))

    def ask(
        self, method: str, path: str, *, host: str = FIRST, **options: Unpack[RequestOptions]
    ) -> requests.Response:
        """One request with the right credentials, unless others are given."""
        given: RequestOptions = {"auth": (USER, PASSWORD), "timeout": 10, **options}
        return requests.request(  # noqa: S113 - it is given
            method,
            self.url(host, path),
            verify=str(self.authority.certificate),
            **given,  # type: ignore[arg-type] # JSON may be anything
        )

    def set(self, kind: FaultKind, host: str = FIRST, **options: Unpack[FaultOptions]) -> None:
        self.faults.set(Fault(host=host, kind=kind, **options))

    def log_out(self) -> None:
        """Otherwise the clients do it when they are collected, with nobody there to answer."""
        for client in self.clients:
            with suppress(SushyError):  # Some tests end sessions in other ways.
                client._auth.close()  # noqa: SLF001 - there is no other way
            client._auth = None  # noqa: SLF001
            client._conn.close()  # noqa: SLF001


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


@contextmanager
def bench(home: Path, *, mode: BootMode = BootMode.UEFI) -> Iterator[Bench]:
    plans = {
        name: host_plan(name, address=f"127.0.0.{number + 1}", number=number).model_copy(
            update={
                "boot_mode": mode,
                "memory_mib": 3072,
                "cpus": 2,
                "nics": tuple(
                    NicPlan(
                        mac=MacAddress(f"52:54:00:00:{number:02x}:{nic}0"), bridge=bridge, port=""
                    )
                    for nic, bridge in enumerate(("provisioning", "baremetal"))
                ),
                "disks": (
                    DiskPlan(size_gib=10, serial=f"{name}-d0", wwn=f"0x50014ee00000{number:02x}00"),
                    DiskPlan(size_gib=20, serial=f"{name}-d1", wwn=f"0x50014ee00000{number:02x}01"),
                ),
            }
        )
        for number, name in enumerate((FIRST, SECOND), 1)
    }
    faults = FaultBook(home / "faults.json")
    driver = MemoryDriver(*plans)
    chassis = {
        name: HostChassis(plan, driver=driver, faults=faults, agenda=ManualAgenda())
        for name, plan in plans.items()
    }
    for one in chassis.values():
        one.set_boot_mode(mode)
    restarted: list[str] = []
    authority = Authority(home / "bmc")
    bmcs = RedfishBmcs(
        tuple(chassis.values()),
        faults=faults,
        home=home,
        authority=authority,
        port=0,
        restarted=restarted.append,
    )
    bmcs.start()
    made = Bench(home, plans, driver, faults, chassis, authority, bmcs, restarted)
    try:
        yield made
    finally:
        for host in plans:
            faults.clear(host)
        made.log_out()
        bmcs.stop()


@dataclass
class ImageServer:
    """A web server with one image; it notes what it was asked.

    Attributes:
        promised: a length to announce instead of the real one, as a server that breaks off does.
    """

    content: bytes
    url: str = ""
    status: int = 200
    promised: int | None = None
    password: str | None = None
    slowly: threading.Event | None = None
    asked: list[str] = field(default_factory=list)


@contextmanager
def image_server(content: bytes, *, authority: Authority | None = None) -> Iterator[ImageServer]:
    made = ImageServer(content)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.asked.append(self.path)
            word = b64encode(f"reader:{made.password}".encode()).decode()
            if made.password and self.headers.get("Authorization") != f"Basic {word}":
                self.send_error(401)
                return
            if made.status != 200:
                self.send_error(made.status)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(made.promised or len(made.content)))
            self.end_headers()
            half = len(made.content) // 2
            self.wfile.write(made.content[:half])
            if made.slowly is not None:
                made.slowly.wait(30)
            self.wfile.write(made.content[half:])

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        scheme = "http"
        if authority is not None:
            files = authority.credentials("images", IPv4Address("127.0.0.1"))
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(files.certificate, files.key)
            server.socket = context.wrap_socket(server.socket, server_side=True)
            scheme = "https"
        made.url = f"{scheme}://127.0.0.1:{server.server_address[1]}/images/boot.iso"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield made
        finally:
            server.shutdown()
            thread.join()
