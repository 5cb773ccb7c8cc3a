"""How BMC addresses are written, what they mean, and how a wrong one is refused."""

from __future__ import annotations

import subprocess
import sys
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingot.bmc.address import BmcAddress, BmcAddressError, PrivilegeLevel, parse
from ingot.bmc.scheme import REMOVED, SCHEMES, SPELLINGS, Transport

ADMINISTRATOR = PrivilegeLevel.ADMINISTRATOR
HTTP, HTTPS = Transport.HTTP, Transport.HTTPS
SYSTEM = "/redfish/v1/Systems/1"


def refusal(text: str) -> BmcAddressError:
    with pytest.raises(BmcAddressError) as caught:
        parse(text)
    return caught.value


# ---------------------------------------------------------------- what is accepted


@pytest.mark.parametrize(
    ("text", "scheme", "host", "port"),
    [
        pytest.param("ipmi://10.0.0.5", "ipmi", "10.0.0.5", 623, id="url"),
        pytest.param("ipmi://10.0.0.5:6230", "ipmi", "10.0.0.5", 6230, id="url-port"),
        pytest.param("ipmi://10.0.0.5/", "ipmi", "10.0.0.5", 623, id="url-slash"),
        pytest.param("ipmi://[2001:db8::5]:6230", "ipmi", "2001:db8::5", 6230, id="url-ipv6-port"),
        pytest.param("10.0.0.5", "ipmi", "10.0.0.5", 623, id="bare-ipv4"),
        pytest.param("10.0.0.5:6230", "ipmi", "10.0.0.5", 6230, id="bare-ipv4-port"),
        pytest.param("bmc", "ipmi", "bmc", 623, id="bare-label"),
        pytest.param("bmc:6230", "ipmi", "bmc", 6230, id="bare-label-port"),
        pytest.param("bmc.example.com", "ipmi", "bmc.example.com", 623, id="bare-name"),
        pytest.param("bmc.example.com:6230", "ipmi", "bmc.example.com", 6230, id="bare-name-port"),
        pytest.param("[2001:db8::5]", "ipmi", "2001:db8::5", 623, id="bare-ipv6"),
        pytest.param("[2001:db8::5]:6230", "ipmi", "2001:db8::5", 6230, id="bare-ipv6-port"),
        pytest.param("ipmi:10.0.0.5", "ipmi", "10.0.0.5", 623, id="no-slashes"),
        pytest.param("ipmi:10.0.0.5:6230", "ipmi", "10.0.0.5", 6230, id="no-slashes-port"),
        pytest.param("ipmi:[2001:db8::5]:6230", "ipmi", "2001:db8::5", 6230, id="no-slashes-ipv6"),
        pytest.param("libvirt://192.168.122.1:6233/", "libvirt", "192.168.122.1", 6233, id="vbmc"),
        pytest.param("IPMI://10.0.0.5", "ipmi", "10.0.0.5", 623, id="upper-case-scheme"),
        pytest.param("ipmi://10.0.0.5:00623", "ipmi", "10.0.0.5", 623, id="port-leading-zeros"),
        pytest.param("ipmi://10.0.0.5:1", "ipmi", "10.0.0.5", 1, id="lowest-port"),
        pytest.param("ipmi://10.0.0.5:65535", "ipmi", "10.0.0.5", 65535, id="highest-port"),
        pytest.param("redfish", "ipmi", "redfish", 623, id="host-named-like-a-scheme"),
    ],
)
def test_an_ipmi_address_can_be_written_in_these_forms(
    text: str, scheme: str, host: str, port: int
) -> None:
    assert parse(text) == BmcAddress(scheme, None, host, port, "", ADMINISTRATOR)


