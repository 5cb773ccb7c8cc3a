"""What stands in the files, beyond that their programs accept them."""

from __future__ import annotations

import configparser
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path, PurePosixPath

import pytest

from ingot.ironic.conf.dnsmasq import Dnsmasq, LeaseRange
from ingot.ironic.conf.ipxe import InspectorScript
from ingot.ironic.conf.ironic import Api, IronicConf, Ramdisk, TlsFiles, Urls
from ingot.ironic.conf.nginx import WebServer
from ingot.ironic.conf.value import UnusableValueError
from ingot.machine.firmware.ipxe.outcome import Boot
from tests.unit.machine.firmware.world import PROGRAM, World

IRONIC = IronicConf(
    my_ip="172.22.0.2", urls=Urls(api="http://172.22.0.2:6385", http="http://172.22.0.2:6180")
)
DNSMASQ = Dnsmasq(
    interface="provisioning",
    server=IPv4Address("172.22.0.2"),
    http_url="http://172.22.0.2:6180",
    ranges=(
        LeaseRange(first=IPv4Address("172.22.0.10"), last=IPv4Address("172.22.0.99"), prefix=24),
    ),
)


def read(conf: IronicConf) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(conf.render())
    return parser


def test_ironic_asks_nobody_who_they_are_unless_told_to() -> None:
    assert read(IRONIC)["DEFAULT"]["auth_strategy"] == "noauth"
    guarded = replace(IRONIC, api=Api(htpasswd=PurePosixPath("/auth/htpasswd")))
    assert read(guarded)["DEFAULT"]["auth_strategy"] == "http_basic"
    assert read(guarded)["DEFAULT"]["http_basic_auth_user_file"] == "/auth/htpasswd"


def test_ironic_encrypts_when_it_has_a_certificate() -> None:
    assert read(IRONIC)["api"]["enable_ssl_api"] == "false"
    tls = TlsFiles(PurePosixPath("/certs/tls.crt"), PurePosixPath("/certs/tls.key"))
    assert read(replace(IRONIC, api=Api(tls=tls)))["api"]["cert_file"] == "/certs/tls.crt"


def test_bmcs_fetch_from_the_external_address_where_there_is_one() -> None:
    assert read(IRONIC)["deploy"]["external_http_url"] == "http://172.22.0.2:6180"
    urls = replace(IRONIC.urls, external_http="http://192.0.2.2:6180")
    assert (
        read(replace(IRONIC, urls=urls))["deploy"]["external_http_url"] == "http://192.0.2.2:6180"
    )


@pytest.mark.parametrize(("fast", "off"), [(True, "false"), (False, "true")])
def test_a_ramdisk_on_the_fast_track_is_not_switched_off(*, fast: bool, off: str) -> None:
    assert read(replace(IRONIC, fast_track=fast))["inspector"]["power_off"] == off


def test_the_times_of_the_field_are_the_defaults() -> None:
    told = read(IRONIC)
    assert told["conductor"]["deploy_callback_timeout"] == "4800"
    assert told["pxe"]["boot_retry_timeout"] == "1200"
    assert told["ipmi"]["min_command_interval"] == "5"


@pytest.mark.parametrize(
    "conf",
    [
        replace(IRONIC, ramdisk=Ramdisk(kernel_parameters="a\n[api]\npublic_endpoint = x")),
        replace(IRONIC, host="a\rb"),
        replace(IRONIC, inspection_hooks="a\nb"),
        replace(DNSMASQ, allowed=("52:54:00:00:00:01\ndhcp-script=/bin/sh",)),
        replace(DNSMASQ, interface="a\nb"),
        replace(DNSMASQ, log_file=PurePosixPath("a\nb")),
        WebServer(user="a\nb"),
        WebServer(boot_log=PurePosixPath("a\nb")),
    ],
)
def test_no_value_begins_a_setting_of_its_own(conf: IronicConf | Dnsmasq | WebServer) -> None:
    with pytest.raises(UnusableValueError):
        conf.render()


def test_dnsmasq_answers_everyone_or_only_those_it_knows() -> None:
    assert "dhcp-ignore" not in DNSMASQ.render()
    told = replace(DNSMASQ, allowed=("52:54:00:00:00:01",)).render().splitlines()
    assert "dhcp-host=52:54:00:00:00:01" in told
    assert "dhcp-ignore=tag:!known" in told
    assert "dhcp-ignore=tag:!known" in replace(DNSMASQ, allowed=()).render()


def test_dnsmasq_offers_no_way_out_unless_there_is_one() -> None:
    assert "dhcp-option=option:router" in DNSMASQ.render().splitlines()
    led = replace(DNSMASQ, gateway=IPv4Address("172.22.0.1")).render().splitlines()
    assert "dhcp-option=option:router,172.22.0.1" in led


def test_dnsmasq_speaks_only_the_protocols_it_has_addresses_of() -> None:
    ipv6 = LeaseRange(first=IPv6Address("fd00::10"), last=IPv6Address("fd00::99"), prefix=64)
    assert "option6" not in DNSMASQ.render()
    only = replace(DNSMASQ, ranges=(ipv6,), server=IPv6Address("fd00::2")).render()
    assert "client-arch" not in only
    assert "tftp://[fd00::2]/snponly-x86_64.efi" in only


def test_nginx_serves_plainly_what_it_serves_encrypted() -> None:
    tls = TlsFiles(PurePosixPath("/certs/a b.crt"), PurePosixPath("/certs/tls.key"))
    told = WebServer(tls=tls).render()
    assert told.count("root /shared/html;") == 2
    assert 'ssl_certificate "/certs/a b.crt";' in told
    assert "ssl" not in WebServer().render()


def test_boot_servers_write_down_who_boots() -> None:
    told = DNSMASQ.render().splitlines()
    assert "log-facility=/shared/log/dnsmasq.log" in told
    assert "log-dhcp" in told
    assert (
        'access_log "/logs/a b" boots;' in WebServer(boot_log=PurePosixPath("/logs/a b")).render()
    )


def test_a_stranger_boots_the_agent_also_when_the_first_tries_fail(tmp_path: Path) -> None:
    script = InspectorScript(
        api_url="http://172.22.0.2:6385",
        kernel_url="http://server/kernel",
        initrd_url="http://server/initrd",
    )
    world = World(tmp_path, files={"http://server/kernel": PROGRAM, "http://server/initrd": b"i"})
    world.absent = {"http://server/kernel": 2, "http://server/initrd": 1}
    outcome = world.run(*script.render().splitlines()[1:])
    assert isinstance(outcome, Boot)
    assert "ipa-inspection-callback-url=http://172.22.0.2:6385/v1/continue_inspection" in str(
        outcome
    )
    assert "BOOTIF=52:54:00:00:00:01" in str(outcome)
    assert world.waited == [10, 10, 10]
    assert set(world.stalls[1:]) == {60}
