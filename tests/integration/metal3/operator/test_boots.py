"""Boots that real dnsmasq and nginx serve, seen in what they write down."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ingot.metal3.operator.boots.following import Boots
from ingot.metal3.operator.boots.logfile import older
from ingot.metal3.operator.boots.trail import Signs
from tests.integration.metal3.operator.netboot import (
    MAC,
    NODE,
    BootServers,
    Wire,
    laid_wire,
    serving,
    unpacked,
)

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="the image's root and network namespaces are root's"
)

WITHIN_SECONDS = 120.0


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = unpacked(tmp_path_factory.mktemp("metal3"))
    yield made
    shutil.rmtree(made)


@pytest.fixture
def wire() -> Iterator[Wire]:
    with laid_wire() as laid:
        yield laid


def boots(servers: BootServers) -> Boots:
    return Boots(dnsmasq=servers.logs / "dnsmasq.log", web=servers.logs / "web.log", every=0.1)


async def until(seen: Boots, when: Callable[[Signs], object], mac: str = MAC) -> Signs:
    """Return the signs of a card once they are as they should be."""
    async with asyncio.timeout(WITHIN_SECONDS):
        while True:
            signs = seen.signs([mac])
            if signs is not None and when(signs):
                return signs
            await asyncio.sleep(0.05)


async def followed(servers: BootServers, story: Callable[[Boots], object]) -> None:
    """Run a story while the logs are followed."""
    seen = boots(servers)
    following = asyncio.create_task(seen.follow())
    try:
        await until(seen, lambda _: True)
        told = story(seen)
        assert asyncio.iscoroutine(told)
        await told
    finally:
        following.cancel()
        await asyncio.wait({following})


@pytest.mark.parametrize("version", [4, 6])
def test_a_boot_is_seen_from_its_dhcp_request_to_its_kernel(
    wire: Wire, root: Path, version: int
) -> None:
    async def story(seen: Boots) -> None:
        begun = datetime.now(UTC).replace(microsecond=0)
        assert seen.signs([MAC]) == Signs()
        address = await asyncio.to_thread(wire.lease, version)
        signs = await until(seen, lambda signs: signs.dhcp)
        assert signs.boot_file is None

        wire.hold(version, address)
        await asyncio.to_thread(wire.fetch_by_tftp, version, "snponly-x86_64.efi")
        signs = await until(seen, lambda signs: signs.boot_file)
        by_tftp = signs.boot_file
        await asyncio.to_thread(wire.fetch, version, "/boot.ipxe")
        await until(seen, lambda signs: signs.boot_file != by_tftp)
        assert signs.kernel is None

        await asyncio.to_thread(wire.fetch, version, f"/{NODE}/deploy_kernel")
        signs = await until(seen, lambda signs: signs.kernel)
        for at in (signs.dhcp, signs.boot_file, signs.kernel):
            assert at is not None
            assert begun <= at <= datetime.now(UTC)
        again = boots(servers)
        await again.look()
        assert again.signs([MAC]) == signs
        again.close()

    with serving(wire, root, limit=1 << 20) as servers:
        asyncio.run(followed(servers, story))
    shown = (root / "USR2.out").read_text("utf-8")
    assert "started, version" in shown
    assert "DHCP" in shown


def test_no_boot_is_missed_when_logs_are_replaced(wire: Wire, root: Path) -> None:
    macs = [f"52:54:00:b1:01:{number:02x}" for number in range(6)]
    for mac in macs:
        script = root / "shared/html/pxelinux.cfg" / mac.replace(":", "-")
        script.write_text("#!ipxe", encoding="utf-8")
    generations: set[tuple[str, int]] = set()

    async def story(seen: Boots) -> None:
        for mac in macs:
            address = await asyncio.to_thread(wire.lease, 4, mac)
            await until(seen, lambda signs: signs.dhcp, mac)
            wire.hold(4, address)
            for path in (f"/pxelinux.cfg/{mac.replace(':', '-')}", f"/{NODE}/deploy_kernel"):
                await asyncio.to_thread(wire.fetch, 4, path)
            await until(seen, lambda signs: signs.boot_file and signs.kernel, mac)
            for log in servers.logs.glob("*.log"):
                generations.add((log.name, log.stat().st_ino))
                assert log.stat().st_size < 10_000

    with serving(wire, root, limit=300) as servers:
        asyncio.run(followed(servers, story))
        for log in ("dnsmasq.log", "web.log"):
            assert older(servers.logs / log).exists()
            assert len([number for name, number in generations if name == log]) > 1


def test_a_request_to_end_is_passed_on(wire: Wire, root: Path) -> None:
    with serving(wire, root, limit=1 << 20) as servers:
        asyncio.run(followed(servers, lambda seen: until(seen, lambda _: True)))
        for process in (servers.dnsmasq, servers.nginx):
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=20) == 0
    assert not [
        entry
        for entry in Path("/proc").glob("[0-9]*/root")
        if entry.exists() and entry.resolve() == root
    ]


def test_a_program_that_fails_is_told_by_its_exit_code(tmp_path: Path) -> None:
    own = [sys.executable, "-m", "ingot.metal3.operator.boots", str(tmp_path / "log"), "USR1", "--"]
    done = subprocess.run([*own, "sh", "-c", "exit 7"], check=False, timeout=30)
    assert done.returncode == 7


def test_time_in_dnsmasqs_log_is_utc(wire: Wire, root: Path) -> None:
    """Nothing in the image sets another zone; `lines` counts on that."""
    with serving(wire, root, limit=1 << 20) as servers:
        asyncio.run(followed(servers, lambda seen: until(seen, lambda _: True)))
        [first, *_] = (servers.logs / "dnsmasq.log").read_text("utf-8").splitlines()
    now = datetime.now(UTC)
    said = datetime.strptime(f"{now.year} {first[:15]} +0000", "%Y %b %d %H:%M:%S %z")
    assert abs(now - said) < timedelta(minutes=5)
