"""Every configuration file, read by the program that it is for."""

from __future__ import annotations

import asyncio
import os
import signal
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path, PurePosixPath
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

from ingot.ironic.access import Access
from ingot.ironic.client import Ironic
from ingot.ironic.conf.dnsmasq import ROMS, Dnsmasq, LeaseRange
from ingot.ironic.conf.interfaces import Interfaces
from ingot.ironic.conf.ironic import IronicConf, Ramdisk, TlsFiles
from ingot.ironic.conf.nginx import WebServer
from tests.integration.ironic.certificates import write_certificates
from tests.integration.ironic.service import ADDRESS, fake_conf, free_port, inside, running, started

SERVER = IPv4Address("172.22.0.2")
IPV4 = LeaseRange(first=IPv4Address("172.22.0.10"), last=IPv4Address("172.22.0.99"), prefix=24)
IPV6 = LeaseRange(first=IPv6Address("fd00:1101::10"), last=IPv6Address("fd00:1101::99"), prefix=64)
PLAIN = Dnsmasq(
    interface="provisioning", server=SERVER, http_url=f"http://{SERVER}:6180", ranges=(IPV4,)
)
SHOWN = """
import sys
sys.path.insert(0, "/opt/ironic/lib")
from oslo_config import cfg
from ironic.common import service
service.prepare_service("ironic", ["ironic", "--config-file", "/etc/ironic.conf"])
from ironic.conf import CONF
for name in sys.argv[1:]:
    group, _, option = name.rpartition(".")
    print(getattr(getattr(CONF, group) if group else CONF, option))
"""


def full_conf(port: int) -> IronicConf:
    """Return what Ironic is told where it drives real servers."""
    return replace(fake_conf(port), interfaces=Interfaces(), automated_clean=True)


def test_ironic_starts_with_every_interface_and_answers(root: Path, tmp_path: Path) -> None:
    async def drivers(access: Access) -> frozenset[str]:
        async with Ironic(access) as ironic:
            return (await ironic.readiness()).drivers

    with running(root, tmp_path, full_conf(free_port())) as service:
        found = asyncio.run(drivers(service.access))
        said = service.said
    assert found == set(Interfaces().hardware_types)
    assert "Deprecated: Option" not in said
    assert " ERROR " not in said


