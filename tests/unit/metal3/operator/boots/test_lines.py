"""Lines of real logs, and of broken ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.metal3.operator.boots.files import mac_in, part_of_boot
from ingot.metal3.operator.boots.lines import dnsmasq_sign, web_sign
from ingot.metal3.operator.boots.sign import Sign, SignKind, read_address, read_mac

LOGS = Path(__file__).parent / "logs"
NOW = datetime(2026, 11, 16, 6, 30, tzinfo=UTC)
DHCP = SignKind.DHCP
HEAD = "Nov 16 05:55:26 dnsmasq-dhcp[3895]: 1070590464 "
TFTP = "Nov 16 05:55:26 dnsmasq-tftp[3895]: "


def lines(name: str) -> list[str]:
    return (LOGS / name).read_text(encoding="utf-8").splitlines()


def dnsmasq(line: str) -> Sign | None:
    return dnsmasq_sign(line, now=NOW)


def seen(signs: list[Sign | None]) -> list[tuple[str, str, str | None, str | None]]:
    """Return what signs say, without repetition."""
    found: list[tuple[str, str, str | None, str | None]] = []
    for sign in signs:
        if sign is not None:
            one = (f"{sign.at:%H:%M:%S}", sign.kind.value, sign.mac, sign.address)
            if one not in found:
                found.append(one)
    return found


def test_a_whole_boot_is_seen_in_dnsmasqs_log() -> None:
    mac, address = "52:54:00:b1:00:00", "172.22.0.99"
    assert seen([dnsmasq(line) for line in lines("dnsmasq.log")]) == [
        ("05:55:26", "dhcp", mac, None),
        ("05:55:26", "dhcp", mac, address),
        ("05:55:26", "boot file", None, address),
        ("05:55:37", "dhcp", mac, None),
        ("05:55:37", "dhcp", mac, address),
    ]


def test_a_whole_boot_is_seen_in_the_web_servers_log() -> None:
    address = "172.22.0.99"
    assert seen([web_sign(line) for line in lines("web.log")]) == [
        ("05:55:26", "boot file", None, address),
        ("05:55:26", "boot file", "52:54:00:b1:00:00", address),
        ("05:55:26", "kernel", None, address),
    ]


def test_over_ipv6_the_card_and_the_address_have_their_exchange_in_common() -> None:
    signs = [sign for line in lines("dnsmasq-ipv6.log") if (sign := dnsmasq(line))]
    assert [(sign.mac, sign.address, sign.transaction) for sign in signs] == [
        ("52:54:00:b1:00:06", None, "15820603"),
        ("52:54:00:b1:00:06", None, "965058"),
        (None, "fd00:1101::32", "965058"),
        (None, "fd00:1101::77", None),
    ]


ASKED: dict[str, tuple[str, str | None, str | None]] = {
    "without log-dhcp": (
        "Nov 16 05:55:26 dnsmasq-dhcp[7]: DHCPDISCOVER(eth1) 52:54:00:B1:00:00 ",
        "52:54:00:b1:00:00", None,
    ),
    "not answered": (f"{HEAD}DHCPDISCOVER(eth1) 52:54:00:b1:00:00 ignored", "52:54:00:b1:00:00",
                     None),
    "for an address": (f"{HEAD}DHCPDISCOVER(eth1) 172.22.0.7 52:54:00:b1:00:00",
                       "52:54:00:b1:00:00", None),
    "given a name": (f"{HEAD}DHCPACK(eth1) 172.22.0.7 52:54:00:b1:00:00 DHCPACK(eth1)",
                     "52:54:00:b1:00:00", "172.22.0.7"),
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_every_way_to_ask_for_an_address_is_a_sign(name: str) -> None:
    line, mac, address = ASKED[name]
    sign = dnsmasq(line)
    assert sign is not None
    assert (sign.kind, sign.mac, sign.address) == (DHCP, mac, address)


NOTHING = [
    "",
    "Nov",
    "Nov 16 05:55:26 dnsmasq-dhcp[3895]: ",
    "Nov 16 05:55:26 dnsmasq-dhcp[3895]: 1070590464",
    "Foo 16 05:55:26 dnsmasq-dhcp[3895]: 1 DHCPDISCOVER(eth1) 52:54:00:b1:00:00",
    "Nov 36 05:55:26 dnsmasq-dhcp[3895]: 1 DHCPDISCOVER(eth1) 52:54:00:b1:00:00",
    "Nov 16 05:55:26 dnsmasq[3895]: 1 DHCPDISCOVER(eth1) 52:54:00:b1:00:00",
    f"{HEAD}DHCPDISCOVER(eth1)",
    f"{HEAD}DHCPDISCOVER(eth1) 52:54:00:b1:00",
    f"{HEAD}DHCPOFFER(eth1) 172.22.0.99 52:54:00:b1:00:00",
    f"{HEAD}DHCPNAK(eth1) 172.22.0.99 52:54:00:b1:00:00 wrong network",
    f"{HEAD}client MAC address:",
    f"{HEAD}client MAC address: none",
    f"{HEAD}client provides name: DHCPACK(eth1) 172.22.0.1 52:54:00:b1:00:00",
    f"{HEAD}vendor class: client MAC address: 52:54:00:b1:00:00",
    f"{TFTP}file /shared/tftp/undionly.kpxe not found for 172.22.0.99",
    f"{TFTP}failed sending /shared/tftp/undionly.kpxe to 172.22.0.99",
    f"{TFTP}sent /shared/tftp/undionly.kpxe to nobody",
    f"{TFTP}sent /shared/tftp/undi",
]


@pytest.mark.parametrize("line", NOTHING)
def test_what_is_no_request_of_a_server_is_no_sign(line: str) -> None:
    assert dnsmasq(line) is None


WEB = '{"at":%s,"from":"%s","method":"%s","path":"%s","status":%s,"done":"%s"}'
GOOD = ("1794808526.7", "172.22.0.9", "GET", "/boot.ipxe", "200", "OK")
NOT_FETCHED = {
    "another method": WEB % (*GOOD[:2], "HEAD", *GOOD[3:]),
    "not there": WEB % (*GOOD[:4], "404", "OK"),
    "broken off": WEB % (*GOOD[:5], ""),
    "no part of a boot": WEB % (*GOOD[:3], "/images/disk.img", *GOOD[4:]),
    "no address": WEB % (GOOD[0], "nobody", *GOOD[2:]),
    "no time": WEB % ('"now"', *GOOD[1:]),
    "no such time": WEB % ("1e300", *GOOD[1:]),
    "half a line": (WEB % GOOD)[:60],
    "another format": '172.22.0.9 - - [16/Nov/2026:05:55:26 +0000] "GET /boot.ipxe" 200',
    "a list": "[1, 2]",
    "odd values": '{"at":[],"from":{},"method":1,"path":7,"status":[],"done":null}',
    "an odd path": (WEB % GOOD).replace('"/boot.ipxe"', "7"),
}


def test_what_was_fetched_is_a_sign() -> None:
    sign = web_sign(WEB % GOOD)
    assert sign is not None
    assert sign.kind is SignKind.BOOT_FILE


@pytest.mark.parametrize("name", NOT_FETCHED)
def test_what_was_not_fetched_whole_is_no_sign(name: str) -> None:
    assert web_sign(NOT_FETCHED[name]) is None


@given(st.text(max_size=200), st.sampled_from(["", HEAD, TFTP, f"{HEAD}DHCPACK(a) ", '{"at":1,']))
def test_nothing_that_a_log_may_hold_is_an_error(text: str, head: str) -> None:
    dnsmasq(head + text)
    web_sign(head + text)


@given(st.integers(0, 2 * 366 * 86400), st.integers(0, 86400 * 100))
def test_a_line_is_of_the_year_that_is_nearest(second: int, late: int) -> None:
    at = datetime(2027, 6, 1, tzinfo=UTC) + timedelta(seconds=second)  # over a leap day
    line = f"{at:%b} {at.day:2} {at:%H:%M:%S} dnsmasq-dhcp[1]: DHCPDISCOVER(a) 52:54:00:b1:00:00"
    sign = dnsmasq_sign(line, now=at + timedelta(seconds=late))
    assert sign is not None
    assert sign.at == at


FILES: dict[str, SignKind | None] = {
    "/boot.ipxe": SignKind.BOOT_FILE,
    "/inspector.ipxe": SignKind.BOOT_FILE,
    "/pxelinux.cfg/52-54-00-b1-00-00": SignKind.BOOT_FILE,
    "/shared/tftp/undionly.kpxe": SignKind.BOOT_FILE,
    "/snponly-x86_64.efi": SignKind.BOOT_FILE,
    "/6e1dcb10-7a76-46bb-944a-2774bd75604b/deploy_kernel": SignKind.KERNEL,
    "/6e1dcb10-7a76-46bb-944a-2774bd75604b/rescue_kernel": SignKind.KERNEL,
    "/images/kernel": SignKind.KERNEL,
    "/images/agent.kernel": SignKind.KERNEL,
    "/6e1dcb10-7a76-46bb-944a-2774bd75604b/deploy_ramdisk": None,
    "/images/kernel.raw": None,
    "/images/disk.img": None,
    "/": None,
    "": None,
}


@pytest.mark.parametrize("path", FILES)
def test_each_file_is_a_part_of_a_boot_or_none(path: str) -> None:
    assert part_of_boot(path) is FILES[path]


def test_a_script_has_the_card_in_its_name() -> None:
    assert mac_in("/pxelinux.cfg/52-54-00-b1-00-00") == "52:54:00:b1:00:00"
    assert mac_in("/pxelinux.cfg/01-52-54-00-B1-00-00") == "52:54:00:b1:00:00"
    assert mac_in("/pxelinux.cfg/default") is None
    assert mac_in("/52-54-00-b1-00-00") is None


def test_addresses_have_one_way_to_be_written() -> None:
    assert read_address("FD00:0::01") == "fd00::1"
    assert read_address("::ffff:172.22.0.9") == "172.22.0.9"
    assert read_address("172.22.0.999") is None
    assert read_mac("52:54:00:B1:00:0A") == "52:54:00:b1:00:0a"
    assert read_mac("00:04:00:01:02:03:04") is None
