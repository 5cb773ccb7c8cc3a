"""`ingot create cluster`."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ingot.cli.building import ended_by_signals
from ingot.cli.invocation import Output
from ingot.cli.problems import print_problems
from ingot.errors import Interrupted

if TYPE_CHECKING:
    from ingot.installer.report import Report

__all__ = ["create"]


def create(directory: Path, *, timeouts: list[str], output: Output) -> None:
    """Make a cluster, or go on making it, and tell how it goes.

    Raises:
        Interrupted: by Ctrl-C, or by a signal to end.
    """
    from ingot.installer.creating import Creation  # noqa: PLC0415 - keeps --help fast
    from ingot.installer.directory import InstallDirectory  # noqa: PLC0415 - as above
    from ingot.installer.phase import limits_from  # noqa: PLC0415 - as above
    from ingot.installer.progress import Progress  # noqa: PLC0415 - as above
    from ingot.installer.targets import ConfigInvalid, requested  # noqa: PLC0415 - as above
    from ingot.ui.install import displaying  # noqa: PLC0415 - slow to import

    limits = limits_from(timeouts)
    place = InstallDirectory(directory)
    with ended_by_signals():
        try:
            request = requested(place)
            with place.held(), displaying(as_json=output is Output.JSON) as display:
                creation = Creation(place, request, limits, display.show, Progress())
                if creation.is_complete:
                    typer.echo(f"the cluster is there already: see {directory}/auth/kubeconfig")
                    return
                creation.run()
            if creation.report is not None:
                _tell(creation.report, output)
        except ConfigInvalid as invalid:
            print_problems(invalid.report, str(place.config_file), err=True)
            raise
        except KeyboardInterrupt:
            raise Interrupted(
                "interrupted; the install goes on by itself where it can",
                remedy="run `ingot create cluster` again: it continues",
            ) from None


def _tell(report: Report, output: Output) -> None:
    """Print the report; for machines it is the last event."""
    if output is Output.JSON:
        from ingot.installer.report import as_json  # noqa: PLC0415 - as above

        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        typer.echo(
            json.dumps({"at": at, "phase": None, "type": "report", "report": as_json(report)})
        )
        return
    from ingot.ui.console import results  # noqa: PLC0415 - slow to import
    from ingot.ui.report import print_report  # noqa: PLC0415 - as above

    print_report(report, results())
