"""The tree of commands."""

from __future__ import annotations

import typer
from typer.core import TyperGroup

from ingot.cli import (
    create,
    destroy,
    explain,
    graph,
    image,
    lab,
    payload,
    validate,
    version,
    waitfor,
)
from ingot.cli.invocation import DirOption, LogLevelOption
from ingot.errors import Interrupted

__all__ = ["app"]


class Commands(TyperGroup):
    """The top group; an interrupt is an outcome of its own here, with its own exit code."""

    def invoke(self, ctx: typer.Context) -> object:  # type: ignore[override]  # Typer's own is untyped
        """Run the chosen command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted("interrupted") from None


app = typer.Typer(
    name="ingot",
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


@app.callback()
def ingot(directory: DirOption = None, log_level: LogLevelOption = None) -> None:
    """A rack of servers in, a highly available Kubernetes cluster out."""


app.command("validate", rich_help_panel="Before an install")(validate.validate)
app.command("explain", rich_help_panel="Before an install")(explain.explain)
app.command("graph", rich_help_panel="Before an install")(graph.graph)
app.add_typer(create.app, name="create", rich_help_panel="Install")
app.add_typer(waitfor.app, name="wait-for", rich_help_panel="Install")
app.add_typer(destroy.app, name="destroy", rich_help_panel="Install")
app.add_typer(payload.app, name="payload", rich_help_panel="What an install carries")
app.add_typer(image.app, name="image", rich_help_panel="What an install carries")
app.add_typer(lab.app, name="lab", rich_help_panel="Without hardware")
app.command("version", rich_help_panel="About")(version.version)
