"""How targets are made and told: what `create manifests` and `create ignition-configs` share."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import typer

from ingot.cli.building import ended_by_signals, print_json
from ingot.cli.invocation import Output
from ingot.cli.problems import print_problems
from ingot.errors import Interrupted

if TYPE_CHECKING:
    from pathlib import Path

    from ingot.assets.graph.asset import Asset
    from ingot.installer.targets import Made

__all__ = ["make"]

QUIET_SECONDS = 2.0
"""What takes longer is told of."""


def make(directory: Path, target: str, output: Output) -> None:
    """Make a target in a directory and tell what came of it.

    Raises:
        Interrupted: by Ctrl-C, or by a signal to end.
    """
    from ingot.installer.carrying import payload  # noqa: PLC0415 - keeps --help fast
    from ingot.installer.directory import InstallDirectory  # noqa: PLC0415 - as above
    from ingot.installer.targets import ConfigInvalid, make_target, requested  # noqa: PLC0415
    from ingot.machine.hypervisor import hypervisor_at  # noqa: PLC0415 - as above

    place = InstallDirectory(directory)
    began = time.monotonic()

    def tell(asset: Asset) -> None:
        if time.monotonic() - began > QUIET_SECONDS:
            typer.echo(f"making {asset.name}: {asset.about}", err=True)

    def tell_reading(path: Path) -> None:
        typer.echo(f"reading {path}", err=True)

    with ended_by_signals():
        try:
            request = requested(place)
            uri = request.config.baremetal.libvirt_uri
            hypervisor = hypervisor_at(uri, home=place.hidden / "machines", owner="check")
            carried = payload(hypervisor.flavour, on_read=tell_reading)
            with place.held():
                made = make_target(place, target, request, carried, on_make=tell)
        except ConfigInvalid as invalid:
            print_problems(invalid.report, str(place.config_file), err=True)
            raise
        except KeyboardInterrupt:
            raise Interrupted(
                "interrupted; nothing is half made", remedy="run the same command again"
            ) from None
    if output is Output.JSON:
        print_json(_as_json(directory, target, made))
    else:
        _print(directory, made)


def _as_json(directory: Path, target: str, made: Made) -> dict[str, object]:
    outcome = made.outcome
    return {
        "target": target,
        "directory": str(directory),
        "made": list(outcome.made),
        "kept": [name for name in outcome.files if name not in outcome.made],
        "written": sorted(outcome.writes),
        "removed": list(outcome.removes),
        "yours": [{"path": one.path, "what": one.touch.value} for one in outcome.notes],
        "unused": list(made.unused),
    }


def _print(directory: Path, made: Made) -> None:
    outcome = made.outcome
    for note in outcome.notes:
        typer.echo(str(note))
    for path in made.unused:
        typer.echo(f"{path} is not a manifest, as its name does not end in .yaml: not used")
    for path in outcome.removes:
        typer.echo(f"{path} is not needed any more: removed")
    count = len(outcome.writes)
    if not count:
        typer.echo(f"nothing to write: all files in {directory} are as they should be")
        return
    groups: dict[str, int] = {}
    for path in outcome.writes:
        folder, slash, _ = path.partition("/")
        groups[folder + slash] = groups.get(folder + slash, 0) + 1
    named = ", ".join(
        f"{name} ({number})" if name.endswith("/") else name
        for name, number in sorted(groups.items())
    )
    typer.echo(f"wrote {count} {'file' if count == 1 else 'files'} to {directory}: {named}")