def test_ironic_reads_each_value_as_it_was_meant(root: Path) -> None:
    conf = replace(
        full_conf(6385),
        ramdisk=Ramdisk(kernel_parameters="console=ttyS0 key=$ecret"),
        bmc_ca=PurePosixPath("/certs/ca/bmc"),
        fast_track=False,
        work=PurePosixPath("/shared/cache"),
    )
    (root / "etc/ironic.conf").write_text(conf.render(), encoding="utf-8")
    wanted = {
        "rpc_transport": "none",
        "auth_strategy": "noauth",
        "enabled_boot_interfaces": str(list(conf.interfaces.boot)),
        "pxe.kernel_append_params": "console=ttyS0 key=$ecret",
        "redfish.verify_ca": "/certs/ca/bmc",
        "inspector.power_off": "True",
        "inspector.require_managed_boot": "False",
        "inspector.hooks": "ramdisk-error,validate-interfaces,ports,architecture,parse-lldp",
        "deploy.fast_track": "False",
        "deploy.iso_master_path": "/shared/cache/isos",
        "pxe.tftp_master_path": "/shared/cache/boot-masters",
        "tempdir": "/shared/cache/tmp",
        "deploy.external_http_url": conf.urls.http,
        "conductor.verify_step_priority_override": "[{'management.clear_job_queue': '90'}]",
        "conductor.file_url_allowed_paths": str(
            ["/shared/html/images", "/shared/ramdisk", "/usr/share/ingot"]
        ),
        "ipmi.cipher_suite_versions": "['3', '17']",
        "api.max_limit": "10000",
        "database.connection": f"sqlite:///{conf.database}",
        "service_catalog.endpoint_override": conf.urls.api,
    }
    done = subprocess.run(
        ["chroot", root, "/usr/bin/python3", "-c", SHOWN, *wanted],
        check=False, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert dict(zip(wanted, done.stdout.splitlines(), strict=True)) == wanted


def test_the_image_has_every_file_that_the_configurations_name(root: Path) -> None:
    named = [
        *ROMS.values(),
        PurePosixPath("/usr/lib/ISOLINUX/isolinux.bin"),
        PurePosixPath("/usr/lib/syslinux/modules/bios/ldlinux.c32"),
    ]
    assert [path for path in named if not (root / path.relative_to("/")).exists()] == []


@pytest.mark.parametrize(
    "conf",
    [
        PLAIN,
        replace(PLAIN, allowed=("52:54:00:00:00:01", "52:54:00:00:00:02")),
        replace(PLAIN, allowed=(), hosts_folder=PurePosixPath("/tmp")),  # noqa: S108 - in its root
        replace(PLAIN, gateway=SERVER, dns=SERVER, ntp=SERVER),
        replace(
            PLAIN,
            server=IPv6Address("fd00:1101::2"),
            http_url="http://[fd00:1101::2]:6180",
            ranges=(IPV6,),
            dns=IPv6Address("fd00:1101::2"),
        ),
        replace(PLAIN, ranges=(IPV4, IPV6)),
        replace(PLAIN, ranges=()),
    ],
    ids=["plain", "allowed", "folder", "options", "ipv6", "both", "tftp alone"],
)
def test_dnsmasq_accepts_its_configuration(root: Path, conf: Dnsmasq) -> None:
    done = dnsmasq_tests(root, conf.render())
    assert done.returncode == 0, f"{done.stderr}\n{conf.render()}"


def test_dnsmasqs_own_check_refuses_a_wrong_line(root: Path) -> None:
    assert dnsmasq_tests(root, f"{PLAIN.render()}\ndhcp-range=nonsense\n").returncode != 0


def dnsmasq_tests(root: Path, text: str) -> subprocess.CompletedProcess[str]:
    (root / "etc/dnsmasq.conf").write_text(text, encoding="utf-8")
    return subprocess.run(
        ["chroot", root, "/usr/sbin/dnsmasq", "--test", "--conf-file=/etc/dnsmasq.conf"],
        check=False, capture_output=True, text=True, timeout=30,
    )  # fmt: skip


@pytest.mark.parametrize("ipv6", [False, True])
@pytest.mark.parametrize("tls", [False, True])
def test_nginx_accepts_its_configuration(
    root: Path, tmp_path: Path, *, ipv6: bool, tls: bool
) -> None:
    write_certificates(root / "etc", tmp_path)
    conf = WebServer(port=free_port(), tls_port=free_port(), ipv6=ipv6, tls=FILES if tls else None)
    (root / "etc/nginx.conf").write_text(conf.render(), encoding="utf-8")
    done = subprocess.run(
        inside(root, "/usr/sbin/nginx", "-t", "-c", "/etc/nginx.conf"),
        check=False, capture_output=True, text=True, timeout=30,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stderr}\n{conf.render()}"


def test_nginx_serves_files_to_whoever_asks_and_takes_none(root: Path, tmp_path: Path) -> None:
    write_certificates(root / "etc", tmp_path)
    conf = WebServer(port=free_port(), tls_port=free_port(), ipv6=False, tls=FILES)
    trust = ssl.create_default_context(cafile=tmp_path / "ca.crt")
    plain = f"http://{ADDRESS}:{conf.port}"
    with serving(root, tmp_path, conf):
        for address in (plain, f"https://{ADDRESS}:{conf.tls_port}"):
            with urlopen(f"{address}/images/file", timeout=10, context=trust) as answer:  # noqa: S310
                assert answer.read() == b"an image"
        upload = Request(f"{plain}/images/new", method="PUT", data=b"x")  # noqa: S310 - the test's own
        for request in (upload, f"{plain}/images/", f"{plain}/../etc/passwd"):
            with pytest.raises(HTTPError, match=r"40[0345]"):
                urlopen(request, timeout=10)  # noqa: S310 - the test's own


FILES = TlsFiles(PurePosixPath("/etc/server.crt"), PurePosixPath("/etc/server.key"))


@contextmanager
def serving(root: Path, folder: Path, conf: WebServer) -> Iterator[None]:
    """Run nginx; it is gone afterwards."""
    image = root / "shared/html/images/file"
    image.write_bytes(b"an image")
    (root / "etc/nginx.conf").write_text(conf.render(), encoding="utf-8")
    with (folder / "nginx.log").open("wb") as log:
        nginx = started(inside(root, "/usr/sbin/nginx", "-c", "/etc/nginx.conf"), log)
    try:
        deadline = time.monotonic() + 20
        while True:
            assert nginx.poll() is None, (folder / "nginx.log").read_text("utf-8")
            assert time.monotonic() < deadline
            try:
                urlopen(f"http://{ADDRESS}:{conf.port}/images/file", timeout=1).close()
            except URLError:
                time.sleep(0.05)
            else:
                break
        yield
    finally:
        if nginx.poll() is None:
            os.killpg(nginx.pid, signal.SIGKILL)
            nginx.wait()
        image.unlink()
