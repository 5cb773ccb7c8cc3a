"""Commands that fetch images and start them."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from ingot.machine.firmware.console import size_of
from ingot.machine.firmware.ipxe.flowcommands import milliseconds
from ingot.machine.firmware.ipxe.options import BadOption, split_options
from ingot.machine.firmware.ipxe.outcome import Boot
from ingot.machine.firmware.ipxe.script import Script
from ingot.machine.firmware.ipxe.session import Command, Image, Left, ScriptDone, Shell
from ingot.machine.firmware.kernelfile import check_kernel, is_script
from ingot.machine.firmware.target import NotBootable, Target
from ingot.machine.model import BootSource

__all__ = ["IMAGES"]

FIRST_DRIVE = 0x80
"""The number that a BIOS gives the first disk."""
_FLAGS = {"autofree": "a", "replace": "r"}
_VALUES = {"name": "n", "timeout": "t"}


def _fetched(shell: Shell, words: tuple[str, ...]) -> tuple[Image, dict[str, str]]:
    """Return the image that a command names: one that is there, or a new one by its URL."""
    given, rest = split_options(words, flags=_FLAGS, values=_VALUES)
    if not rest:
        raise BadOption("takes the URL or the name of an image")
    source, *arguments = rest
    there = shell.session.image(source)
    if there:
        there.arguments = tuple(arguments) or there.arguments
        return there, given
    url, path = shell.session.fetch(source, stall=milliseconds(given.get("timeout")))
    name = given.get("name") or unquote(urlsplit(url).path.rpartition("/")[2])
    return Image(name, url, path, tuple(arguments)), given


def _keep(shell: Shell, image: Image) -> None:
    if image not in shell.session.images:
        shell.session.images.append(image)


def _kernel(shell: Shell, words: tuple[str, ...]) -> int:
    image, _ = _fetched(shell, words)
    _keep(shell, image)
    shell.session.selected = image
    return 0


def _initrd(shell: Shell, words: tuple[str, ...]) -> int:
    image, _ = _fetched(shell, words)
    _keep(shell, image)
    return 0


def _imgargs(shell: Shell, words: tuple[str, ...]) -> int:
    image = shell.session.image(words[0]) if words else None
    if image is None:
        raise BadOption("there is no such image")
    image.arguments = words[1:]
    return 0


def _imgfree(shell: Shell, words: tuple[str, ...]) -> int:
    if words and shell.session.image(words[0]) is None:
        raise BadOption(f"there is no image {words[0]!r}")
    shell.session.forget(words[0] if words else None)
    return 0


def _imgstat(shell: Shell, _words: tuple[str, ...]) -> int:
    for image in shell.session.images:
        selected = " [selected]" if image is shell.session.selected else ""
        arguments = f" {' '.join(image.arguments)!r}" if image.arguments else ""
        size = size_of(image.path.stat().st_size)
        shell.session.machine.say(f"{image.name}: {size}{selected}{arguments}")
    return 0


def _boot(shell: Shell, words: tuple[str, ...]) -> int:
    _, rest = split_options(words, flags=_FLAGS, values=_VALUES)
    if rest:
        return _chain(shell, words)
    if shell.session.selected is None:
        raise NotBootable("there is no kernel to boot")
    return _start(shell, shell.session.selected)


def _chain(shell: Shell, words: tuple[str, ...]) -> int:
    image, given = _fetched(shell, words)
    result = _start(shell, image)
    if "replace" in given:
        raise ScriptDone(result)
    return result


def _start(shell: Shell, image: Image) -> int:
    """Run a script, or leave for a kernel with all other images as its ramdisks."""
    with image.path.open("rb") as file:
        head = file.read(16)
    if is_script(head):
        # A script that is started is no image any more, or `boot` would take it for a ramdisk.
        shell.session.images = [one for one in shell.session.images if one is not image]
        return shell.run(Script.parse(image.path.read_bytes(), image.url))
    check_kernel(image.path, image.url)
    raise Left(
        Boot(
            Target(
                source=BootSource.NETWORK,
                kernel=image.path,
                initrds=tuple(one.path for one in shell.session.images if one is not image),
                arguments=image.arguments,
            )
        )
    )


def _sanboot(shell: Shell, words: tuple[str, ...]) -> int:
    given, rest = split_options(
        words,
        flags={"no-describe": "n", "keep": "k"},
        values={"drive": "d", "filename": "f", "label": "l", "uuid": "u"},
    )
    if rest:
        if urlsplit(rest[0]).scheme not in ("", "http", "https", "tftp"):
            raise NotBootable(f"{rest[0]}: no such network storage here")
        _, path = shell.session.fetch(rest[0], stall=None)
        raise Left(Boot(shell.session.machine.disc(path)))
    try:
        drive = int(given.get("drive", hex(FIRST_DRIVE)), 0)
    except ValueError as wrong:
        raise BadOption(f"{given['drive']!r} is not a drive") from wrong
    raise Left(Boot(shell.session.machine.local_disk(drive - FIRST_DRIVE)))


IMAGES: dict[str, Command] = {
    "boot": _boot,
    "chain": _chain,
    "imgargs": _imgargs,
    "imgexec": _boot,
    "imgfetch": _initrd,
    "imgfree": _imgfree,
    "imgload": _kernel,
    "imgselect": _kernel,
    "imgstat": _imgstat,
    "initrd": _initrd,
    "kernel": _kernel,
    "module": _initrd,
    "sanboot": _sanboot,
}
