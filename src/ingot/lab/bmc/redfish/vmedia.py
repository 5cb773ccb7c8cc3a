"""The emulator's driver of virtual media, before the drive of the request at hand."""

from __future__ import annotations

from http import HTTPStatus

from sushy_tools import error
from sushy_tools.emulator.resources.vmedia import Certificate, DeviceInfo

from ingot.lab.bmc.redfish.bmc import here
from ingot.lab.bmc.redfish.drive import Insertion
from ingot.lab.bmc.redfish.refusal import Refused

__all__ = ["DEVICE", "VirtualMedia", "insertion"]

DEVICE = "Cd"
_CERTIFICATE = "1"


class VirtualMedia:
    """The one drive, which reads CDs and DVDs; what they have on them may be any image."""

    @property
    def devices(self) -> list[str]:
        """The one there is."""
        return [DEVICE]

    def get_device_name(self, identity: str, device: str) -> str:
        """Return what people call it."""
        _check(identity, device)
        return "Virtual CD"

    def get_device_media_types(self, identity: str, device: str) -> list[str]:
        """Return what fits in."""
        _check(identity, device)
        return ["CD", "DVD"]

    def get_device_image_info(self, identity: str, device: str) -> DeviceInfo:
        """Return what is in."""
        _check(identity, device)
        media = here().drive.media
        verify = here().nvram.memory.verify_media
        if media is None:
            return DeviceInfo("", "", False, True, "", "", verify)  # noqa: FBT003 - its shape
        return DeviceInfo(
            media.name,
            media.url,
            here().drive.is_attached,
            media.write_protected,
            media.username,
            # Only whether there was one is ever shown, and none is kept.
            bool(media.username),
            verify,
        )

    def update_device_info(self, identity: str, device: str, *, verify: bool = False) -> None:
        """Set whether certificates of servers count."""
        _check(identity, device)
        here().nvram.remember(verify_media=verify)

    def insert_image(
        self,
        identity: str,
        device: str,
        image_url: object,
        inserted: object = True,  # noqa: FBT002 - the emulator's signature
        write_protected: object = True,  # noqa: FBT002
        **credentials: str,
    ) -> str:
        """Fetch an image and put it in."""
        _check(identity, device)
        here().drive.insert(
            insertion(
                {
                    "Image": image_url,
                    "Inserted": inserted,
                    "WriteProtected": write_protected,
                    "UserName": credentials.get("username", ""),
                    "Password": credentials.get("password", ""),
                }
            )
        )
        return ""

    def eject_image(self, identity: str, device: str) -> None:
        """Empty the drive."""
        _check(identity, device)
        here().drive.eject()

    def list_certificates(self, identity: str, device: str) -> list[Certificate]:
        """Return what servers of images are checked against."""
        _check(identity, device)
        kept = here().nvram.memory.media_certificate
        return [] if kept is None else [Certificate(_CERTIFICATE, kept, "PEM")]

    def add_certificate(self, identity: str, device: str, text: str, kind: str) -> Certificate:
        """Keep one."""
        if self.list_certificates(identity, device):
            raise error.Conflict("there is a certificate already")
        here().nvram.remember(media_certificate=text)
        return Certificate(_CERTIFICATE, text, kind)

    def replace_certificate(
        self, identity: str, device: str, number: str, text: str, kind: str
    ) -> Certificate:
        """Keep another one."""
        self.delete_certificate(identity, device, number)
        return self.add_certificate(identity, device, text, kind)

    def delete_certificate(self, identity: str, device: str, number: str) -> None:
        """Keep none."""
        if number not in {kept.id for kept in self.list_certificates(identity, device)}:
            raise error.NotFound(f"there is no certificate {number}")
        here().nvram.remember(media_certificate=None)


def insertion(asked: dict[str, object]) -> Insertion:
    """Read what a client wants in the drive.

    Raises:
        Refused: it is not said, or of the wrong kind.
    """
    image = asked.get("Image")
    if not isinstance(image, str) or not image:
        raise Refused(
            HTTPStatus.BAD_REQUEST, "Image is needed", message_id="ActionParameterMissing"
        )
    attached = asked.get("Inserted", True)
    protected = asked.get("WriteProtected", True)
    if not isinstance(attached, bool) or not isinstance(protected, bool):
        raise Refused(
            HTTPStatus.BAD_REQUEST,
            "Inserted and WriteProtected must be true or false",
            message_id="ActionParameterValueTypeError",
        )
    return Insertion(
        url=image,
        attached=attached,
        write_protected=protected,
        username=str(asked.get("UserName") or ""),
        password=str(asked.get("Password") or ""),
    )


def _check(identity: str, device: str) -> None:
    if identity.lower() != here().system_id.lower() or device != DEVICE:
        raise error.NotFound(f"there is no virtual media device {device} of {identity}")
