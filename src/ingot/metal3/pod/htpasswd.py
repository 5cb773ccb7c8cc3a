"""The users of Ironic's API, as Ironic reads them: bcrypt is all that it takes.

Ingot has no bcrypt, but Ironic, which lives in the same image, has. So its library is used by a
Python of its own. The password goes in by standard input: arguments can be seen by others.
"""

from __future__ import annotations

from typing import Final

from ingot.errors import ExitCode, IngotError
from ingot.ironic.access import Credentials
from ingot.process import run

__all__ = ["UnusableCredentialsError", "users"]

COST: Final = 8
"""2^8 rounds: the password is random, so guessing is hopeless at any cost, and Ironic pays this one
for every new connection."""
LONGEST: Final = 72
"""What bcrypt looks at."""

_HASH: Final = f"""
import sys
sys.path.insert(0, "/opt/ironic/lib")
import bcrypt
password = sys.stdin.buffer.read()
print(bcrypt.hashpw(password, bcrypt.gensalt({COST}, prefix=b"2b")).decode())
"""


class UnusableCredentialsError(IngotError):
    """Nobody could log in with these."""

    exit_code = ExitCode.USAGE


def users(credentials: Credentials) -> str:
    """Return the file with one user.

    Raises:
        UnusableCredentialsError: they cannot be used.
    """
    name, password = credentials.username, credentials.password
    if ":" in name or not name.isprintable():
        raise UnusableCredentialsError(
            "the user name of Ironic has a colon or a line break in it", remedy="give another one"
        )
    if len(password.encode()) > LONGEST:
        raise UnusableCredentialsError(
            f"the password of Ironic has more than {LONGEST} bytes", remedy="give a shorter one"
        )
    return f"{name}:{run(['/usr/bin/python3', '-IBc', _HASH], stdin=password).strip()}\n"
