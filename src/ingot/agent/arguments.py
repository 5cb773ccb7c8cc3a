"""Kernel arguments that concern the ramdisk itself; those of the agent are read by the agent.

* `sshkey="ssh-ed25519 AAAA… comment"`: may log in as root, as in the field's other ramdisks.
* `ingot.ca=…`: a certificate authority to trust, as the base64 of its DER form. May be repeated.
  With an elliptic key it has about 600 characters, so it fits into a command line (2048), and it
  takes the same way as the address of Ironic that it is for: PXE or virtual media.
"""

from __future__ import annotations

import base64
import binascii
import shlex
import ssl
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Arguments", "Unusable", "apply", "parse"]

COMMAND_LINE = Path("/proc/cmdline")
AUTHORIZED_KEYS = Path("root/.ssh/authorized_keys")
TRUSTED = Path("etc/ssl/certs/ca-certificates.crt")


class Unusable(ValueError):  # noqa: N818 - it says what was seen
    """An argument does not have the form it should have."""


@dataclass(frozen=True)
class Arguments:
    """What a command line asks for."""

    ssh_keys: tuple[str, ...] = ()
    authorities: tuple[str, ...] = ()
    """Certificates in PEM form."""


def parse(command_line: str) -> Arguments:
    """Read a kernel command line.

    Raises:
        Unusable: an argument of ours cannot be read.
    """
    keys: list[str] = []
    authorities: list[str] = []
    try:
        words = shlex.split(command_line)
    except ValueError as unbalanced:
        raise Unusable(f"the kernel command line has an open quote: {command_line}") from unbalanced
    for word in words:
        name, _, value = word.partition("=")
        if name == "sshkey" and value:
            keys.append(value)
        elif name == "ingot.ca" and value:
            authorities.append(_certificate(value))
    return Arguments(tuple(keys), tuple(authorities))


def _certificate(text: str) -> str:
    try:
        return ssl.DER_cert_to_PEM_cert(base64.b64decode(text, validate=True))
    except binascii.Error as not_base64:
        raise Unusable(f"ingot.ca={text[:20]}… is not base64: {not_base64}") from not_base64


def apply(arguments: Arguments, root: Path) -> None:
    """Write what the arguments ask for below a root."""
    if arguments.ssh_keys:
        file = root / AUTHORIZED_KEYS
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.write_text("".join(f"{key}\n" for key in arguments.ssh_keys), encoding="utf-8")
        file.chmod(0o600)
    if arguments.authorities:
        with (root / TRUSTED).open("a", encoding="utf-8") as trusted:
            trusted.writelines(arguments.authorities)


def main() -> int:
    """Apply this machine's command line."""
    try:
        apply(parse(COMMAND_LINE.read_text(encoding="utf-8")), Path("/"))
    except Unusable as refused:
        print(f"ingot: {refused}", file=sys.stderr)  # noqa: T201 - the journal is the only reader
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
