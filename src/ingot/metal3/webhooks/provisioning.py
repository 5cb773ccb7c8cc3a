"""All rules of Provisioning but those of its networks' addresses.

Upstream allows some modes on some platforms only. Here the platform is always bare metal, on which
all of them are allowed, so that rule never refuses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import parse_qs

from ingot.metal3.api.provisioning import NAME, Provisioning
from ingot.metal3.webhooks import provisioningnetwork
from ingot.metal3.webhooks.finding import Finding, shown, warning
from ingot.metal3.webhooks.judging import Judge
from ingot.metal3.webhooks.url import Url, UrlFault, read_url

__all__ = ["JUDGE"]

_DOWNLOAD: Final = "spec.provisioningOSDownloadURL"
_SHA256: Final = re.compile(r"[0-9a-fA-F]{64}")
_ENDINGS: Final = (".qcow2.gz", ".qcow2.xz")


def there_is_one(provisioning: Provisioning) -> Iterator[Finding]:
    """Provisioning: it has the name of the only one."""
    if provisioning.metadata.name != NAME:
        yield Finding("metadata.name", f"is {shown(provisioning.metadata.name)}", f"call it {NAME}")


def image_can_be_fetched(provisioning: Provisioning) -> Iterator[Finding]:
    """Provisioning: provisioningOSDownloadURL is http(s), with a sha256, of a compressed qcow2."""
    text = provisioning.spec.provisioning_os_download_url
    if not text:
        return
    url = read_url(text)
    why = f"{shown(text)} {url.what}" if isinstance(url, UrlFault) else _unfit(url)
    if why:
        yield Finding(
            _DOWNLOAD,
            why,
            "give an http or https URL of a .qcow2.gz or .qcow2.xz file, with ?sha256= and the 64 "
            "hexadecimal digits of its checksum",
        )


def _unfit(url: Url) -> str:
    if url.scheme not in ("http", "https"):
        return f"has the scheme {shown(url.scheme)}"
    if not url.path.endswith(_ENDINGS):
        return f"names the file {shown(url.path)}"
    try:
        sums = parse_qs(url.query, max_num_fields=50).get("sha256", [])
    except ValueError:
        sums = []
    return "" if len(sums) == 1 and _SHA256.fullmatch(sums[0]) else "has no sha256 of its file"


def nothing_is_deprecated(provisioning: Provisioning) -> Iterator[Finding]:
    """No row: the old way to say Unmanaged still works."""
    if provisioning.spec.provisioning_dhcp_external:
        yield warning(
            "spec.provisioningDHCPExternal",
            "is deprecated",
            "set provisioningNetwork to Unmanaged instead",
        )


JUDGE: Final = Judge(
    model=Provisioning,
    rules=(
        there_is_one,
        image_can_be_fetched,
        provisioningnetwork.address_is_inside,
        provisioningnetwork.address_is_not_handed_out,
        provisioningnetwork.managed_ipv6_is_small_enough,
        provisioningnetwork.range_is_inside,
        provisioningnetwork.gateway_is_a_host_of_its_own,
        nothing_is_deprecated,
    ),
)
