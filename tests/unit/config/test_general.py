"""The cluster's name and domain, its ssh keys and its pull secret."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingot.config.routerids import router_ids
from tests.unit.config.configs import (
    API,
    HOST,
    METAL,
    TO_DISABLED,
    Case,
    accepted,
    changed,
    places_of,
    refused,
    table,
    warned,
)
from tests.unit.config.keys import ECDSA, ED25519, PRIVATE, RSA

NAME, DOMAIN = "metadata.name", "baseDomain"
PASSWORD = f"{HOST}.bmc.password"
NTP = f"{METAL}.additionalNTPServers"

LONG_DOMAIN = ".".join(["a" * 60] * 4)


def pull_secret(*, auths: object) -> str:
    return json.dumps({"auths": auths})


CASES = table(
    # rule G7: the cluster's name
    accepted("G7", "a label"),
    accepted("G7", "54 characters", {NAME: "a" * 54}),
    refused("G7", NAME, "no name", {"metadata": {}}, says="no name"),
    refused("G7", NAME, "no metadata", {"metadata": None}, says="no name"),
    refused("G7", NAME, "a dot", {NAME: "rack.one"}, says="'rack.one' has a dot"),
    refused("G7", NAME, "55 characters", {NAME: "a" * 55}, says="55 characters"),
    refused("G7", NAME, "upper case", {NAME: "Rack1"}, says="'Rack1' is not a DNS name"),
    refused("G7", NAME, "an underscore", {NAME: "rack_1"}),
    refused("G7", NAME, "a hyphen at the end", {NAME: "rack-"}),
    refused("G7", NAME, "another script", {NAME: "räck"}),
    # rule G8: the domain
    accepted("G8", "a domain"),
    accepted("G8", "a trailing dot", {DOMAIN: "example.com."}),
    accepted("G8", "one label", {DOMAIN: "internal"}),
    refused("G8", DOMAIN, "no domain", {DOMAIN: ""}, says="not given"),
    refused("G8", DOMAIN, "a space", {DOMAIN: "example com"}, says="'example com'"),
    refused("G8", DOMAIN, "two dots", {DOMAIN: "example..com"}),
    refused("G8", DOMAIN, "a label of 64 characters", {DOMAIN: "a" * 64}),
    refused(
        "G8",
        DOMAIN,
        "a name and domain beyond 253",
        {DOMAIN: f"{LONG_DOMAIN}.example"},
        says="longer",
    ),
    # rule G4: ssh keys
    accepted("G4", "no key"),
    *(
        accepted("G4", f"a key of type {key.split()[0]}", {"sshKey": f"{key} you@example.com"})
        for key in (RSA, ECDSA, ED25519)
    ),
    accepted(
        "G4",
        "several keys, a comment and an empty line",
        {"sshKey": f"# ops\n{RSA}\n\n{ED25519}\n"},
    ),
    accepted("G4", "options before the key", {"sshKey": f'no-pty,command="ssh-add -l" {ED25519}'}),
    refused("G4", "sshKey", "text", {"sshKey": "my key"}, says="line 1 of sshKey"),
    refused("G4", "sshKey", "a key that is cut off", {"sshKey": RSA[:60]}),
    refused("G4", "sshKey", "an unknown type", {"sshKey": "ssh-key AAAA you@example.com"}),
    refused("G4", "sshKey", "the second line", {"sshKey": f"{RSA}\nssh-rsa\n"}, says="line 2"),
    refused("G4", "sshKey", "a private key", {"sshKey": PRIVATE}, says="it is a private one"),
    # rule G2: ssh keys with fips
    accepted("G2", "an Ed25519 key without fips", {"sshKey": ED25519}),
    accepted("G2", "an RSA and an ECDSA key", {"fips": True, "sshKey": f"{RSA}\n{ECDSA}"}),
    refused(
        "G2", "sshKey", "an Ed25519 key", {"fips": True, "sshKey": ED25519}, says="ssh-ed25519"
    ),
    # rule G12: the pull secret
    accepted("G12", "no pull secret"),
    accepted(
        "G12",
        "an entry with auth",
        {"pullSecret": pull_secret(auths={"quay.io": {"auth": "dTpw"}})},
    ),
    accepted(
        "G12", "a credsStore", {"pullSecret": pull_secret(auths={"q": {"credsStore": "desktop"}})}
    ),
    accepted("G12", "one that is in a file", {"pullSecret": {"file": __file__}}),
    refused("G12", "pullSecret", "text", {"pullSecret": "quay"}, says="not JSON"),
    refused("G12", "pullSecret", "deep brackets", {"pullSecret": "[" * 100_000}, says="not JSON"),
    refused("G12", "pullSecret", "a list", {"pullSecret": "[]"}, says="no auths"),
    refused(
        "G12", "pullSecret", "empty auths", {"pullSecret": pull_secret(auths={})}, says="no auths"
    ),
    refused("G12", "pullSecret", "auths that are a list", {"pullSecret": pull_secret(auths=[1])}),
    refused(
        "G12",
        "pullSecret",
        "an entry without auth",
        {"pullSecret": pull_secret(auths={"quay.io": {"auth": ""}, "ok.io": {"auth": "dTpw"}})},
        says="'quay.io' has neither auth nor credsStore",
    ),
    refused(
        "G12", "pullSecret", "an entry that is text", {"pullSecret": pull_secret(auths={"q": "x"})}
    ),
    # rule X19: the form of a secret
    accepted("X19", "text"),
    accepted("X19", "a file", {PASSWORD: {"file": __file__}}),
    accepted("X19", "an unused key that is null", {PASSWORD: {"file": __file__, "env": None}}),
    refused("X19", PASSWORD, "a file and a variable", {PASSWORD: {"env": "A", "file": "/b"}}),
    refused("X19", PASSWORD, "another key", {PASSWORD: {"vault": "x"}}, says="{env: NAME}"),
    refused("X19", PASSWORD, "an empty variable", {PASSWORD: {"env": ""}}),
    refused(
        "X19", f"{HOST}.bmc.username", "a bad variable", {f"{HOST}.bmc.username": {"env": "A-B"}}
    ),
    refused("X19", "pullSecret", "a bad pull secret", {"pullSecret": {"env": "1A"}}),
    # rule X20: the place of a secret
    accepted("X20", "text"),
    accepted("X20", "a file that exists", {PASSWORD: {"file": __file__}}),
    warned(
        "X20",
        PASSWORD,
        "a file that does not",
        {PASSWORD: {"file": "/nowhere/at/all"}},
        says="/nowhere",
    ),
    warned("X20", PASSWORD, "a folder", {PASSWORD: {"file": "/"}}),
    warned("X20", PASSWORD, "a name beyond all limits", {PASSWORD: {"file": "/" + "x" * 300}}),
    warned("X20", PASSWORD, "a variable that is not set", {PASSWORD: {"env": "INGOT_NOT_SET"}}),
    warned(
        "X20", "pullSecret", "a pull secret's variable", {"pullSecret": {"env": "INGOT_NOT_SET"}}
    ),
    # rule R12: time servers
    accepted("R12", "no servers"),
    accepted(
        "R12", "names and addresses", {NTP: ["ntp.example.com", "NTP", "192.0.2.1", "2001:db8::1"]}
    ),
    refused("R12", f"{NTP}[1]", "a URL", {NTP: ["ntp.example.com", "ntp://x"]}, says="'ntp://x'"),
    refused("R12", f"{NTP}[0]", "what is nearly an address", {NTP: ["192.0.2.256"]}),
    refused(
        "R12", f"{NTP}[0]", "a bad name without provisioning network", TO_DISABLED, {NTP: ["a b"]}
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_general_rules(case: Case) -> None:
    case.check()


def test_a_variable_that_is_set_is_accepted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INGOT_TEST_PASSWORD", "hunter2")

    assert not changed({PASSWORD: {"env": "INGOT_TEST_PASSWORD"}}).report().problems


def test_a_secret_that_several_hosts_lack_is_told_once() -> None:
    missing = {
        f"{METAL}.hosts[{number}].bmc.password": {"env": "INGOT_NOT_SET"} for number in range(4)
    }

    assert places_of(changed(missing).report().problems) == [("X20", PASSWORD)]


@given(name=st.text(max_size=54))
def test_no_name_gives_the_two_virtual_routers_one_id(name: str) -> None:
    ids = router_ids(name)

    assert ids.api != ids.ingress
    assert {ids.api, ids.ingress} <= set(range(1, 240))


def test_router_ids_are_those_of_the_field() -> None:
    assert router_ids("rack1") == (193, 175)


def test_a_name_of_the_wrong_kind_is_not_also_missing() -> None:
    report = changed({"metadata.name": ["rack1"], "baseDomain": {"a": 1}, API: []}).report()

    assert places_of(report.errors) == [("F7", "metadata.name"), ("F7", "baseDomain"), ("P1", API)]
