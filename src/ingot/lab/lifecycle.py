"""Making a lab, starting, stopping and removing it.

Making and starting are the same: whatever is missing is made, in this order: hardware, networks,
hosts, daemon. Only who creates a lab and does not come to the end removes it again; who starts one
leaves it as it is, to be started again. One at a time, by a lock for each lab.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from ingot.artefact.building import NeedsRoot, Silent, Watcher, make
from ingot.artefact.recipe import Recipe
from ingot.artefact.store import Store
from ingot.errors import ExitCode, IngotError
from ingot.lab.chassis import PowerAction
from ingot.lab.control import Control, DaemonGone
from ingot.lab.daemon.launching import launch
from ingot.lab.drivers import (
    drivers_of,
    has_own_libvirt,
    kernel_file,
    libvirt_folder,
    machine_spec,
    own_libvirt,
    shim_file,
)
from ingot.lab.faults.book import FaultBook
from ingot.lab.faults.fault import planned_fault
from ingot.lab.labs import Lab
from ingot.lab.locking import held
from ingot.lab.networks import check_free, make_networks
from ingot.lab.plan import HostPlan, LabPlan
from ingot.lab.poweredhosts import PoweredHosts
from ingot.lab.services import PROGRAMS, site_services
from ingot.lab.traces import remove_everything
from ingot.lab.words import DriverKind
from ingot.machine import namespaces
from ingot.machine.model import Power
from ingot.process import require

__all__ = ["LabExists", "Step", "create", "destroy", "start", "stop"]

HANDS = 4
"""How many hosts are made at once: most of it is waiting for the kernel."""


class LabExists(IngotError):  # noqa: N818 - it says what was seen
    """There is a lab of that name."""

    exit_code = ExitCode.USAGE

    def __init__(self, name: str) -> None:
        super().__init__(
            f"there is a lab {name!r} already",
            remedy=f"start it with `ingot lab start --name {name}`, remove it with `ingot lab "
            f"destroy --name {name}`, or choose another name",
        )
        self.name = name


class Step(StrEnum):
    """What is being done, for whoever watches."""

    PLAN = "writing the plan"
    HARDWARE = "fetching the hardware"
    NETWORKS = "laying the networks"
    HOSTS = "building the hosts"
    DAEMON = "starting the BMCs"
    POWER = "powering hosts on"
    DONE = "done"


OnStep = Callable[[Step], None]


def _unwatched(step: Step) -> None:
    del step


def create(plan: LabPlan, *, watcher: Watcher | None = None, on_step: OnStep = _unwatched) -> Lab:
    """Make a lab, with all hosts off; what was made is removed again if anything fails.

    Args:
        plan: everything about it.
        watcher: told how building goes, where the lab kernel is not in the cache.
        on_step: told what is being done.

    Raises:
        LabExists, NetworkTaken: before anything is made.
    """
    _require_root()
    lab = Lab(plan.name)
    with held(lab):
        if lab.exists:
            raise LabExists(lab.name)
        require({**PROGRAMS, "ip": "iproute2"})
        check_free(plan)
        hardware = _hardware(plan, watcher or Silent())
        try:
            on_step(Step.PLAN)
            lab.write_plan(plan)
            on_step(Step.HARDWARE)
            _install(lab, hardware)
            _set_planned_faults(lab, plan)
            _bring_up(lab, plan, on_step)
            on_step(Step.DONE)
        except BaseException:
            # The first error is the one to tell; what it leaves, `ingot lab destroy` removes.
            with suppress(IngotError, OSError):
                remove_everything(lab)
            raise
    return lab


def start(lab: Lab, *, watcher: Watcher | None = None, on_step: OnStep = _unwatched) -> None:
    """Have a lab that works, whatever was missing of it; hosts that `stop` found on are on."""
    _require_root()
    with held(lab):
        plan = lab.plan()
        if any(not file.exists() for file in _hardware_files(lab, plan)):
            on_step(Step.HARDWARE)
            _install(lab, _hardware(plan, watcher or Silent()))
        _bring_up(lab, plan, on_step)
        on_step(Step.POWER)
        _power_on_again(lab, plan)
        on_step(Step.DONE)


def stop(lab: Lab) -> None:
    """Power all hosts off, remembering who was on, and end the daemon and the services."""
    _require_root()
    with held(lab):
        plan = lab.plan()
        try:
            Control(lab.control_socket).shut_down()
        except DaemonGone:
            lab.daemon.stop()
            _shut_down_without_daemon(lab, plan)
        lab.daemon.stop()
        site_services(plan, lab.home).stop()
        if has_own_libvirt(plan):
            own_libvirt(lab).stop()


def destroy(name: str) -> bool:
    """Remove a lab and everything of it; tell whether there was anything.

    It does not matter whether it runs, was killed, was half made or half removed, or lost all but
    its files when the PC was started over.
    """
    _require_root()
    lab = Lab(name)
    if not lab.exists:
        return False
    with held(lab):
        remove_everything(lab)
    return True


def _bring_up(lab: Lab, plan: LabPlan, on_step: OnStep) -> None:
    on_step(Step.NETWORKS)
    make_networks(plan)
    on_step(Step.HOSTS)
    if has_own_libvirt(plan):
        namespaces.inside(plan.namespace, own_libvirt(lab).start)
    _define(lab, plan)
    on_step(Step.DAEMON)
    launch(lab, plan)


def _hardware(plan: LabPlan, watcher: Watcher) -> dict[str, Path]:
    """Return what hosts are made with, built where it is not in the cache."""
    from ingot.machine.libvirt.tree import libvirt_tree  # noqa: PLC0415 - not for each command
    from ingot.machine.uml.shim import LIBRARY, fault_shim  # noqa: PLC0415 - as above
    from ingot.osimage.kernel import lab_kernel  # noqa: PLC0415 - as above

    recipes: dict[str, Recipe] = {}
    if _has_uml(plan):
        recipes |= {"linux": lab_kernel(), LIBRARY: fault_shim()}
    if has_own_libvirt(plan):
        recipes |= {"libvirt": libvirt_tree()}
    made = make(Store(), list(recipes.values()), watcher)
    paths = {one.artefact.key: one.artefact.path for one in made}
    return {
        name: paths[recipe.key] if name == "libvirt" else paths[recipe.key] / name
        for name, recipe in recipes.items()
    }


def _hardware_files(lab: Lab, plan: LabPlan) -> tuple[Path, ...]:
    uml = (kernel_file(lab), shim_file(lab)) if _has_uml(plan) else ()
    return (*uml, libvirt_folder(lab)) if has_own_libvirt(plan) else uml


def _has_uml(plan: LabPlan) -> bool:
    return any(host.driver is DriverKind.UML for host in plan.hosts)


def _install(lab: Lab, hardware: dict[str, Path]) -> None:
    for name, source in hardware.items():
        place = kernel_file(lab).with_name(name)
        place.parent.mkdir(mode=0o700, exist_ok=True)
        fresh = place.with_suffix(".new")
        if source.is_dir():
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(source)  # It is large; where it was pruned, `start` makes it again.
        else:
            shutil.copyfile(source, fresh)
            fresh.chmod(0o755)
        fresh.replace(place)


def _set_planned_faults(lab: Lab, plan: LabPlan) -> None:
    book = FaultBook(lab.faults)
    for host in plan.hosts:
        for fault in host.faults:
            book.set(planned_fault(host.name, fault))


def _define(lab: Lab, plan: LabPlan) -> None:
    drivers = drivers_of(lab, plan)

    def define(host: HostPlan) -> None:
        namespaces.inside(plan.namespace, lambda: drivers[host.name].define(machine_spec(host)))

    # Here and not in the daemon: a namespace that is made in its mounts is not seen outside.
    with ThreadPoolExecutor(HANDS) as hands:
        for done in [hands.submit(define, host) for host in plan.hosts]:
            done.result()


def _power_on_again(lab: Lab, plan: LabPlan) -> None:
    powered = PoweredHosts(lab.home)
    control = Control(lab.control_socket)
    for name in powered.remembered():
        if plan.host(name) is not None:
            control.power(name, PowerAction.ON)
    powered.forget()


def _shut_down_without_daemon(lab: Lab, plan: LabPlan) -> None:
    drivers = drivers_of(lab, plan)
    defined = [host.name for host in plan.hosts if host.name in drivers[host.name].machines()]
    on = [name for name in defined if drivers[name].power(name) is Power.ON]
    PoweredHosts(lab.home).remember(on)
    for name in on:
        drivers[name].power_off(name)


def _require_root() -> None:
    if os.geteuid() != 0:
        raise NeedsRoot(
            "only root can make networks and machines", remedy="run the same command with sudo"
        )
