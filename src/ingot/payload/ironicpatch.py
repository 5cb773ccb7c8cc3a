"""Ironic's Redfish sessions are found by a cheap key.

Ironic looks up the open session of a BMC by a key that has a hash of the password in it, and
derives that hash anew for every call: 600,000 rounds of PBKDF2, 0.3 CPU seconds. The key never
leaves the process, so a hash keyed with a secret of the process serves as well and costs nothing:
docs/decisions/0006-ironic-session-key.md.

The change is made in Ironic's source when the tree is put together. It fits one text exactly, so a
release of Ironic that has changed it stops the build.
"""

from __future__ import annotations

from pathlib import Path

from ingot.errors import IngotError

__all__ = ["PatchDoesNotFit", "cheapen_session_key", "with_cheap_session_key"]

MODULE = "ironic/drivers/modules/redfish/utils.py"

DERIVED = """\
        pw_hash = hashlib.pbkdf2_hmac(
            'sha512',
            password.encode('utf-8'),
            str(driver_info.get('address') * 4).encode('utf-8'), 600000)
"""
KEYED = """\
        pw_hash = hmac.digest(
            _PROCESS_SECRET,
            str((driver_info.get('address'), password)).encode('utf-8'),
            'sha512')
"""
IMPORTED = "import hashlib\nimport os\n"
IMPORTED_NOW = "import hmac\nimport os\n"
CLASS = "class SessionCache(object):\n"
DRAWN = "_PROCESS_SECRET = os.urandom(64)\n\n\n"


class PatchDoesNotFit(IngotError):  # noqa: N818 - it says what was seen
    """The source is not the one that a change was written for."""


def cheapen_session_key(packages: Path) -> None:
    """Change Ironic below a folder of Python packages.

    Raises:
        PatchDoesNotFit: this Ironic derives its session key in another way.
    """
    module = packages / MODULE
    module.write_text(with_cheap_session_key(module.read_text("utf-8")), encoding="utf-8")


def with_cheap_session_key(source: str) -> str:
    """Return the source of Ironic's Redfish tools with the change made.

    Raises:
        PatchDoesNotFit: it is not the source that the change was written for.
    """
    for old, new in (
        (DERIVED, KEYED),
        (IMPORTED, IMPORTED_NOW),
        (CLASS, DRAWN + CLASS),
    ):
        if source.count(old) != 1:
            raise PatchDoesNotFit(
                f"Ironic's {MODULE} does not have exactly one\n{old}",
                remedy="read how that Ironic makes its session key, then change or drop the patch: "
                "docs/decisions/0006-ironic-session-key.md",
            )
        source = source.replace(old, new)
    return source
