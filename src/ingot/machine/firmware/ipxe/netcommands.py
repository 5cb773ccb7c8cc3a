"""Commands about the network card."""

from __future__ import annotations

from ingot.machine.firmware.ipxe.session import Command, Shell
from ingot.machine.firmware.ipxe.settings import CURRENT

__all__ = ["NETWORK"]


def _configure(shell: Shell, _words: tuple[str, ...]) -> int:
    shell.session.settings.learn(CURRENT, shell.session.machine.configure())
    return 0


def _autoboot(shell: Shell, words: tuple[str, ...]) -> int:
    """Boot what DHCP says."""
    _configure(shell, words)
    settings = shell.session.settings
    file, server = settings.shown("filename"), settings.shown("next-server")
    if not file:
        shell.session.machine.say("no boot file: nothing to boot")
        return 1
    shell.session.url = f"tftp://{server}/"
    return shell.execute(["chain", file])


def _open(shell: Shell, _words: tuple[str, ...]) -> int:
    shell.session.machine.say(f"{CURRENT} is open")
    return 0


def _close(_shell: Shell, _words: tuple[str, ...]) -> int:
    return 0


def _state(shell: Shell, _words: tuple[str, ...]) -> int:
    settings = shell.session.settings
    shell.session.machine.say(f"{CURRENT}: {settings.shown('net0/mac')}, link up")
    return 0


def _route(shell: Shell, _words: tuple[str, ...]) -> int:
    settings = shell.session.settings
    address, mask, gateway = (settings.shown(name) for name in ("ip", "netmask", "gateway"))
    shell.session.machine.say(f"{CURRENT}: {address}/{mask} gateway {gateway or 'none'}")
    return 0


NETWORK: dict[str, Command] = {
    "autoboot": _autoboot,
    "dhcp": _configure,
    "ifclose": _close,
    "ifconf": _configure,
    "ifopen": _open,
    "ifstat": _state,
    "route": _route,
}
