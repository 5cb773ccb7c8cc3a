"""The install-config.yaml of exactly one lab.

The file says in its first line whose it is, with a checksum of the rest. One that nobody has
touched and whose lab is gone may be written over; any other is the user's, and is left alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from ingot.errors import ExitCode, IngotError
from ingot.lab import addressing
from ingot.lab.drivers import has_own_libvirt, kernel_file, own_libvirt
from ingot.lab.labs import Lab
from ingot.lab.plan import HostPlan, LabPlan
from ingot.lab.words import BmcKind, DriverKind, ProvisioningMode, Role
from ingot.machine.hypervisor import own_libvirt_uri, uml_uri
from ingot.machine.model import BootMode

__all__ = ["FILE", "FileInTheWay", "check_place", "render", "write"]

FILE = "install-config.yaml"
ROLES = {Role.CONTROL_PLANE: "master", Role.WORKER: "worker"}
MODES = {
    ProvisioningMode.MANAGED: ("Managed", "the installer serves DHCP and network boot there"),
    ProvisioningMode.UNMANAGED: ("Unmanaged", "the lab serves DHCP, the installer network boot"),
    ProvisioningMode.DISABLED: ("Disabled", "there is none: BMCs mount a virtual CD"),
}
BOOT_MODES = {BootMode.LEGACY: "legacy", BootMode.UEFI: "UEFI"}
_HEADER = re.compile(r"# Written by `ingot lab create` for the lab (\S+), checksum (\w+)\.")
_PLAIN = re.compile(r"[a-z][a-z0-9-]*")
YAML_WORDS = frozenset({"n", "no", "null", "false", "off", "on", "true", "y", "yes"})
COMMENT_COLUMN = 50


class FileInTheWay(IngotError):  # noqa: N818 - it names what was seen
    """An install-config is there that is not ours to write over."""

    exit_code = ExitCode.USAGE


def check_place(directory: Path, name: str) -> None:
    """Check that a lab's install-config may be written to a directory.

    Raises:
        FileInTheWay: there is one that may be needed.
    """
    path = directory / FILE
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return
    except OSError as refused:
        raise _unwritable(path, refused) from refused
    remedy = "give another --dir, move the file away, or use --force to write over it"
    owner = _owner(text)
    if owner is None:
        raise FileInTheWay(f"{path} exists, and was not made by `ingot lab create`", remedy=remedy)
    if owner == "":
        raise FileInTheWay(f"{path} exists, and has been changed by hand", remedy=remedy)
    if owner != name and Lab(owner).exists:
        raise FileInTheWay(f"{path} belongs to the lab {owner!r}", remedy=remedy)


def write(plan: LabPlan, path: Path, *, ssh_key: str = "") -> None:
    """Write a lab's install-config for its owner alone, whole or not at all.

    Args:
        plan: the lab.
        path: where to; its folder is made if need be.
        ssh_key: the public key that may log in to the nodes.
    """
    body = render(plan, ssh_key=ssh_key)
    text = f"{_header(plan.name, body)}\n{body}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as refused:
        raise _unwritable(path, refused) from refused
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            if os.geteuid() == 0:
                # Labs are made by root, and used by whoever owns the directory.
                owner = path.parent.stat()
                os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
        fresh.replace(path)
    except OSError as refused:
        with contextlib.suppress(OSError):
            fresh.unlink()
        raise _unwritable(path, refused) from refused


def render(plan: LabPlan, *, ssh_key: str = "") -> str:
    """Return the file, but for its first line."""
    return "\n".join(_lines(plan, ssh_key)) + "\n"


def _owner(text: str) -> str | None:
    """Return the lab that a file was written for; empty if it was changed since, None if never."""
    first, _, body = text.partition("\n")
    found = _HEADER.fullmatch(first)
    if found is None:
        return None
    return found[1] if first == _header(found[1], body) else ""


def _header(name: str, body: str) -> str:
    checksum = sha256(body.encode()).hexdigest()[:12]
    return f"# Written by `ingot lab create` for the lab {name}, checksum {checksum}."


def _unwritable(path: Path, refused: OSError) -> IngotError:
    return IngotError(
        f"{path} cannot be written: {refused.strerror}", remedy="choose another place with --dir"
    )


def _lines(plan: LabPlan, ssh_key: str) -> Iterator[str]:
    networks = plan.networks
    count = {role: sum(host.role is role for host in plan.hosts) for role in Role}
    yield "#"
    yield "# Check it with `ingot validate`; look a field up with `ingot explain <field>`."
    yield "apiVersion: v1"
    yield "metadata:"
    domain = f"{plan.cluster_name}.{plan.base_domain}"
    yield _commented(f"  name: {_name(plan.cluster_name)}", f"the API is api.{domain}")
    yield f"baseDomain: {plan.base_domain}"
    yield ""
    yield "networking:"
    yield "  networkType: HostGateway"
    yield "  machineNetwork:"
    yield _commented(f"    - cidr: {networks.external}", "where the nodes and the two VIPs live")
    yield "  clusterNetwork:"
    yield f"    - cidr: {addressing.CLUSTER_NETWORK}"
    yield "      hostPrefix: 23"
    yield "  serviceNetwork:"
    yield f"    - {addressing.SERVICE_NETWORK}"
    yield ""
    yield "controlPlane:"
    yield "  name: master"
    yield f"  replicas: {count[Role.CONTROL_PLANE]}"
    yield "compute:"
    yield "  - name: worker"
    yield f"    replicas: {count[Role.WORKER]}"
    yield ""
    yield from _platform(plan)
    if ssh_key:
        yield ""
        yield f"sshKey: {_quoted(ssh_key)}"


def _platform(plan: LabPlan) -> Iterator[str]:
    networks = plan.networks
    mode, meaning = MODES[networks.provisioning_mode]
    yield "platform:"
    yield "  baremetal:"
    yield "    apiVIPs:"
    yield f"      - {networks.api_vip}"
    yield "    ingressVIPs:"
    yield f"      - {networks.ingress_vip}"
    yield ""
    yield _commented(f"    provisioningNetwork: {mode}", meaning)
    if networks.provisioning is not None:
        yield f"    provisioningNetworkCIDR: {networks.provisioning}"
    yield ""
    yield "    # The bootstrap VM is on the lab's bridges, and is run as its hosts are."
    if uri := _hypervisor(plan):
        yield f"    libvirtURI: {_quoted(uri)}"
    yield "    externalBridge: baremetal"
    if networks.provisioning is not None:
        yield "    provisioningBridge: provisioning"
    yield "    additionalNTPServers:"
    yield _commented(f"      - {networks.external_gateway}", "the lab's own")
    yield ""
    yield "    hosts:"
    for host in plan.hosts:
        yield from _host(host)


def _hypervisor(plan: LabPlan) -> str | None:
    """Return where the bootstrap VM is made: where the lab's bridges are.

    None where libvirt's usual place will do: all hosts are on a libvirt that is not the lab's own,
    and so are their bridges.
    """
    lab = Lab(plan.name)
    if has_own_libvirt(plan):
        own = own_libvirt(lab)
        return own_libvirt_uri(own.home, namespace=plan.namespace, tree=own.tree)
    if any(host.driver is not DriverKind.UML for host in plan.hosts):
        return None
    return uml_uri(lab.installs, namespace=plan.namespace, kernel=kernel_file(lab))


def _host(host: HostPlan) -> Iterator[str]:
    name = f"      - name: {_name(host.name)}"
    if host.role in ROLES:
        yield name
        yield f"        role: {ROLES[host.role]}"
    else:
        yield _commented(name, "without a role: kept for when the cluster is scaled up")
    yield f'        bootMACAddress: "{host.nics[0].mac}"'
    yield f"        bootMode: {BOOT_MODES[host.boot_mode]}"
    yield "        rootDeviceHints:"
    yield f"          {_root_device(host)}"
    yield "        bmc:"
    yield f"          address: {_bmc_address(host)}"
    yield f"          username: {_quoted(host.bmc.username)}"
    yield f"          password: {_quoted(host.bmc.password)}"
    if host.bmc.kind is not BmcKind.IPMI:
        yield "          disableCertificateVerification: true"


def _root_device(host: HostPlan) -> str:
    """Return which disk is the first: the one that firmware boots from."""
    if host.driver is DriverKind.UML:
        return "deviceName: /dev/ubda"  # These disks have neither serial number nor WWN.
    return f'wwn: "{host.disks[0].wwn}"'


def _bmc_address(host: HostPlan) -> str:
    if host.bmc.kind is BmcKind.IPMI:
        return f"ipmi://{host.bmc.address}"
    return f"{host.bmc.kind}://{host.bmc.address}/redfish/v1/Systems/{host.uuid}"


def _commented(text: str, comment: str) -> str:
    return f"{text:<{COMMENT_COLUMN - 2}}  # {comment}"


def _name(text: str) -> str:
    """Return a DNS label as YAML, in quotes where it would be taken for something else."""
    return text if _PLAIN.fullmatch(text) and text not in YAML_WORDS else _quoted(text)


def _quoted(text: str) -> str:
    """Return a text as YAML takes it from single quotes, whatever is in it."""
    return "'" + text.replace("'", "''") + "'"
