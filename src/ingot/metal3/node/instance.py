"""What a node is deployed with: its image, where that goes, and how the server boots it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, TypeAlias

from ingot.ironic.document import Json
from ingot.ironic.driving import Step
from ingot.ironic.node import Node
from ingot.ironic.patch import REMOVED, Operation, Removed, Wish, difference
from ingot.metal3.api.bootmode import BootMode
from ingot.metal3.api.image import ChecksumType, CustomDeploy, DiskFormat, Image
from ingot.metal3.api.rootdevice import RootDeviceHints
from ingot.metal3.node.rootdisk import hinted
from ingot.metal3.node.subject import Subject

__all__ = ["Instance"]

Keys: TypeAlias = "dict[str, Json | Removed]"

_IMAGE_KEYS: Final = (
    "boot_iso",
    "image_checksum",
    "image_disk_format",
    "image_os_hash_algo",
    "image_os_hash_value",
    "image_pull_secret",
    "image_source",
)
_CUSTOM_PRIORITY: Final = 80
"""Where the writing of an image stands among Ironic's own deploy steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One deployment."""

    uuid: str
    image: Image | None = None
    custom_deploy: CustomDeploy | None = None
    root_hints: RootDeviceHints | None = None
    pull_secret: str | None = field(default=None, repr=False)

    @property
    def is_live(self) -> bool:
        """Whether the image is booted and never written."""
        return self.image is not None and self.image.format is DiskFormat.LIVE_ISO

    @property
    def fault(self) -> str | None:
        """What no deployment can do with, named by field and with a remedy."""
        image = self.image
        if image is None:
            if self.custom_deploy is None:
                return "spec.image and spec.customDeploy are both missing: give one"
            return None
        if not image.url:
            return "spec.image.url is empty: give the image's URL"
        needs_checksum = not (self.is_live or _is_oci(image) or self.custom_deploy)
        if needs_checksum and not image.checksum:
            return "spec.image.checksum is missing: give the checksum, or the URL of one"
        return None

    @property
    def steps(self) -> tuple[Step, ...]:
        """The deploy steps that are not Ironic's own."""
        if self.custom_deploy is None or self.is_live:
            return ()
        method = self.custom_deploy.method
        return (Step(interface="deploy", step=method, args={}, priority=_CUSTOM_PRIORITY),)

    def changes(self, subject: Subject, node: Node) -> tuple[tuple[Operation, ...], ...]:
        """Return the patches that make a node ready for it; none where it is."""
        info = self._info(subject)
        wish: Wish = {
            "instance_uuid": self.uuid,
            "instance_info": info,
            "driver_info": {"force_persistent_boot_device": self._persistent_boot(subject)},
        }
        first: tuple[Operation, ...] = ()
        if node.status.instance_uuid not in (None, self.uuid):
            # Ironic replaces no instance by another in one step.
            first = ({"op": "remove", "path": "/instance_uuid"},)
        operations = (
            *difference(node.document, wish, secrets_changed=True),
            *self.interface_changes(subject, node),
        )
        return tuple(patch for patch in (first, operations) if patch)

    def interface_changes(self, subject: Subject, node: Node) -> tuple[Operation, ...]:
        """Return what has to change so that the right interface deploys."""
        if subject.site.driver:
            return ()
        return difference(node.document, {"deploy_interface": self._deploy_interface(node)})

    def is_on(self, node: Node) -> bool:
        """Whether it is what the node was last told to deploy."""
        wanted = self._image_keys()
        seen = node.instance_info
        if node.status.instance_uuid != self.uuid:
            return False
        return all(
            seen.get(key) in (None, "") if value is REMOVED else seen.get(key) == value
            for key, value in wanted.items()
            if key != "image_pull_secret"  # masked
        )

    def _info(self, subject: Subject) -> Keys:
        secure = subject.boot_mode is BootMode.UEFI_SECURE_BOOT
        hints = hinted(self.root_hints) if self.root_hints else {}
        return {
            "capabilities": {"secure_boot": "true"} if secure else {},
            "root_device": hints or REMOVED,
            **self._image_keys(),
        }

    def _image_keys(self) -> Keys:
        keys: Keys = dict.fromkeys(_IMAGE_KEYS, REMOVED)
        image = self.image
        if image is None:
            return keys
        if self.is_live:
            keys["boot_iso"] = image.url
            return keys
        keys["image_source"] = image.url
        if image.format is not None:
            keys["image_disk_format"] = image.format.value
        if _is_oci(image):
            if self.pull_secret:
                keys["image_pull_secret"] = self.pull_secret
        elif image.checksum_type in (None, ChecksumType.AUTO):
            if image.checksum:
                keys["image_checksum"] = image.checksum
        else:
            keys["image_os_hash_algo"] = image.checksum_type.value
            keys["image_os_hash_value"] = image.checksum
        return keys

    def _deploy_interface(self, node: Node) -> Json | Removed:
        if self.is_live:
            return "ramdisk"
        if self.custom_deploy is not None:
            return "custom-agent"
        # Ironic's default does for an image; only what an earlier instance needed has to go.
        others = ("ramdisk", "custom-agent")
        seen = node.document.get("deploy_interface")
        return REMOVED if seen in others else seen

    def _persistent_boot(self, subject: Subject) -> str:
        chosen = subject.site.persistent_boot
        return chosen.live_iso if self.is_live else chosen.image


def _is_oci(image: Image) -> bool:
    return image.url.lower().startswith("oci://")
