"""A server that a cluster has and its install-config does not name: a BareMetalHost, made later.

What is destroyed with the cluster is what the cluster has installed, or may install. A server that
somebody else has installed, and only had the cluster look after, goes on running.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ingot.bmc.address import BmcIdentity, parse
from ingot.bmc.refusal import BmcAddressError
from ingot.config.model import Bmc, BootMode, Host
from ingot.config.reading import MacAddress
from ingot.config.secret import Secret, SecretSource
from ingot.errors import IngotError
from ingot.metal3.api.annotation import DETACHED
from ingot.metal3.api.baremetalhost import BareMetalHost, HostSpec
from ingot.metal3.api.reading import read

__all__ = ["AddedHost", "Json", "added_host"]

Json = Mapping[str, Any]

OWN_NETWORK: Final = (
    "its disks were not wiped: it has network settings of its own, in the form of the cluster "
    "that is gone; add it to the install-config with its networkConfig"
)


@dataclass(frozen=True, slots=True)
class AddedHost:
    """What is to become of one.

    Attributes:
        name: its name.
        bmc: which BMC it has; None where it has none, or none that can be one.
        host: the server as an install-config would have it; None where nobody can take it away.
        spared: why it stays as it is, which is no failure.
        failed: why it cannot be taken away.
        unwipeable: why its disks cannot be wiped.
    """

    name: str
    bmc: BmcIdentity | None = None
    host: Host | None = None
    spared: str = ""
    failed: str = ""
    unwipeable: str = ""


def added_host(content: Json, secret: Json | None) -> AddedHost:
    """Judge a BareMetalHost.

    Args:
        content: the object.
        secret: the data of the Secret that it names; None where that is not there.
    """
    name = str(content["metadata"]["name"])
    try:
        found = read(BareMetalHost, {**content, "status": {}})
        if found.spec.bmc is None:
            return AddedHost(name, spared="it has no BMC, and stays as it is")
        address = parse(found.spec.bmc.address)
    except IngotError as wrong:
        return AddedHost(name, failed=wrong.what)
    except BmcAddressError as bad:
        return AddedHost(name, failed=f"the address of its BMC {bad.reason}")
    judged = AddedHost(name, bmc=address.identity)
    if _is_somebody_elses(found):
        return replace(judged, spared="it was not installed by the cluster, and stays as it is")
    credentials = _credentials(secret)
    if credentials is None:
        named = found.spec.bmc.credentials_name
        return replace(
            judged,
            failed=f"no Secret {named} has the credentials of its BMC; add the server to the "
            "install-config with them",
        )
    username, password = (Secret(SecretSource.INLINE, one) for one in credentials)
    bmc = Bmc(
        address=address,
        username=username,
        password=password,
        disable_certificate_verification=found.spec.bmc.disable_certificate_verification,
    )
    has_network = bool(found.spec.preprovisioning_network_data_name)
    return replace(
        judged, host=_host(name, found.spec, bmc), unwipeable=OWN_NETWORK if has_network else ""
    )


def _is_somebody_elses(host: BareMetalHost) -> bool:
    if host.spec.consumer_ref is not None:
        return False
    return host.spec.externally_provisioned or DETACHED in host.metadata.annotations


def _credentials(secret: Json | None) -> tuple[str, str] | None:
    try:
        data = (secret or {})["username"], (secret or {})["password"]
        username, password = (base64.b64decode(one, validate=True).decode() for one in data)
    except (KeyError, TypeError, binascii.Error, UnicodeDecodeError):
        return None
    return username, password


def _host(name: str, spec: HostSpec, bmc: Bmc) -> Host:
    return Host(
        name=name,
        bmc=bmc,
        boot_mac_address=MacAddress(spec.boot_mac_address) if spec.boot_mac_address else None,
        boot_mode=BootMode(spec.boot_mode.value) if spec.boot_mode else BootMode.UEFI,
    )
