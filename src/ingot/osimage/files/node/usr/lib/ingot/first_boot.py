# ruff: noqa: INP001, S603, T201 - a script that runs the programs named here and talks to a console
"""Give this machine its configuration: run Ignition on what the config drive holds, once.

Debian's Ignition is made for an initial ramdisk. Here its stages run in the real root instead, so
that one way serves machines with a ramdisk and without; what was written takes effect because user
space is then started anew. The stamp is written last: until then every boot tries again.

The network that the config drive describes is set before, since Ignition fetches over it. networkd
runs by then, and is started anew where there is something to tell it. Waiting for the drive before
networkd starts was rejected: every machine would boot later for those without DHCP.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

CONFIG_DRIVE = Path("/dev/disk/by-label/config-2")
DRIVE_SECONDS = 10
"""How long a slow drive, such as a BMC's virtual CD, may take to appear."""

NETWORK_DATA = "openstack/latest/network_data.json"
NETWORK = Path("/etc/systemd/network")
SHARED = "/usr/lib/ingot/shared"
"""What of Ingot the agent ramdisk has as well."""

IGNITION = "/usr/lib/dracut/modules.d/30ignition/ignition"
IGNITION_TOOLS = "/usr/lib/ingot/ignition"
"""On Ignition's path first: it calls `setfiles`, for labels that this system does not have."""
TOLD = re.compile(r"(INFO|NOTICE|WARNING|ERR|CRITICAL|ALERT|EMERG)\w* *: ")
"""The lines of Ignition that are shown. The others hold the whole configuration when a stage
fails, and password hashes on the way: neither belongs in a log."""

CACHE = Path("/run/ingot/ignition.json")
PRESETS = Path("/etc/systemd/system-preset/20-ignition.preset")

STATE = Path("/var/lib/ingot")
STARTED = STATE / "configuring"
CONFIGURED = STATE / "configured"


def main() -> int:
    """Configure this machine if there is a configuration for it."""
    if not config_drive_is_there():
        say("there is no config drive (a disk or CD labelled config-2): starting as I am")
        return 0
    STATE.mkdir(parents=True, exist_ok=True)
    if (text := network_data_on(CONFIG_DRIVE)) is not None and set_network(text, NETWORK):
        say("the network is set as the config drive says")
        call("systemctl", "restart", "systemd-networkd.service")
    CACHE.parent.mkdir(mode=0o700, exist_ok=True)
    CACHE.unlink(missing_ok=True)
    ignition("fetch")
    if STARTED.exists():
        say("an earlier run was interrupted: what it wrote is written again")
        CACHE.write_text(json.dumps(overwriting(json.loads(CACHE.read_text()))))
    STARTED.touch()
    os.sync()  # before anything of the configuration is
    for stage in ("disks", "mount", "files", "umount"):
        ignition(stage)
    follow_presets()
    CACHE.unlink()
    STARTED.rename(CONFIGURED)
    os.sync()
    say("configured: starting anew")
    call(
        "systemctl", "--no-block", "--job-mode=replace-irreversibly", "start", "soft-reboot.target"
    )
    return 0


def config_drive_is_there() -> bool:
    """Wait for the config drive, but not for long."""
    waiting = ("udevadm", "wait", f"--timeout={DRIVE_SECONDS}", str(CONFIG_DRIVE))
    return CONFIG_DRIVE.exists() or subprocess.run(waiting, check=False).returncode == 0


def network_data_on(drive: Path) -> str | None:
    """Return the network data of a config drive, if it has any."""
    with tempfile.TemporaryDirectory() as place:
        call("mount", "-o", "ro,nosuid,nodev,noexec", str(drive), place)
        try:
            return Path(place, NETWORK_DATA).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        finally:
            call("umount", place)


def set_network(text: str, folder: Path) -> bool:
    """Write networkd's files for network data, and return whether they are new to it.

    A machine whose data cannot be used does not go on with DHCP: it would join the cluster under
    an address that nobody expects.
    """
    sys.path.append(SHARED)
    from ingot.agent.applying import apply  # noqa: PLC0415 - found only now

    try:
        return apply(text, folder)
    except ValueError as refused:
        remedy = "correct the network settings of this host and deploy it again"
        raise ValueError(f"{NETWORK_DATA} on the config drive: {refused}; {remedy}") from refused


def ignition(stage: str) -> None:
    """Run one of Ignition's stages. It waits by itself for servers that are not up yet."""
    say(f"stage {stage}")
    command = (
        IGNITION,
        "--platform=openstack",
        f"--stage={stage}",
        "--root=/",
        f"--config-cache={CACHE}",
        "--log-to-stdout",
    )
    path = f"{IGNITION_TOOLS}:{os.environ['PATH']}"
    with subprocess.Popen(
        command,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as running:
        for line in running.stdout or ():
            if TOLD.match(line):
                say(line.rstrip())
    if running.returncode:
        raise subprocess.CalledProcessError(running.returncode, f"ignition stage {stage}")


def overwriting(config: dict[str, object]) -> dict[str, object]:
    """Return a configuration whose files may be there already."""
    storage = config.get("storage")
    for kind in ("files", "links"):
        for entry in storage.get(kind, []) if isinstance(storage, dict) else []:
            entry["overwrite"] = True
    return config


def follow_presets() -> None:
    """Enable and disable the units that the configuration says; Ignition only notes them."""
    if not PRESETS.exists():
        return
    words = [line.split() for line in PRESETS.read_text().splitlines()]
    units = [word[1] for word in words if word[:1] in (["enable"], ["disable"])]
    if units:
        call("systemctl", "preset", *units)


def call(*command: str) -> None:
    """Run a program that must succeed."""
    subprocess.run(command, check=True)  # the unit tries again


def say(text: str) -> None:
    """Tell whoever watches the console."""
    print(f"first boot: {text}", flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, subprocess.CalledProcessError, ValueError) as failed:
        say(f"failed, and will be tried again: {failed}")
        sys.exit(1)