@pytest.mark.parametrize(
    ("text", "transport", "host", "port", "path"),
    [
        pytest.param("redfish://10.0.0.5", HTTPS, "10.0.0.5", 443, "", id="no-path"),
        pytest.param(f"redfish://10.0.0.5{SYSTEM}", HTTPS, "10.0.0.5", 443, SYSTEM, id="path"),
        pytest.param(f"redfish+http://bmc{SYSTEM}", HTTP, "bmc", 80, SYSTEM, id="http"),
        pytest.param(f"redfish+https://bmc{SYSTEM}", HTTPS, "bmc", 443, SYSTEM, id="https"),
        pytest.param("redfish+http://bmc:8000/x", HTTP, "bmc", 8000, "/x", id="http-port"),
        pytest.param("REDFISH+HTTP://BMC", HTTP, "bmc", 80, "", id="upper-case"),
        pytest.param("redfish:bmc:8000/x", HTTPS, "bmc", 8000, "/x", id="no-slashes"),
        pytest.param("redfish+http:bmc/x", HTTP, "bmc", 80, "/x", id="no-slashes-http"),
        pytest.param("redfish://[2001:db8::5]:8000/x", HTTPS, "2001:db8::5", 8000, "/x", id="ipv6"),
    ],
)
def test_a_redfish_address_can_be_written_in_these_forms(
    text: str, transport: Transport, host: str, port: int, path: str
) -> None:
    assert parse(text) == BmcAddress("redfish", transport, host, port, path, None)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_of_a_scheme_leads_to_its_traits(spelling: str) -> None:
    address = parse(f"{spelling}://10.0.0.5")

    assert (address.traits, address.transport) == SPELLINGS[spelling]
    assert address.scheme == spelling.partition("+")[0]


# ---------------------------------------------------------------- hosts


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        pytest.param("BMC.Example.COM", "bmc.example.com", id="upper-case-name"),
        pytest.param("r2d2.4u", "r2d2.4u", id="name-with-digits"),
        pytest.param("a--b.xn--bcher-kva.de", "a--b.xn--bcher-kva.de", id="hyphens"),
        pytest.param("x" * 63, "x" * 63, id="longest-label"),
        pytest.param(".".join(["x" * 50] * 5)[:253], ".".join(["x" * 50] * 5)[:253], id="long"),
        pytest.param("[2001:0DB8:0:0::0005]", "2001:db8::5", id="ipv6-long-form"),
        pytest.param("[::ffff:10.0.0.5]", "10.0.0.5", id="ipv4-in-ipv6"),
    ],
)
def test_a_host_has_one_canonical_spelling(written: str, canonical: str) -> None:
    assert parse(f"ipmi://{written}").host == canonical


@pytest.mark.parametrize(
    ("text", "ip"),
    [
        pytest.param("10.0.0.5", IPv4Address("10.0.0.5"), id="ipv4"),
        pytest.param("[2001:DB8::5]", IPv6Address("2001:db8::5"), id="ipv6"),
        pytest.param("bmc5", None, id="name"),
    ],
)
def test_a_host_knows_whether_it_is_an_ip_address(
    text: str, ip: IPv4Address | IPv6Address | None
) -> None:
    assert parse(text).ip == ip


# ---------------------------------------------------------------- paths and systems


@pytest.mark.parametrize(
    ("written", "path"),
    [
        pytest.param("/", "", id="slash"),
        pytest.param(f"{SYSTEM}/", SYSTEM, id="trailing-slash"),
        pytest.param(f"/{SYSTEM}//", SYSTEM, id="doubled-slashes"),
        pytest.param("/redfish/v1", "", id="service-root"),
        pytest.param("/redfish/v1/", "", id="service-root-slash"),
        pytest.param("/Systems/System.Embedded.1", "/Systems/System.Embedded.1", id="dots"),
        pytest.param("/Systems/a%20b%40c", "/Systems/a b@c", id="escapes"),
        pytest.param("/Systems/%C3%A9", "/Systems/é", id="utf-8-escape"),
        pytest.param("/Systems/é", "/Systems/é", id="non-ascii"),
        pytest.param("/SYSTEMS/1", "/SYSTEMS/1", id="case-is-kept"),
    ],
)
def test_a_system_path_has_one_canonical_form(written: str, path: str) -> None:
    assert parse(f"redfish://bmc{written}").path == path


