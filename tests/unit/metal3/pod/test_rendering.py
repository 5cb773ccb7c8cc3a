"""The programs' files say what the settings mean."""

from __future__ import annotations

import configparser

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from ingot.agent.arguments import parse as ramdisk_reads
from ingot.metal3.pod import places
from ingot.metal3.pod.rendering import Machine, UnusableCaError, agent_parameters, rendered
from ingot.metal3.pod.settings import Settings
from tests.unit.metal3.pod.told import DISABLED, MAC, UNMANAGED, authority, settings

CARD = Machine(interface="ens4", ipv6=True)
CA = authority()
KEY = "ssh-ed25519 AAAAC3Nz someone@somewhere"


def ironic(told: Settings, machine: Machine = CARD) -> configparser.ConfigParser:
    files = rendered(told, machine, ca=CA, htpasswd="")
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(files[places.IRONIC_CONF])
    return parser


def dnsmasq(told: Settings) -> list[str]:
    return rendered(told, CARD, ca=CA, htpasswd="")[places.DNSMASQ_CONF].splitlines()


def test_ironic_is_encrypted_and_asks_who_it_is() -> None:
    read = ironic(settings())
    assert read["DEFAULT"]["auth_strategy"] == "http_basic"
    assert read["DEFAULT"]["http_basic_auth_user_file"] == "/shared/conf/htpasswd"
    assert read["api"]["enable_ssl_api"] == "true"
    assert read["api"]["cert_file"] == "/etc/ingot/metal3/tls.crt"
    assert read["service_catalog"]["endpoint_override"] == "https://172.22.0.2:6385"


def test_everything_that_ironic_links_is_on_one_file_system() -> None:
    read = ironic(settings())
    written = [
        read["database"]["connection"].removeprefix("sqlite:///"),
        read["DEFAULT"]["tempdir"],
        read["deploy"]["iso_master_path"],
        read["deploy"]["http_root"],
        read["pxe"]["images_path"],
        read["pxe"]["instance_master_path"],
        read["pxe"]["tftp_master_path"],
        read["pxe"]["tftp_root"],
        read["conductor"]["deploy_kernel"].removeprefix("file://"),
    ]
    assert [path for path in written if not path.startswith("/shared/")] == []


def test_bmcs_and_agents_outside_come_by_the_external_address() -> None:
    read = ironic(settings())
    assert read["deploy"]["external_http_url"] == "http://192.168.111.5:6180"
    assert read["deploy"]["external_callback_url"] == "https://192.168.111.5:6385"


def test_without_a_provisioning_network_all_is_at_the_vip() -> None:
    read = ironic(settings(DISABLED))
    assert read["deploy"]["external_http_url"] == "http://192.168.111.5:6180"
    assert read["DEFAULT"]["my_ip"] == "192.168.111.5"


def test_virtual_media_is_encrypted_when_asked_for() -> None:
    told = settings(DISABLED, virtualMediaTls=True)
    assert ironic(told)["deploy"]["external_http_url"] == "https://192.168.111.5:6183"
    web = rendered(told, CARD, ca=CA, htpasswd="")[places.NGINX_CONF]
    assert 'ssl_certificate_key "/etc/ingot/metal3/tls.key";' in web


def test_ipv6_addresses_are_bracketed() -> None:
    read = ironic(settings(DISABLED, provisioningIp="fd00::5"))
    assert read["deploy"]["http_url"] == "http://[fd00::5]:6180"


def test_a_machine_without_ipv6_is_not_listened_on_by_it() -> None:
    without = Machine(interface="ens4", ipv6=False)
    assert ironic(settings())["api"]["host_ip"] == "::"
    assert ironic(settings(), without)["api"]["host_ip"] == "0.0.0.0"  # noqa: S104 - only read
    web = rendered(settings(), without, ca=CA, htpasswd="")[places.NGINX_CONF]
    assert "[::]" not in web


def test_bmcs_are_checked_against_the_given_certificates() -> None:
    assert "verify_ca" not in ironic(settings())["redfish"]
    told = settings(bmcCa=CA)
    assert ironic(told)["redfish"]["verify_ca"] == "/shared/conf/bmc-ca.crt"
    assert rendered(told, CARD, ca=CA, htpasswd="")[places.BMC_CA] == CA


def test_managed_answers_the_hosts_and_nobody_else() -> None:
    read = dnsmasq(settings(ntp=["10.0.0.9", "ntp.example.com"], dns="172.22.0.2"))
    assert f"dhcp-host={MAC}" in read
    assert "dhcp-ignore=tag:!known" in read
    assert "dhcp-range=172.22.0.10,172.22.0.99,255.255.255.0,1h" in read
    assert "interface=ens4" in read
    assert "dhcp-option=option:ntp-server,10.0.0.9" in read
    assert "dhcp-option=option:dns-server,172.22.0.2" in read


def test_managed_without_hosts_answers_nobody() -> None:
    assert "dhcp-ignore=tag:!known" in dnsmasq(settings(allowedMacs=[]))


def test_unmanaged_has_tftp_and_no_dhcp() -> None:
    read = dnsmasq(settings(UNMANAGED))
    assert "enable-tftp" in read
    assert [line for line in read if line.startswith("dhcp-range")] == []


def test_disabled_has_no_dnsmasq() -> None:
    assert places.DNSMASQ_CONF not in rendered(settings(DISABLED), CARD, ca=CA, htpasswd="")


def test_the_ramdisk_understands_what_it_is_told() -> None:
    words = agent_parameters(settings(sshKeys=[KEY], ntp=["ntp.example.com"]), CA)
    read = ramdisk_reads(words)
    assert read.ssh_keys == (KEY,)
    assert read.authorities == (CA,)
    assert "ipa-ntp-server=ntp.example.com" in words
    assert "ipa-insecure" not in words


def test_an_agent_may_be_told_to_take_whoever_answers() -> None:
    words = agent_parameters(settings(trust="insecure"), "no certificate at all")
    assert "ipa-insecure=1" in words.split()
    assert "ingot.ca" not in words


def test_strangers_are_told_the_same() -> None:
    script = rendered(settings(), CARD, ca=CA, htpasswd="")[places.INSPECTOR]
    assert "ingot.ca=" in script
    assert "https://172.22.0.2:6385/v1/continue_inspection" in script
    assert "http://172.22.0.2:6180/images/kernel" in script


@pytest.mark.parametrize(
    ("ca", "said"),
    [
        ("nonsense", "no certificate"),
        (authority(rsa.generate_private_key(65537, 4096)), "has room for"),
    ],
    ids=["nonsense", "too long"],
)
def test_a_ca_that_agents_cannot_be_told_of_is_refused(ca: str, said: str) -> None:
    with pytest.raises(UnusableCaError, match=said):
        agent_parameters(settings(), ca)
