"""What may be said about a lab, what it means where it is silent, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ingot.config.problem import Problem
from ingot.lab import rules
from ingot.lab.outline import MAX_HOSTS
from ingot.lab.words import BmcChoice, BmcKind, DriverKind, ProvisioningMode, Role, Wire
from tests.unit.lab.descriptions import loaded, told, valid

GUIDE = Path(__file__).parents[3] / "docs/guide/lab.md"
EXAMPLE = re.compile(r"```yaml\n(.*?)```", re.DOTALL)


def problem(text: str) -> Problem:
    """Return the one problem of a description."""
    (only,) = loaded(text).report.errors
    return only


def test_nothing_need_be_said() -> None:
    lab = valid()
    assert [host.name for host in lab.hosts] == ["cp-0", "cp-1", "cp-2", "worker-0", "worker-1"]
    assert {host.role for host in lab.hosts[:3]} == {Role.CONTROL_PLANE}
    assert {host.driver for host in lab.hosts} == {DriverKind.UML}
    assert {host.bmc for host in lab.hosts} == {BmcKind.REDFISH}
    assert [card.wire for card in lab.hosts[0].cards] == [Wire.PROVISIONING, Wire.EXTERNAL]


def test_options_win_over_the_file() -> None:
    lab = valid("workers: 4\nname: other", workers=1, name="mine")
    assert sum(host.role is Role.WORKER for host in lab.hosts) == 1
    assert lab.said.name == "mine"


def test_listed_hosts_alone_make_the_lab_where_no_number_is_said() -> None:
    lab = valid("hosts: [{name: a, role: control-plane}, {name: b, role: spare}]")
    assert [(host.name, host.role) for host in lab.hosts] == [
        ("a", Role.CONTROL_PLANE),
        ("b", Role.SPARE),
    ]


def test_hosts_that_the_numbers_ask_for_beyond_the_list_are_made_up() -> None:
    lab = valid(
        """\
        controlPlane: 1
        workers: 3
        hosts:
          - {name: worker-1, role: worker, disksGiB: [30, 10]}
          - {name: special, role: worker}
        """
    )
    assert [host.name for host in lab.hosts] == ["cp-0", "special", "worker-1", "worker-2"]
    assert [host.disks_gib for host in lab.hosts] == [(20,), (20,), (30, 10), (20,)]


def test_a_made_up_name_is_not_one_that_another_host_has() -> None:
    lab = valid("controlPlane: 1\nworkers: 1\nhosts: [{name: worker-0, role: spare}]")
    assert [host.name for host in lab.hosts] == ["cp-0", "worker-1", "worker-0"]


def test_mixed_gives_each_kind_of_bmc_in_turn() -> None:
    lab = valid(bmc=BmcChoice.MIXED)
    assert [host.bmc for host in lab.hosts[:4]] == [*BmcKind, BmcKind.REDFISH]


def test_without_a_provisioning_network_hosts_have_one_card_and_virtual_media() -> None:
    lab = valid(provisioning_network=ProvisioningMode.DISABLED)
    assert [card.wire for card in lab.hosts[0].cards] == [Wire.EXTERNAL]
    assert {host.bmc for host in lab.hosts} == {BmcKind.REDFISH_VIRTUALMEDIA}


def test_a_host_may_be_run_by_another_libvirt() -> None:
    lab = valid(
        """\
        controlPlane: 1
        workers: 1
        hosts:
          - name: worker-0
            role: worker
            driver: libvirt
            libvirtURI: qemu+ssh://root@other/system
        """
    )
    assert [(host.driver, host.libvirt_uri, host.cpus) for host in lab.hosts] == [
        (DriverKind.UML, None, 1),
        (DriverKind.LIBVIRT, "qemu+ssh://root@other/system", 2),
    ]


@pytest.mark.parametrize(
    ("text", "rule", "line", "words"),
    [
        ("driver: qemu", "L1", 1, "none of libvirt, uml"),
        ("bmc: redfsh", "L1", 1, "did you mean redfish?"),
        ("networks: {external: 10.0.0.1}", "L2", 1, "no prefix length"),
        ("bmcPassword: {env: INGOT_NO_SUCH}", "L3", 1, "is not set"),
        ("name: My Lab", "L4", 1, "cannot be called 'My Lab'"),
        (f"name: {'x' * 33}", "L4", 1, "at most 32"),
        ("clusterName: a.b", "L5", 1, "cannot be called 'a.b'"),
        ("baseDomain: a_b", "L5", 1, "not a DNS name"),
        ("controlPlane: 0", "L6", 1, "no host is for the control plane"),
        ("controlPlane: 2", "L6", 1, "write 3 or 1"),
        ("workers: -1", "L6", 1, "write 0 or more"),
        ("spares: 500", "L7", 1, "505 hosts"),
        ("bmcUsername: averyveryverylongname", "L8", 1, "use 1 to 16"),
        ("bmcPassword: averyveryverylongword", "L8", 1, "use 1 to 20"),
        ("networks: {external: 'fd00::/64'}", "L9", 1, "is IPv6"),
        ("networks: {external: 172.22.0.0/23}", "L10", 1, "overlaps the provisioning network"),
        ("networks: {outOfBand: 172.30.1.0/24}", "L10", 1, "services are"),
        ("networks: {external: 192.168.5.0/27}", "L11", 1, "room for 0 hosts, and there are 5"),
        ("networks: {provisioning: 172.22.0.0/28}", "L11", 1, "room for 4 hosts"),
        ("networks: {apiVIP: 192.168.111.9}", "L13", 1, "add networks.external"),
        (
            "networks: {external: 192.168.5.0/24, apiVIP: 192.168.6.5}",
            "L13",
            1,
            "not in networks.external",
        ),
        (
            "networks: {external: 192.168.5.0/24, apiVIP: 192.168.5.1}",
            "L13",
            1,
            "the lab's own address",
        ),
        (
            "networks: {external: 192.168.5.0/24, apiVIP: 192.168.5.255}",
            "L13",
            1,
            "network or broadcast",
        ),
        (
            "networks: {external: 192.168.5.0/24, apiVIP: 192.168.5.6}",
            "L14",
            1,
            "also that of the ingress VIP",
        ),
        ("defaults: {memoryMiB: 1024}", "L17", 1, "runs from memory, and needs 2048 MiB"),
        ("defaults: {memoryMiB: 9999999}", "L17", 1, "over a TiB"),
        ("defaults: {cpus: 2}", "L18", 1, "User-Mode Linux has one"),
        ("defaults: {cpus: 0}", "L18", 1, "write 1 to 64"),
        ("defaults: {disksGiB: [4]}", "L19", 1, "too little for the image"),
        ("defaults: {disksGiB: [20, 0]}", "L19", 1, "cannot have 0 GiB"),
        ("defaults: {nics: [{network: external}]}", "L20", 1, "where it boots"),
        ("defaults: {nics: [{network: provisioning}]}", "L20", 1, "no card on the external"),
        ("libvirtURI: somewhere", "L25", 1, "not an absolute URI"),
        ("faults: [{host: cp-0, kind: bmc-slo}]", "L22", 1, "did you mean bmc-slow?"),
        ("faults: [{host: cp-7, kind: bmc-slow}]", "L23", 1, "no host 'cp-7'"),
        ("faults: [{kind: bmc-slow}]", "L23", 1, "names no host"),
        ("faults: [{host: cp-0}]", "L24", 1, "has no kind"),
        ("faults: [{host: cp-0, kind: bmc-slow, rate: 2}]", "L26", 1, "rate 2"),
        ("faults: [{host: cp-0, kind: bmc-slow, times: 0}]", "L26", 1, "times 0"),
        ("faults: [{host: cp-0, kind: nic-lossy, amount: 150}]", "L26", 1, "amount 150"),
        ("faults: [{host: cp-0, kind: bmc-500, amount: 5}]", "L26", 1, "takes no amount"),
        ("faults: [{host: cp-0, kind: bmc-500, rate: often}]", "F7", 1, "not a number"),
        ("worker: 3", "F5", 1, "did you mean workers?"),
        ("workers: two", "F7", 1, "a whole number"),
        ("- a list", "F2", 1, "write a field, such as `workers: 1`"),
        ("", "F2", 1, "the file is empty"),
        ("name: a\nname: b", "F3", 2, "given twice"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, rule: str, line: int, words: str) -> None:
    found = problem(text)
    assert (found.rule, found.line) == (rule, line)
    assert words in found.sentence
    assert found.remedy


TAKEN_CARD = "{network: provisioning, mac: '52:54:00:00:00:01'}"
HOSTS = [
    ("{name: Bad, role: worker}", "L15", "cannot be called 'Bad'"),
    ("{name: api, role: worker}", "L15", "uses itself"),
    ("{name: cp-0, role: worker}", "L15", "a second host is called 'cp-0'"),
    ("{role: worker}", "L15", "has no name"),
    ("{name: x}", "L16", "write control-plane, worker or spare"),
    ("{name: x, role: worker, address: 192.168.5.20}", "L14", "also that of the address of"),
    ("{name: x, role: worker, address: 192.168.5.5}", "L14", "also that of the API VIP"),
    ("{name: x, role: worker, address: 192.168.6.5}", "L13", "is not in networks.external"),
    ("{name: x, role: worker, bmc: {address: 192.168.7.9}}", "L13", "add networks.outOfBand"),
    ("{name: x, role: worker, libvirtURI: 'qemu:///system'}", "L25", "add `driver: libvirt`"),
    (
        f"{{name: x, role: worker, nics: [{TAKEN_CARD}, {{network: external}}]}}",
        "L20",
        "is also that of host 'cp-0'",
    ),
    ("{name: x, role: worker, nics: [{mac: '52:54:00:00:00:02'}]}", "L20", "is on no network"),
    ("{name: x, role: worker, faults: [{kind: no-dhcp}, {kind: no-dhcp}]}", "L24", "already"),
]


@pytest.mark.parametrize(("host", "rule", "words"), HOSTS)
def test_what_is_wrong_with_a_host_is_told_with_its_line(host: str, rule: str, words: str) -> None:
    text = f"""\
        networks: {{external: 192.168.5.0/24}}
        hosts:
          - name: cp-0
            role: control-plane
            address: 192.168.5.20
            nics: [{{network: provisioning, mac: '52:54:00:00:00:01'}}, {{network: external}}]
          - {host}
        """
    found = problem(text)
    assert (found.rule, found.line) == (rule, 7)
    assert words in found.sentence


@pytest.mark.parametrize("kind", [BmcChoice.REDFISH, BmcChoice.IPMI, BmcChoice.MIXED])
def test_hosts_that_boot_by_pxe_need_a_provisioning_network(kind: BmcChoice) -> None:
    found = problem(f"bmc: {kind}\nprovisioningNetwork: disabled")
    assert found.rule == "L21"
    assert found.remedy == "use redfish-virtualmedia, or a provisioning network"


def test_a_card_cannot_be_on_a_provisioning_network_that_is_not_there() -> None:
    found = problem(
        "provisioningNetwork: disabled\n"
        "defaults: {nics: [{network: external}, {network: provisioning}]}"
    )
    assert (found.rule, found.line) == ("L20", 2)


def test_a_provisioning_network_that_is_disabled_has_no_addresses() -> None:
    found = problem("provisioningNetwork: disabled\nnetworks: {provisioning: 172.22.0.0/24}")
    assert (found.rule, found.line) == ("L12", 2)


def test_more_listed_hosts_than_asked_for_are_refused() -> None:
    found = problem(
        "controlPlane: 1\nworkers: 0\nhosts: [{name: a, role: worker}]",
    )
    assert (found.rule, found.line) == ("L7", 2)


def test_a_mac_in_the_defaults_would_be_that_of_every_host() -> None:
    found = problem(
        "defaults: {nics: [{network: provisioning, mac: '52:54:00:00:00:01'}, {network: external}]}"
    )
    assert found.rule == "L20"
    assert "every host" in found.message


def test_what_concerns_every_host_is_told_once() -> None:
    assert told(loaded("workers: 5\ndefaults:\n  memoryMiB: 512\n  cpus: 3")) == [
        ("L17", 3),
        ("L18", 4),
    ]


def test_what_an_option_asks_for_stands_in_no_line() -> None:
    assert told(loaded("name: fine", control_plane=2)) == [("L6", 0)]


def test_libvirt_hosts_may_have_several_processors() -> None:
    assert {
        host.cpus for host in valid("defaults: {cpus: 8}", driver=DriverKind.LIBVIRT).hosts
    } == {8}


def test_everything_wrong_is_told_in_one_pass() -> None:
    found = loaded(
        """\
        name: My Lab
        controlPlane: 2
        bmc: redfsh
        networks:
          external: 192.168.111.0/24
          outOfBand: 192.168.111.128/25
          apiVIP: 192.168.111.1
        defaults:
          memoryMiB: 512
        hosts:
          - name: cp-0
            role: control-plane
            address: 192.168.111.6
            nics:
              - network: provisioning
                mac: 52:54:00:00:00:01
              - network: external
                mac: 52-54-00-00-00-01
            faults:
              - kind: bmc-slo
          - name: cp-0
            role: worker
            disk: 3
          - name: x
        """
    )
    assert told(found) == [
        ("L4", 1),
        ("L6", 2),
        ("L1", 3),
        ("L10", 6),
        ("L13", 7),
        ("L17", 9),
        ("L14", 13),
        ("L2", 18),
        ("L20", 18),
        ("L22", 20),
        ("L15", 21),
        ("F5", 23),
        ("L16", 24),
    ]


def test_an_absurd_number_of_hosts_is_refused_without_making_them() -> None:
    found = loaded("workers: 999999999")
    assert told(found) == [("L7", 1)]
    assert found.lab is not None
    assert len(found.lab.hosts) <= MAX_HOSTS + 10


def test_rules_have_ids_in_a_row() -> None:
    assert [rule.id for rule in rules.every()] == [f"L{number}" for number in range(1, 27)]


def test_the_example_in_the_guide_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BMC_PASSWORD", "calvin")
    example = EXAMPLE.search(GUIDE.read_text(encoding="utf-8"))
    assert example is not None
    assert len(valid(example[1]).hosts) == 5