@pytest.mark.parametrize(
    ("text", "system"),
    [
        pytest.param("redfish://bmc", None, id="none"),
        pytest.param("redfish://bmc/", None, id="slash"),
        pytest.param("redfish://bmc/redfish/v1/", None, id="service-root"),
        pytest.param(f"redfish://bmc{SYSTEM}/", SYSTEM, id="system"),
        pytest.param(f"idrac-virtualmedia://bmc{SYSTEM}", SYSTEM, id="idrac-system"),
        pytest.param(f"redfish-uefihttp://bmc{SYSTEM}", SYSTEM, id="uefihttp-system"),
        pytest.param("redfish-uefihttp://bmc", "", id="uefihttp-none"),
        pytest.param("redfish-uefihttp://bmc/redfish/v1", "/redfish/v1", id="uefihttp-root"),
        pytest.param("ipmi://bmc/x", None, id="ipmi"),
    ],
)
def test_ironic_is_told_the_system_as_metal3_tells_it(text: str, system: str | None) -> None:
    assert parse(text).system_id == system


# ---------------------------------------------------------------- privilege levels


@pytest.mark.parametrize("level", PrivilegeLevel)
@pytest.mark.parametrize(
    "form", ["ipmi://bmc?{}", "libvirt://bmc:6230/?{}", "bmc?{}", "ipmi:bmc?{}"]
)
def test_ipmi_takes_a_privilege_level(form: str, level: PrivilegeLevel) -> None:
    address = parse(form.format(f"privilegelevel={level}"))

    assert (address.host, address.privilege_level) == ("bmc", level)


@pytest.mark.parametrize("query", ["privilegelevel=operator", "PrivilegeLevel=Operator"])
def test_a_privilege_level_may_be_in_any_case(query: str) -> None:
    assert parse(f"ipmi://bmc?{query}").privilege_level is PrivilegeLevel.OPERATOR


def test_an_empty_query_says_nothing() -> None:
    assert parse("ipmi://bmc?") == parse("ipmi://bmc")


# ---------------------------------------------------------------- spelling, origin, identity


