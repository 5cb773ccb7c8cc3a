"""What the controller is told: options.json, written with the other manifests of an install.

Nothing in it is secret. docs/reference/metal3-in-cluster.md has the keys.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from ingot.errors import ExitCode, IngotError
from ingot.metal3.pod.settings import Address

__all__ = ["ImageFile", "Images", "Options", "OptionsError", "parse", "read", "rendered"]

_DIGITS: Final = 16


class OptionsError(IngotError):
    """The options cannot be used."""

    exit_code = ExitCode.USAGE


class _Part(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )


class ImageFile(_Part):
    """A file that hosts are provisioned from.

    Attributes:
        name: such as `disk.img`.
        sha256: its checksum.
    """

    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")]
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Images(_Part):
    """What hosts are provisioned from, and where the first copy comes from.

    Attributes:
        files: all of it.
        source: a URL that ends without a slash, there while the bootstrap VM is; "" where none is.
    """

    files: tuple[ImageFile, ...]
    source: str = ""

    @property
    def digest(self) -> str:
        """What tells these files from others."""
        said = "".join(f"{one.sha256} {one.name}\n" for one in sorted(self.files, key=_by_name))
        return hashlib.sha256(said.encode()).hexdigest()[:_DIGITS]


class Options(_Part):
    """All that the controller is told.

    Attributes:
        image: the metal3 image.
        api_vips: where the services are reached from outside of the provisioning network.
        images: what hosts are provisioned from.
        settings: keys of the pod's settings that `Provisioning` has no field for.
    """

    image: str
    api_vips: Annotated[tuple[Address, ...], Field(alias="apiVIPs", min_length=1)]
    images: Images
    settings: Mapping[str, Any] = {}


def parse(text: str | bytes, *, source: str = "options.json") -> Options:
    """Return what a file's content says.

    Raises:
        OptionsError: it cannot be used.
    """
    try:
        return Options.model_validate_json(text)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}"
            for one in error.errors(include_url=False, include_input=False)
        )
        raise OptionsError(
            f"{source} cannot be used: {wrong}",
            remedy="write it as docs/reference/metal3-in-cluster.md says",
        ) from error


def read(path: Path) -> Options:
    """Return what a file says.

    Raises:
        OptionsError: it is not there, or cannot be used.
    """
    try:
        return parse(path.read_bytes(), source=str(path))
    except OSError as error:
        raise OptionsError(
            f"{path} cannot be read: {error.strerror}",
            remedy="apply the manifests of the install again",
        ) from error


def rendered(options: Options) -> str:
    """Return the file."""
    return options.model_dump_json(by_alias=True, exclude_defaults=True, indent=2) + "\n"


def _by_name(file: ImageFile) -> str:
    return file.name
