"""A program that a balancer, a health check and a watch take for an API server.

Arguments: its name, its port, the file of its Nodes, and certificate and key.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.onprem_site.nodestore import NodeStore
from tests.onprem_site.service import Answer, Request, Service, Stream, tls_context

NODES = "/api/v1/nodes"
LOOKING_SECONDS = 0.02
BOOKMARK_SECONDS = 1.0
WATCH_SECONDS = 300.0


def main(name: str, port: str, nodes: str, certificate: str = "", key: str = "") -> None:
    """Serve until standard input ends."""
    store = NodeStore(Path(nodes))

    async def run() -> None:
        await Service(
            name=name,
            ports=[int(port)],
            tls=tls_context(certificate, key),
            readiness=frozenset({"/readyz"}),
            liveness=frozenset({"/healthz", "/livez"}),
            answer=lambda request: _answer(request, name, store),
            stream=lambda request, stream: _stream(request, stream, store),
        ).run()

    asyncio.run(run())


def _answer(request: Request, name: str, store: NodeStore) -> Answer:
    path = request.path
    if path == "/version":
        return Answer.of({"major": "1", "minor": "0", "gitVersion": "v1.0.0", "server": name})
    if path == NODES:
        items = [node for node in store.nodes().values() if _selected(node, request.query)]
        version = {"resourceVersion": str(len(store.events()))}
        content = {"apiVersion": "v1", "kind": "NodeList", "metadata": version, "items": items}
        return Answer.of(content)
    node = store.nodes().get(path.removeprefix(f"{NODES}/"))
    if node is not None:
        return Answer.of(node)
    return _status(404, "NotFound", f"{path} not found")


async def _stream(request: Request, stream: Stream, store: NodeStore) -> bool:
    if request.path == "/ticks":
        await stream.ticks()
        return True
    if request.path == NODES and request.query.get("watch") in ("1", "true"):
        await _watch(request, stream, store)
        return True
    return False


async def _watch(request: Request, stream: Stream, store: NodeStore) -> None:
    stream.begin()
    sent = int(request.query.get("resourceVersion") or 0)
    end = time.monotonic() + float(request.query.get("timeoutSeconds", WATCH_SECONDS))
    seen, quiet = 0, time.monotonic()
    if sent > len(store.events()):
        await stream.line({"type": "ERROR", "object": _gone(sent)})
        end = 0
    while time.monotonic() < end and not stream.writer.is_closing():
        changed = store.path.stat().st_mtime_ns
        if changed != seen:
            seen = changed
            events = store.events()
            for event in events[sent:]:
                if _selected(event["object"], request.query):
                    await stream.line(event)
            sent, quiet = len(events), time.monotonic()
        if request.query.get("allowWatchBookmarks") and time.monotonic() > quiet + BOOKMARK_SECONDS:
            quiet = time.monotonic()
            version = {"resourceVersion": str(sent), "name": ""}
            mark = {"apiVersion": "v1", "kind": "Node", "metadata": version}
            await stream.line({"type": "BOOKMARK", "object": mark})
        await asyncio.sleep(LOOKING_SECONDS)
    await stream.end()


def _selected(node: dict[str, Any], query: Mapping[str, str]) -> bool:
    """Tell whether a Node is meant by labels and fields, of which the plain forms are known."""
    labels = node["metadata"]["labels"]
    for wanted in filter(None, query.get("labelSelector", "").split(",")):
        key, equals, value = wanted.partition("=")
        if key not in labels or (equals and labels[key] != value.lstrip("=")):
            return False
    name = query.get("fieldSelector", "").removeprefix("metadata.name=")
    return not name or name == node["metadata"]["name"]


def _status(code: int, reason: str, message: str) -> Answer:
    content = {"kind": "Status", "apiVersion": "v1", "status": "Failure"}
    return Answer.of({**content, "code": code, "reason": reason, "message": message}, code)


def _gone(version: int) -> dict[str, object]:
    text = f"too old or unknown resource version: {version}"
    return {"kind": "Status", "code": 410, "reason": "Expired", "message": text}


if __name__ == "__main__":
    main(*sys.argv[1:])