@pytest.mark.parametrize(
    ("text", "normalized", "origin"),
    [
        pytest.param("BMC", "ipmi://bmc", "ipmi://bmc", id="bare"),
        pytest.param("bmc:623", "ipmi://bmc", "ipmi://bmc", id="ipmi-default-port"),
        pytest.param("libvirt:bmc:6230", "libvirt://bmc:6230", "ipmi://bmc:6230", id="libvirt"),
        pytest.param(
            "bmc?privilegelevel=user",
            "ipmi://bmc?privilegelevel=USER",
            "ipmi://bmc",
            id="privilege-level",
        ),
        pytest.param(
            "ipmi://bmc?privilegelevel=administrator", "ipmi://bmc", "ipmi://bmc", id="admin"
        ),
        pytest.param(
            f"idrac-redfish+https://BMC:443{SYSTEM}/",
            f"idrac-redfish://bmc{SYSTEM}",
            "https://bmc",
            id="https-default-port",
        ),
        pytest.param("redfish+http://bmc:80/", "redfish+http://bmc", "http://bmc", id="http-80"),
        pytest.param(
            "redfish+http://bmc:443/", "redfish+http://bmc:443", "http://bmc:443", id="http-443"
        ),
        pytest.param(
            "redfish://[2001:DB8::5]:8000/a%20b%40c?",
            "redfish://[2001:db8::5]:8000/a%20b%40c",
            "https://[2001:db8::5]:8000",
            id="ipv6-escapes",
        ),
    ],
)
def test_an_address_has_one_spelling_and_an_origin(text: str, normalized: str, origin: str) -> None:
    address = parse(text)

    assert (address.normalized, address.origin) == (normalized, origin)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("bmc", "IPMI://BMC:623/", id="spelling"),
        pytest.param("ipmi://bmc", "libvirt://bmc", id="ipmi-schemes"),
        pytest.param("ipmi://bmc", "ipmi://bmc?privilegelevel=USER", id="privilege-level"),
        pytest.param("ipmi://bmc/1", "ipmi://bmc/2", id="ipmi-path"),
        pytest.param(
            f"redfish://bmc{SYSTEM}", f"idrac-virtualmedia://bmc{SYSTEM}/", id="redfish-schemes"
        ),
        pytest.param("redfish+http://bmc:8000", "redfish://bmc:8000", id="transport-on-one-port"),
        pytest.param("redfish://bmc", "redfish://bmc:443/redfish/v1", id="only-system"),
        pytest.param(
            "redfish://bmc", "redfish-uefihttp://bmc/redfish/v1", id="only-system-uefihttp"
        ),
        pytest.param("redfish://[2001:db8::5]", "redfish://[2001:db8:0::5]", id="ipv6"),
        pytest.param("redfish://bmc/%61", "redfish://bmc/a", id="escape"),
    ],
)
def test_two_addresses_of_one_bmc_have_one_identity(one: str, other: str) -> None:
    assert parse(one).identity == parse(other).identity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("redfish://bmc:8000/Systems/a", "redfish://bmc:8000/Systems/b", id="system"),
        pytest.param("redfish://bmc/Systems/a", "redfish://bmc/Systems/A", id="path-case"),
        pytest.param("ipmi://bmc:6230", "ipmi://bmc:6231", id="port"),
        pytest.param("ipmi://bmc", "redfish://bmc:623", id="protocol"),
        pytest.param("ipmi://bmc1", "ipmi://bmc2", id="host"),
    ],
)
def test_two_bmcs_have_two_identities(one: str, other: str) -> None:
    assert parse(one).identity != parse(other).identity
    assert parse(one).normalized != parse(other).normalized


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("", "is empty", id="empty"),
        pytest.param(" ipmi://bmc", "the character ' '", id="leading-space"),
        pytest.param("ipmi://bmc\n", r"the character '\n'", id="line-end"),
        pytest.param("ipmi://b\tmc", r"the character '\t'", id="tab"),
        pytest.param("ipmi://b\x1b[31mmc", r"the character '\x1b'", id="terminal-escape"),
        pytest.param("ipmi://b\u202emc", r"the character '\u202e'", id="bidi-control"),
        pytest.param("ipmi://b\ud800mc", r"the character '\ud800'", id="surrogate"),
        pytest.param("ipmi://", "names no host", id="no-host"),
        pytest.param("ipmi:", "names no host", id="only-scheme"),
        pytest.param("ipmi://:623", "names no host", id="only-port"),
        pytest.param(f"redfish://{SYSTEM}", "names no host", id="only-path"),
        pytest.param("redfish:/10.0.0.5", "names no host", id="one-slash"),
        pytest.param("//10.0.0.5", "names no host", id="no-scheme"),
        pytest.param("://10.0.0.5", "unknown scheme ''", id="empty-scheme"),
        pytest.param("ipmi://bmc:abc", "the port 'abc'", id="port-letters"),
        pytest.param("10.0.0.5:abc", "the port 'abc'", id="bare-port-letters"),
        pytest.param("bmc.example.com:abc", "the port 'abc'", id="bare-name-port-letters"),
        pytest.param("ipmi://bmc:0", "the port '0'", id="port-0"),
        pytest.param("ipmi://bmc:65536", "the port '65536'", id="port-too-high"),
        pytest.param("bmc:99999", "the port '99999'", id="bare-port-too-high"),
        pytest.param("ipmi://bmc:-1", "the port '-1'", id="port-negative"),
        pytest.param("ipmi://bmc:٦٢٣", "the port '٦٢٣'", id="port-other-digits"),
        pytest.param("ipmi://bmc:" + "9" * 5000, "the port '999", id="port-endless"),
        pytest.param("ipmi://bmc:", "a colon but no port", id="port-empty"),
        pytest.param("bmc:", "a colon but no port", id="bare-port-empty"),
        pytest.param("2001:db8::5", "IPv6 address without brackets", id="bare-ipv6"),
        pytest.param("fe80::5", "IPv6 address without brackets", id="bare-ipv6-like-a-scheme"),
        pytest.param("2001:db8::5:623", "IPv6 address without brackets", id="bare-ipv6-or-port"),
        pytest.param("ipmi://2001:db8::5", "IPv6 address without brackets", id="ipv6-no-brackets"),
        pytest.param("ipmi://2001:db8::5::6", "where host:port belongs", id="many-colons"),
        pytest.param("ipmi://[2001:db8::5", "where host:port belongs", id="open-bracket"),
        pytest.param("ipmi://[2001:db8::5]623", "where host:port belongs", id="no-colon"),
        pytest.param("ipmi://[2001:db8::5g]", "is no IPv6 address", id="bad-ipv6"),
        pytest.param("ipmi://[10.0.0.5]", "is no IPv6 address", id="ipv4-in-brackets"),
        pytest.param("ipmi://[]", "is no IPv6 address", id="empty-brackets"),
        pytest.param("ipmi://[fe80::5%eth0]", "the zone 'eth0'", id="zone"),
        pytest.param("ipmi://10.0.0.256", "is no IPv4 address", id="octet-too-high"),
        pytest.param("ipmi://10.0.0", "is no IPv4 address", id="three-octets"),
        pytest.param("ipmi://010.0.0.5", "is no IPv4 address", id="leading-zero"),
        pytest.param("ipmi://0x0a000005", "is no IPv4 address", id="hexadecimal"),
        pytest.param("ipmi:6230", "is no IPv4 address", id="port-as-host"),
        pytest.param("ipmi://my-.example.com", "nor a DNS name", id="hyphen-at-end"),
        pytest.param("ipmi://-my.example.com", "nor a DNS name", id="hyphen-at-start"),
        pytest.param("ipmi://my_bmc", "nor a DNS name", id="underscore"),
        pytest.param("ipmi://a..b", "nor a DNS name", id="empty-label"),
        pytest.param("ipmi://bmc.example.com.", "nor a DNS name", id="dot-at-end"),
        pytest.param("ipmi://bücher.de", "nor a DNS name", id="non-ascii"),
        pytest.param("ipmi://\N{KELVIN SIGN}.de", "nor a DNS name", id="lower-case-is-ascii"),
        pytest.param("ipmi://b%6dc", "nor a DNS name", id="escape-in-host"),
        pytest.param("ipmi://" + "x" * 64, "nor a DNS name", id="label-too-long"),
        pytest.param("ipmi://" + "x." * 126 + "xx", "nor a DNS name", id="name-too-long"),
        pytest.param("ipmi://bmc?privilegelevel=root", "privilege level 'root'", id="level"),
        pytest.param("ipmi://bmc?privilegelevel=", "privilege level ''", id="level-empty"),
        pytest.param("ipmi://bmc?privelegelevel=USER", "the query 'priv", id="query-misspelt"),
        pytest.param("redfish://bmc?privilegelevel=USER", "the query 'priv", id="redfish-query"),
        pytest.param("redfish://bmc/x#1", "the fragment '1'", id="fragment"),
        pytest.param("redfish://bmc/x#", "the fragment ''", id="fragment-empty"),
        pytest.param(f"ipmi://bmc{SYSTEM}", "Redfish path", id="ipmi-redfish-path"),
        pytest.param(f"10.0.0.5{SYSTEM}", "Redfish path", id="bare-redfish-path"),
        pytest.param("redfish://bmc/%zz", "not printable text", id="escape-malformed"),
        pytest.param("redfish://bmc/%0a", "not printable text", id="escape-control"),
        pytest.param("redfish://bmc/%ff", "not printable text", id="escape-not-utf-8"),
        pytest.param("redfish://bmc/a/../b", ". or .. in its path", id="dot-dot"),
        pytest.param("redfish://bmc/%2e/b", ". or .. in its path", id="dot-escaped"),
    ],
)
def test_a_malformed_address_is_refused_with_its_reason(text: str, reason: str) -> None:
    assert reason in refusal(text).reason


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        pytest.param("redfsh://bmc", "did you mean redfish?", id="typo"),
        pytest.param("redfsh:10.0.0.5", "did you mean redfish?", id="typo-no-slashes"),
        pytest.param("redfsh+http://bmc", "did you mean redfish+http?", id="typo-http"),
        pytest.param("ipm+http://bmc", "did you mean ipmi?", id="typo-ipmi-http"),
        pytest.param("idrac-virtual-media://bmc", "did you mean idrac-virtualmedia?", id="hyphen"),
        pytest.param("impi://bmc", "did you mean ipmi?", id="swapped"),
        pytest.param("zzz://bmc", f"use one of {', '.join(SCHEMES)}", id="nothing-near"),
        pytest.param("ipmi+https://bmc", "use ipmi alone", id="ipmi-https"),
        pytest.param("libvirt+http:bmc", "use libvirt alone", id="libvirt-http"),
        pytest.param(
            "redfish+ftp://bmc", "use redfish with +http, with +https or without either", id="ftp"
        ),
        pytest.param(
            "redfish+://bmc", "use redfish with +http, with +https or without either", id="plus"
        ),
    ],
)
def test_an_unknown_scheme_is_answered_with_what_was_likely_meant(text: str, remedy: str) -> None:
    assert refusal(text).remedy == remedy


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("idrac", "use idrac-redfish or idrac-virtualmedia"),
        ("ilo5", "use ilo5-redfish or ilo5-virtualmedia"),
        ("ilo4", "use ipmi"),
        ("ilo4-virtualmedia", "use ipmi"),
        ("irmc", "use redfish"),
        ("ibmc", "use redfish"),
    ],
)
@pytest.mark.parametrize("form", ["{}://bmc", "{}+https://bmc", "{}:bmc", "{}+http:bmc"])
def test_a_removed_scheme_is_answered_with_its_successor(
    form: str, name: str, instead: str
) -> None:
    error = refusal(form.format(name))

    assert error.reason == f"has the scheme {name}, which metal3 has removed"
    assert error.remedy == instead


