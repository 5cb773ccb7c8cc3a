"""The cluster's name and domain, its ssh keys and its pull secret."""

from __future__ import annotations

import json
from itertools import pairwise

from ingot.config.model import InstallConfig
from ingot.config.problem import Path, at, error, warning
from ingot.config.reading import quoted, to_address
from ingot.config.registry import Findings, check, declare, retire
from ingot.config.rules.names import NAME_FORM, is_domain, is_subdomain
from ingot.config.secret import Secret, SecretSource

MAX_CLUSTER_NAME = 54
"""A DNS label has 63 characters; the field keeps 9 for what it appends."""

FIPS_KEYS = ("ssh-rsa", "ecdsa-sha2-nistp")

retire(
    "G3",
    reason="the state of the installing host's cryptography concerns OpenShift's FIPS mode only.",
)
retire(
    "G9",
    reason="absent `networking` and `controlPlane` take their defaults, as they do upstream.",
)
retire("G11", reason="`bootstrapInPlace` is accepted and has no effect (O1).")
retire(
    "G15",
    "G16",
    "G17",
    "G19",
    "G20",
    "G21",
    reason="they concern fields that are accepted and have no effect (O1).",
)
retire("G18", reason="there is no release payload to compare architectures with.")
retire("R1", reason="there are no capabilities to enable: machines are always managed.")
retire(
    "R15",
    reason="libvirt and its bridges are looked at by the preflight, not by a static check.",
)

declare("X19", "A secret is text, or names one environment variable or file that holds it.")


@check("G7", "metadata.name is a DNS name without dots, of at most 54 characters.")
def cluster_name_is_a_label(config: InstallConfig) -> Findings:
    name, path = config.metadata.name, ("metadata", "name")
    if not name:
        yield error(path, "the cluster has no name", "add `name` under `metadata`")
    elif "." in name:
        yield error(
            path, f"cluster name {quoted(name)} has a dot", "leave the domain to baseDomain"
        )
    elif len(name) > MAX_CLUSTER_NAME:
        yield error(
            path,
            f"cluster name {quoted(name)} has {len(name)} characters",
            f"choose a name of at most {MAX_CLUSTER_NAME}",
        )
    elif not is_subdomain(name):
        yield error(path, f"cluster name {quoted(name)} is not a DNS name", f"use {NAME_FORM}")


@check(
    "G8",
    "baseDomain is a DNS name, and so is <name>.<baseDomain>.",
    note="Each part has at most 63 characters, as DNS demands; upstream limits the whole only.",
)
def domain_is_a_dns_name(config: InstallConfig) -> Findings:
    domain, path = config.base_domain, ("baseDomain",)
    if not domain:
        yield error(path, "baseDomain is not given", "add the DNS domain the cluster lives under")
    elif not is_subdomain(domain.removesuffix(".")):
        yield error(path, f"baseDomain {quoted(domain)} is not a DNS name", f"use {NAME_FORM}")
    elif is_subdomain(config.metadata.name) and not is_subdomain(config.cluster_domain):
        yield error(
            path,
            f"the cluster's domain {quoted(config.cluster_domain)} is longer than DNS allows",
            "choose a shorter name or domain",
        )


def _ssh_keys(config: InstallConfig) -> list[tuple[int, str]]:
    lines = config.ssh_key.splitlines()
    return [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip()]


def _key_type(line: str) -> str | None:
    """Return the type of a public key in authorized_keys form, or None when it is none."""
    from cryptography.exceptions import UnsupportedAlgorithm  # noqa: PLC0415 - slow to import
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 - slow to import
        load_ssh_public_key,
    )

    # Options such as `no-pty` may stand before the type.
    for word, key in pairwise(line.split()):
        if word.startswith(("ssh-", "ecdsa-", "sk-")):
            try:
                load_ssh_public_key(f"{word} {key}".encode())
            except (ValueError, UnsupportedAlgorithm):
                continue
            return word
    return None


