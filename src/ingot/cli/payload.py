"""`ingot payload …`: the binaries and container images that an install carries."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ingot.cli.invocation import DirOption, LogLevelOption, Output, OutputOption
from ingot.errors import ExitCode, IngotError
from ingot.payload.source import VARIABLE, Source

if TYPE_CHECKING:
    from ingot.artefact.store import Store
    from ingot.payload.catalogue import Item

__all__ = ["SourceOption", "app", "force"]

app = typer.Typer(
    help="Get or build the binaries and container images of an install.", no_args_is_help=True
)

SourceOption = Annotated[
    Source,
    typer.Option(
        "--source",
        envvar=VARIABLE,
        help="Take binaries from their projects' releases, or compile them from Go modules.",
    ),
]


class Damaged(IngotError):  # noqa: N818 - it says what was seen
    """Something in the cache is not what was put there."""

    exit_code = ExitCode.INFRASTRUCTURE


def force(source: Source) -> None:
    """Make a choice of source hold for everything in this process."""
    if source is not Source.AUTO:
        os.environ[VARIABLE] = source.value


@app.callback()
def payload() -> None:
    """Get or build the binaries and container images of an install."""


@app.command("build")
def build(
    source: SourceOption = Source.AUTO,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME", help="Build this alone; may be given repeatedly."),
    ] = None,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Build what is missing: Kubernetes, etcd, CoreDNS, CNI plugins, containerd, images.

    What is in the cache is used. An interrupted build goes on where it was when it is run again.
    """
    from ingot.cli import building  # noqa: PLC0415 - keeps --help fast
    from ingot.payload.catalogue import PARTS  # noqa: PLC0415 - as above

    force(source)
    building.build(building.chosen(PARTS, only or []), output)


@app.command("list")
def list_(
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """List each binary and image: version, digest, size and where it came from."""
    from ingot.artefact.store import Store  # noqa: PLC0415 - keeps --help fast
    from ingot.cli.building import print_json  # noqa: PLC0415 - as above
    from ingot.payload.catalogue import items  # noqa: PLC0415 - as above

    found, missing = items(Store())
    if output is Output.JSON:
        print_json({"items": [asdict(item) for item in found], "missing": missing})
        return
    if found:
        _print_table(found)
    if missing:
        typer.echo(f"not built yet: {', '.join(missing)}; run `ingot payload build`", err=True)


def _print_table(items: list[Item]) -> None:
    from ingot.ui.console import results  # noqa: PLC0415 - slow to import
    from ingot.ui.listing import payload_table  # noqa: PLC0415 - slow to import

    results().print(payload_table(items))


@app.command("verify")
def verify(
    *,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove what is damaged, so that it is built again.")
    ] = False,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Compare every file in the cache with its digest."""
    from ingot.artefact.store import Store  # noqa: PLC0415 - keeps --help fast
    from ingot.cli.building import print_json  # noqa: PLC0415 - as above

    store = Store()
    whole = store.everything()
    damaged = {label: list[str]() for label in _not_whole(store)}
    damaged |= {one.path.name: bad for one in whole if (bad := store.verify(one))}
    if remove and damaged:
        store.prune({one.key for one in whole if one.path.name not in damaged})
    if output is Output.JSON:
        print_json({"checked": len(whole), "damaged": damaged, "removed": remove})
    else:
        for label, files in damaged.items():
            typer.echo(f"{label}: {', '.join(files) or 'not whole'}")
        typer.echo(f"{len(whole)} checked, {len(damaged)} damaged")
    if damaged and not remove:
        raise Damaged(
            f"{len(damaged)} in the cache {store.root} are not what was built",
            remedy="run `ingot payload verify --remove`, then build again; and check the disk",
        )


def _not_whole(store: Store) -> list[str]:
    known = {artefact.path for artefact in store.everything()}
    paths = store.results.iterdir() if store.results.is_dir() else []
    return sorted(path.name for path in paths if path not in known)


@app.command("prune")
def prune(
    *,
    everything_: Annotated[
        bool, typer.Option("--all", help="Remove also what the pinned versions need.")
    ] = False,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Remove from the cache what the pinned versions do not need, and what was left half done."""
    from ingot.artefact.recipe import in_order  # noqa: PLC0415 - keeps --help fast
    from ingot.artefact.store import Store  # noqa: PLC0415 - as above
    from ingot.cli.building import print_json  # noqa: PLC0415 - as above
    from ingot.osimage import catalogue as osimage  # noqa: PLC0415 - as above
    from ingot.payload import catalogue  # noqa: PLC0415 - as above
    from ingot.payload.fetching import forget_unfinished  # noqa: PLC0415 - as above
    from ingot.ui.quantities import size  # noqa: PLC0415 - as above

    wanted = (
        () if everything_ else (*catalogue.everything().values(), *osimage.everything().values())
    )
    store = Store()
    store.prepare()
    removed, freed = store.prune({recipe.key for recipe in in_order(*wanted)})
    freed += forget_unfinished(store.downloads)
    if output is Output.JSON:
        print_json({"removed": removed, "freed": freed})
    else:
        typer.echo(f"removed {removed}, freed {size(freed)}")
