"""Firmware that starts one kernel with one ramdisk: `python stub.py RAMDISK HOME`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ingot.machine.home import Home, media_unit, soft_off_is_due, uml_dir


def main(ramdisk: str, home: Home) -> None:
    os.closerange(3, 1024)
    if soft_off_is_due(home):
        home.soft_off.unlink()
        return
    spec = home.spec()
    media = home.take_boot_settings().media
    home.set_activity("started")
    kernel = home.parts().kernel
    print("stub: start", flush=True)  # noqa: T201 - the console
    os.execv(  # noqa: S606 - the kernel takes the place of its firmware
        kernel,
        [
            str(home.firmware),
            f"mem={spec.memory_mib}M",
            f"initrd={ramdisk}",
            *(f"ubd{number}={home.disk(number)}" for number in range(len(spec.disks))),
            *([f"ubd{media_unit(spec)}r={media}"] if media else []),
            *(
                f"vec{number}:transport=tap,ifname={nic.port},mac={nic.mac}"
                for number, nic in enumerate(spec.nics)
            ),
            "seccomp=on",
            f"umid={spec.name}",
            f"uml_dir={uml_dir(home)}",
            "con=null",
            "con0=null,fd:1",
            "ssl=null",
            "quiet",
        ],
    )


if __name__ == "__main__":
    main(sys.argv[1], Home(Path(sys.argv[2])))