@check("G4", "Each line of sshKey is a public key or a comment.")
def ssh_keys_parse(config: InstallConfig) -> Findings:
    for number, line in _ssh_keys(config):
        if line.startswith("#") or _key_type(line):
            continue
        what = f"line {number} of sshKey is not a public key"
        if "PRIVATE KEY" in line:
            yield error(
                ("sshKey",), f"{what}: it is a private one", "give the .pub file's content instead"
            )
            return
        yield error(("sshKey",), what, "give the content of a .pub file, one key a line")


@check(
    "G2",
    "With fips: true, ssh keys are of type RSA or ECDSA.",
    note="fips itself has no effect here, but a config that asks for it should stay consistent.",
)
def fips_keys_are_approved(config: InstallConfig) -> Findings:
    if config.fips is not True:
        return
    for number, line in _ssh_keys(config):
        kind = _key_type(line)
        if kind and not kind.startswith(FIPS_KEYS):
            yield error(
                ("sshKey",),
                f"line {number} of sshKey is a key of type {kind}, which fips: true excludes",
                "use an RSA or ECDSA key, or remove fips",
            )


@check("G12", "pullSecret, where given, is JSON with at least one usable entry in auths.")
def pull_secret_has_auths(config: InstallConfig) -> Findings:
    secret, path = config.pull_secret, ("pullSecret",)
    if secret is None or secret.source is not SecretSource.INLINE:
        return
    auths = registries_of(secret)
    if auths is None:
        yield error(path, "pullSecret is not JSON", "paste it whole, in single quotes")
        return
    if not auths:
        yield error(path, "pullSecret has no auths", "add a registry, or leave pullSecret out")
    for registry, entry in auths.items():
        if not isinstance(entry, dict) or not (entry.get("auth") or entry.get("credsStore")):
            yield error(
                path,
                f"pullSecret's entry for {quoted(registry)} has neither auth nor credsStore",
                "complete or remove that entry",
            )


def registries_of(secret: Secret | None) -> dict[str, object] | None:
    """Return what an inline pull secret says of each registry; None when it is not JSON."""
    if secret is None or secret.source is not SecretSource.INLINE:
        return None
    try:
        content: object = json.loads(secret.value)
    except (ValueError, RecursionError):
        return None
    auths = content.get("auths") if isinstance(content, dict) else None
    return auths if isinstance(auths, dict) else {}


@check("X20", "A variable or file that holds a secret exists (warning).")
def secrets_can_be_revealed(config: InstallConfig) -> Findings:
    told: set[str] = set()
    for path, secret in _secrets(config):
        why = secret.missing()
        if why and why not in told:
            told.add(why)
            yield warning(path, why, "provide it before the install starts")


def _secrets(config: InstallConfig) -> list[tuple[Path, Secret]]:
    found: list[tuple[Path, Secret | None]] = [(("pullSecret",), config.pull_secret)]
    for index, host in enumerate(config.baremetal.hosts):
        found.append((at("hosts", index, "bmc", "username"), host.bmc.username))
        found.append((at("hosts", index, "bmc", "password"), host.bmc.password))
    return [(path, secret) for path, secret in found if secret is not None]


@check("R12", "NTP servers are addresses or DNS names.", note="Checked for every network mode.")
def ntp_servers_are_names(config: InstallConfig) -> Findings:
    for index, server in enumerate(config.baremetal.additional_ntp_servers):
        if not _is_address_or_domain(server):
            yield error(
                at("additionalNTPServers", index),
                f"NTP server {quoted(server)} is neither an address nor a DNS name",
                "write one, such as ntp.example.com",
            )


def _is_address_or_domain(text: str) -> bool:
    try:
        to_address(text)
    except ValueError:
        looks_numeric = text.replace(".", "").isdigit()
        return is_domain(text) and not looks_numeric
    return True
