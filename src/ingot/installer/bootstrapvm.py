"""The bootstrap VM: what it is made of, and making and removing it.

It boots the node image, reads who it is from a config drive, and has a second drive with all that
is written to servers or booted by them. Everything is made through the hypervisor's driver, which
remembers it: a half-made VM is finished, and one that is gone is gone completely.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from uuid import NAMESPACE_DNS, uuid5

from ingot.config.model.platform import BareMetal
from ingot.machine.driver import Driver
from ingot.machine.hypervisor import Hypervisor, HypervisorError
from ingot.machine.model import Disk, MacAddress, MachineSpec, Nic, Power
from ingot.process import run

__all__ = ["Cards", "Parts", "check_hypervisor", "config_drive", "destroy", "ensure", "vm_spec"]

GIB = 1 << 30
MEMORY_MIB = 4096
CPUS = 4
DISK_BYTES = 40 * GIB
SPARE_DISK_BYTES = 12 * GIB
"""What is written while it works: the node image once more, etcd, logs."""

NAME = "bootstrap"


@dataclass(frozen=True, slots=True)
class Cards:
    """The MAC addresses of its network cards.

    Attributes:
        external: on the machine network.
        provisioning: on the provisioning network; None without one.
    """

    external: MacAddress
    provisioning: MacAddress | None


@dataclass(frozen=True, slots=True)
class Parts:
    """The files it is made from.

    Attributes:
        image: the node image.
        media: what servers boot and are written.
        drive: its config drive.
    """

    image: Path
    media: Path
    drive: Path


def vm_spec(platform: BareMetal, *, infra_id: str, cards: Cards, parts: Parts) -> MachineSpec:
    """Return what the VM is made of."""
    mark = sha256(infra_id.encode()).hexdigest()[:8]
    nics = [Nic(mac=cards.external, bridge=platform.external_bridge, port=f"ib{mark}e")]
    if cards.provisioning is not None:
        nics.append(
            Nic(mac=cards.provisioning, bridge=platform.provisioning_bridge, port=f"ib{mark}p")
        )
    return MachineSpec(
        name=NAME,
        uuid=str(uuid5(NAMESPACE_DNS, f"bootstrap.{infra_id}")),
        memory_mib=MEMORY_MIB,
        cpus=CPUS,
        disks=(
            Disk(
                size_bytes=DISK_BYTES,
                serial=f"ingot-{mark}",
                wwn=f"0x5{mark}0000000"[:18],
                image=parts.image,
            ),
        ),
        nics=tuple(nics),
        drives=(parts.drive.absolute(), parts.media.absolute()),
    )


def config_drive(ignition: bytes, folder: Path) -> Path:
    """Write a config drive, as Ironic would, with an Ignition config for its owner alone."""
    tree = folder / "drive"
    shutil.rmtree(tree, ignore_errors=True)
    content = tree / "openstack/latest"
    content.mkdir(parents=True, mode=0o700)
    (content / "user_data").touch(mode=0o600)
    (content / "user_data").write_bytes(ignition)
    (content / "meta_data.json").write_text("{}", encoding="utf-8")
    fresh, iso = folder / "config-2.iso.new", folder / "config-2.iso"
    fresh.unlink(missing_ok=True)
    fresh.touch(mode=0o600)
    run(["xorriso", "-as", "mkisofs", "-quiet", "-J", "-r", "-V", "config-2", "-o", fresh, tree])
    fresh.chmod(0o600)
    fresh.replace(iso)
    shutil.rmtree(tree)
    return iso


def check_hypervisor(place: Hypervisor, platform: BareMetal) -> None:
    """Check that the VM can be made, before anything is.

    Raises:
        HypervisorError: it cannot; all that is in the way is named.
    """
    there = place.bridges()
    wanted = {"externalBridge": platform.external_bridge}
    if platform.has_provisioning_network:
        wanted["provisioningBridge"] = platform.provisioning_bridge
    wrong = [
        f"there is no bridge {name!r} (platform.baremetal.{field})"
        for field, name in wanted.items()
        if name not in there
    ]
    room = place.room()
    needed = DISK_BYTES // 4 + SPARE_DISK_BYTES
    if room.memory_bytes is not None and room.memory_bytes < MEMORY_MIB << 20:
        wrong.append(
            f"the bootstrap VM needs {MEMORY_MIB} MiB of memory, "
            f"and {room.memory_bytes >> 20} MiB are left"
        )
    if room.disk_bytes is not None and room.disk_bytes < needed:
        wrong.append(
            f"the bootstrap VM needs {needed // GIB} GiB of disk, "
            f"and {room.disk_bytes // GIB} GiB are free"
        )
    if wrong:
        raise HypervisorError(
            f"the bootstrap VM cannot be made on {platform.libvirt_uri}: {'; '.join(wrong)}",
            remedy="make the bridges, or make room, or set platform.baremetal.libvirtURI to "
            "another hypervisor",
        )


def ensure(driver: Driver, spec: MachineSpec) -> None:
    """Have the VM, running; nothing where it does."""
    driver.define(spec)
    if driver.power(spec.name) is Power.OFF:
        driver.power_on(spec.name)


def destroy(driver: Driver) -> None:
    """Remove the VM with all that was made for it; nothing where there is none."""
    driver.undefine(NAME)
