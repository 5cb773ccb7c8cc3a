"""A lab's networks and its site, made for real beside the user's own, and gone without a trace."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from ipaddress import IPv4Network
from pathlib import Path

import pytest

from ingot.background import Background
from ingot.dhcp.message import Option
from ingot.lab import outlets
from ingot.lab.locking import choosing_networks
from ingot.lab.networks import (
    NetworkTaken,
    check_free,
    make_networks,
    remove_networks,
    resolver_folder,
)
from ingot.lab.plan import LabPlan
from ingot.lab.services import ServiceFailed, Services, site_services
from ingot.lab.surroundings import taken_networks
from ingot.machine import namespaces
from ingot.machine.firmware.dhcp.client import Lease, lease_from
from ingot.machine.firmware.dhcp.identity import Identity
from ingot.machine.model import BootMode, MacAddress
from tests.e2e.site import call
from tests.integration.lab.sites import network_time, resolve
from tests.labplans import planned

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="networks need root")

NAME = f"test-n{os.getpid()}"
GUEST = f"ingot-{NAME}-guest"


def plan_of(mode: str = "managed") -> LabPlan:
    text = f"controlPlane: 1\nworkers: 1\nprovisioningNetwork: {mode}\n"
    return planned(text, name=NAME, taken=taken_networks())


@contextmanager
def laid(mode: str = "managed") -> Iterator[LabPlan]:
    with ExitStack() as afterwards:
        with choosing_networks():
            plan = plan_of(mode)
            afterwards.callback(remove_networks, plan.namespace, [plan.networks.uplink])
            afterwards.callback(namespaces.end_processes, [plan.namespace])
            make_networks(plan)
        yield plan


@contextmanager
def served(plan: LabPlan, home: Path) -> Iterator[Services]:
    services = site_services(plan, home)
    try:
        namespaces.inside(plan.namespace, services.start)
        yield services
    finally:
        services.stop()


@pytest.fixture
def plan() -> Iterator[LabPlan]:
    with laid() as made:
        yield made


def links(*where: str) -> set[str]:
    return {link["ifname"] for link in json.loads(call("ip", *where, "-json", "link", "show"))}


def addresses(plan: LabPlan) -> dict[str, set[str]]:
    seen = json.loads(call("ip", "-n", plan.namespace, "-json", "address", "show"))
    return {link["ifname"]: {one["local"] for one in link["addr_info"]} for link in seen}


def surroundings() -> dict[str, object]:
    """Return what a lab must not change in the user's own network."""
    routes = call("ip", "route", "show", "table", "all").splitlines()
    return {
        "links": {link for link in links() if NAME in link},
        "routes": [route for route in routes if NAME in route],
        "namespaces": sorted(path.name for path in namespaces.NAMED.glob(f"*{NAME}*")),
        "forwarding": Path("/proc/sys/net/ipv4/ip_forward").read_text(encoding="utf-8"),
        "resolver": Path("/etc/resolv.conf").read_bytes(),
        "resolvers of namespaces": resolver_folder(f"ingot-{NAME}").exists(),
    }


def test_nothing_is_left_when_they_are_removed() -> None:
    before = surroundings()
    with laid():
        assert surroundings() != before
    assert surroundings() == before


def test_the_user_s_own_settings_are_not_touched() -> None:
    before = surroundings()
    with laid():
        during = surroundings()
    assert during["forwarding"] == before["forwarding"]
    assert during["resolver"] == before["resolver"]


def test_removing_what_is_not_there_is_no_error() -> None:
    plan = plan_of()
    for _ in range(2):
        remove_networks(plan.namespace, [plan.networks.uplink])


def test_a_lab_s_namespace_has_its_own_settings(plan: LabPlan) -> None:
    def settings() -> tuple[str, bool]:
        ipv6 = Path("/proc/sys/net/ipv6/conf/all/disable_ipv6")
        forward = Path("/proc/sys/net/ipv4/ip_forward").read_text(encoding="ascii").strip()
        return forward, not ipv6.exists() or ipv6.read_text(encoding="ascii").strip() == "1"

    assert namespaces.inside(plan.namespace, settings) == ("1", True)


