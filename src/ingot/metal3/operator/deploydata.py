"""What the Secrets of a host hold for its deployment, and for its ramdisk's network."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from ingot.ironic.document import Json
from ingot.ironic.driving import ConfigDrive
from ingot.kube.kind import ObjectKey
from ingot.metal3.api.baremetalhost import BareMetalHost
from ingot.metal3.api.references import SecretReference
from ingot.metal3.host.observation import DeployData, DeployProblem
from ingot.metal3.operator.hostdata import FALLBACK, Mistake, described, meta_data, text_of
from ingot.metal3.operator.pullsecret import is_oci, pull_secret
from ingot.metal3.operator.secrets import Secret, Secrets

__all__ = ["Deployments"]


class _Kind(StrEnum):
    """Which data; the first three are keys of Secrets too."""

    USER = "userData"
    NETWORK = "networkData"
    META = "metaData"
    IMAGE_AUTH = "imageAuth"


class Deployments:
    """What hosts are deployed with."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets

    async def data(self, host: BareMetalHost) -> DeployData:
        """Return what a deployment is given, or what keeps it from being had.

        Raises:
            ApiError: a Secret could not be read.
        """
        reader = _Reader(self._secrets, host)
        try:
            return DeployData(
                config_drive=ConfigDrive(
                    meta_data=await reader.meta_data(),
                    user_data=await reader.user_data(),
                    network_data=await reader.network_data(),
                ),
                pull_secret=await reader.pull_secret(),
            )
        except _Trouble as trouble:
            return DeployData(problem=trouble.problem)

    async def ramdisk_network(self, host: BareMetalHost) -> Mapping[str, Json] | None:
        """Return the network settings for a host's ramdisk; None where there are none to be had.

        What is wrong with them, if anything, keeps the ramdisk from being ready: see `RamdiskRoom`.

        Raises:
            ApiError: the Secret could not be read.
        """
        try:
            return await _Reader(self._secrets, host).ramdisk_network_data()
        except _Trouble:
            return None


class _Trouble(Exception):  # noqa: N818 - it never leaves this file
    """One thing cannot be had; what else there is does not matter then."""

    def __init__(self, kind: _Kind, why: str) -> None:
        super().__init__(why)
        self.problem = DeployProblem(kind=kind, why=why)


class _Reader:
    """Reads what one host names."""

    def __init__(self, secrets: Secrets, host: BareMetalHost) -> None:
        self._secrets = secrets
        self._host = host

    async def user_data(self) -> str | None:
        secret = await self._named(_Kind.USER, self._host.spec.user_data)
        if secret is None:
            return None
        try:
            text = text_of(secret, _Kind.USER)
        except Mistake as mistake:
            raise _Trouble(_Kind.USER, str(mistake)) from None
        if text is None:
            raise _Trouble(_Kind.USER, _missing(secret, _Kind.USER))
        return text

    async def meta_data(self) -> dict[str, Json]:
        secret = await self._named(_Kind.META, self._host.spec.meta_data)
        meta = self._host.metadata
        said = self._described(secret, _Kind.META) if secret else None
        if secret and said is None and not _holds(secret, _Kind.META):
            raise _Trouble(_Kind.META, _missing(secret, _Kind.META))
        return meta_data(said, namespace=meta.namespace, name=meta.name, uid=meta.uid)

    async def network_data(self) -> dict[str, Json] | None:
        reference = self._host.spec.network_data
        if reference is None:
            return await self.ramdisk_network_data()
        secret = await self._named(_Kind.NETWORK, reference)
        return self._described(secret, _Kind.NETWORK) if secret else None

    async def ramdisk_network_data(self) -> dict[str, Json] | None:
        name = self._host.spec.preprovisioning_network_data_name
        reference = SecretReference(name=name) if name else None
        secret = await self._named(_Kind.NETWORK, reference)
        return self._described(secret, _Kind.NETWORK) if secret else None

    async def pull_secret(self) -> str | None:
        image = self._host.spec.image
        if image is None or not image.oci_auth_secret_name or not is_oci(image.url):
            return None
        reference = SecretReference(name=image.oci_auth_secret_name)
        secret = await self._named(_Kind.IMAGE_AUTH, reference)
        try:
            return pull_secret(secret, image.url) if secret else None
        except Mistake as mistake:
            raise _Trouble(_Kind.IMAGE_AUTH, str(mistake)) from None

    def _described(self, secret: Secret, kind: _Kind) -> dict[str, Json] | None:
        try:
            return described(secret, kind)
        except Mistake as mistake:
            raise _Trouble(kind, str(mistake)) from None

    async def _named(self, kind: _Kind, reference: SecretReference | None) -> Secret | None:
        """Return the Secret that a reference names; None where it names none."""
        if reference is None or not reference.name:
            return None
        own = self._host.metadata.namespace
        if reference.namespace not in ("", own):
            why = f"Secret {reference.namespace}/{reference.name} is not in the host's namespace"
            raise _Trouble(kind, f"{why}, {own}: put it there")
        key = ObjectKey(own, reference.name)
        secret = await self._secrets.get(key)
        if secret is None:
            raise _Trouble(kind, f"Secret {key} with the host's {kind} is not there: create it")
        return secret


def _holds(secret: Secret, key: str) -> bool:
    return key in secret.data or FALLBACK in secret.data


def _missing(secret: Secret, key: str) -> str:
    return f"Secret {secret.key} has neither the key `{key}` nor `{FALLBACK}`"
