"""`networkConfig`: the shape of a host's nmstate document, and its static addresses.

Only what every nmstate document has is checked; the rest is nmstate's to judge, on the server.
"""

from __future__ import annotations

from collections.abc import Iterator

from ingot.config.model import Host, InstallConfig
from ingot.config.problem import Path, at, error
from ingot.config.reading import IPAddress, quoted, to_address
from ingot.config.registry import Findings, check
from ingot.config.rules.vips import each_vip

_SECTIONS = frozenset(
    {"capabilities", "description", "dispatch", "dns-resolver", "hostname", "interfaces",
     "ovn", "ovs-db", "ovsdb", "route-rules", "routes", "variables", "version"}
)  # fmt: skip


def _documents(config: InstallConfig) -> Iterator[tuple[Path, Host, object]]:
    for index, host in enumerate(config.baremetal.hosts):
        if host.network_config is not None:
            yield at("hosts", index, "networkConfig"), host, host.network_config


def _interfaces(document: object) -> Iterator[tuple[int, dict[str, object]]]:
    interfaces = document.get("interfaces") if isinstance(document, dict) else None
    for index, interface in enumerate(interfaces if isinstance(interfaces, list) else []):
        if isinstance(interface, dict):
            yield index, interface


def _addresses(interface: dict[str, object]) -> Iterator[tuple[str, int, dict[str, object]]]:
    for family in ("ipv4", "ipv6"):
        section = interface.get(family)
        addresses = section.get("address") if isinstance(section, dict) else None
        for index, address in enumerate(addresses if isinstance(addresses, list) else []):
            if isinstance(address, dict):
                yield family, index, address


@check("B8", "networkConfig is a mapping, and each interface's mtu is a number.")
def network_config_is_a_mapping(config: InstallConfig) -> Findings:
    for path, _, document in _documents(config):
        if not isinstance(document, dict):
            yield error(path, "networkConfig is not a mapping", "write it in nmstate's form")
        for index, interface in _interfaces(document):
            mtu = interface.get("mtu")
            if mtu is not None and (not isinstance(mtu, int) or isinstance(mtu, bool)):
                yield error(
                    (*path, "interfaces", index, "mtu"),
                    f"mtu {quoted(str(mtu))} is not a number",
                    "write it as a whole number without quotes",
                )


@check(
    "X13",
    "networkConfig has nmstate's sections; interfaces have names, each once, and addresses that "
    "parse.",
    note="Upstream hands it on unread; a mistake then shows only on the server.",
)
def network_config_has_nmstate_shape(config: InstallConfig) -> Findings:
    for path, _, document in _documents(config):
        if not isinstance(document, dict):
            continue  # B8
        for name in sorted(document.keys() - _SECTIONS):
            yield error(
                (*path, name),
                f"{name!r} is not a section of nmstate",
                f"use {', '.join(sorted(_SECTIONS & {'interfaces', 'dns-resolver', 'routes'}))}",
            )
        yield from _interface_shapes(path, document)


def _interface_shapes(path: Path, document: dict[str, object]) -> Findings:
    interfaces = document.get("interfaces")
    if interfaces is not None and not isinstance(interfaces, list):
        yield error((*path, "interfaces"), "interfaces is not a list", "list them, one a dash")
        return
    seen: set[str] = set()
    for index, item in enumerate(interfaces or []):
        place = (*path, "interfaces", index)
        if not isinstance(item, dict):
            yield error(place, "an interface is not a mapping", "write name, type and addresses")
            continue
        name = item.get("name")
        if not isinstance(name, str) or not name:
            yield error((*place, "name"), "an interface has no name", "add its name")
        elif name in seen:
            yield error((*place, "name"), f"interface {name!r} is given twice", "merge the two")
        else:
            seen.add(name)
        yield from _address_shapes(place, item)


def _address_shapes(place: Path, interface: dict[str, object]) -> Findings:
    for family, index, address in _addresses(interface):
        spot = (*place, family, "address", index)
        version, longest = (4, 32) if family == "ipv4" else (6, 128)
        try:
            ip = to_address(str(address.get("ip")))
        except ValueError:
            ip = None
        if ip is None or ip.version != version:
            yield error(
                (*spot, "ip"),
                f"{quoted(str(address.get('ip')))} is not an {family} address",
                "write one, without its prefix length",
            )
        length = address.get("prefix-length")
        if not isinstance(length, int) or isinstance(length, bool) or not 0 <= length <= longest:
            yield error(
                (*spot, "prefix-length"),
                f"prefix-length {quoted(str(length))} is not a number from 0 to {longest}",
                "write it without quotes",
            )


@check(
    "X15",
    "A host's static address is no other host's, and no VIP.",
    note="Upstream does not read networkConfig. With a UserManaged load balancer, a VIP may be the "
    "address of a host.",
)
def static_addresses_are_free(config: InstallConfig) -> Findings:
    owners: dict[IPAddress, str] = {}
    if not config.baremetal.vips_are_user_managed:
        owners = {vip: name for _, name, vip in each_vip(config)}
    static = config.baremetal.bootstrap_external_static_ip
    if static is not None:
        owners.setdefault(static, "bootstrapExternalStaticIP")
    for path, host, document in _documents(config):
        for number, interface in _interfaces(document):
            for family, index, address in _addresses(interface):
                try:
                    ip = to_address(str(address.get("ip")))
                except ValueError:
                    continue  # X13
                if ip in owners:
                    yield error(
                        (*path, "interfaces", number, family, "address", index, "ip"),
                        f"{ip} of host {host.name!r} is also {owners[ip]}",
                        "give it an address of its own",
                    )
                owners.setdefault(ip, f"an address of host {host.name!r}")
