"""A system that reports on its console: how often it has booted, what is in the drive, its end."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.e2e.configs import config, file
from tests.e2e.site import call, eventually
from tests.e2e.uml import config_drive
from tests.machines.bench import Bench

DISC = "TEST-DISC"

SCRIPT = f"""\
#!/bin/sh
say() {{ echo "report: $*" > /dev/console; }}

boots=$(($(cat /var/lib/boots 2>/dev/null || echo 0) + 1))
echo $boots > /var/lib/boots
sync
say "boot $boots"
trap 'say "asked to end"; exit 0' TERM
last=
while :; do
    now=absent
    for device in $(ls /sys/block); do
        [ "$(blkid -p -s LABEL -o value /dev/$device)" = {DISC} ] && now=there
    done 2>/dev/null
    [ $now = "$last" ] || say "disc $now"
    last=$now
    sleep 1 & wait $!
done
"""

UNIT = """\
[Service]
ExecStart=/usr/local/bin/report

[Install]
WantedBy=multi-user.target
"""


class ReportingSystem:
    """A machine with that system on its disk, defined and off."""

    def __init__(self, bench: Bench, name: str) -> None:
        self.bench = bench
        self.name = name
        script = {**file("/usr/local/bin/report", SCRIPT), "mode": 0o755}
        unit = {"name": "report.service", "enabled": True, "contents": UNIT}
        told = config(storage={"files": [script]}, systemd={"units": [unit]})
        bench.driver.define(bench.system(name, config_drive(bench.folder, json.dumps(told))))

    @property
    def reports(self) -> list[str]:
        """Everything it has said so far."""
        console = self.bench.driver.console(self.name)
        text = console.read_text(encoding="utf-8", errors="replace") if console.exists() else ""
        return re.findall(r"report: (.*\w)", text)

    def comes_up(self, times: int) -> None:
        """Power it on where it is off, and wait until it says that it has booted that often."""
        self.bench.driver.power_on(self.name)
        self.says(f"boot {times}")

    def says(self, words: str) -> None:
        """Wait until it says something."""
        try:
            eventually(lambda: words in self.reports, within=self.bench.boot_seconds)
        except TimeoutError as late:
            console = self.bench.driver.console(self.name).read_text(errors="replace")
            raise AssertionError(f"no {words!r} on\n{console[-6000:]}") from late


def disc(folder: Path) -> Path:
    """Return an image of a disc that the system knows."""
    content = folder / "disc"
    content.mkdir()
    (content / "file").write_text("content", encoding="utf-8")
    image = folder / "disc.iso"
    call("xorriso", "-as", "mkisofs", "-quiet", "-V", DISC, "-o", image, content)
    return image
