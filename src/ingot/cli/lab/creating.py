"""`ingot lab create`: everything is decided and checked first, then made."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingot.cli import invocation
from ingot.cli.invocation import DirOption, LogLevelOption, Output, OutputOption
from ingot.cli.problems import as_json, counted, print_problems
from ingot.errors import ExitCode, Interrupted
from ingot.lab.words import BmcChoice, DriverKind, ProvisioningMode

if TYPE_CHECKING:
    from ingot.config.problem import Report
    from ingot.lab.plan import LabPlan

__all__ = ["create"]

FILE = "lab.yaml"


def create(  # noqa: PLR0913 - one for each option
    ctx: typer.Context,
    *,
    name: Annotated[
        str | None, typer.Option("--name", help="What to call the lab.", show_default="lab")
    ] = None,
    control_plane: Annotated[
        int | None,
        typer.Option("--control-plane", help="Hosts for the control plane.", show_default="3"),
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", help="Hosts for workers.", show_default="2")
    ] = None,
    spares: Annotated[
        int | None,
        typer.Option("--spares", help="Hosts to scale up with later.", show_default="0"),
    ] = None,
    driver: Annotated[
        DriverKind | None,
        typer.Option(
            "--driver",
            help="What runs hosts.",
            show_default="libvirt where KVM and libvirt can be used, else uml",
        ),
    ] = None,
    bmc: Annotated[
        BmcChoice | None,
        typer.Option("--bmc", help="How BMCs are spoken to.", show_default="redfish"),
    ] = None,
    network: Annotated[
        ProvisioningMode | None,
        typer.Option(
            "--network", help="Who serves the provisioning network.", show_default="managed"
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "-f",
            "--file",
            help="A description that says more; - reads standard input.",
            show_default="lab.yaml in --dir, if there is one",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over an install-config.yaml in --dir.")
    ] = False,
    output: OutputOption = Output.TEXT,
    directory: DirOption = None,
    log_level: LogLevelOption = None,
) -> None:
    """Create a lab: networks, hosts with empty disks, BMCs, and an install-config.yaml for it.

    Hosts are off when it is done. Options win over the description. Everything is checked before
    anything is made.
    """
    place = invocation.of(ctx).directory
    options: dict[str, object] = {
        field: value
        for field, value in {
            "name": name,
            "control_plane": control_plane,
            "workers": workers,
            "spares": spares,
            "driver": driver,
            "bmc": bmc,
            "provisioning_network": network,
        }.items()
        if value is not None
    }
    from ingot.lab.locking import choosing_networks  # noqa: PLC0415 - keeps --help fast

    with choosing_networks(on_wait=_tell_of_waiting):
        plan = _planned(_description(file, place), options, place, output)
        _make(plan, place, force=force)
    _tell(plan, place, output)


def _tell_of_waiting() -> None:
    typer.echo("waiting until another lab is made", err=True)


def _description(file: Path | None, place: Path) -> Path | None:
    if file is not None:
        return file
    return place / FILE if (place / FILE).exists() else None


def _planned(file: Path | None, options: dict[str, object], place: Path, output: Output) -> LabPlan:
    """Return the plan, or end the command with everything that is wrong with the description."""
    from ingot.lab.loading import load_file  # noqa: PLC0415 - keeps --help fast
    from ingot.lab.planning import plan  # noqa: PLC0415 - as above
    from ingot.lab.surroundings import best_driver, taken_networks  # noqa: PLC0415 - as above

    loaded = load_file(file, options, driver=best_driver())
    shown = "options" if file is None else "stdin" if str(file) == "-" else str(file)
    if loaded.lab is None or not loaded.report.valid:
        _refuse(loaded.report, shown, output)
        raise typer.Exit(ExitCode.USAGE if file is None else ExitCode.INSTALL_CONFIG)
    print_problems(loaded.report, shown, err=True)
    return plan(loaded.lab, directory=place.resolve(), taken=taken_networks())


def _refuse(report: Report, shown: str, output: Output) -> None:
    if output is Output.JSON:
        from ingot.cli.building import print_json  # noqa: PLC0415 - keeps --help fast

        print_json(as_json(report))
        return
    print_problems(report, shown)
    verdict = "make no lab" if shown == "options" else "is not valid"
    typer.echo(typer.style(f"{shown} {verdict}", fg="red", bold=True) + f" ({counted(report)})")


def _make(plan: LabPlan, place: Path, *, force: bool) -> None:
    from ingot.cli.building import ended_by_signals  # noqa: PLC0415 - keeps --help fast
    from ingot.lab import installconfig, lifecycle, sshkey  # noqa: PLC0415 - as above
    from ingot.lab.checks import check_fit  # noqa: PLC0415 - as above
    from ingot.lab.labs import Lab  # noqa: PLC0415 - as above
    from ingot.lab.surroundings import look_around  # noqa: PLC0415 - as above
    from ingot.ui.lab import creating  # noqa: PLC0415 - slow to import

    if Lab(plan.name).exists:
        raise lifecycle.LabExists(plan.name)
    check_fit(plan, look_around())
    if not force:
        installconfig.check_place(place, plan.name)
    config = place / installconfig.FILE
    before = config.read_bytes() if config.exists() else None
    installconfig.write(plan, config, ssh_key=sshkey.public_key(place))
    try:
        with ended_by_signals(), creating(plan.name) as watching:
            lifecycle.create(plan, watcher=watching.builds, on_step=watching.step)
    except BaseException as failed:
        # An install-config of a lab that is not there would only mislead.
        with suppress(OSError):
            config.unlink()
            if before is not None:
                config.write_bytes(before)
        if isinstance(failed, KeyboardInterrupt):
            raise Interrupted(
                f"making the lab {plan.name!r} was interrupted; what was made is removed again",
                remedy="run the same command again",
            ) from None
        raise


def _tell(plan: LabPlan, place: Path, output: Output) -> None:
    if output is Output.JSON:
        from ingot.cli.building import print_json  # noqa: PLC0415 - keeps --help fast

        print_json(_as_json(plan, place))
        return
    from ingot.ui.console import results  # noqa: PLC0415 - slow to import
    from ingot.ui.lab import created  # noqa: PLC0415 - slow to import

    results().print(created(plan, place))


def _as_json(plan: LabPlan, place: Path) -> dict[str, object]:
    from ingot.lab.installconfig import FILE as INSTALL_CONFIG  # noqa: PLC0415 - keeps --help fast

    content = plan.model_dump(mode="json", exclude={"directory"})
    for host in content["hosts"]:
        del host["bmc"]["password"]  # It is in the install-config, for its owner alone.
    return {**content, "install_config": str((place / INSTALL_CONFIG).resolve())}
