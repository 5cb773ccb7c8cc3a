"""One call to one BMC in IPMI, asked and answered in JSON by standard input and output.

Run as a process of its own; see `ipmi` for why.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import Any

from pyghmi.exceptions import PyghmiException
from pyghmi.ipmi.command import Command

__all__ = ["answer"]


def answer(asked: dict[str, Any]) -> dict[str, str]:
    """Do what is asked, and return how the power was before, or what was refused."""
    try:
        command = Command(
            bmc=asked["host"],
            userid=asked["username"],
            password=asked["password"],
            port=asked["port"],
            privlevel=asked["level"],
            keepalive=False,
        )
        answered = {"power": str(command.get_power()["powerstate"])}
        if asked["what"] == "off" and answered["power"] != "off":
            command.set_power("off", wait=max(1, int(asked["seconds"])))
        command.ipmi_session.logout()
    except PyghmiException as refused:
        return {"refused": str(refused)}
    except socket.gaierror:
        return {"refused": "its name does not resolve"}
    return answered


if __name__ == "__main__":
    print(json.dumps(answer(json.load(sys.stdin))), flush=True)  # noqa: T201 - it is asked for
    os._exit(0)  # pyghmi's thread would keep the process.
