"""BareMetalHosts: one for every server, of which the control plane is to be installed at once.

The others are paused until the cluster stands on its own: then it claims them itself.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qs, urlsplit, urlunsplit

from ingot.assets.documents import yaml_of
from ingot.assets.endpoints import media_url
from ingot.assets.graph.files import Files
from ingot.assets.hostsecrets import bmc_secret_name, network_secret_name, user_data_name
from ingot.assets.namespaces import METAL3
from ingot.assets.payload import Payload
from ingot.assets.roster import Roster, roster
from ingot.config.model import Architecture, Host, InstallConfig
from ingot.config.model import RootDeviceHints as AskedHints
from ingot.metal3.api.annotation import PAUSED
from ingot.metal3.api.baremetalhost import BareMetalHost, BMCDetails, HostSpec
from ingot.metal3.api.bootmode import BootMode
from ingot.metal3.api.image import ChecksumType, DiskFormat, Image
from ingot.metal3.api.metadata import Metadata
from ingot.metal3.api.reading import read, written
from ingot.metal3.api.references import SecretReference
from ingot.metal3.api.rootdevice import RootDeviceHints

__all__ = ["CONTROL_PLANE", "PAUSED_BY", "host_object", "hosts"]

PAUSED_BY: Final = "ingot-bootstrap"
"""Says who paused a host, and so who may let it go on."""

CONTROL_PLANE: Final = ("installer.openshift.io/role", "control-plane")
"""A label of hosts that become the control plane, as the field's installer sets it."""

MACHINES: Final = {
    Architecture.AMD64: "x86_64",
    Architecture.ARM64: "aarch64",
    Architecture.S390X: "s390x",
    Architecture.PPC64LE: "ppc64le",
}


def hosts(config: InstallConfig, payload: Payload) -> Files:
    """Return a file for each host."""
    roles = roster(config)
    return {
        f"manifests/60-host-{host.name}.yaml": yaml_of(
            written(host_object(config, payload, host, roles=roles))
        )
        for host in config.baremetal.hosts
    }


def host_object(
    config: InstallConfig, payload: Payload, host: Host, *, roles: Roster
) -> BareMetalHost:
    """Return the object of a host.

    Args:
        config: the cluster.
        payload: what it runs.
        host: one of its hosts.
        roles: what each host becomes.
    """
    leads = roles.leads(host)
    pools = config.compute
    pool = config.control_plane if roles.may_lead(host) or not pools else pools[0]
    spec = HostSpec(
        online=True,
        bmc=_bmc(host),
        boot_mac_address=host.boot_mac_address,
        boot_mode=BootMode(host.boot_mode.value),
        root_device_hints=_hints(host.root_device_hints),
        preprovisioning_network_data_name=network_secret_name(host) if _has_network(host) else "",
        network_data=SecretReference(name=network_secret_name(host))
        if _has_network(host)
        else None,
        architecture=MACHINES[pool.architecture],
        image=image_of(config, payload) if leads else None,
        user_data=SecretReference(name=user_data_name(host)) if leads else None,
    )
    return BareMetalHost(
        metadata=Metadata(
            name=host.name,
            namespace=METAL3,
            labels=dict([CONTROL_PLANE]) if roles.may_lead(host) else {},
            annotations={} if leads else {PAUSED: PAUSED_BY},
        ),
        spec=spec,
    )


def image_of(config: InstallConfig, payload: Payload) -> Image:
    """Return what is written to the disks: our own image, or the one that the config names."""
    if asked := config.baremetal.cluster_os_image:
        parts = urlsplit(asked)
        checksum = parse_qs(parts.query).get("sha256", [""])[0]
        form = DiskFormat.QCOW2 if ".qcow2" in parts.path else DiskFormat.RAW
        url = urlunsplit(parts._replace(query=""))
    else:
        url, checksum, form = media_url(config, "disk.img"), payload.disk_sha256, DiskFormat.RAW
    return Image(url=url, checksum=checksum, checksum_type=ChecksumType.SHA256, format=form)


def _bmc(host: Host) -> BMCDetails | None:
    if host.bmc.address is None:
        return None
    return BMCDetails(
        address=host.bmc.address.normalized,
        credentials_name=bmc_secret_name(host),
        disable_certificate_verification=host.bmc.disable_certificate_verification,
    )


def _hints(asked: AskedHints | None) -> RootDeviceHints | None:
    if asked is None:
        return None
    said = asked.model_dump(by_alias=True, exclude_none=True)
    return read(RootDeviceHints, {name: value for name, value in said.items() if value != ""})


def _has_network(host: Host) -> bool:
    return host.network_config is not None
