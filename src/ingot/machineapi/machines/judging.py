"""What is wrong with a provider spec: all of it at once, each with its place and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from ingot.machineapi.api.machine import MachineSpec
from ingot.machineapi.api.providerspec import BareMetalMachineProviderSpec, Image
from ingot.machineapi.labels import mistakes

__all__ = ["judge"]

WHERE: Final = "spec.providerSpec.value"
SCHEMES: Final = ("http", "https", "ftp", "gopher", "oci")
CHECKSUMS: Final = ("md5", "sha256", "sha512", "auto")
FORMATS: Final = ("raw", "qcow2", "vdi", "vmdk", "live-iso")


def judge(spec: MachineSpec, *, namespace: str) -> list[str]:
    """Return what keeps a Machine from being provisioned.

    Args:
        spec: what is wanted of it.
        namespace: its own, which is its hosts' too.
    """
    value = spec.provider_spec.value
    if value is None:
        return [f"{WHERE} is missing: it says what is written to the host"]
    return [*_work(value), *_user_data(value, namespace), *_selector(value)]


def _work(value: BareMetalMachineProviderSpec) -> Iterator[str]:
    image, deploy = value.image, value.custom_deploy
    if image is None and deploy is None:
        yield f"{WHERE} has neither image nor customDeploy: give one"
    if deploy is not None and not deploy.method:
        yield f"{WHERE}.customDeploy.method is missing"
    if image is not None:
        yield from _image(image)


def _image(image: Image) -> Iterator[str]:
    place = f"{WHERE}.image"
    if problem := _url(image.url):
        yield f"{place}.url {problem}"
    is_oci = image.url[:6].lower() == "oci://"
    if not image.checksum and image.format != "live-iso" and not is_oci:
        yield f"{place}.checksum is missing: give it, or the URL of a file that has it"
    if image.checksum_type and image.checksum_type not in CHECKSUMS:
        yield (f"{place}.checksumType {image.checksum_type!r} is none of {', '.join(CHECKSUMS)}")
    if image.format and image.format not in FORMATS:
        yield f"{place}.format {image.format!r} is none of {', '.join(FORMATS)}"


def _url(text: str) -> str:
    """Return what is wrong with a URL, as a clause that goes on from the field's name."""
    if not text:
        return "is missing"
    if " " in text or not text.isprintable():
        return f"{text!r} has white space or characters in it that cannot be printed"
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return f"{text!r} is no URL ({error})"
    if parts.scheme.lower() not in SCHEMES:
        return f"{text!r} begins with none of {', '.join(f'{one}://' for one in SCHEMES)}"
    return "" if host else f"{text!r} names no host"


def _user_data(value: BareMetalMachineProviderSpec, namespace: str) -> Iterator[str]:
    secret = value.user_data
    if secret is None:
        return
    if not secret.name:
        yield f"{WHERE}.userData.name is missing"
    if secret.namespace not in ("", namespace):
        yield (
            f"{WHERE}.userData.namespace is {secret.namespace}: a host takes Secrets of its own"
            f" namespace only, which is {namespace}"
        )


def _selector(value: BareMetalMachineProviderSpec) -> list[str]:
    return mistakes(value.host_selector, f"{WHERE}.hostSelector")
