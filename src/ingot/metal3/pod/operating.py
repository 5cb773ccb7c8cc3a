"""What the operator is told in the pod: it follows from the pod's settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from ingot.ironic.conf import dnsmasq, nginx
from ingot.ironic.conf.ironic import RAMDISK
from ingot.metal3.pod import places
from ingot.metal3.pod.rendering import url
from ingot.metal3.pod.settings import Settings

__all__ = ["LOOPBACK", "NAMESPACE", "operator_environment"]

NAMESPACE: Final = "metal3"
LOOPBACK: Final = "127.0.0.1"
"""Where the operator reaches Ironic: Ironic's certificate has to name it."""


def operator_environment(settings: Settings, *, kubeconfig: bool) -> Mapping[str, str]:
    """Return the operator's variables.

    Args:
        settings: what the pod is told.
        kubeconfig: whether one is mounted; else the pod has a service account.
    """
    return {**dict(_following(settings, kubeconfig=kubeconfig)), **settings.operator}


def _following(settings: Settings, *, kubeconfig: bool) -> Iterator[tuple[str, str]]:
    ports = settings.ports
    if kubeconfig:
        yield "KUBECONFIG", str(places.KUBECONFIG)
    yield "POD_NAMESPACE", NAMESPACE
    yield "WATCH_NAMESPACE", NAMESPACE
    yield "IRONIC_ENDPOINT", f"https://{LOOPBACK}:{ports.api}"
    yield "IRONIC_CACERT_FILE", str(places.GIVEN / "ca.crt")
    yield "METAL3_AUTH_ROOT_DIR", str(places.AUTH)
    yield "DEPLOY_KERNEL_URL", f"file://{RAMDISK}/kernel"
    yield "DEPLOY_RAMDISK_URL", f"file://{RAMDISK}/initrd"
    yield "INGOT_HEALTH_PORT", str(ports.health)
    if settings.has_network:
        yield "INGOT_DHCP_LOG", str(dnsmasq.LOG)
        yield "INGOT_HTTP_LOG", str(nginx.BOOT_LOG)
    else:
        yield "PROVISIONING_NETWORK_DISABLED", "true"
    outside = settings.external(6)
    if outside is not None and settings.external(4) is not None:
        scheme, port = (
            ("https", ports.https) if settings.virtual_media_tls else ("http", ports.http)
        )
        yield "IRONIC_EXTERNAL_URL_V6", url(scheme, outside, port)
