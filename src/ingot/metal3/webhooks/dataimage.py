"""The one rule of DataImage."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ingot.metal3.api.dataimage import DataImage
from ingot.metal3.webhooks.finding import Finding, shown
from ingot.metal3.webhooks.judging import Judge
from ingot.metal3.webhooks.url import UrlFault, read_url

__all__ = ["JUDGE"]


def image_is_somewhere(image: DataImage) -> Iterator[Finding]:
    """DataImage: the URL is valid."""
    url = read_url(image.spec.url)
    if isinstance(url, UrlFault):
        yield Finding(
            "spec.url",
            f"{shown(image.spec.url)} {url.what}",
            "give a URL that the host's management controller can fetch from",
        )


JUDGE: Final = Judge(model=DataImage, rules=(image_is_somewhere,))
