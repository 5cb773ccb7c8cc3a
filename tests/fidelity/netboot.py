"""A network to boot from: DHCP and TFTP by dnsmasq, HTTP by Python, as Ironic arranges them."""

from __future__ import annotations

import subprocess
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ingot.payload.debianlayers import metal3_root
from tests.e2e.site import GATEWAY, PREFIX, call
from tests.fidelity.conftest import built
from tests.machines.network import inside

PORT = 8080
ADDRESS = f"http://{GATEWAY}:{PORT}"
LOADER = "snponly.efi"


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder, and says nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in the library
        """Say nothing."""


@contextmanager
def netboot(namespace: str, bridge: str, folder: Path, first: str) -> Iterator[None]:
    """Offer network boot on a bridge; `first` is the script in the folder that iPXE begins with."""
    root = built(metal3_root()) / "root.tar"
    with tarfile.open(root) as tar, (folder / LOADER).open("wb") as file:
        loader = tar.extractfile(f"./usr/lib/ipxe/{LOADER}")
        assert loader is not None
        file.write(loader.read())
    call("ip", "-n", namespace, "address", "add", f"{GATEWAY}/24", "dev", bridge)
    with inside(namespace):
        server = ThreadingHTTPServer((GATEWAY, PORT), partial(Handler, directory=str(folder)))
    with server, _dnsmasq(namespace, folder, first):
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def _dnsmasq(namespace: str, folder: Path, first: str) -> Iterator[None]:
    command = [
        "ip", "netns", "exec", namespace, "dnsmasq",
        "--keep-in-foreground",
        "--conf-file=/dev/null",
        "--port=0",
        "--bind-interfaces",
        f"--listen-address={GATEWAY}",
        f"--dhcp-range={PREFIX}.10,{PREFIX}.99",
        f"--dhcp-leasefile={folder / 'leases'}",
        "--enable-tftp",
        f"--tftp-root={folder}",
        # Firmware is given iPXE, and iPXE, which says so by option 175, its script.
        "--dhcp-match=set:ipxe,175",
        f"--dhcp-boot=tag:!ipxe,{LOADER}",
        f"--dhcp-boot=tag:ipxe,{ADDRESS}/{first}",
        "--log-facility=-",
        "--log-dhcp",
        "--user=root",
    ]  # fmt: skip
    with (
        (folder / "dnsmasq.log").open("w") as log,
        subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT) as dnsmasq,
    ):
        try:
            yield
        finally:
            dnsmasq.kill()
