"""The operator takes hosts of the lab through their whole life, with real Ironic and real agents.

One host for each way that a BMC can be spoken to; they go through it side by side.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from ingot.lab.plan import BmcKind, HostPlan
from tests.e2e.configs import config, file, login
from tests.e2e.hostlife import GREETING, partitions
from tests.e2e.lab import TestLab, created_lab
from tests.e2e.metal3site import Metal3Site, metal3_site
from tests.e2e.provisioner import Ramdisk
from tests.e2e.ramdisk_machine import built_parts
from tests.e2e.uml import Hardware
from tests.full import FULL

LAB = f"life{os.getpid()}"
KINDS = tuple(BmcKind) if FULL else (BmcKind.REDFISH_VIRTUALMEDIA,)
"""Over the network, by Redfish, is how the cluster of `tests/e2e/life` is made. IPMI differs from
that in power and boot device alone, and tests/integration/lab/test_ipmi_bmc.py has these."""
USER_DATA = "greeting"
REASONS = frozenset(
    {
        "Registered",
        "BMCAccessValidated",
        "InspectionStarted",
        "InspectionComplete",
        "ProvisioningStarted",
        "ProvisioningComplete",
        "DeprovisioningStarted",
        "DeprovisioningComplete",
        "PowerOff",
        "PowerOn",
    }
)


@dataclass
class Story:
    """What became of a host."""

    host: HostPlan
    hardware: dict[str, Any] = field(default_factory=dict)
    greeting: str = ""
    root_bytes: int = 0
    boots: dict[str, str] = field(default_factory=dict)
    node_while_detached: bool = True
    partitions_after: str = "?"
    greeting_again: str = ""
    reasons: set[str] = field(default_factory=set)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestLab]:
    folder = tmp_path_factory.mktemp("lab")
    options = ("--control-plane", "3", "--workers", "0", "--driver", "uml", "--bmc", "mixed")
    with created_lab(folder, *options, name=LAB) as created:
        yield created


@pytest.fixture(scope="module")
def site(
    lab: TestLab, hardware: Hardware, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Metal3Site]:
    initrd = built_parts(tmp_path_factory.mktemp("parts")).initrd
    with metal3_site(
        lab,
        tmp_path_factory.mktemp("site"),
        ramdisk=Ramdisk(hardware.kernel, initrd),
        image=hardware.image,
        key=hardware.key,
    ) as running:
        public = hardware.key.with_suffix(".pub").read_text(encoding="utf-8").strip()
        ignition = config(
            passwd={"users": [login(public)]},
            storage={"files": [file("/etc/greeting", GREETING)]},
        )
        running.secret(USER_DATA, {"userData": json.dumps(ignition)})
        yield running


@pytest.fixture(scope="module")
def stories(site: Metal3Site) -> Iterator[dict[BmcKind, Future[Story]]]:
    hosts = [host for host in site.lab.plan.hosts if host.bmc.kind in KINDS]
    with ThreadPoolExecutor(len(hosts)) as threads:
        yield {host.bmc.kind: threads.submit(tell, site, host) for host in hosts}


def tell(site: Metal3Site, host: HostPlan) -> Story:
    name, story = host.name, Story(host)
    site.add(host)
    site.await_state(name, "available", within=900)
    story.hardware = site.hardware(name)

    deploy(site, name)
    story.greeting = site.ssh(name, "cat /etc/greeting")
    story.root_bytes = int(site.ssh(name, "df --output=size -B1 / | tail -1"))
    story.boots["provisioned"] = site.boot_id(name)

    site.annotate(name, reboot_metal3_io='{"mode": "hard"}')
    site.until(
        name,
        lambda _: "reboot.metal3.io" not in annotated(site, name),
        within=120,
        what="told to reboot",
    )
    site.until(name, lambda seen: bool(seen["poweredOn"]), within=120, what="on again")
    story.boots["rebooted"] = site.boot_id(name)

    site.annotate(name, baremetalhost_metal3_io__detached="")
    site.until(
        name, lambda seen: seen["operationalStatus"] == "detached", within=120, what="detached"
    )
    story.node_while_detached = has_node(site, name)
    site.annotate(name, baremetalhost_metal3_io__detached=None)
    site.until(name, lambda seen: seen["operationalStatus"] == "OK", within=120, what="attached")
    site.await_state(name, "provisioned", within=120)
    story.boots["attached"] = site.boot_id(name)

    site.change(name, {"spec": {"image": None, "userData": None}})
    site.await_state(name, "available", within=900)
    story.partitions_after = partitions(site.lab, host)
    if host.bmc.kind is BmcKind.REDFISH_VIRTUALMEDIA:
        deploy(site, name)
        story.greeting_again = site.ssh(name, "cat /etc/greeting")
    story.reasons = site.reasons(name, REASONS)
    site.delete(name)
    site.await_gone(name, within=900)
    return story


def deploy(site: Metal3Site, name: str) -> None:
    reference = {"name": USER_DATA, "namespace": "default"}
    site.change(name, {"spec": {"image": site.image(), "userData": reference}})
    site.await_state(name, "provisioned", within=900)


def annotated(site: Metal3Site, name: str) -> dict[str, str]:
    found = site.get(name) or {}
    held: dict[str, str] = found.get("metadata", {}).get("annotations", {})
    return held


def has_node(site: Metal3Site, name: str) -> bool:
    nodes = site.provisioner.ask("GET", "/v1/nodes")["nodes"]
    return any(node["name"] == f"default~{name}" for node in nodes)


@pytest.mark.parametrize("kind", KINDS)
def test_host_lives(stories: dict[BmcKind, Future[Story]], kind: BmcKind) -> None:
    story = stories[kind].result(timeout=2400)
    assert story.greeting == GREETING
    assert story.root_bytes > 4 << 30, "the root did not grow to the disk"
    assert story.boots["rebooted"] != story.boots["provisioned"]
    assert not story.node_while_detached
    assert story.boots["attached"] == story.boots["rebooted"], "a running server was touched"
    assert story.partitions_after == "none"
    assert story.greeting_again == (GREETING if kind is BmcKind.REDFISH_VIRTUALMEDIA else "")


@pytest.mark.parametrize("kind", KINDS)
def test_hardware_is_what_the_plan_says(
    stories: dict[BmcKind, Future[Story]], kind: BmcKind
) -> None:
    story = stories[kind].result(timeout=2400)
    own = story.hardware["storage"][: len(story.host.disks)]  # After them comes virtual media.
    assert [disk["serialNumber"] for disk in own] == [disk.serial for disk in story.host.disks]
    assert own[0]["sizeBytes"] == story.host.disks[0].size_gib << 30
    assert {nic["mac"] for nic in story.hardware["nics"]} == {nic.mac for nic in story.host.nics}


@pytest.mark.parametrize("kind", KINDS)
def test_what_happened_is_told(stories: dict[BmcKind, Future[Story]], kind: BmcKind) -> None:
    assert stories[kind].result(timeout=2400).reasons >= REASONS
