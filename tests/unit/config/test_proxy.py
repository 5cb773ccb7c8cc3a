"""The proxy's addresses and what bypasses it."""

from __future__ import annotations

import pytest

from tests.unit.config.configs import (
    TO_IPV6,
    Case,
    accepted,
    changed,
    places_of,
    refused,
    table,
)

HTTP, HTTPS, BYPASS = "proxy.httpProxy", "proxy.httpsProxy", "proxy.noProxy"
URL = "http://proxy.example.com:3128"

CASES = table(
    accepted("G13", "no proxy"),
    accepted("G13", "an http proxy", {HTTP: URL}),
    accepted("G13", "an https proxy by http", {HTTPS: URL}),
    accepted("G13", "an https proxy by https", {HTTPS: "https://proxy.example.com"}),
    accepted("G13", "credentials", {HTTP: "http://user:p%40ss@192.0.2.1:3128"}),
    accepted("G13", "an IPv6 address", TO_IPV6, {HTTP: "http://[2001:db8::1]:3128"}),
    accepted("G13", "everything bypasses", {HTTP: URL, BYPASS: "*"}),
    accepted(
        "G13",
        "addresses, CIDRs and domains bypass",
        {HTTP: URL, BYPASS: "192.0.2.1,2001:db8::1,192.0.2.0/24,fd00::/8,example.com,.Example.org"},
    ),
    refused("G13", "proxy", "an empty proxy", {"proxy": {}}, says="names no proxy"),
    refused("G13", "proxy", "only a bypass", {BYPASS: "example.com"}, says="names no proxy"),
    refused(
        "G13", HTTP, "an http proxy by https", {HTTP: "https://proxy.example.com"}, says="'https'"
    ),
    refused(
        "G13", HTTPS, "an https proxy by ftp", {HTTPS: "ftp://proxy.example.com"}, says="'ftp'"
    ),
    refused("G13", HTTP, "no scheme", {HTTP: "proxy.example.com"}, says="not a URL"),
    refused("G13", HTTP, "no host", {HTTP: "http://:3128"}, says="not a URL"),
    refused("G13", HTTP, "a bad port", {HTTP: "http://proxy.example.com:port"}, says="not a URL"),
    refused("G13", HTTP, "a bad address", {HTTP: "http://[2001:db8::g]"}, says="not a URL"),
    refused("G13", HTTP, "a pod's address", {HTTP: "http://10.128.0.7"}, says="10.128.0.0/14"),
    refused(
        "G13", HTTPS, "a service's address", {HTTPS: "http://172.30.0.7"}, says="172.30.0.0/16"
    ),
    refused("G13", HTTP, "an IPv6 service's address", TO_IPV6, {HTTP: "http://[fd02::1]"}),
    refused("G13", BYPASS, "spaces", {HTTP: URL, BYPASS: "a.com, b.com"}, says="spaces"),
    refused(
        "G13", BYPASS, "a wildcard", {HTTP: URL, BYPASS: "*.example.com"}, says="'*.example.com'"
    ),
    refused("G13", BYPASS, "a star among others", {HTTP: URL, BYPASS: "*,example.com"}, says="'*'"),
    refused("G13", BYPASS, "nothing between commas", {HTTP: URL, BYPASS: "a.com,,b.com"}),
    refused("G13", BYPASS, "a bad CIDR", {HTTP: URL, BYPASS: "192.0.2.0/33"}),
    refused("G13", BYPASS, "a URL", {HTTP: URL, BYPASS: "http://example.com"}),
    refused("G13", (BYPASS, BYPASS), "two bad elements", {HTTP: URL, BYPASS: "a_b,c_d"}),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_proxy_rules(case: Case) -> None:
    case.check()


def test_a_proxy_of_the_wrong_kind_is_not_also_missing() -> None:
    assert places_of(changed({HTTP: [URL]}).report().errors) == [("F7", HTTP)]


def test_an_unreadable_network_is_not_taken_for_its_default() -> None:
    report = changed({HTTP: "http://172.30.0.7", "networking.serviceNetwork": ["?"]}).report()

    assert places_of(report.errors) == [("N3", "networking.serviceNetwork[0]")]
