"""What the lab is called, and how many hosts it has."""

from __future__ import annotations

from collections.abc import Iterator

from ingot.config.problem import Path, error
from ingot.config.reading import quoted
from ingot.config.rules.names import NAME_FORM, is_subdomain
from ingot.config.secret import Secret
from ingot.lab.description import ADDRESS, SECRET, WORD
from ingot.lab.labs import MAX_NAME, is_lab_name
from ingot.lab.outline import FIELDS, MAX_HOSTS, Outline, wanted
from ingot.lab.rules.registry import Findings, declare, rule
from ingot.lab.words import Role

MAX_CLUSTER_NAME = 54
"""As in an install-config."""

declare(WORD, "Drivers, BMC kinds, network modes and roles are known words.")
declare(ADDRESS, "Addresses, networks and MAC addresses can be read.")


@rule("L4", "The lab's name is a DNS label of at most 32 characters.")
def lab_name_is_a_label(lab: Outline) -> Findings:
    if not is_lab_name(lab.said.name):
        yield error(
            ("name",),
            f"a lab cannot be called {quoted(lab.said.name)}",
            f"use at most {MAX_NAME} {NAME_FORM}",
        )


@rule(
    "L5", "The cluster's name is a DNS label of at most 54 characters, and its domain a DNS name."
)
def cluster_has_a_name(lab: Outline) -> Findings:
    name, domain = lab.cluster_name, lab.said.base_domain
    if lab.said.cluster_name and (
        "." in name or len(name) > MAX_CLUSTER_NAME or not is_subdomain(name)
    ):
        yield error(
            ("clusterName",),
            f"a cluster cannot be called {quoted(name)}",
            f"use at most {MAX_CLUSTER_NAME} {NAME_FORM}",
        )
    if not is_subdomain(domain):
        yield error(
            ("baseDomain",), f"baseDomain {quoted(domain)} is not a DNS name", f"use {NAME_FORM}"
        )
    elif is_subdomain(name) and not is_subdomain(f"{name}.{domain}"):
        yield error(
            ("baseDomain",),
            f"{quoted(f'{name}.{domain}')} is longer than DNS allows",
            "choose a shorter name or domain",
        )


@rule("L6", "The control plane has an odd number of hosts, and no number is negative.")
def control_plane_is_odd(lab: Outline) -> Findings:
    for role, field in FIELDS.items():
        number = wanted(lab.said, role)
        if number < 0:
            yield error((field,), f"{number} {field} are asked for", "write 0 or more")
    number = wanted(lab.said, Role.CONTROL_PLANE)
    if number == 0:
        yield error(
            (FIELDS[Role.CONTROL_PLANE],),
            "no host is for the control plane, and a cluster cannot be without one",
            "write 3, or 1",
        )
    elif number > 0 and number % 2 == 0:
        yield error(
            (FIELDS[Role.CONTROL_PLANE],),
            f"a control plane of {number} survives no more failures than one of {number - 1}",
            f"write {number + 1} or {number - 1}",
        )


@rule("L7", "No more hosts of a role are listed than are asked for, and there are at most 200.")
def numbers_fit_the_list(lab: Outline) -> Findings:
    for role, field in FIELDS.items():
        listed = sum(host.role is role for host in lab.said.hosts)
        number = wanted(lab.said, role)
        if 0 <= number < listed:
            yield error(
                (field,),
                f"{field} is {number}, and {listed} hosts with role {role} are listed",
                f"write {listed}, leave {field} out, or remove hosts",
            )
    total = sum(max(wanted(lab.said, role), 0) for role in Role)
    if total > MAX_HOSTS:
        most = max(Role, key=lambda role: wanted(lab.said, role))
        what = f"the lab would have {total:,} hosts"
        yield error((FIELDS[most],), what, f"keep to {MAX_HOSTS}")


@rule(SECRET, "A secret is text, or names one environment variable or file that holds it.")
def secrets_are_there(lab: Outline) -> Findings:
    for path, secret in _secrets(lab):
        if why := secret.missing():
            yield error(path, why, "provide it, or write the text itself")


def _secrets(lab: Outline) -> Iterator[tuple[Path, Secret]]:
    said = lab.said
    found: list[tuple[Path, Secret | None]] = [
        (("bmcUsername",), said.bmc_username),
        (("bmcPassword",), said.bmc_password),
    ]
    for index, host in enumerate(said.hosts):
        found.append((("hosts", index, "bmc", "username"), host.bmc.username))
        found.append((("hosts", index, "bmc", "password"), host.bmc.password))
    yield from ((path, secret) for path, secret in found if secret is not None)


@rule("L8", "A BMC's user has 1 to 16 characters and its password 1 to 20, as IPMI demands.")
def credentials_fit_ipmi(lab: Outline) -> Findings:
    for path, secret in _secrets(lab):
        if secret.missing():
            continue
        field = str(path[-1])
        most = 16 if field.lower().endswith("username") else 20
        length = len(secret.reveal().encode())
        if not 1 <= length <= most:
            yield error(path, f"{field} has {length} bytes", f"use 1 to {most}")