def test_every_removed_scheme_is_refused() -> None:
    assert {name for name in REMOVED if "removed" in refusal(f"{name}://bmc").reason} == set(
        REMOVED
    )


@pytest.mark.parametrize(
    ("scheme", "begin"), [("http", "redfish+http://"), ("https", "redfish://")]
)
def test_a_web_address_is_answered_with_the_redfish_scheme(scheme: str, begin: str) -> None:
    assert f"begin it with {begin}" in refusal(f"{scheme}://bmc{SYSTEM}").remedy


def test_an_ipv6_address_without_brackets_is_shown_with_them() -> None:
    assert refusal("2001:db8::5").remedy.startswith("write [2001:db8::5]")


def test_the_message_is_one_sentence_with_the_address_the_reason_and_the_remedy() -> None:
    error = refusal("redfsh://10.0.0.5")

    assert error.text == "redfsh://10.0.0.5"
    assert str(error) == (
        "BMC address 'redfsh://10.0.0.5' has the unknown scheme 'redfsh'; did you mean redfish?"
    )


def test_the_message_of_an_endless_address_is_short() -> None:
    assert len(str(refusal("zzz://" + "x" * 100_000))) < 500


# ---------------------------------------------------------------- credentials


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("redfish://root:calvin@bmc/x", "redfish://bmc/x", id="url"),
        pytest.param("REDFISH+http://root:calvin@bmc", "REDFISH+http://bmc", id="upper-case"),
        pytest.param("redfish://root@bmc", "redfish://bmc", id="only-user"),
        pytest.param("redfish://root:cal@vin@bmc", "redfish://bmc", id="password-with-at"),
        pytest.param("redfish://root:cal/vin@bmc", "redfish://bmc", id="password-with-slash"),
        pytest.param("redfish://root:cal#v?n@bmc", "redfish://bmc", id="password-with-hash"),
        pytest.param("redfish://root:cal vin@bmc", "redfish://bmc", id="password-with-space"),
        pytest.param("redfish://root:623/vin@bmc", "redfish://bmc", id="password-like-a-port"),
        pytest.param("ipmi:root:calvin@bmc", "bmc", id="no-slashes"),
        pytest.param("root:calvin@bmc", "bmc", id="bare"),
        pytest.param("root:cal://vin@bmc", "bmc", id="password-like-a-scheme"),
        pytest.param("redfish://root:calvin@", "redfish://", id="no-host"),
    ],
)
def test_credentials_are_refused_and_not_repeated(text: str, shown: str) -> None:
    error = refusal(text)

    assert error.text == shown
    assert "bmc.username and bmc.password" in error.remedy
    assert "vin" not in str(error) + repr(error) + repr(error.__context__) + repr(error.args)


