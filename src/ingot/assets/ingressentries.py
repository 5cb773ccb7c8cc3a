"""The catalogue's entries of what leads to applications."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ingot.assets import ingress, tls
from ingot.assets.graph.asset import Asset

__all__ = ["NAMES", "entries"]

NAMES: Final = ("ingress-router",)
"""Those that are manifests."""

_DOMAIN: Final = ("metadata.name", "baseDomain")
_PLATFORM: Final = "platform.baremetal"


def entries() -> Iterator[Asset]:
    """Return the assets; the authority is among the others of `tls`."""
    yield Asset(
        name="ingress",
        about="the certificate of applications",
        make=lambda inputs: tls.ingress(inputs.config, inputs.files, now=inputs.now),
        needs=("ingress-ca",),
        reads=_DOMAIN,
        places=(tls.certificate_path("ingress"), tls.key_path("ingress")),
        lasting=True,
    )
    yield Asset(
        name="ingress-router",
        about="how applications are reached from outside",
        make=lambda inputs: ingress.ingress(
            inputs.config, inputs.files, image=inputs.payload.traefik
        ),
        needs=("ingress-ca", "ingress"),
        reads=(
            *_DOMAIN,
            "compute.replicas",
            f"{_PLATFORM}.apiVIPs",
            f"{_PLATFORM}.ingressVIPs",
        ),
        carries=True,
        places=(ingress.PATH, ingress.CERTIFICATE_PATH),
    )
