"""How much memory the agent ramdisk needs: what it uses, and the least it starts with."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

from tests.e2e.ramdisk_machine import Parts, built_parts, ramdisk_machine
from tests.e2e.site import GATEWAY, Site, opened_site

USUAL_MIB = 2048
SMALLER_MIB = (320, 384, 448, 512, 640, 768, 1024, 1536)
NUMBER = 3
SECONDS = 90.0
LOOKS_UP = f"lookup with http://{GATEWAY}:6385"


def report() -> None:
    """Print both figures."""
    if os.geteuid() != 0:
        print("Agent ramdisk: not measured, because machines need root")
        return
    with tempfile.TemporaryDirectory() as folder, opened_site(Path(folder)) as site:
        parts = built_parts(Path(folder))
        print("Agent ramdisk, lab flavour")
        print(f"  used of {USUAL_MIB} MiB by system and agent  {_used(site, parts)} MiB")
        least = next((size for size in SMALLER_MIB if _starts(site, parts, size)), USUAL_MIB)
        print(f"  least memory with which the agent comes up  {least} MiB")


def _used(site: Site, parts: Parts) -> int:
    with ramdisk_machine(site, NUMBER, parts, [f"ipa-api-url=http://{GATEWAY}:6385"]) as machine:
        machine.wait_for_ssh(within=SECONDS)
        machine.wait_for_console(LOOKS_UP, within=SECONDS)
        return int(machine.ssh("free --mebi").splitlines()[1].split()[2])


def _starts(site: Site, parts: Parts, memory_mib: int) -> bool:
    smaller = replace(parts, memory_mib=memory_mib)
    with ramdisk_machine(site, NUMBER, smaller, [f"ipa-api-url=http://{GATEWAY}:6385"]) as machine:
        try:
            machine.wait_for_console(LOOKS_UP, within=SECONDS)
        except AssertionError:
            return False
        return True
