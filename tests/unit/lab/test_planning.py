"""What is decided for a lab: the same for the same lab, and never what is taken."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.lab import addressing
from ingot.lab.plan import LabPlan
from ingot.lab.planning import NoFreeNetwork, Taken, made_up_password, plan
from ingot.lab.words import DriverKind, ProvisioningMode, Role
from ingot.machine.model import BootMode
from tests.unit.lab.descriptions import planned, valid


def plan_beside(*networks: str, direct: bool = True, text: str = "{}") -> LabPlan:
    """Plan a lab on a PC that uses some networks."""
    taken = [Taken(IPv4Network(network), direct=direct) for network in networks]
    return plan(valid(text), directory=Path("/somewhere"), taken=taken)


def test_the_usual_lab_has_the_usual_addresses() -> None:
    lab = planned()
    networks = lab.networks
    assert str(networks.external) == "192.168.111.0/24"
    assert str(networks.external_gateway) == "192.168.111.1"
    assert str(networks.provisioning) == "172.22.0.0/24"
    assert str(networks.out_of_band) == "192.168.151.0/24"
    assert (str(networks.api_vip), str(networks.ingress_vip)) == ("192.168.111.5", "192.168.111.6")
    assert [str(host.nics[1].address) for host in lab.hosts] == [
        f"192.168.111.{number}" for number in range(20, 25)
    ]
    assert [str(host.bmc.address) for host in lab.hosts] == [
        f"192.168.151.{number}" for number in range(20, 25)
    ]


def test_the_same_lab_has_the_same_plan() -> None:
    assert planned() == planned()


def test_labs_of_other_names_have_other_hardware() -> None:
    one, other = planned(name="one"), planned(name="other")
    assert one.namespace != other.namespace
    assert one.networks.uplink != other.networks.uplink
    for mine, theirs in zip(one.hosts, other.hosts, strict=True):
        assert mine.uuid != theirs.uuid
        assert mine.serial != theirs.serial
        assert mine.disks[0].wwn != theirs.disks[0].wwn
        assert mine.nics[0].mac != theirs.nics[0].mac
        assert mine.nics[0].port != theirs.nics[0].port


def test_a_plan_survives_being_written_and_read() -> None:
    lab = planned("faults: [{host: cp-0, kind: bmc-slow, amount: 2.5}]\nspares: 1")
    assert LabPlan.model_validate_json(lab.model_dump_json()) == lab


def test_a_second_lab_takes_the_next_networks() -> None:
    lab = plan_beside("192.168.111.0/24", "192.168.151.0/24", "198.18.0.0/30")
    assert str(lab.networks.external) == "192.168.112.0/24"
    assert str(lab.networks.out_of_band) == "192.168.152.0/24"
    assert str(lab.networks.uplink_outside) == "198.18.0.5/30"
    assert str(lab.networks.provisioning) == "172.22.0.0/24"  # It is seen inside only.


def test_networks_that_are_asked_for_are_not_chosen_again() -> None:
    lab = planned("networks: {outOfBand: 192.168.111.0/24}")
    assert str(lab.networks.external) == "192.168.112.0/24"


def test_a_part_may_be_cut_out_of_a_wide_route_to_elsewhere() -> None:
    lab = plan_beside("192.168.0.0/16", direct=False)
    assert str(lab.networks.external) == "192.168.111.0/24"


def test_no_network_is_taken_from_the_pc_itself() -> None:
    with pytest.raises(NoFreeNetwork) as refused:
        plan_beside("192.168.0.0/16")
    assert "external" in refused.value.what
    assert "lab.yaml" in refused.value.remedy


def test_addresses_that_are_asked_for_are_given_to_nobody_else() -> None:
    lab = planned(
        """\
        networks: {external: 10.5.0.0/24, outOfBand: 10.6.0.0/24, apiVIP: 10.5.0.20}
        controlPlane: 1
        workers: 2
        hosts:
          - {name: w, role: worker, address: 10.5.0.21, bmc: {address: 10.6.0.20}}
        """
    )
    assert [
        (host.name, str(host.nics[1].address), str(host.bmc.address)) for host in lab.hosts
    ] == [
        ("cp-0", "10.5.0.22", "10.6.0.21"),
        ("w", "10.5.0.21", "10.6.0.20"),
        ("worker-1", "10.5.0.23", "10.6.0.22"),
    ]


def test_macs_that_are_asked_for_are_given_to_nobody_else() -> None:
    taken = planned().hosts[0].nics[0].mac
    lab = planned(
        f"""\
        controlPlane: 1
        workers: 1
        hosts:
          - name: worker-0
            role: worker
            nics: [{{network: provisioning, mac: '{taken}'}}, {{network: external}}]
        """
    )
    macs = [nic.mac for host in lab.hosts for nic in host.nics]
    assert lab.hosts[1].nics[0].mac == taken
    assert len(set(macs)) == len(macs) == 4


def test_uml_hosts_boot_as_old_servers_and_libvirt_hosts_by_uefi() -> None:
    modes = {driver: planned(driver=driver).hosts[0].boot_mode for driver in DriverKind}
    assert modes == {DriverKind.UML: BootMode.LEGACY, DriverKind.LIBVIRT: BootMode.UEFI}


def test_without_a_provisioning_network_the_only_card_has_the_address() -> None:
    lab = planned(provisioning_network=ProvisioningMode.DISABLED)
    assert lab.networks.provisioning is None
    assert [(nic.bridge, str(nic.address)) for nic in lab.hosts[0].nics] == [
        ("baremetal", "192.168.111.20")
    ]


def test_each_bmc_has_a_password_of_its_own_unless_one_is_given() -> None:
    lab = plan(valid(), directory=Path("/somewhere"))
    passwords = {host.bmc.password for host in lab.hosts}
    assert len(passwords) == len(lab.hosts)
    assert all(re.fullmatch(r"[0-9a-f]{16}", password) for password in passwords)
    given_one = planned("bmcUsername: root\nbmcPassword: calvin")
    assert {(host.bmc.username, host.bmc.password) for host in given_one.hosts} == {
        ("root", "calvin")
    }


def test_a_secret_may_come_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("from-a-file\n")
    lab = planned(f"bmcPassword: {{file: {tmp_path / 'password'}}}")
    assert lab.hosts[0].bmc.password == "from-a-file"


def test_made_up_passwords_fit_ipmi() -> None:
    assert len(made_up_password()) <= 20


def test_faults_of_a_host_come_from_both_places() -> None:
    lab = planned(
        """\
        controlPlane: 1
        hosts: [{name: cp-0, role: control-plane, faults: [{kind: no-dhcp, times: 2}]}]
        faults: [{host: cp-0, kind: bmc-slow, amount: 1.5, rate: 0.5, seed: 7, after: 1}]
        """
    )
    first, second = lab.hosts[0].faults
    assert (first.kind, first.times, first.rate) == ("no-dhcp", 2, 1.0)
    assert (second.kind, second.amount, second.rate, second.seed, second.after) == (
        "bmc-slow",
        1.5,
        0.5,
        7,
        1,
    )


def test_the_uplink_of_a_long_name_is_still_a_link() -> None:
    name = "a-lab-with-quite-a-long-name"
    lab = planned(name=name)
    assert len(lab.networks.uplink) <= 15
    assert lab.networks.uplink != planned(name=f"{name}r").networks.uplink


@given(
    counts=st.tuples(st.sampled_from([1, 3, 5, 7]), st.integers(0, 60), st.integers(0, 30)),
    mode=st.sampled_from(ProvisioningMode),
    driver=st.sampled_from(DriverKind),
)
def test_nothing_is_given_twice(
    counts: tuple[int, int, int], mode: ProvisioningMode, driver: DriverKind
) -> None:
    control_plane, workers, spares = counts
    lab = planned(
        driver=driver,
        control_plane=control_plane,
        workers=workers,
        spares=spares,
        provisioning_network=mode,
    )
    nics = [nic for host in lab.hosts for nic in host.nics]
    addresses = [nic.address for nic in nics if nic.address]
    first, last = lab.networks.external_leases
    for values in (
        [host.name for host in lab.hosts],
        [host.uuid for host in lab.hosts],
        [host.serial for host in lab.hosts],
        [nic.mac for nic in nics],
        [nic.port for nic in nics],
        [disk.wwn for host in lab.hosts for disk in host.disks],
        [host.bmc.address for host in lab.hosts],
        [*addresses, lab.networks.api_vip, lab.networks.ingress_vip, lab.networks.external[1]],
    ):
        assert len(set(values)) == len(values)
    assert len(addresses) == len(lab.hosts) == sum(counts)
    assert not any(first <= address <= last for address in addresses)
    assert all(len(nic.port) <= 12 for nic in nics)
    assert all(re.fullmatch(r"0x[0-9a-f]{16}", host.disks[0].wwn) for host in lab.hosts)
    assert {host.role for host in lab.hosts} <= set(Role)


@given(prefix=st.integers(16, 26))
def test_what_is_for_hosts_and_what_is_leased_never_meet(prefix: int) -> None:
    network = IPv4Network(f"10.0.0.0/{prefix}")
    lab = planned(f"networks: {{external: {network}}}\nworkers: 0")
    first, last = lab.networks.external_leases
    assert first in network
    assert last == network.broadcast_address - 1
    own = {
        IPv4Address(network[1]),
        addressing.api_vip(network),
        addressing.ingress_vip(network),
        *(nic.address for host in lab.hosts for nic in host.nics if nic.address),
    }
    assert all(address < first for address in own)
