"""The scripts that Ironic itself writes, from the tree that the metal3 image is made of."""

from __future__ import annotations

import tarfile
from functools import cache
from types import SimpleNamespace

import jinja2

from ingot.artefact.building import Silent, make
from ingot.artefact.store import Store
from ingot.payload.pythontree import TREE, ironic_tree

MODULES = "./opt/ironic/lib/ironic/drivers/modules"
PER_MAC = "pxelinux.cfg/"
"""Where Ironic puts the script of a card, below what HTTP serves."""


def boot_script(fallback: str | None = None) -> str:
    """Return what every machine is sent to first."""
    return _template("boot.ipxe").render(ipxe_for_mac_uri=PER_MAC, ipxe_fallback_script=fallback)


def node_script(start: str = "deploy", /, **options: object) -> str:
    """Return the script of one node, at the label that Ironic set it to."""
    known = {
        "ipxe_timeout": 60000,
        "initrd_filename": "deploy_ramdisk",
        "boot_from_volume": False,
        "boot_iso_url": None,
        **options,
    }
    rendered = _template("ipxe_config.template").render(
        pxe_options=_Options(**known), enumerate=enumerate
    )
    # Ironic does the same when a deployment is over.
    return rendered.replace("goto deploy", f"goto {start}", 1)


class _Options(SimpleNamespace):
    def __getattr__(self, name: str) -> object:
        return None


def _template(name: str) -> jinja2.Template:
    template: jinja2.Template = jinja2.Template(_source(name), keep_trailing_newline=True)
    return template


@cache
def _source(name: str) -> str:
    tree = ironic_tree()
    (made,) = make(Store(), [tree], Silent())[-1:]
    with tarfile.open(made.artefact.path / TREE) as tar:
        member = tar.extractfile(f"{MODULES}/{name}")
        assert member is not None
        return member.read().decode()
