"""`ingot lab …`: a rack of servers with BMCs on this PC."""

from __future__ import annotations

import typer

from ingot.cli.lab import creating, fault, looking, running

__all__ = ["app"]

app = typer.Typer(help="Run a rack of servers with BMCs on this PC.", no_args_is_help=True)


@app.callback()
def lab() -> None:
    """Run a rack of servers with BMCs on this PC, which can misbehave like real ones."""


app.command("create", rich_help_panel="A lab")(creating.create)
app.command("status", rich_help_panel="Its hosts")(looking.status)
app.command("power", rich_help_panel="Its hosts")(running.power)
app.command("console", rich_help_panel="Its hosts")(looking.console)
app.command(
    "exec", rich_help_panel="Its hosts", context_settings={"allow_interspersed_args": False}
)(looking.execute)
app.add_typer(fault.app, name="fault", rich_help_panel="Its hosts")
app.command("start", rich_help_panel="A lab")(running.start)
app.command("stop", rich_help_panel="A lab")(running.stop)
app.command("destroy", rich_help_panel="A lab")(running.destroy)
app.command("list", rich_help_panel="A lab")(running.list_)
