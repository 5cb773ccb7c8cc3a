"""What a provisioning network has: DHCP and TFTP by dnsmasq as metal3 configures it, and HTTP."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.e2e.site import call, eventually
from tests.machines.tiny import BRIDGE

PREFIX = "192.168.223"
SERVER = f"{PREFIX}.1"
NAME = "boot.example.com"
HTTP_PORT = 6180
URL = f"http://{SERVER}:{HTTP_PORT}"
CHUNK = 1 << 16


@dataclass
class Provisioning:
    """A running one: what it serves, how it misbehaves, what it was asked."""

    folder: Path
    files: dict[str, bytes | Path] = field(default_factory=dict)
    """What HTTP has, by path."""
    cut: dict[str, int] = field(default_factory=dict)
    """After how many bytes the next answer for a path breaks off."""
    silent_after: dict[str, int] = field(default_factory=dict)
    """After how many bytes the next answer for a path stops coming."""
    redirected: dict[str, str] = field(default_factory=dict)
    posted: dict[str, bytes] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def tftp(self) -> Path:
        """The folder that TFTP serves."""
        return self.folder / "tftp"

    @property
    def log(self) -> str:
        """What dnsmasq says."""
        return (self.folder / "dnsmasq.log").read_text(encoding="utf-8")


METAL3 = f"""
dhcp-match=ipxe,175
dhcp-boot=tag:ipxe,{URL}/boot.ipxe
dhcp-match=set:efi,option:client-arch,7
dhcp-match=set:efi,option:client-arch,9
dhcp-boot=tag:efi,tag:!ipxe,snponly.efi
dhcp-boot=/undionly.kpxe,{SERVER}
"""
"""Who is sent where, as metal3 does it."""


@contextmanager
def provisioning(folder: Path, *, boot: str = METAL3) -> Iterator[Provisioning]:
    """Serve on the bridge of the namespace we are in, until the end of the block."""
    made = Provisioning(folder)
    made.tftp.mkdir(parents=True)
    for name in ("undionly.kpxe", "snponly.efi"):
        (made.tftp / name).write_bytes(b"a stand-in, which is fetched and never run" * 1000)
    call("ip", "address", "add", f"{SERVER}/24", "dev", BRIDGE)
    with _http(made), _dnsmasq(made, boot):
        yield made


@contextmanager
def _dnsmasq(made: Provisioning, boot: str) -> Iterator[None]:
    config = f"""
port=53
no-resolv
no-hosts
no-daemon
user=root
interface={BRIDGE}
bind-dynamic
no-ping
log-dhcp
log-facility=-
dhcp-leasefile={made.folder / "leases"}
dhcp-range={PREFIX}.10,{PREFIX}.99
address=/{NAME}/{SERVER}
enable-tftp
tftp-root={made.tftp}
{boot}
"""
    file = made.folder / "dnsmasq.conf"
    file.write_text(config, encoding="utf-8")
    with (
        (made.folder / "dnsmasq.log").open("w") as log,
        subprocess.Popen(
            ["dnsmasq", f"--conf-file={file}"],
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process,
    ):
        try:
            eventually(lambda: "started" in made.log, within=20, every=0.05)
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def _http(made: Provisioning) -> Iterator[None]:
    with ThreadingHTTPServer((SERVER, HTTP_PORT), _handler(made)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield
        finally:
            made.over.set()
            server.shutdown()
            thread.join()


def _handler(made: Provisioning) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.requests.append(self.path)
            if self.path in made.redirected:
                self.send_response(302)
                self.send_header("Location", made.redirected[self.path])
                self.end_headers()
                return
            content = made.files.get(self.path)
            if content is None:
                self.send_error(404)
                return
            raw = content.read_bytes() if isinstance(content, Path) else content
            self.send_response(200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self._send(raw)

        def do_POST(self) -> None:
            made.posted[self.path] = self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def _send(self, raw: bytes) -> None:
            cut, silent = made.cut.pop(self.path, None), made.silent_after.pop(self.path, None)
            for limit in (cut, silent):
                raw = raw if limit is None else raw[:limit]
            self.wfile.write(raw)
            if silent is not None:
                made.over.wait()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """Say nothing."""

    return Handler
