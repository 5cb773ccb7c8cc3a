"""Running commands on machines, by SSH from the network that they are on."""

from __future__ import annotations

import subprocess
from pathlib import Path

OPTIONS = (
    *("-o", "BatchMode=yes"),
    *("-o", "ConnectTimeout=5"),
    *("-o", "LogLevel=ERROR"),
    *("-o", "StrictHostKeyChecking=no"),
    *("-o", "UserKnownHostsFile=/dev/null"),
)
NO_ANSWER = 255
"""What ssh itself ends with when it does not get through."""


def ssh(
    namespace: str, key: Path, who: str, command: str, *, stdin: str = "", seconds: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run a command on a machine and return how it went; silence is a failure like any other.

    Args:
        namespace: the network that it is on.
        key: the private key of whoever tests.
        who: the user and the address.
        command: for the shell there.
        stdin: what the command reads.
        seconds: how long it may take.
    """
    words = ["ip", "netns", "exec", namespace, "ssh", "-i", str(key), *OPTIONS, who, command]
    try:
        return subprocess.run(
            words, input=stdin, capture_output=True, text=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(
            words, NO_ANSWER, "", f"it did not end within {seconds} seconds"
        )
