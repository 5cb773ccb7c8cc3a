"""Machines by libvirt do what every driver's machines do, and what only they can."""

from __future__ import annotations

import shlex
import signal
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from ingot.background import Background
from ingot.machine.driver import MachineError, NoSuchMachine
from ingot.machine.libvirt.platform import Accelerator
from ingot.machine.libvirt.pool import ImageMissing
from ingot.machine.libvirt.refusal import (
    BridgeMissing,
    EmulatorMissing,
    LibvirtUnreachable,
    PermissionMissing,
)
from ingot.machine.libvirt.service import LibvirtService, ServiceFailed
from ingot.machine.libvirt.virsh import Virsh
from ingot.machine.model import BootMode, BootSettings, BootSource, Power
from ingot.osimage.flavours import metal_image
from ingot.payload.debianlayers import metal3_root
from tests.e2e.site import call, eventually
from tests.fidelity.conftest import built
from tests.fidelity.libvirt_service import (
    OWNER,
    LibvirtBench,
    bench_of,
    machine,
    namespace_with_bridge,
    private_libvirt,
)
from tests.machines.bench import Bench
from tests.machines.contract import DriverContract
from tests.machines.reporting import ReportingSystem, disc

MEGABYTE = 1 << 20
CTRL_ALT_DEL = ("KEY_LEFTCTRL", "KEY_LEFTALT", "KEY_DELETE")
FROM_DISK = BootSettings(order=(BootSource.DISK,), mode=BootMode.LEGACY)
NETWORK = {BootMode.UEFI: "Start PXE over IPv4", BootMode.LEGACY: "Configuring (net0"}
NO_SYSTEM = {BootMode.UEFI: "UEFI Interactive Shell", BootMode.LEGACY: "No bootable device"}
"""What firmware shows when it boots from the network, and from a disk that is empty."""


@pytest.fixture(scope="module")
def namespace() -> Iterator[str]:
    with namespace_with_bridge() as name:
        yield name


@pytest.fixture(scope="module")
def service(namespace: str) -> Iterator[LibvirtService]:
    with private_libvirt(namespace) as running:
        yield running


@pytest.fixture
def bench(service: LibvirtService, tmp_path: Path) -> Iterator[LibvirtBench]:
    with bench_of(service, tmp_path, Accelerator.EMULATION) as made:
        yield made


def virsh(bench: LibvirtBench) -> Virsh:
    return Virsh(bench.driver.uri, bench.driver.program)


class TestContract(DriverContract):
    """The contract of all drivers; its systems are the node image on UEFI."""

    @pytest.fixture
    def bench(
        self, service: LibvirtService, tmp_path: Path, request: pytest.FixtureRequest
    ) -> Iterator[LibvirtBench]:
        names = ("disk_outlives", "button_ends", "media_comes")
        systems = any(name in request.node.name for name in names)
        image = built(metal_image()) / "disk.raw" if systems else None
        with bench_of(service, tmp_path, Accelerator.EMULATION, image) as made:
            yield made

    def test_power_button_ends_the_system_and_then_the_power(self, bench: Bench) -> None:
        system = ReportingSystem(bench, "node")
        system.comes_up(1)
        # Here the button is a device, and who attends to it comes after what reports.
        console = bench.driver.console("node")
        eventually(lambda: b"login:" in console.read_bytes(), within=bench.boot_seconds)
        bench.driver.press_power_button("node")
        eventually(
            lambda: bench.driver.power("node") is Power.OFF, within=bench.boot_seconds, every=0.5
        )
        assert system.reports[-1] == "asked to end"
        system.comes_up(2)


