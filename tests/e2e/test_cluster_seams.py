"""Where an install fails for a reason of the site, it says which server and why, and can be undone.

One lab with one server, whose second and third disk are there to be the wrong ones. Each case has a
directory of its own, breaks one thing, and takes everything away again by `ingot destroy cluster`.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from ingot.configserver.ignition import file_in
from tests.e2e.cluster import Cluster
from tests.e2e.creating import CREATE_SECONDS, NOT_CREATED
from tests.e2e.lab import TestLab, created_lab
from tests.e2e.site import call, eventually
from tests.full import only_in_full

pytestmark = only_in_full

LAB = f"seams{os.getpid()}"
HOST = "cp-0"
SYSTEM_GIB, OTHER_GIB, SMALL_GIB = 20, 5, 2
"""The node image has 2.5 GB: it fits on the second disk, and not on the third."""
FIRST_DISK, OTHER_DISK, SMALL_DISK = "/dev/ubda", "/dev/ubdb", "/dev/ubdc"
DESCRIPTION = {
    "driver": "uml",
    "hosts": [
        {
            "name": HOST,
            "role": "control-plane",
            "bmc": {"kind": "redfish"},
            "disksGiB": [SYSTEM_GIB, OTHER_GIB, SMALL_GIB],
        }
    ],
}
HOSTS_JSON = "/etc/ingot/configserver/hosts.json"
FOREIGN = f"{LAB}-foreign"
FOREIGN_ADDRESS = "192.168.77.1"
DAY_BEHIND = ("clock-wrong", "--amount", "-24")

Platform = dict[str, Any]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestLab]:
    folder = tmp_path_factory.mktemp("lab")
    description = folder / "lab.yaml"
    description.write_text(yaml.safe_dump(DESCRIPTION), encoding="utf-8")
    with created_lab(folder, "--file", description, name=LAB) as made:
        yield made


@pytest.fixture
def attempt(lab: TestLab, tmp_path: Path) -> Iterator[Cluster]:
    """Return a cluster that nobody has begun to make; nothing is left of it."""
    directory = tmp_path / "install"
    shutil.copytree(lab.directory, directory)
    cluster = Cluster(replace(lab, directory=directory), NOT_CREATED)
    try:
        yield cluster
    finally:
        lab.ingot("fault", "clear", "--all")
        cluster.ingot("destroy", "cluster")


def change(cluster: Cluster, how: Callable[[Platform], object]) -> None:
    """Change `platform.baremetal` of the install-config."""
    path = cluster.directory / "install-config.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    how(content["platform"]["baremetal"])
    path.write_text(yaml.safe_dump(content), encoding="utf-8")


def write_to(cluster: Cluster, disk: str) -> None:
    """Have the image written to one of the server's disks."""

    def hinted(platform: Platform) -> None:
        assert platform["hosts"][0]["rootDeviceHints"] == {"deviceName": FIRST_DISK}
        platform["hosts"][0]["rootDeviceHints"] = {"deviceName": disk}

    change(cluster, hinted)


def refused(cluster: Cluster, code: int, *words: str) -> None:
    """Have an install end with a code, and say all of some words where errors are said."""
    done = cluster.ingot("create", "cluster", seconds=CREATE_SECONDS)
    assert done.returncode == code, f"{done.returncode}\n{done.stdout[-3000:]}\n{done.stderr}"
    for word in words:
        assert word in done.stderr
    assert re.search(r"^error: .+\n       \S", done.stderr, re.MULTILINE), "no remedy is named"


def taken_away(cluster: Cluster) -> None:
    """Have `destroy` leave nothing of an install."""
    done = cluster.ingot("destroy", "cluster")
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    installs = cluster.lab.home / "installs"
    assert not installs.exists() or list(installs.iterdir()) == []
    assert cluster.lab.status()[HOST]["power"] == "off"
    assert not (cluster.directory / ".ingot").exists()
    assert not (cluster.directory / "auth").exists()


def test_a_wrong_bmc_password_is_told_before_anything_is_made(attempt: Cluster) -> None:
    change(attempt, lambda it: it["hosts"][0]["bmc"].update(password="not-this-one"))
    refused(attempt, 4, f"host {HOST}", "refuses the user name or password", "bmc.password")
    assert not (attempt.directory / "auth").exists()
    taken_away(attempt)


def test_a_vip_that_somebody_has_is_told_before_anything_is_made(attempt: Cluster) -> None:
    where = (f"{attempt.api_vip}/32", "dev", "baremetal")
    call(*attempt.lab.command("ip", "address", "add", *where))
    try:
        refused(attempt, 4, attempt.api_vip, "apiVIPs[0]")
    finally:
        call(*attempt.lab.command("ip", "address", "delete", *where))
    taken_away(attempt)


