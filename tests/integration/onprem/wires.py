"""Network namespaces for a test: nodes on one bridge, gone with the block."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ingot.machine import namespaces
from ingot.process import run


@contextmanager
def wired(nodes: Mapping[str, Sequence[str]]) -> Iterator[dict[str, str]]:
    """Give each node a namespace with `eth0` that has its addresses, all on one bridge."""
    prefix = f"ingot-op{os.getpid()}"
    spaces = {name: f"{prefix}-{name}" for name in nodes}
    switch = f"{prefix}-switch"
    made: list[str] = []
    try:
        for space in (switch, *spaces.values()):
            run(["ip", "netns", "add", space])
            made.append(space)
            run(["ip", "-n", space, "link", "set", "lo", "up"])
        run(["ip", "-n", switch, "link", "add", "bridge", "type", "bridge"])
        run(["ip", "-n", switch, "link", "set", "bridge", "up"])
        for number, (name, addresses) in enumerate(nodes.items()):
            port = f"port{number}"
            words = ["name", port, "type", "veth", "peer", "name", "eth0", "netns", spaces[name]]
            run(["ip", "-n", switch, "link", "add", *words])
            run(["ip", "-n", switch, "link", "set", port, "master", "bridge", "up"])
            for address in addresses:
                there = [address, "dev", "eth0", *(["nodad"] if ":" in address else [])]
                run(["ip", "-n", spaces[name], "address", "add", *there])
            run(["ip", "-n", spaces[name], "link", "set", "eth0", "up"])
        yield spaces
    finally:
        namespaces.end_processes(made)
        for space in made:
            namespaces.delete(space)


@contextmanager
def running(space: str, *command: str | Path, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program on the network of a namespace, and end it with the block."""
    with log.open("wb") as output:
        process = namespaces.inside(
            space,
            lambda: subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT),
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
