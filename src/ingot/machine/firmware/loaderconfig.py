"""What the boot loaders of an ISO are told: ISOLINUX for legacy boot, GRUB for UEFI.

Both as Ironic writes them: one entry, its arguments closed by `--`.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Loaded", "grub", "isolinux"]

_GRUB_KERNEL = ("linux", "linuxefi", "linux16")
_GRUB_INITRD = ("initrd", "initrdefi", "initrd16")


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What a boot loader loads; paths are those of the ISO."""

    kernel: str
    initrds: tuple[str, ...]
    arguments: tuple[str, ...]


def isolinux(text: str) -> Loaded | None:
    """Return what ISOLINUX boots: the default entry, or else the first."""
    default, label = "", ""
    entries: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        key, _, value = line.strip().partition(" ")
        match key.lower():
            case "default":
                default = value.strip()
            case "label":
                label = value.strip()
                entries[label] = {}
            case "kernel" | "linux" | "append" | "initrd" as word if label:
                entries[label]["kernel" if word == "linux" else word] = value.strip()
    entry = entries.get(default) or next(iter(entries.values()), {})
    if "kernel" not in entry:
        return None
    words = _until_end(entry.get("append", "").split())
    ramdisks = [entry.get("initrd", "")]
    ramdisks += [word.removeprefix("initrd=") for word in words if word.startswith("initrd=")]
    return Loaded(
        kernel=entry["kernel"],
        initrds=tuple(path for list_ in ramdisks for path in list_.split(",") if path),
        arguments=tuple(word for word in words if not word.startswith("initrd=")),
    )


def grub(text: str) -> Loaded | None:
    """Return what GRUB boots: the first entry that has a kernel."""
    loaded: Loaded | None = None
    for line in text.splitlines():
        key, *words = line.split() or [""]
        if key in _GRUB_KERNEL and words and loaded is None:
            loaded = Loaded(kernel=words[0], initrds=(), arguments=_until_end(words[1:]))
        elif key in _GRUB_INITRD and loaded:
            return Loaded(kernel=loaded.kernel, initrds=tuple(words), arguments=loaded.arguments)
    return loaded


def _until_end(words: list[str]) -> tuple[str, ...]:
    return tuple(words[: words.index("--")] if "--" in words else words)