# ---------------------------------------------------------------- for any text

ANY_TEXT = st.text(st.characters())
ADDRESS_LIKE = st.builds(
    "".join,
    st.tuples(
        st.sampled_from([*SPELLINGS, *REMOVED, "REDFISH", "https", "zzz", ""]),
        st.sampled_from(["://", ":", ":/", "//", ""]),
        st.sampled_from(["10.0.0.5", "BMC.example.com", "[2001:DB8::5]", "2001:db8::5", "1.2", ""]),
        st.sampled_from(["", ":", ":623", ":8000", ":0", ":x"]),
        st.one_of(
            st.sampled_from(["", "/", "/redfish/v1/", f"{SYSTEM}//", "/a%20b", "/%"]),
            st.text("/.%:aé4205+ ?#", max_size=12).map("/".__add__),
        ),
        st.sampled_from(["", "?", "?privilegelevel=user", "?PrivilegeLevel=ADMINISTRATOR", "#"]),
    ),
)
TEXTS = st.one_of(ADDRESS_LIKE, ANY_TEXT)
any_text = settings(deadline=None, max_examples=500)


@any_text
@given(TEXTS)
@example("fe80::%")
@example("[::1%]")
@example("ipmi://[::1]\N{SUPERSCRIPT TWO}:²")
def test_any_text_is_an_address_or_a_refusal_that_can_be_printed(text: str) -> None:
    try:
        shown = parse(text).normalized
    except BmcAddressError as error:
        shown = str(error)

    assert shown.isprintable()