@pytest.mark.parametrize("broken", ["baremetal", "oob", "provisioning", "uplink"])
def test_what_is_missing_is_made_again(plan: LabPlan, broken: str) -> None:
    before = addresses(plan)
    with choosing_networks():
        call("ip", "-n", plan.namespace, "link", "delete", broken)
        assert addresses(plan) != before
        make_networks(plan)
    assert addresses(plan) == before
    assert plan.networks.uplink in links()


def test_a_name_that_is_left_of_a_namespace_does_no_harm(plan: LabPlan) -> None:
    """As after a reboot where /run outlives it, or a kill within `ip netns add`."""
    with choosing_networks():
        call("ip", "netns", "delete", plan.namespace)
        (namespaces.NAMED / plan.namespace).touch()
        make_networks(plan)
    assert "baremetal" in links("-n", plan.namespace)


def test_networks_that_this_pc_uses_are_refused(plan: LabPlan) -> None:
    with pytest.raises(NetworkTaken, match=f"namespace {plan.namespace} already"):
        check_free(plan)
    other = plan.model_copy(
        update={
            "namespace": f"{plan.namespace}-b",
            "networks": plan.networks.model_copy(update={"uplink": "ingot-none"}),
        }
    )
    with pytest.raises(NetworkTaken, match=f"overlaps {plan.networks.external}"):
        check_free(other)
    free = {"uplink": "ingot-none", "external": IPv4Network("198.51.100.0/24")}
    with pytest.raises(NetworkTaken, match=f"overlaps {plan.networks.out_of_band}"):
        check_free(other.model_copy(update={"networks": plan.networks.model_copy(update=free)}))


def test_names_and_time_are_answered_inside_and_from_the_user_s_shell(
    plan: LabPlan, tmp_path: Path
) -> None:
    gateway = plan.networks.external_gateway
    domain = f"{NAME}.ingot.test"
    with served(plan, tmp_path):
        for where in (plan.namespace, None):
            asked = {
                name: resolve(f"{name}.{domain}", gateway, namespace=where)
                for name in ("api", "console.apps", "cp-0", "api-int", "nobody")
            }
            assert asked == {
                "api": str(plan.networks.api_vip),
                "console.apps": str(plan.networks.ingress_vip),
                "cp-0": str(plan.hosts[0].nics[-1].address),
                "api-int": None,
                "nobody": None,
            }
            assert resolve("example.com", gateway, namespace=where) is None
            stratum, seconds = network_time(gateway, namespace=where)
            assert stratum == 8
            assert abs(seconds - time.time()) < 60


def test_lab_exec_knows_the_names(plan: LabPlan, tmp_path: Path) -> None:
    with served(plan, tmp_path):
        found = call("ip", "netns", "exec", plan.namespace, "getent", "hosts", "cp-0")
    assert found.split()[0] == str(plan.hosts[0].nics[-1].address)
    assert resolver_folder(plan.namespace).exists()


@contextmanager
def plugged(where: Sequence[str], bridge: str, mac: MacAddress) -> Iterator[None]:
    """Have a card of that address in a namespace of its own."""
    link = f"guest{os.getpid()}"
    call("ip", "netns", "add", GUEST)
    try:
        call(
            "ip", *where, "link", "add", link, "type", "veth",
            "peer", "name", "net0", "address", mac, "netns", GUEST,
        )  # fmt: skip
        call("ip", *where, "link", "set", link, "master", bridge, "up")
        call("ip", "-n", GUEST, "link", "set", "net0", "up")
        yield
    finally:
        call("ip", "netns", "delete", GUEST)


def lease(
    plan: LabPlan, bridge: str, mac: MacAddress, *, ipxe: bool = False, outside: bool = False
) -> Lease:
    who = Identity(mac=mac, uuid=plan.hosts[0].uuid, mode=BootMode.LEGACY, is_ipxe=ipxe)
    with plugged(() if outside else ("-n", plan.namespace), bridge, mac):
        return namespaces.inside(GUEST, lambda: lease_from("net0", who, lambda _: None))


def test_a_planned_host_is_given_its_own_address(plan: LabPlan, tmp_path: Path) -> None:
    card = plan.hosts[1].nics[-1]
    with served(plan, tmp_path):
        given = lease(plan, "baremetal", card.mac)
    assert given.address.ip == card.address
    assert given.message.addresses(Option.ROUTER) == (plan.networks.external_gateway,)
    assert given.message.addresses(Option.DNS) == (plan.networks.external_gateway,)
    assert given.message.text(Option.HOST_NAME) == "worker-0"