def test_somebody_else_s_dhcp_server_is_named(attempt: Cluster, tmp_path: Path) -> None:
    with foreign_dhcp(attempt.lab, tmp_path):
        refused(attempt, 5, "another DHCP server", FOREIGN_ADDRESS, "Unmanaged")
    assert attempt.lab.status()[HOST]["power"] == "off"
    taken_away(attempt)


def test_an_image_that_does_not_boot_is_told_with_its_server(attempt: Cluster) -> None:
    write_to(attempt, OTHER_DISK)  # Firmware boots the first one.
    refused(attempt, 5, f"host {HOST}", "has not asked for its config", "console")
    taken_away(attempt)


def test_a_disk_that_is_too_small_is_told_with_its_server(attempt: Cluster) -> None:
    write_to(attempt, SMALL_DISK)
    refused(attempt, 4, f"host {HOST}", "too small for the image")
    taken_away(attempt)


def test_a_server_with_a_wrong_token_is_named(attempt: Cluster) -> None:
    done = attempt.ingot("create", "ignition-configs", seconds=CREATE_SECONDS)
    assert done.returncode == 0, done.stderr
    forget_token(attempt.directory / "bootstrap.ign")
    refused(attempt, 5, f"host {HOST}", "with a wrong token", "was refused")
    taken_away(attempt)


def test_a_clock_that_nobody_sets_is_told_with_its_server(attempt: Cluster) -> None:
    change(attempt, lambda it: it.pop("additionalNTPServers"))
    attempt.lab.ingot("fault", "set", HOST, *DAY_BEHIND)
    with no_time_from_outside(attempt.lab):
        refused(attempt, 5, f"host {HOST}", "its clock is 24 h behind")
    taken_away(attempt)


def test_a_clock_that_is_set_does_not_keep_anybody_from_joining(attempt: Cluster) -> None:
    attempt.lab.ingot("fault", "set", HOST, *DAY_BEHIND)
    done = attempt.ingot("create", "cluster", seconds=CREATE_SECONDS)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr}"
    report = json.loads((attempt.directory / ".ingot/report.json").read_text(encoding="utf-8"))
    told = f"host {HOST}: its clock was 24 h behind the time, and has been set"
    assert told in report["overcome"]
    attempt.ingot("destroy", "cluster")


def forget_token(path: Path) -> None:
    """Have the config server of a bootstrap.ign know the server by another token than its own."""
    config = json.loads(path.read_text(encoding="utf-8"))
    hosts = json.loads(file_in(config, HOSTS_JSON) or "")
    for host in hosts["hosts"]:
        host["tokenSha256"] = "0" * 64
    packed = base64.b64encode(json.dumps(hosts).encode()).decode()
    for file in config["storage"]["files"]:
        if file["path"] == HOSTS_JSON:
            file["contents"] = {"source": f"data:;base64,{packed}"}
    path.write_text(json.dumps(config), encoding="utf-8")


@contextmanager
def foreign_dhcp(lab: TestLab, folder: Path) -> Iterator[None]:
    """Have somebody else's DHCP server on the provisioning network, on a machine of its own."""
    pid_file = folder / "dnsmasq.pid"
    call("ip", "netns", "add", FOREIGN)
    try:
        call(
            "ip", "-n", FOREIGN, "link", "add", "card", "type", "veth",
            "peer", "name", "foreign", "netns", lab.plan.namespace,
        )  # fmt: skip
        call(*lab.command("ip", "link", "set", "foreign", "master", "provisioning", "up"))
        call("ip", "-n", FOREIGN, "address", "add", f"{FOREIGN_ADDRESS}/24", "dev", "card")
        call("ip", "-n", FOREIGN, "link", "set", "card", "up")
        server = subprocess.Popen(
            [
                "ip", "netns", "exec", FOREIGN, "dnsmasq", "--keep-in-foreground", "--port=0",
                "--conf-file=/dev/null", "--interface=card", "--user=root", "--leasefile-ro",
                f"--pid-file={pid_file}", "--dhcp-range=192.168.77.100,192.168.77.200",
            ]
        )  # fmt: skip
        try:
            eventually(pid_file.exists, within=20, every=0.05)
            yield
        finally:
            server.terminate()
            server.wait(20)
    finally:
        call("ip", "netns", "delete", FOREIGN)


@contextmanager
def no_time_from_outside(lab: TestLab) -> Iterator[None]:
    """Keep questions for the time from leaving the lab: images know of public servers."""
    rule = ("ipproto", "udp", "dport", "123", "blackhole")
    call(*lab.command("ip", "rule", "add", *rule))
    try:
        yield
    finally:
        call(*lab.command("ip", "rule", "delete", *rule))