@any_text
@given(TEXTS)
def test_the_normalized_spelling_leads_back_to_the_same_address(text: str) -> None:
    try:
        address = parse(text)
    except BmcAddressError:
        return
    again = parse(address.normalized)

    assert again == address
    assert again.normalized == address.normalized
    assert again.identity == address.identity == parse(address.identity).identity


@any_text
@given(spelling=st.sampled_from([*SPELLINGS]), secret=ANY_TEXT)
def test_a_message_is_the_same_whatever_the_secret(spelling: str, secret: str) -> None:
    with_secret = refusal(f"{spelling}://root:{secret}@bmc/x")
    with_other = refusal(f"{spelling}://root:calvin@bmc/x")

    assert str(with_secret) == str(with_other)
    assert vars(with_secret) == vars(with_other)


# ---------------------------------------------------------------- cost


def test_importing_it_loads_nothing_that_is_rarely_needed() -> None:
    heavy = {"difflib", "urllib.parse", "pydantic", "socket", "typing_extensions"}
    program = "import sys, ingot.bmc.address; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, text=True
    ).stdout.split()

    assert heavy.isdisjoint(loaded)
    assert [name for name in loaded if name.startswith("ingot.")] == [
        name for name in loaded if name.startswith("ingot.bmc")
    ]


def test_an_address_is_parsed_once_however_often_it_is_asked_for() -> None:
    assert parse("redfish://bmc.example.com/x") is parse("redfish://bmc.example.com/x")
