"""`ingot image …`: what machines boot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ingot.cli.invocation import DirOption, LogLevelOption, Output, OutputOption
from ingot.cli.payload import SourceOption, force
from ingot.errors import ExitCode, IngotError
from ingot.payload.source import Source

if TYPE_CHECKING:
    from ingot.artefact.store import Artefact

__all__ = ["app"]

app = typer.Typer(help="Build the disk images, ramdisks and kernels.", no_args_is_help=True)


class NotBuilt(IngotError):  # noqa: N818 - it says what was seen
    """An image is not in the cache."""

    exit_code = ExitCode.INFRASTRUCTURE


@app.callback()
def image() -> None:
    """Build the disk images, ramdisks and kernels that machines boot."""


@app.command("build")
def build(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="What to build.", show_default="all"),
    ] = None,
    source: SourceOption = Source.AUTO,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Build images, with everything of the payload that goes into them.

    What is in the cache is used. An interrupted build goes on where it was when it is run again.
    """
    from ingot.cli import building  # noqa: PLC0415 - keeps --help fast
    from ingot.osimage.catalogue import IMAGES  # noqa: PLC0415 - as above

    force(source)
    building.build(building.chosen(IMAGES, names or []), output)


@app.command("list")
def list_(
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """List the images: digest, size, and where each lies."""
    from ingot.artefact.store import Store  # noqa: PLC0415 - keeps --help fast
    from ingot.cli.building import print_json  # noqa: PLC0415 - as above
    from ingot.osimage.catalogue import everything  # noqa: PLC0415 - as above

    store = Store()
    found = {name: store.find(recipe) for name, recipe in everything().items()}
    if output is Output.JSON:
        print_json([_as_json(name, artefact) for name, artefact in found.items()])
        return
    from ingot.ui.console import results  # noqa: PLC0415 - slow to import
    from ingot.ui.listing import image_table  # noqa: PLC0415 - slow to import

    results().print(image_table(found))


def _as_json(name: str, artefact: Artefact | None) -> dict[str, object]:
    if artefact is None:
        return {"name": name, "built": False}
    return {
        "name": name,
        "built": True,
        "digest": f"sha256:{artefact.digest}",
        "size": artefact.size,
        "path": str(artefact.path),
        "files": {
            file: {"size": facts.size, "digest": f"sha256:{facts.sha256}"}
            for file, facts in artefact.files.items()
        },
    }


@app.command("path")
def path(
    name: Annotated[str, typer.Argument(help="An image.")],
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Print where an image lies: its file, or its folder if it has several."""
    from ingot.artefact.store import Store  # noqa: PLC0415 - keeps --help fast
    from ingot.cli.building import chosen, print_json  # noqa: PLC0415 - as above
    from ingot.osimage.catalogue import IMAGES  # noqa: PLC0415 - as above

    (recipe,) = chosen(IMAGES, [name])
    artefact = Store().find(recipe)
    if artefact is None:
        raise NotBuilt(f"{name} is not built yet", remedy=f"run `ingot image build {name}`")
    place = artefact.path
    if len(artefact.files) == 1:
        place /= next(iter(artefact.files))
    if output is Output.JSON:
        print_json({"name": name, "path": str(place)})
    else:
        typer.echo(place)