@pytest.mark.parametrize("mode", BootMode)
@pytest.mark.parametrize("secure", [False, True])
def test_libvirt_itself_finds_the_definition_valid(
    bench: LibvirtBench,
    mode: BootMode,
    secure: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    bench.driver.define(machine("one"))
    boot = BootSettings(mode=mode, secure_boot=secure, media=disc(bench.folder))
    bench.driver.set_boot_settings("one", boot)  # Which has libvirt check it by its schema.
    assert bench.driver.boot_settings("one") == boot


def test_kvm_is_chosen_only_where_firmware_runs_by_it(bench: LibvirtBench) -> None:
    driver = bench.service.driver("chosen")
    driver.define(machine("one"))
    try:
        driver.power_on("one")
        console = driver.console("one")
        eventually(lambda: b"BdsDxe" in console.read_bytes(), within=bench.boot_seconds)
        assert driver.activity("one") == "running"
    finally:
        driver.undefine("one")


@pytest.mark.parametrize("mode", BootMode)
def test_boot_source_for_one_start_is_used_by_a_start_and_a_reset_and_then_not_again(
    bench: LibvirtBench, mode: BootMode
) -> None:
    network, nothing = NETWORK[mode], NO_SYSTEM[mode]
    usual = replace(FROM_DISK, mode=mode)
    once = replace(usual, once=BootSource.NETWORK)
    bench.driver.define(machine("one"))
    console = bench.driver.console("one")
    bench.driver.set_boot_settings("one", once)

    bench.driver.power_on("one")
    assert bench.driver.boot_settings("one") == usual
    bench.shows("one", network)

    seen = console.stat().st_size
    bench.driver.reset("one")
    bench.shows("one", nothing, since=seen)
    assert network.encode() not in console.read_bytes()[seen:]

    bench.driver.set_boot_settings("one", once)
    assert bench.driver.boot_settings("one") == once
    seen = console.stat().st_size
    bench.driver.reset("one")
    assert bench.driver.boot_settings("one") == usual
    bench.shows("one", network, since=seen)

    bench.driver.power_off("one")
    seen = console.stat().st_size
    bench.driver.power_on("one")
    bench.shows("one", nothing, since=seen)
    assert network.encode() not in console.read_bytes()[seen:]


def test_boot_source_for_one_start_is_used_when_the_guest_reboots(bench: LibvirtBench) -> None:
    network, nothing = NETWORK[BootMode.LEGACY], NO_SYSTEM[BootMode.LEGACY]
    bench.driver.define(machine("one"))
    console = bench.driver.console("one")
    bench.driver.set_boot_settings("one", FROM_DISK)
    bench.driver.power_on("one")
    bench.shows("one", nothing)

    def reboots_and_uses_it() -> bool:
        virsh(bench)("send-key", f"{OWNER}-one", *CTRL_ALT_DEL)
        return bench.driver.boot_settings("one") == FROM_DISK

    seen = console.stat().st_size
    bench.driver.set_boot_settings("one", replace(FROM_DISK, once=BootSource.NETWORK))
    # Again and again, because the guard may not listen yet when the first one comes.
    eventually(reboots_and_uses_it, within=60, every=5)
    bench.shows("one", network, since=seen)

    seen = console.stat().st_size
    bench.driver.reset("one")
    bench.shows("one", nothing, since=seen)
    assert network.encode() not in console.read_bytes()[seen:]


def test_guard_goes_when_the_boot_source_is_withdrawn(bench: LibvirtBench) -> None:
    bench.driver.define(machine("one"))
    bench.driver.power_on("one")
    bench.driver.set_boot_settings("one", BootSettings(once=BootSource.NETWORK))
    guard = Background(bench.driver.home / "one.guard.json")
    assert guard.pid() is not None
    bench.driver.set_boot_settings("one", BootSettings())
    assert guard.pid() is None


def test_secure_boot_refuses_a_loader_that_nobody_signed(bench: LibvirtBench) -> None:
    bench.driver.define(machine("one"))
    secure = BootSettings(
        mode=BootMode.UEFI,
        order=(BootSource.MEDIA,),
        secure_boot=True,
        media=unsigned_disc(bench.folder),
    )
    bench.driver.set_boot_settings("one", secure)
    bench.driver.power_on("one")
    bench.shows("one", "Access Denied")
    bench.driver.set_boot_settings("one", replace(secure, secure_boot=False))
    bench.driver.reset("one")
    bench.shows("one", "iPXE")


def unsigned_disc(folder: Path) -> Path:
    """Return a disc that starts iPXE as Debian has it, which is not signed."""
    loader = folder / "BOOTX64.EFI"
    with tarfile.open(built(metal3_root()) / "root.tar") as tar, loader.open("wb") as file:
        content = tar.extractfile("./usr/lib/ipxe/ipxe.efi")
        assert content is not None
        file.write(content.read())
    (folder / "tree").mkdir()
    esp = folder / "tree/esp.img"
    with esp.open("wb") as file:
        file.truncate(4 * MEGABYTE)
    call("mkfs.vfat", esp)
    call("mmd", "-i", esp, "::EFI", "::EFI/BOOT")
    call("mcopy", "-i", esp, loader, "::EFI/BOOT/BOOTX64.EFI")
    image = folder / "unsigned.iso"
    call(
        "xorriso", "-as", "mkisofs", "-quiet", "-e", "esp.img", "-no-emul-boot",
        "-o", image, folder / "tree",
    )  # fmt: skip
    return image


def test_reset_brings_the_other_firmware_where_it_was_asked_for(bench: LibvirtBench) -> None:
    bench.driver.define(machine("one"))
    bench.driver.power_on("one")
    bench.shows("one", "BdsDxe")
    bench.driver.set_boot_settings("one", FROM_DISK)
    seen = bench.driver.console("one").stat().st_size
    bench.driver.reset("one")
    bench.shows("one", "SeaBIOS", since=seen)


def test_disk_starts_out_with_its_image_and_keeps_its_holes(bench: LibvirtBench) -> None:
    image = bench.folder / "image"
    with image.open("wb") as file:
        file.write(b"first")
        file.seek(8 * MEGABYTE)
        file.write(b"last")
        file.truncate(16 * MEGABYTE)
    spec = machine("one")
    disk = replace(spec.disks[0], size_bytes=64 * MEGABYTE, image=image)
    bench.driver.define(replace(spec, disks=(disk,)))
    volume = bench.service.home / "pools" / OWNER / "one.disk0"
    assert volume.stat().st_size == 64 * MEGABYTE
    assert volume.stat().st_blocks * 512 < MEGABYTE
    content = volume.read_bytes()
    assert content.startswith(b"first")
    assert content[8 * MEGABYTE :].startswith(b"last")


def test_nothing_is_left_when_the_last_machine_is_gone(bench: LibvirtBench) -> None:
    pool = bench.service.home / "pools" / OWNER
    bench.driver.define(machine("one"))
    bench.driver.set_boot_settings("one", BootSettings(media=disc(bench.folder)))
    bench.driver.power_on("one")
    assert pool.exists()
    bench.driver.undefine("one")
    assert not pool.exists()
    assert virsh(bench)("list", "--all", "--name").split() == []
    assert virsh(bench)("pool-list", "--all", "--name").split() == []
    assert [path.name for path in bench.driver.home.iterdir()] == ["pool.lock"]


def test_medium_that_was_taken_out_takes_no_space(bench: LibvirtBench) -> None:
    bench.driver.define(machine("one"))
    bench.driver.set_boot_settings("one", BootSettings(media=disc(bench.folder)))
    pool = bench.service.home / "pools" / OWNER
    assert len(list(pool.glob("one.medium-*"))) == 1
    bench.driver.set_boot_settings("one", BootSettings())
    assert list(pool.glob("one.medium-*")) == []


def test_medium_stays_when_its_file_is_gone(bench: LibvirtBench) -> None:
    image = disc(bench.folder)
    bench.driver.define(machine("one"))
    bench.driver.set_boot_settings("one", BootSettings(media=image))
    image.unlink()
    bench.driver.set_boot_settings("one", replace(FROM_DISK, media=image))
    assert len(list((bench.service.home / "pools" / OWNER).glob("one.medium-*"))) == 1


def test_machines_of_another_owner_are_not_seen(bench: LibvirtBench) -> None:
    other = bench.service.driver(f"{OWNER}-other", accelerator=Accelerator.EMULATION)
    other.define(machine("one", 8))
    try:
        assert bench.driver.machines() == ()
        assert other.machines() == ("one",)
        with pytest.raises(MachineError, match="is not of test"):
            bench.driver.power("other-one")
    finally:
        other.undefine("one")


def test_libvirt_on_another_machine_is_sent_images_and_asked_for_the_console(
    bench: LibvirtBench,
) -> None:
    loader, *options, program = bench.driver.program
    carrier = bench.folder / "carrier"  # In place of ssh: it carries the same bytes.
    helper = Path(program).with_name("virt-ssh-helper")
    words = shlex.join([loader, *options, str(helper), bench.driver.uri])
    carrier.write_text(f"#!/bin/sh\nexec {words}\n", encoding="utf-8")
    carrier.chmod(0o755)
    far = replace(bench.driver, uri=f"qemu+ext://far/system?command={carrier}")
    far.define(machine("one"))
    far.set_boot_settings("one", BootSettings(mode=BootMode.UEFI, media=disc(bench.folder)))
    far.power_on("one")
    eventually(lambda: b"BdsDxe" in far.console("one").read_bytes(), within=bench.boot_seconds)
    assert far.console("one").parent == far.home
    assert bench.driver.machines() == ("one",)
    far.undefine("one")
    assert bench.driver.machines() == ()


def test_machines_outlive_the_daemon_and_are_found_by_the_next(
    namespace: str, tmp_path: Path
) -> None:
    with (
        private_libvirt(namespace) as service,
        bench_of(service, tmp_path, Accelerator.EMULATION) as bench,
    ):
        bench.driver.define(machine("one", 9))
        bench.driver.power_on("one")
        pid = Background(service.home / "libvirtd.json").pid()
        assert pid is not None
        call("kill", f"-{signal.SIGKILL.value}", str(pid))
        eventually(lambda: not service.is_running, within=60, every=0.1)
        with pytest.raises(LibvirtUnreachable):
            bench.driver.power("one")
        service.start()
        assert bench.driver.power("one") is Power.ON
        bench.shows("one", "BdsDxe")


def test_service_takes_every_machine_with_it(namespace: str) -> None:
    with private_libvirt(namespace) as service:
        driver = service.driver(OWNER, accelerator=Accelerator.EMULATION)
        driver.define(machine("one", 10))
        driver.power_on("one")
        assert "m10-0" in call("ip", "-n", namespace, "link", "show")
        home = service.home
        service.destroy()
        assert not home.exists()
        assert "m10-0" not in call("ip", "-n", namespace, "link", "show")
        service.destroy()
        told = subprocess.run(
            ["grep", "-c", str(home), "/proc/mounts"], check=False, capture_output=True
        )
        assert told.stdout.strip() == b"0"


def test_service_whose_socket_would_have_too_long_a_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ServiceFailed, match="too long"):
        LibvirtService(tmp_path / ("long" * 30), tmp_path).start()


