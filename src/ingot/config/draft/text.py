"""The install-config.yaml that a draft gives: as a person would write it, with comments."""

from __future__ import annotations

import ipaddress
import json
import re
import unicodedata
from typing import TYPE_CHECKING, Final

import yaml

from ingot.config.model import ProvisioningNetwork, Role
from ingot.config.secret import Secret, SecretSource

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ingot.config.draft.answers import Draft, HostDraft

__all__ = ["render"]

_COMMENT_COLUMN = 36
_WORD = r"[A-Za-z0-9/](?:[A-Za-z0-9._,/+=@:-]*[A-Za-z0-9._,/+=@-])?"
_PLAIN = re.compile(rf"{_WORD}(?: {_WORD})*")

# The first of each that leaves the machine network alone is taken, so that a site which uses
# the usual ones for its servers need not know that they are the usual ones.
_POD_NETWORKS: Final = {
    4: ("10.128.0.0/14", "10.64.0.0/14", "172.24.0.0/14"),
    6: ("fd01::/48", "fd03::/48"),
}
_SERVICE_NETWORKS: Final = {
    4: ("172.30.0.0/16", "172.29.0.0/16", "10.96.0.0/16"),
    6: ("fd02::/112", "fd04::/112"),
}
_HOST_PREFIX: Final = {4: 23, 6: 64}

_MODE = {
    ProvisioningNetwork.MANAGED: "Ingot runs DHCP and network boot there",
    ProvisioningNetwork.UNMANAGED: "your DHCP server, Ingot's network boot",
    ProvisioningNetwork.DISABLED: "there is none: BMCs mount a virtual CD",
}


def render(draft: Draft) -> str:
    """Return the file; what was not answered yet is left out."""
    return "\n".join(line.rstrip() for line in _file(draft)) + "\n"


def _file(draft: Draft) -> Iterator[str]:
    yield "# Written by `ingot create install-config`."
    yield "#"
    yield "# Check it with `ingot validate`; look a field up with `ingot explain <field>`."
    yield "apiVersion: v1"
    if draft.cluster_name is not None:
        yield "metadata:"
        domain = f"{draft.cluster_name}.{draft.base_domain or ''}"
        yield _line(f"  name: {_scalar(draft.cluster_name)}", f"the API is api.{domain}")
    if draft.base_domain is not None:
        yield f"baseDomain: {_scalar(draft.base_domain)}"
    if draft.machine_network is not None:
        yield from _networking(draft.machine_network)
    yield from _pools(draft)
    yield from _platform(draft)
    yield from _access(draft)


def _networking(machine: str) -> Iterator[str]:
    family, pods, services = _inner_networks(machine)
    yield ""
    yield "networking:"
    yield _line("  networkType: HostGateway", "or None, to bring your own CNI in manifests/")
    yield "  machineNetwork:"
    yield _line(f"    - cidr: {_scalar(machine)}", "where the servers and the two VIPs live")
    yield "  clusterNetwork:"
    yield _line(f"    - cidr: {_scalar(pods)}", "pods")
    prefix = _HOST_PREFIX[family]
    yield _line(f"      hostPrefix: {prefix}", f"each node gets a /{prefix} of it")
    yield "  serviceNetwork:"
    yield f"    - {_scalar(services)}"


def _inner_networks(machine: str) -> tuple[int, str, str]:
    """Return the family, and networks for pods and services that the machine network leaves."""
    try:
        network = ipaddress.ip_network(machine, strict=False)
    except ValueError:
        network = ipaddress.ip_network("192.0.2.0/24")
    family = network.version
    pods, services = (
        next((text for text in usual if not _overlap(text, network)), usual[0])
        for usual in (_POD_NETWORKS[family], _SERVICE_NETWORKS[family])
    )
    return family, pods, services


