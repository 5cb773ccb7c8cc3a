"""What a DataImage says: what should be in the drive, what is, and how often that failed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from ingot.metal3.api.dataimage import (
    AttachedImage,
    DataImage,
    DataImageError,
    DataImageStatus,
)
from ingot.metal3.host.observation import DataImageSeen

__all__ = ["failed", "look", "settled", "succeeded", "wanted"]


def look(image: DataImage | None) -> DataImageSeen:
    """Return what the host's state machine has to know."""
    if image is None:
        return DataImageSeen()
    attached = image.status.attached_image
    return DataImageSeen(
        wanted=wanted(image),
        attached=attached.url if attached else None,
        failures=_failures(image.status, wanted(image)),
    )


def wanted(image: DataImage) -> str | None:
    """Return what should be in the drive; nothing once the DataImage is being deleted."""
    return None if image.metadata.is_going else image.spec.url


def succeeded(url: str | None, *, now: datetime) -> DataImageStatus:
    """Return the status after a change of the drive."""
    return DataImageStatus(
        last_reconciled=now, attached_image=AttachedImage(url=url) if url else None
    )


def failed(status: DataImageStatus, url: str | None, why: str, *, now: datetime) -> DataImageStatus:
    """Return the status after a change that did not succeed."""
    count = _failures(status, url) + 1
    error = DataImageError(count=count, message=f"{_doing(url)}: {why}")
    return replace(status, last_reconciled=now, error=error)


def settled(status: DataImageStatus, *, tries: int) -> DataImageStatus:
    """Return the status of a host that was turned on in spite of failures.

    The next power cycle tries again as often as this one did; what went wrong stays to be read.
    """
    if status.error.count < tries:
        return status
    return replace(status, error=replace(status.error, count=0))


def _failures(status: DataImageStatus, url: str | None) -> int:
    """Return how often in a row just this failed: another URL is another try."""
    about = status.error.message.startswith(f"{_doing(url)}: ")
    return status.error.count if about else 0


def _doing(url: str | None) -> str:
    return f"putting in {url}" if url else "taking the image out"
