"""The servers: names, MAC addresses, BMCs, boot modes and disks."""

from __future__ import annotations

import pytest

from tests.unit.config.configs import (
    ABSENT,
    API,
    HOST,
    INGRESS,
    MACHINE,
    METAL,
    TO_DISABLED,
    USER_MANAGED,
    Case,
    accepted,
    changed,
    places_of,
    refused,
    table,
)

HOSTS = f"{METAL}.hosts"
NAME, MAC, ROLE = f"{HOST}.name", f"{HOST}.bootMACAddress", f"{HOST}.role"
ADDRESS, USER, PASSWORD = f"{HOST}.bmc.address", f"{HOST}.bmc.username", f"{HOST}.bmc.password"
MODE = f"{HOST}.bootMode"
DEVICE, SIZE = f"{HOST}.rootDeviceHints.deviceName", f"{HOST}.rootDeviceHints.minSizeGigabytes"
SECOND = f"{HOSTS}[1]"
SYSTEM = "/redfish/v1/Systems/1"

CASES = table(
    # rule X1: the form of a MAC address
    accepted("X1", "lower case"),
    accepted("X1", "upper case", {MAC: "52:54:00:AA:BB:CC"}),
    refused("X1", MAC, "hyphens", {MAC: "52-54-00-aa-bb-cc"}, says="write 52:54:00:aa:bb:cc"),
    refused("X1", MAC, "dots", {MAC: "5254.00aa.bbcc"}, says="write 52:54:00:aa:bb:cc"),
    refused("X1", MAC, "no separators", {MAC: "525400AABBCC"}, says="write 52:54:00:aa:bb:cc"),
    refused("X1", MAC, "five pairs", {MAC: "52:54:00:aa:bb"}, says="six pairs"),
    refused("X1", MAC, "an InfiniBand address", {MAC: ":".join(["52"] * 20)}),
    refused("X1", MAC, "other letters", {MAC: "52:54:00:aa:bb:gg"}, says="'52:54:00:aa:bb:gg'"),
    refused("X1", MAC, "multicast", {MAC: "01:00:5e:00:00:01"}, says="multicast"),
    refused("X1", MAC, "broadcast", {MAC: "ff:ff:ff:ff:ff:ff"}, says="multicast"),
    # rule X2: roles
    accepted("X2", "master and worker"),
    accepted("X2", "no role", {f"{HOSTS}[3].role": ABSENT}),
    refused("X2", ROLE, "a typo", {ROLE: "mastre"}, says="did you mean master?"),
    refused("X2", ROLE, "another word", {ROLE: "xyz"}, says="'xyz' is none of master, worker"),
    refused("X2", ROLE, "upper case", {ROLE: "Master"}, says="did you mean master?"),
    # rule X3: BMC addresses
    accepted("X3", "redfish"),
    *(
        accepted("X3", scheme, {ADDRESS: f"{scheme}://198.51.100.30{SYSTEM}"})
        for scheme in (
            "redfish+http",
            "ilo5-redfish",
            "idrac-redfish",
            "redfish-virtualmedia",
            "ilo5-virtualmedia",
            "idrac-virtualmedia",
            "redfish-uefihttp",
        )
    ),
    *(
        accepted("X3", address, {ADDRESS: address})
        for address in ("ipmi://198.51.100.30", "198.51.100.30", "libvirt://[2001:db8::30]:6230")
    ),
    refused("X3", ADDRESS, "an unknown scheme", {ADDRESS: "foo://198.51.100.30"}, says="'foo'"),
    refused(
        "X3",
        ADDRESS,
        "a typo",
        {ADDRESS: f"refish://198.51.100.30{SYSTEM}"},
        says="did you mean redfish?",
    ),
    refused(
        "X3",
        ADDRESS,
        "a scheme of old",
        {ADDRESS: "idrac://198.51.100.30"},
        says="BMC address 'idrac://198.51.100.30' has the scheme idrac, which metal3 has removed",
    ),
    refused("X3", ADDRESS, "a web address", {ADDRESS: "https://198.51.100.30"}, says="plain https"),
    refused(
        "X3", ADDRESS, "a bad host", {ADDRESS: "ipmi://198.51.100.256"}, says="'198.51.100.256'"
    ),
    refused("X3", ADDRESS, "a bad port", {ADDRESS: "ipmi://198.51.100.30:0"}, says="port '0'"),
    refused("X3", ADDRESS, "a bad path", {ADDRESS: "redfish://198.51.100.30/../1"}),
    refused(
        "X3", ADDRESS, "IPv6 without brackets", {ADDRESS: "redfish://2001:db8::30"}, says="brackets"
    ),
    # rule B5: told apart
    accepted("B5", "names and MAC addresses of their own"),
    refused("B5", NAME, "no name", {NAME: ABSENT}, says="host number 1 has no name"),
    refused("B5", MAC, "no MAC address", {MAC: ""}, says="host 'cp-0' has no bootMACAddress"),
    refused("B5", f"{SECOND}.name", "a name twice", {f"{SECOND}.name": "cp-0"}, says="'cp-0'"),
    refused(
        "B5",
        f"{SECOND}.bootMACAddress",
        "a MAC address twice, in another letter case",
        {MAC: "52:54:00:aa:bb:cc", f"{SECOND}.bootMACAddress": "52:54:00:AA:BB:CC"},
        says="52:54:00:aa:bb:cc is also that of host 'cp-0'",
    ),
    # rule B9: names
    accepted("B9", "a label"),
    accepted("B9", "a domain", {NAME: "cp-0.rack1.example.com"}),
    refused("B9", NAME, "upper case", {NAME: "CP-0"}, says="'CP-0'"),
    refused("B9", NAME, "an underscore", {NAME: "cp_0"}),
    refused("B9", NAME, "254 characters", {NAME: ".".join(["a" * 62] * 4 + ["aa"])}),
    # rule X16: names that are taken
    accepted("X16", "another name", {NAME: "api-server"}),
    *(
        refused("X16", NAME, name, {NAME: name}, says=f"'{name}'")
        for name in ("api", "api-int", "apps", "bootstrap", "localhost")
    ),
    # rule B6: boot modes
    accepted("B6", "UEFI", {MODE: "UEFI"}),
    accepted("B6", "legacy", {MODE: "legacy"}),
    accepted("B6", "secure boot by Redfish", {MODE: "UEFISecureBoot"}),
    refused(
        "B6",
        MODE,
        "another word",
        {MODE: "BIOS"},
        says="'BIOS' is none of UEFI, UEFISecureBoot, legacy",
    ),
    refused("B6", MODE, "another letter case", {MODE: "uefi"}, says="did you mean UEFI?"),
    refused(
        "B6",
        MODE,
        "secure boot by IPMI",
        {MODE: "UEFISecureBoot", ADDRESS: "ipmi://198.51.100.30"},
        says="which ipmi cannot set",
    ),
    # rule B7: disks
    accepted("B7", "no hints"),
    accepted("B7", "a device", {DEVICE: "/dev/sda", SIZE: 0}),
    accepted("B7", "a device by path", {DEVICE: "/dev/disk/by-path/pci-0000:00:17.0-ata-1"}),
    refused("B7", DEVICE, "a bare name", {DEVICE: "sda"}, says="'sda'"),
    refused("B7", DEVICE, "a device by id", {DEVICE: "/dev/disk/by-id/wwn-0x5"}),
    refused("B7", DEVICE, "a folder", {DEVICE: "/dev/disk/by-path/"}),
    refused("B7", SIZE, "a negative size", {SIZE: -1}, says="-1"),
    # rule R14: BMCs
    accepted("R14", "BMCs of their own"),
    refused("R14", ADDRESS, "no address", {ADDRESS: ABSENT}, says="host 'cp-0' has no bmc.address"),
    refused("R14", USER, "no user", {USER: ""}, says="bmc.username"),
    refused("R14", PASSWORD, "no password", {PASSWORD: None}, says="bmc.password"),
    refused("R14", (ADDRESS, USER, PASSWORD), "no bmc", {f"{HOST}.bmc": ABSENT}),
    refused(
        "R14",
        f"{SECOND}.bmc.address",
        "one BMC twice, in other words",
        {f"{SECOND}.bmc.address": f"REDFISH+HTTPS://198.51.100.10:443{SYSTEM}/"},
        says="host 'cp-1' has the same BMC as host 'cp-0'",
    ),
    # rule R7: without a provisioning network
    accepted("R7", "network boot with a provisioning network"),
    accepted("R7", "virtual media", TO_DISABLED),
    accepted(
        "R7", "UEFI HTTP", TO_DISABLED, {ADDRESS: f"redfish-uefihttp://198.51.100.30{SYSTEM}"}
    ),
    refused(
        "R7", ADDRESS, "IPMI", TO_DISABLED, {ADDRESS: "ipmi://198.51.100.30"}, says="PXE with ipmi"
    ),
    refused("R7", ADDRESS, "Redfish", TO_DISABLED, {ADDRESS: f"redfish://198.51.100.30{SYSTEM}"}),
    # rule X25: UEFI HTTP
    accepted("X25", "a path", {ADDRESS: f"redfish-uefihttp://198.51.100.30{SYSTEM}"}),
    accepted("X25", "another scheme without a path", {ADDRESS: "redfish://198.51.100.30"}),
    refused(
        "X25",
        ADDRESS,
        "no path",
        {ADDRESS: "redfish-uefihttp://198.51.100.30"},
        says="without a path",
    ),
    # rule X17: the bootstrap VM's MAC addresses
    accepted(
        "X17", "MAC addresses of its own", {f"{METAL}.externalMACAddress": "52:54:00:00:00:99"}
    ),
    refused(
        "X17",
        f"{METAL}.externalMACAddress",
        "a host's, outside",
        {f"{METAL}.externalMACAddress": "52:54:00:00:00:10"},
        says="the boot MAC of host 'cp-0'",
    ),
    refused(
        "X17",
        f"{METAL}.provisioningMACAddress",
        "a host's, on the provisioning network",
        {f"{METAL}.provisioningMACAddress": "52:54:00:00:00:20"},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_host_rules(case: Case) -> None:
    case.check()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        pytest.param({f"{HOST}.bmc": "198.51.100.30"}, [("F7", f"{HOST}.bmc")], id="bmc is text"),
        pytest.param({ADDRESS: "foo://x"}, [("X3", ADDRESS)], id="bmc address is unreadable"),
        pytest.param({MAC: "no"}, [("X1", MAC)], id="MAC address is unreadable"),
        pytest.param({f"{HOST}.name": ["a"]}, [("F7", NAME)], id="name is a list"),
        pytest.param({PASSWORD: ["a"]}, [("F7", PASSWORD)], id="password is a list"),
        pytest.param(
            {f"{HOST}.rootDeviceHints": "/dev/sda"},
            [("F7", f"{HOST}.rootDeviceHints")],
            id="hints are text",
        ),
    ],
)
def test_what_is_unreadable_is_not_also_missing(
    changes: dict[str, object], expected: list[tuple[str, str]]
) -> None:
    assert places_of(changed(changes).report().errors) == expected


def test_a_mended_mac_address_is_still_compared() -> None:
    report = changed({MAC: "52-54-00-00-00-11"}).report()

    assert places_of(report.errors) == [("X1", MAC), ("B5", f"{SECOND}.bootMACAddress")]


def test_a_bmc_on_a_vip_is_told_whatever_its_scheme() -> None:
    taken = f"redfish://192.0.2.5{SYSTEM}"
    report = changed(USER_MANAGED, {ADDRESS: taken, MACHINE: [{"cidr": "192.0.2.0/24"}]}).report()

    assert places_of(report.errors) == [("X9", f"{API}[0]")]
    assert INGRESS not in report.errors[0].message
