"""A network for a few machines: a namespace with a bridge, DHCP and DNS. It goes with its test."""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar

T = TypeVar("T")

CLONE_NEWNET = 0x40000000
PREFIX = "192.168.222"
GATEWAY = f"{PREFIX}.1"
OUTSIDE_NAME = "outside.example.com"
"""A name that this site's DNS server gives its own address for."""


def eventually(check: Callable[[], T | None], *, within: float, every: float = 0.5) -> T:
    """Return the first answer of a check that is neither None nor False."""
    deadline = time.monotonic() + within
    while True:
        answer = check()
        if answer is not None and answer is not False:
            return answer
        if time.monotonic() > deadline:
            raise TimeoutError(f"{getattr(check, '__name__', check)}: not within {within} seconds")
        time.sleep(every)


def call(*command: str | Path, seconds: float = 60) -> str:
    """Run a command on this host to its end."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=seconds)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@dataclass(frozen=True)
class Site:
    """The namespace, and what to know of it."""

    namespace: str
    folder: Path

    def command(self, *command: str | Path) -> list[str]:
        """Return a command that runs in the namespace."""
        return ["ip", "netns", "exec", self.namespace, *map(str, command)]

    def run(self, *command: str | Path) -> str:
        """Run a command in the namespace to its end."""
        return call(*self.command(*command))

    def plug(self, number: int) -> str:
        """Return a new tap device on the bridge."""
        tap = f"tap{number}"
        self.run("ip", "tuntap", "add", tap, "mode", "tap")
        self.run("ip", "link", "set", tap, "master", "lan", "up")
        return tap

    def unplug(self, tap: str) -> None:
        """Remove a tap device."""
        self.run("ip", "link", "delete", tap)

    def listening(self, port: int) -> socket.socket:
        """Return a socket that listens on the site's own address."""

        def listen() -> socket.socket:
            libc = ctypes.CDLL(None, use_errno=True)
            with Path("/run/netns", self.namespace).open() as namespace:
                if libc.setns(namespace.fileno(), CLONE_NEWNET):
                    raise OSError(ctypes.get_errno(), "setns")
            return socket.create_server((GATEWAY, port))

        # The namespace is the thread's, and the thread ends here; the socket stays in it.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(listen).result()


@contextmanager
def opened_site(folder: Path) -> Iterator[Site]:
    """Make a site, and remove it whatever happens."""
    site = Site(f"ingot-test-{os.getpid()}", folder)
    call("ip", "netns", "add", site.namespace)
    try:
        site.run("ip", "link", "set", "lo", "up")
        site.run("ip", "link", "add", "lan", "type", "bridge")
        site.run("ip", "address", "add", f"{GATEWAY}/24", "dev", "lan")
        site.run("ip", "link", "set", "lan", "up")
        with (folder / "dnsmasq.log").open("w") as log, _dnsmasq(site, log):
            yield site
    finally:
        call("ip", "netns", "delete", site.namespace)


@contextmanager
def _dnsmasq(site: Site, log: IO[str]) -> Iterator[None]:
    command = site.command(
        "dnsmasq",
        "--keep-in-foreground",
        "--conf-file=/dev/null",
        "--no-resolv",
        "--no-hosts",
        "--bind-interfaces",
        f"--listen-address={GATEWAY}",
        f"--dhcp-range={PREFIX}.10,{PREFIX}.99",
        # Machine number 7 has MAC …:07 and address ….7, so a test knows where it is.
        *(f"--dhcp-host={mac_of(number)},{address_of(number)}" for number in range(2, 10)),
        f"--address=/{OUTSIDE_NAME}/{GATEWAY}",
        f"--dhcp-leasefile={site.folder / 'leases'}",
        "--log-facility=-",
        "--user=root",
    )
    with subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT) as dnsmasq:
        try:
            yield
        finally:
            dnsmasq.kill()


def mac_of(number: int) -> str:
    """Return the MAC of a machine."""
    return f"52:54:00:00:00:{number:02x}"


def address_of(number: int) -> str:
    """Return the address of a machine."""
    return f"{PREFIX}.{number}"
