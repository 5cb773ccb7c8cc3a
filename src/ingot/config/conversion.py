"""Old forms of the install-config, turned into the present one before the model is built.

Works on the fitted data, so that the model and the rules know only the present form. Where a value
moved is remembered: a problem with it is reported at the field that stands in the file.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from ingot.config.problem import Path, at, error, spell, warning
from ingot.config.reading import quoted, to_address
from ingot.config.registry import declare, retire
from ingot.config.shape import Fitted, Value

__all__ = ["Moves", "convert"]

C1 = declare("C1", "apiVersion is v1, or v1beta3 or v1beta4, which are converted.")
C2 = declare("C2", "provisioningHostIP, where given, equals clusterProvisioningIP.")
C3 = declare(
    "C3",
    "apiVIP and ingressVIP, where given, are among apiVIPs and ingressVIPs.",
    note="The field's installer stops at the first such error and swaps the names in its message.",
)
retire("G1", reason="what C1 lets through is v1 after conversion.")
D1 = declare("D1", "A field in its old form still works (warning).")

Moves = dict[Path, Path]
"""Where a value is now, to where it stands in the file."""

VERSIONS = ("v1", "v1beta3", "v1beta4")
NETWORKING: Path = ("networking",)


def convert(fitted: Fitted) -> Moves:
    """Bring the data into the present form, in place, and return what moved."""
    moves: Moves = {}
    _convert_version(fitted)
    _convert_networking(fitted, moves)
    _convert_platform(fitted, moves)
    _note_obsolete(fitted)
    return moves


def _section(fitted: Fitted, path: Path) -> dict[str, Value]:
    """Return the mapping at a path; an empty one that is nowhere when there is none."""
    here: Value = fitted.data
    for part in path:
        here = here.get(str(part)) if isinstance(here, dict) else None
    return here if isinstance(here, dict) else {}


def _convert_version(fitted: Fitted) -> None:
    path: Path = ("apiVersion",)
    if path in fitted.broken:
        return
    version = fitted.data.get("apiVersion")
    if version is None:
        found = error(path, "apiVersion is not given", "add `apiVersion: v1`")
        fitted.findings.append((C1, found))
    elif version not in VERSIONS:
        message = f"apiVersion {quoted(str(version))} is not known"
        found = error(path, message, "write v1; v1beta3 and v1beta4 are converted")
        fitted.findings.append((C1, found))
    fitted.data["apiVersion"] = "v1"


def _deprecate(fitted: Fitted, old: Path, new: str) -> None:
    name = spell(old[-1:])
    fitted.findings.append(
        (D1, warning(old, f"{name} is the old form of {new}", f"write {new} instead"))
    )


def _carry_over(
    fitted: Fitted, section: dict[str, Value], path: Path, *, old: str, new: str
) -> None:
    """Take the new form as unusable where the old one is: a default would mislead the checks."""
    if (*path, old) in fitted.broken and new not in section:
        fitted.broken.add((*path, new))


def _convert_networking(fitted: Fitted, moves: Moves) -> None:
    networking = _section(fitted, NETWORKING)
    for old, new in (
        ("type", "networkType"),
        ("clusterNetworks", "clusterNetwork"),
        ("machineCIDR", "machineNetwork"),
        ("serviceCIDR", "serviceNetwork"),
    ):
        value = networking.pop(old, None)
        _carry_over(fitted, networking, NETWORKING, old=old, new=new)
        if not value:
            continue
        _deprecate(fitted, (*NETWORKING, old), new)
        if networking.get(new):
            continue
        if old == "machineCIDR":
            networking[new] = [{"cidr": value}]
            moves[(*NETWORKING, new, 0, "cidr")] = (*NETWORKING, old)
        elif old == "serviceCIDR":
            networking[new] = [value]
            moves[(*NETWORKING, new, 0)] = (*NETWORKING, old)
        else:
            networking[new] = value
            moves[(*NETWORKING, new)] = (*NETWORKING, old)
    here: Path = (*NETWORKING, "clusterNetwork")
    entries = networking.get("clusterNetwork")
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        if isinstance(entry, dict):
            written = (*moves.get(here, here), index)
            _convert_host_subnet(fitted, moves, entry, now=(*here, index), written=written)


def _convert_host_subnet(
    fitted: Fitted, moves: Moves, entry: dict[str, Value], *, now: Path, written: Path
) -> None:
    length = entry.pop("hostSubnetLength", None)
    if not isinstance(length, int):
        return
    _deprecate(fitted, (*written, "hostSubnetLength"), "hostPrefix")
    if entry.get("hostPrefix") is not None:
        return
    bits = ipaddress.IPV6LENGTH if ":" in str(entry.get("cidr")) else ipaddress.IPV4LENGTH
    entry["hostPrefix"] = bits - length
    moves[(*now, "hostPrefix")] = (*written, "hostSubnetLength")


def _convert_platform(fitted: Fitted, moves: Moves) -> None:
    baremetal = _section(fitted, at())
    _convert_dhcp_external(fitted, moves, baremetal)
    _convert_host_ip(fitted, moves, baremetal)
    for old, new in (("apiVIP", "apiVIPs"), ("ingressVIP", "ingressVIPs")):
        vip = baremetal.pop(old, None)
        _carry_over(fitted, baremetal, at(), old=old, new=new)
        if vip is None:
            continue
        _deprecate(fitted, at(old), new)
        vips = baremetal.get(new)
        if not isinstance(vips, list) or not vips:
            baremetal[new] = [vip]
            moves[at(new, 0)] = at(old)
        elif not any(_is_same_address(vip, other) for other in vips):
            message = f"{old} {vip} is not among {new}"
            fitted.findings.append(
                (C3, error(at(old), message, f"remove {old} if {new} is what you mean"))
            )


def _convert_dhcp_external(fitted: Fitted, moves: Moves, baremetal: dict[str, Value]) -> None:
    old, new = "provisioningDHCPExternal", "provisioningNetwork"
    is_external = baremetal.pop(old, None)
    _carry_over(fitted, baremetal, at(), old=old, new=new)
    if not is_external:
        return
    _deprecate(fitted, at(old), f"{new}: Unmanaged")
    if new not in baremetal:
        baremetal[new] = "Unmanaged"
        moves[at(new)] = at(old)


def _convert_host_ip(fitted: Fitted, moves: Moves, baremetal: dict[str, Value]) -> None:
    old, new = "provisioningHostIP", "clusterProvisioningIP"
    address = baremetal.pop(old, None)
    _carry_over(fitted, baremetal, at(), old=old, new=new)
    if address is None:
        return
    _deprecate(fitted, at(old), new)
    if baremetal.get(new) is None:
        baremetal[new] = address
        moves[at(new)] = at(old)
    elif not _is_same_address(baremetal[new], address):
        message = f"{old} {address} differs from {new} {baremetal[new]}"
        fitted.findings.append(
            (C2, error(at(old), message, f"remove {old} if {new} is what you mean"))
        )


def _is_same_address(one: Value, other: Value) -> bool:
    """Compare addresses, and their texts where one cannot be read."""
    try:
        return to_address(str(one)) == to_address(str(other))
    except ValueError:
        return one == other


def _note_obsolete(fitted: Fitted) -> None:
    """Warn of old fields that need no conversion."""
    if fitted.data.get("imageContentSources"):
        _deprecate(fitted, ("imageContentSources",), "imageDigestSources")
    for path in _hosts_with(fitted, "hardwareProfile"):
        fitted.findings.append(
            (D1, warning(path, "hardwareProfile has no effect", "use rootDeviceHints instead"))
        )


def _hosts_with(fitted: Fitted, name: str) -> Iterator[Path]:
    hosts = _section(fitted, at()).get("hosts")
    for index, host in enumerate(hosts if isinstance(hosts, list) else []):
        if isinstance(host, dict) and host.get(name):
            yield at("hosts", index, name)
