"""A real HTTP server on this machine that stands for the sites of releases, with faults."""

from __future__ import annotations

import hashlib
import io
import tarfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ingot.payload.binaries import CNI_PLUGINS, KUBERNETES_COMMANDS
from ingot.payload.golang import architecture
from ingot.payload.versions import versions

PAUSE_SOURCE = b"int main(void) { return 0; }\n"


@dataclass(slots=True)
class Mirror:
    """What the server has, how it misbehaves, and what it was asked."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    answers: dict[str, list[int]] = field(default_factory=dict)
    """Status codes for the next requests of a path, before it is served."""
    cut: dict[str, list[int]] = field(default_factory=dict)
    """After how many bytes the next answers of a path break off."""
    ranges: bool = True
    """Whether it can send a part of a file."""
    gates: dict[str, threading.Event] = field(default_factory=dict)
    """A path is sent to its half, and on only when its gate opens."""
    half_sent: threading.Event = field(default_factory=threading.Event)
    requests: list[tuple[str, str]] = field(default_factory=list)
    """Each path that was asked for, with its range."""

    def asked_for(self, path: str) -> list[str]:
        """Return the ranges in which a path was asked for."""
        return [ranged for asked, ranged in self.requests if asked == path]

    def publish(self, path: str, content: bytes, checksums: str | None = None) -> None:
        """Serve a file with its checksum."""
        self.files[path] = content
        digest = hashlib.sha256(content).hexdigest()
        name = path.rpartition("/")[2]
        self.files[checksums or f"{path}.sha256"] = f"{digest}  {name}\n".encode()


def archive(members: Mapping[str, bytes]) -> bytes:
    """Return a compressed tar."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as tar:
        for name, content in members.items():
            facts = tarfile.TarInfo(name)
            facts.size = len(content)
            tar.addfile(facts, io.BytesIO(content))
    return target.getvalue()


def cni_path() -> str:
    """Return where the mirror has the CNI plugins."""
    version = versions().cni_plugins
    return (
        f"/containernetworking/plugins/releases/download/v{version}/"
        f"cni-plugins-linux-{architecture()}-v{version}.tgz"
    )


def publish_cni(mirror: Mirror) -> str:
    """Serve plugins that are a few bytes each; return the path of their archive."""
    names = [name for kind in CNI_PLUGINS.values() for name in kind]
    path = cni_path()
    mirror.publish(path, archive({f"./{name}": f"#!{name}".encode() * 500 for name in names}))
    return path


def publish_kubernetes(mirror: Mirror) -> None:
    """Serve a Kubernetes whose commands are a few bytes each."""
    version = versions().kubernetes
    for name in KUBERNETES_COMMANDS:
        mirror.publish(f"/v{version}/bin/linux/{architecture()}/{name}", f"#!{name}".encode())
    source = archive({"kubernetes/build/pause/linux/pause.c": PAUSE_SOURCE})
    mirror.publish(f"/v{version}/kubernetes-src.tar.gz", source)


@contextmanager
def serving() -> Iterator[Mirror]:
    """Serve until the end of the block."""
    mirror = Mirror()
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(mirror)) as server:
        server.daemon_threads = False
        mirror.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield mirror
        finally:
            for gate in mirror.gates.values():
                gate.set()
            server.shutdown()
            thread.join()


def _handler(mirror: Mirror) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked = self.headers.get("Range", "")
            mirror.requests.append((self.path, asked))
            content = mirror.files.get(self.path)
            codes = mirror.answers.get(self.path, [])
            if codes or content is None:
                self.send_error(codes.pop(0) if codes else 404)
                return
            start = int(asked[len("bytes=") : -1]) if asked and mirror.ranges else 0
            if asked and start >= len(content):
                self.send_error(416)
                return
            self.send_response(206 if start else 200)
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            self._send(content[start:])

        def _send(self, content: bytes) -> None:
            cuts = mirror.cut.get(self.path, [])
            if cuts:
                self.wfile.write(content[: cuts.pop(0)])
                return
            gate = mirror.gates.get(self.path)
            half = len(content) // 2 if gate else len(content)
            try:
                self.wfile.write(content[:half])
                self.wfile.flush()
                if gate:
                    mirror.half_sent.set()
                    gate.wait()
                    self.wfile.write(content[half:])
            except (BrokenPipeError, ConnectionResetError):
                return  # Who asked has gone.

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name it has in the library
            """Say nothing."""

    return Handler