def test_a_stranger_is_given_an_address_of_the_upper_half(plan: LabPlan, tmp_path: Path) -> None:
    first, last = plan.networks.external_leases
    with served(plan, tmp_path):
        given = lease(plan, "baremetal", MacAddress("52:54:00:ff:ff:01"))
    assert first <= given.address.ip <= last


@pytest.mark.parametrize(
    ("host", "ipxe", "server", "file"),
    [
        (0, False, "172.22.0.2", "undionly.kpxe"),
        (0, True, "172.22.0.2", "http://172.22.0.2:6180/boot.ipxe"),
        (1, False, "172.22.0.3", "undionly.kpxe"),
    ],
)
def test_an_unmanaged_provisioning_network_boots_each_role_from_its_server(
    tmp_path: Path, host: int, server: str, file: str, *, ipxe: bool
) -> None:
    with laid("unmanaged") as plan, served(plan, tmp_path):
        given = lease(plan, "provisioning", plan.hosts[host].nics[0].mac, ipxe=ipxe)
    assert given.message.boot_file == file
    assert given.message.addresses(Option.ROUTER) == ()
    if not ipxe:
        assert given.message.boot_server == server


def test_a_machine_of_this_pc_s_libvirt_is_on_the_lab_s_network(tmp_path: Path) -> None:
    text = "driver: libvirt\nlibvirtURI: qemu:///system\ncontrolPlane: 1\nworkers: 0\n"
    with ExitStack() as afterwards:
        with choosing_networks():
            plan = planned(text, name=NAME, taken=taken_networks())
            card = plan.hosts[0].nics[-1]
            mine = {plan.networks.uplink, *outlets.links(nic.port for nic in plan.hosts[0].nics)}
            afterwards.callback(remove_networks, plan.namespace, mine)
            for _ in range(2):
                make_networks(plan)
        assert mine <= links()
        with served(plan, tmp_path):
            given = lease(plan, outlets.outlet_bridge(card.port), card.mac, outside=True)
        assert given.address.ip == card.address
    assert not mine & links()


def test_a_service_that_is_running_is_found_again(plan: LabPlan, tmp_path: Path) -> None:
    with served(plan, tmp_path):
        before = Background(tmp_path / "dnsmasq.json").pid()
        namespaces.inside(plan.namespace, site_services(plan, tmp_path).start)
        assert Background(tmp_path / "dnsmasq.json").pid() == before


def test_a_service_that_died_is_started_again_but_not_for_ever(
    plan: LabPlan, tmp_path: Path
) -> None:
    dnsmasq = Background(tmp_path / "dnsmasq.json")
    with served(plan, tmp_path) as services:
        lives = set()
        while (pid := dnsmasq.pid()) is not None:
            lives.add(pid)
            dnsmasq.stop(grace=0)
            namespaces.inside(plan.namespace, services.mend)
            assert len(lives) < 20
        assert len(lives) > 1


def test_a_service_that_was_killed_starts_again_though_its_number_is_another_s(
    plan: LabPlan, tmp_path: Path
) -> None:
    chronyd = Background(tmp_path / "chronyd.json")
    with served(plan, tmp_path) as services:
        chronyd.stop(grace=0)
        (tmp_path / "chronyd.pid").write_text(f"{os.getpid()}\n", encoding="ascii")
        namespaces.inside(plan.namespace, services.start)
        assert chronyd.pid() is not None


def test_a_service_that_cannot_start_tells_why(plan: LabPlan, tmp_path: Path) -> None:
    def take_port() -> socket.socket:
        taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        taken.bind((str(plan.networks.external_gateway), 53))
        return taken

    with (
        namespaces.inside(plan.namespace, take_port),
        pytest.raises(ServiceFailed, match="already in use"),
        served(plan, tmp_path),
    ):
        pytest.fail("it started")


def test_ending_all_processes_spares_those_elsewhere(plan: LabPlan) -> None:
    inside = subprocess.Popen(["ip", "netns", "exec", plan.namespace, "sleep", "1000"])
    outside = subprocess.Popen(["sleep", "1000"])
    try:
        while not namespaces.processes_in([plan.namespace]):
            assert inside.poll() is None
        namespaces.end_processes([plan.namespace])
        assert inside.poll() is not None
        assert outside.poll() is None
    finally:
        for process in (inside, outside):
            process.kill()
            process.wait(10)
