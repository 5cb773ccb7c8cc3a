"""The rules of HostFirmwareComponents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ingot.metal3.api.hostfirmwarecomponents import HostFirmwareComponents
from ingot.metal3.webhooks.finding import Finding, shown
from ingot.metal3.webhooks.judging import Judge
from ingot.metal3.webhooks.url import UrlFault, read_url

__all__ = ["JUDGE"]


def updates_are_somewhere(components: HostFirmwareComponents) -> Iterator[Finding]:
    """HostFirmwareComponents: the URL of every update is valid."""
    for index, update in enumerate(components.spec.updates):
        url = read_url(update.url)
        if isinstance(url, UrlFault):
            yield Finding(
                f"spec.updates[{index}].url",
                f"{shown(update.url)} {url.what}",
                "give a URL that the host's management controller can fetch from",
            )


JUDGE: Final = Judge(model=HostFirmwareComponents, rules=(updates_are_somewhere,))
