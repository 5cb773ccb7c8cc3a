"""Fields of other products, and fields whose part is not built yet."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

from ingot.config.model import InstallConfig, Role
from ingot.config.model.section import NotYet, OpenShiftOnly, Section
from ingot.config.problem import Path, at, error, spell, warning
from ingot.config.registry import Findings, check, retire

retire(
    "M5", "M6", "M9", "M10", "M11", "M12", "M13", "M14",
    reason="arbiters and fencing are refused as a whole (U1, U2).",
)  # fmt: skip
retire("M7", reason="diskSetup is refused as a whole (U5).")
retire("B12", "B13", reason="BGP is refused as a whole (U4).")


Mark: TypeAlias = OpenShiftOnly | NotYet


@cache
def _marked(section: type[Section]) -> tuple[tuple[str, str, Mark], ...]:
    """Return the fields of a section that carry a mark: attribute, name in the file, the mark."""
    return tuple(
        (name, info.alias or name, mark)
        for name, info in section.model_fields.items()
        for mark in info.metadata
        if isinstance(mark, OpenShiftOnly | NotYet)
    )


def _sections(config: InstallConfig) -> Iterator[tuple[Path, Section]]:
    yield (), config
    yield ("networking",), config.networking
    yield ("controlPlane",), config.control_plane
    for index, pool in enumerate(config.compute):
        yield ("compute", index), pool
    yield at(), config.baremetal
    for index, host in enumerate(config.baremetal.hosts):
        yield at("hosts", index), host


def _given(config: InstallConfig) -> Iterator[tuple[Path, Mark]]:
    for path, section in _sections(config):
        for name, written, mark in _marked(type(section)):
            if getattr(section, name) is not None:
                yield (*path, written), mark


@check("O1", "Fields that only OpenShift has are accepted and have no effect (one warning).")
def openshift_fields_have_no_effect(config: InstallConfig) -> Findings:
    paths = [path for path, mark in _given(config) if isinstance(mark, OpenShiftOnly)]
    if config.networking.network_observability is not None:
        paths.append(("networking", "networkObservability"))
    if paths:
        names = ", ".join(sorted(spell(path) for path in paths))
        yield warning(
            paths[0],
            f"fields that only OpenShift has are ignored: {names}",
            "nothing needs to be done",
        )


def _refused(config: InstallConfig, rule: str) -> Findings:
    for path, mark in _given(config):
        if isinstance(mark, NotYet) and mark.rule == rule:
            yield error(path, mark.sentence, f"remove {spell(path)}")


@check("U1", "There is no arbiter: not built yet.")
def arbiter_is_not_built(config: InstallConfig) -> Findings:
    yield from _refused(config, "U1")
    for index, host in enumerate(config.baremetal.hosts):
        if host.role is Role.ARBITER:
            yield error(
                at("hosts", index, "role"),
                f"host {host.name!r} is an arbiter, and arbiters are not built yet",
                "make it a master or a worker",
            )


@check("U2", "There is no fencing: not built yet.")
def fencing_is_not_built(config: InstallConfig) -> Findings:
    yield from _refused(config, "U2")


@check("U4", "Virtual IPs are not announced by BGP: not built yet.")
def bgp_is_not_built(config: InstallConfig) -> Findings:
    yield from _refused(config, "U4")


@check("U5", "Extra disks are not set up: not built yet.")
def disk_setup_is_not_built(config: InstallConfig) -> Findings:
    yield from _refused(config, "U5")