def test_service_without_its_programs_says_so(tmp_path: Path) -> None:
    service = LibvirtService(tmp_path / "s", tmp_path / "none")
    with pytest.raises(ServiceFailed, match="does not come up"):
        service.start()
    service.destroy()


def test_bridge_that_is_not_there_is_named(bench: LibvirtBench) -> None:
    spec = machine("one")
    lost = replace(spec.nics[0], bridge="nowhere")
    bench.driver.define(replace(spec, nics=(lost,)))
    with pytest.raises(BridgeMissing, match="nowhere"):
        bench.driver.power_on("one")
    assert bench.driver.power("one") is Power.OFF


def test_libvirt_that_does_not_run_is_unreachable(bench: LibvirtBench) -> None:
    driver = replace(bench.driver, uri="qemu:///system?socket=/run/none/libvirt-sock")
    with pytest.raises(LibvirtUnreachable):
        driver.machines()


def test_emulator_that_is_not_there_is_refused_before_anything_is_made(
    bench: LibvirtBench,
) -> None:
    driver = replace(bench.driver, emulator=Path("/none/qemu"), accelerator=None)
    with pytest.raises(EmulatorMissing, match="/none/qemu"):
        driver.define(machine("one"))
    assert driver.machines() == ()


def test_folder_that_cannot_be_written_is_refused(bench: LibvirtBench) -> None:
    driver = replace(bench.driver, owner="unwritable", pool_path=PurePosixPath("/usr/pool"))
    with pytest.raises(PermissionMissing, match="/usr/pool"):
        driver.define(machine("one"))
    assert "unwritable" not in virsh(bench)("pool-list", "--all", "--name").split()


def test_image_that_does_not_fit_is_refused(bench: LibvirtBench) -> None:
    image = bench.folder / "image"
    image.write_bytes(bytes(2 * MEGABYTE))
    spec = machine("one")
    disk = replace(spec.disks[0], size_bytes=MEGABYTE, image=image)
    with pytest.raises(ImageMissing, match="does not fit"):
        bench.driver.define(replace(spec, disks=(disk,)))
    assert bench.driver.machines() == ()


def test_medium_that_is_not_there_is_refused(bench: LibvirtBench) -> None:
    bench.driver.define(machine("one"))
    before = bench.driver.boot_settings("one")
    with pytest.raises(ImageMissing, match="cannot be read"):
        bench.driver.set_boot_settings("one", replace(before, media=bench.folder / "none.iso"))
    assert bench.driver.boot_settings("one") == before


@pytest.mark.parametrize("name", ["", "..", "../one", "a/b", "UPPER", "--all"])
def test_name_never_leads_out_of_the_folder(bench: LibvirtBench, name: str) -> None:
    with pytest.raises(NoSuchMachine):
        bench.driver.undefine(name)
    with pytest.raises(MachineError):
        bench.driver.define(replace(machine("one"), name=name))
