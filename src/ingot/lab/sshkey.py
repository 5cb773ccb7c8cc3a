"""The key by which a lab's user logs in to the nodes: their own, or one made for the lab."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ingot.errors import IngotError

__all__ = ["NAME", "public_key"]

NAME = "lab-ssh-key"
KINDS = ("id_ed25519.pub", "id_ecdsa.pub", "id_rsa.pub")


def public_key(directory: Path) -> str:
    """Return a public key of the user; where there is none, one that is made in a directory."""
    for path in (*_own(), directory / f"{NAME}.pub"):
        try:
            text = path.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
        if text.startswith(("ssh-", "ecdsa-")) and "\n" not in text:
            return text
    return _made(directory)


def _own() -> Iterator[Path]:
    homes = [Path.home()]
    if user := os.environ.get("SUDO_USER"):  # The user is who ran sudo, not root.
        with suppress(KeyError):
            homes.insert(0, Path(pwd.getpwnam(user).pw_dir))
    return (home / ".ssh" / name for home in homes for name in KINDS)


def _made(directory: Path) -> str:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (  # noqa: PLC0415 - slow to import
        Ed25519PrivateKey,
    )
    from cryptography.hazmat.primitives.serialization import (  # noqa: PLC0415 - slow to import
        Encoding,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
    )

    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    public = f"{public} ingot-lab"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        owner = directory.stat()
        for path, content in (
            (directory / NAME, private),
            (directory / f"{NAME}.pub", f"{public}\n".encode()),
        ):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                if os.geteuid() == 0:
                    os.fchown(descriptor, owner.st_uid, owner.st_gid)
    except OSError as refused:
        raise IngotError(
            f"no SSH key can be written to {directory}: {refused.strerror}",
            remedy="choose another place with --dir",
        ) from refused
    return public
