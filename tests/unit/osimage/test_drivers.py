"""Modules are chosen by folder, and never without what they depend on."""

from __future__ import annotations

from ingot.osimage.drivers import chosen_modules, read_dependencies

DEP = """\
kernel/drivers/net/ethernet/intel/igb/igb.ko.xz: kernel/drivers/i2c/algos/i2c-algo-bit.ko.xz
kernel/drivers/i2c/algos/i2c-algo-bit.ko.xz:
kernel/drivers/net/virtio_net.ko.xz: kernel/drivers/net/net_failover.ko.xz
kernel/drivers/net/net_failover.ko.xz:
kernel/drivers/ata/pata_via.ko.xz:
kernel/drivers/ata/ahci.ko.xz:
kernel/sound/core/snd.ko.xz:
"""


def test_module_comes_with_what_it_depends_on() -> None:
    assert chosen_modules(read_dependencies(DEP), chosen=["drivers/net/ethernet"], left_out=[]) == [
        "kernel/drivers/i2c/algos/i2c-algo-bit.ko.xz",
        "kernel/drivers/net/ethernet/intel/igb/igb.ko.xz",
    ]


def test_one_module_can_be_named() -> None:
    assert chosen_modules(
        read_dependencies(DEP), chosen=["drivers/net/net_failover.ko"], left_out=[]
    ) == ["kernel/drivers/net/net_failover.ko.xz"]


def test_part_of_a_folder_can_be_left_out() -> None:
    assert chosen_modules(
        read_dependencies(DEP), chosen=["drivers/ata"], left_out=["drivers/ata/pata_"]
    ) == ["kernel/drivers/ata/ahci.ko.xz"]


def test_everything_else_stays_behind() -> None:
    assert "kernel/sound/core/snd.ko.xz" not in chosen_modules(read_dependencies(DEP))