def _overlap(text: str, network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> bool:
    return network.overlaps(ipaddress.ip_network(text))


def _pools(draft: Draft) -> Iterator[str]:
    if draft.masters is not None:
        yield ""
        yield "controlPlane:"
        yield "  name: master"
        yield f"  replicas: {draft.masters}"
    if draft.workers is not None:
        yield "compute:"
        yield "  - name: worker"
        yield f"    replicas: {draft.workers}"


def _platform(draft: Draft) -> Iterator[str]:
    yield ""
    yield "platform:"
    yield "  baremetal:"
    if draft.api_vip is not None:
        yield _line("    apiVIPs:", "free addresses of the machine network, outside any DHCP pool")
        yield f"      - {_scalar(draft.api_vip)}"
    if draft.ingress_vip is not None:
        yield "    ingressVIPs:"
        yield f"      - {_scalar(draft.ingress_vip)}"
    if draft.mode is not None:
        yield ""
        yield _line(f"    provisioningNetwork: {draft.mode}", _MODE[draft.mode])
    yield from _provisioning(draft)
    if draft.hosts:
        yield ""
        yield "    hosts:"
    network = "provisioning" if draft.has_provisioning_network else "machine"
    mac, password = f"  # the card on the {network} network", "  # taken at install time"
    for role, host in draft.hosts:
        yield from _host(role, host, mac_comment=mac, password_comment=password)
        mac = password = ""


def _provisioning(draft: Draft) -> Iterator[str]:
    network = draft.has_provisioning_network
    leases = draft.mode is ProvisioningNetwork.MANAGED
    static = draft.mode is ProvisioningNetwork.DISABLED and draft.static_bootstrap
    if network:
        yield from _field("provisioningNetworkCIDR", draft.provisioning_network)
    if leases:
        yield from _field("provisioningDHCPRange", draft.dhcp_range)
    if draft.external_bridge is not None:
        yield ""
        yield "    # Bridges of the host that runs the bootstrap VM."
        yield from _field("externalBridge", draft.external_bridge)
    if network:
        yield from _field("provisioningBridge", draft.provisioning_bridge)
    if static and draft.bootstrap_ip is not None:
        yield ""
        yield "    # The bootstrap VM's own network: there is no DHCP."
        yield from _field("bootstrapExternalStaticIP", draft.bootstrap_ip)
        yield from _field("bootstrapExternalStaticGateway", draft.bootstrap_gateway)
        yield from _field("bootstrapExternalStaticDNS", draft.bootstrap_dns)


def _field(name: str, text: str | None) -> Iterator[str]:
    if text is not None:
        yield f"    {name}: {_scalar(text)}"


def _host(role: Role, host: HostDraft, *, mac_comment: str, password_comment: str) -> Iterator[str]:
    yield f"      - name: {_scalar(host.name or '')}"
    yield f"        role: {role}"
    if host.boot_mac is not None:
        yield f"        bootMACAddress: {_scalar(host.boot_mac)}{mac_comment}"
    if host.bmc_address is not None:
        yield "        bmc:"
        yield f"          address: {_scalar(host.bmc_address)}"
    if host.username is not None:
        yield f"          username: {_scalar(host.username)}"
    if host.password is not None:
        inline = host.password.source is SecretSource.INLINE
        comment = "" if inline else password_comment
        yield f"          password: {_secret(host.password)}{comment}"


def _secret(secret: Secret) -> str:
    if secret.source is SecretSource.INLINE:
        return _quoted(secret.value)
    return f"{{{secret.source}: {_scalar(secret.value)}}}"


def _access(draft: Draft) -> Iterator[str]:
    if draft.ssh_key is None:
        return
    yield ""
    yield "# Who may log in to the nodes:"
    if draft.ssh_key:
        yield f"sshKey: {_scalar(draft.ssh_key)}"
    else:
        yield "# sshKey: ssh-ed25519 AAAA… you@example.com"


def _line(text: str, comment: str) -> str:
    """Return a line with its comment, aligned; whatever the comment quotes stays on the line."""
    return f"{text:<{_COMMENT_COLUMN - 2}}  # {' '.join(comment.split())}"


def _scalar(text: str) -> str:
    """Return a text as YAML, in quotes where a reader could take it for something else."""
    if _PLAIN.fullmatch(text) and isinstance(yaml.safe_load(text), str):
        return text
    return _quoted(text)


def _quoted(text: str) -> str:
    """Return a text as a JSON string, which is YAML too and stays on one line."""
    shown = json.dumps(text, ensure_ascii=False)
    # JSON leaves the other line ends and controls of Unicode as they are, YAML folds or refuses.
    return "".join(char if char.isprintable() else _escaped(char) for char in shown)


def _escaped(char: str) -> str:
    surrogate = unicodedata.category(char) == "Cs"  # refused when the file is encoded
    return char if surrogate else f"\\U{ord(char):08x}"
