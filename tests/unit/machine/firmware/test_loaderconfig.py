"""What ISOLINUX, GRUB and systemd-boot are told is understood."""

from __future__ import annotations

import pytest

from ingot.machine.firmware.loaderconfig import Loaded, grub, isolinux
from ingot.machine.firmware.loaderentry import Entry, chosen, default_pattern

ONE = Loaded(kernel="/vmlinuz", initrds=("/initrd",), arguments=("text", "a=b"))


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ("default boot\n\nlabel boot\nkernel /vmlinuz\nappend initrd=/initrd text a=b --\n", ONE),
        ("LABEL x\n  KERNEL /vmlinuz\n  INITRD /initrd\n  APPEND text a=b\n", ONE),
        ("label 1\nkernel x\nlabel 2\nlinux /vmlinuz\ninitrd /initrd\nappend text a=b\ndefault 2\n",
         ONE),
        ("label a\nkernel /k\nappend initrd=/a,/b x\n",
         Loaded(kernel="/k", initrds=("/a", "/b"), arguments=("x",))),
        ("label a\nkernel /k\n", Loaded(kernel="/k", initrds=(), arguments=())),
        ("label a\nappend x\n", None),
        ("default a\n", None),
        ("", None),
    ],
)  # fmt: skip
def test_isolinux_is_understood(text: str, loaded: Loaded | None) -> None:
    assert isolinux(text) == loaded


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ('set default=0\nmenuentry "x" {\nlinux /vmlinuz text a=b --\ninitrd /initrd\n}\n', ONE),
        ("linuxefi /vmlinuz text a=b\n\tinitrdefi /initrd\nlinux /other\n", ONE),
        ("linux /k x\ninitrd /a /b\n",
         Loaded(kernel="/k", initrds=("/a", "/b"), arguments=("x",))),
        ("linux /k\n", Loaded(kernel="/k", initrds=(), arguments=())),
        ("linux\ninitrd /a\n", None),
        ("", None),
    ],
)  # fmt: skip
def test_grub_is_understood(text: str, loaded: Loaded | None) -> None:
    assert grub(text) == loaded


def test_entry_is_read_with_all_its_lines() -> None:
    entry = Entry.parse(
        "# comment\ntitle  Ingot node\nlinux /ingot/vmlinuz\ninitrd /a\ninitrd /b\n"
        "options root=UUID=x rw\noptions quiet\nsort-key whatever\n\n"
    )
    assert entry == Entry(
        title="Ingot node",
        kernel="/ingot/vmlinuz",
        initrds=("/a", "/b"),
        options=("root=UUID=x", "rw", "quiet"),
    )


def test_entry_may_have_no_kernel() -> None:
    assert Entry.parse("options rw\n").kernel is None


@pytest.mark.parametrize(
    ("names", "pattern", "entry"),
    [
        (["b.conf", "a.conf"], "", "b.conf"),
        (["b.conf", "a.conf"], "a.conf", "a.conf"),
        (["b.conf", "a.conf"], "a", "a.conf"),
        (["x-1.conf", "x-2.conf", "y.conf"], "x-*", "x-2.conf"),
        (["a.conf"], "gone.conf", "a.conf"),
        (["readme.txt"], "", None),
        ([], "a", None),
    ],
)
def test_entry_is_chosen(names: list[str], pattern: str, entry: str | None) -> None:
    assert chosen(names, pattern) == entry


def test_default_is_read() -> None:
    assert default_pattern("timeout 2\n#default x\ndefault ingot.conf\n") == "ingot.conf"
    assert default_pattern("timeout 2\n") == ""
