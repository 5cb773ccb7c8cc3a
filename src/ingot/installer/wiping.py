"""Cleaning the disks of a cluster's servers, by a bootstrap VM that does nothing else.

The part that cleans disks in a cluster's life cleans them at its end too: Ironic, with its agent on
the server. So the VM boots the image that every bootstrap VM boots, with keys and hosts of its own.

Nothing of it is kept between runs but which servers are clean, in the journal of the install: a run
that was killed is gone on with by cleaning the others, by a VM that is made anew.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from ingot.assets.wipeconfig import wipe_assets
from ingot.config.model import Host, InstallConfig
from ingot.installer import bootstrapvm
from ingot.installer.apiview import ApiView
from ingot.installer.bootstrapvm import Cards, Parts, check_hypervisor, config_drive, vm_spec
from ingot.installer.carrying import payload
from ingot.installer.directory import InstallDirectory
from ingot.installer.imagewatching import ImageWatcher
from ingot.installer.journal import InstallJournal
from ingot.installer.phase import Phase
from ingot.installer.progress import HostProgress, Listener, Progress
from ingot.installer.tracking import after_phase, ended
from ingot.installer.vips import check_free
from ingot.installer.vmdriver import hypervisor_of, infra_id_of
from ingot.installer.vmimages import VmImages, vm_images
from ingot.installer.wipejournal import note_begun, note_clean, note_ended
from ingot.installer.wipeoutcome import CLEAN, Cleaned
from ingot.installer.wipewaiting import CannotWipe, WipeWait
from ingot.machine.hypervisor import Hypervisor

__all__ = ["ROLE", "Wiping", "with_hosts"]

FOLDER = "wipe"
"""Of `.ingot`, what belongs to the VM that cleans."""

ROLE = "server"
"""In the display: none of them becomes anything."""

Shown = Callable[[], AbstractContextManager[Listener]]


@dataclass(slots=True)
class Wiping:
    """One run of it.

    Attributes:
        directory: the cluster's.
        limits: how long each phase may take.
        shown: shows progress as long as it lasts.
        progress: what is known.
    """

    directory: InstallDirectory
    limits: Mapping[Phase, float]
    shown: Shown
    progress: Progress = field(default_factory=Progress)

    def prepared(self) -> VmImages:
        """Have all that can be had before anything is destroyed: the images, which take longest.

        Raises:
            CannotWipe: nothing tells which VM is this cluster's.
        """
        place = self._place()
        with self.shown() as listener:
            self._begin(Phase.IMAGES, listener)
            say = partial(self._say, listener)
            images = vm_images(place.flavour, ImageWatcher(say))
            self._tell(ended(self.progress, now=datetime.now(UTC)), listener)
        return images

    def clean(self, config: InstallConfig, images: VmImages) -> Cleaned:
        """Clean the disks of a config's hosts, which are off, and of which no VM is left.

        Whoever asks removes the VM.

        Raises:
            CannotWipe: the VM did not come as far as the servers.
            VipTaken: a server of the cluster still runs.
            HypervisorError: the VM cannot be made.
        """
        journal = InstallJournal(self.directory.journal)
        note_begun(journal)
        with self.shown() as listener:
            self._begin(Phase.ASSETS, listener)
            place = self._place()
            check_hypervisor(place, config.baremetal)
            check_free(config)
            names = tuple(host.name for host in config.baremetal.hosts)
            kubeconfig = self._vm(config, place, images, listener)
            view = ApiView(kubeconfig, dict.fromkeys(names, ROLE))
            wait = WipeWait(self.limits, partial(self._follow, listener), self.progress)
            found = asyncio.run(wait.until_clean(place.driver, view, names))
            self._tell(ended(self.progress, now=datetime.now(UTC)), listener)
        note_clean(journal, found.names)
        note_ended(journal)
        return found

    def _place(self) -> Hypervisor:
        """Return where the VM is made: where it will be looked for, whatever the file says now."""
        place = hypervisor_of(self.directory)
        if place is None:
            raise CannotWipe(
                f"{self.directory.path} has no metadata.json, and nothing was destroyed",
                remedy="put it back; or run it without --wipe, and the disks stay as they are",
            )
        return place

    def _vm(
        self, config: InstallConfig, place: Hypervisor, images: VmImages, listener: Listener
    ) -> Path:
        """Have the VM, running, and return how its API is reached."""
        made = wipe_assets(
            config, payload(place.flavour), random=secrets.token_bytes, now=datetime.now(UTC)
        )
        self._begin(Phase.BOOTSTRAP_VM, listener)
        machines, own = self.directory.hidden / "machines", self.directory.hidden / FOLDER
        shutil.rmtree(own, ignore_errors=True)
        for folder in (machines, own):
            folder.mkdir(mode=0o700, exist_ok=True)
        kubeconfig = own / "kubeconfig"
        kubeconfig.touch(mode=0o600)
        kubeconfig.write_bytes(made.kubeconfig)
        spec = vm_spec(
            config.baremetal,
            infra_id=infra_id_of(self.directory) or "",
            cards=Cards(**asdict(made.macs)),
            parts=Parts(images.image, images.media, config_drive(made.ignition, machines)),
        )
        bootstrapvm.ensure(place.driver, spec)
        return kubeconfig

    def _follow(self, listener: Listener, progress: Progress) -> None:
        journal = InstallJournal(self.directory.journal)
        note_clean(journal, _clean(progress.hosts) - _clean(self.progress.hosts))
        self._tell(progress, listener)

    def _say(self, listener: Listener, message: str) -> None:
        self._tell(replace(self.progress, message=message), listener)

    def _begin(self, phase: Phase, listener: Listener) -> None:
        self._tell(after_phase(self.progress, phase, now=datetime.now(UTC)), listener)

    def _tell(self, progress: Progress, listener: Listener) -> None:
        self.progress = progress
        listener(progress)


def with_hosts(config: InstallConfig, hosts: Sequence[Host]) -> InstallConfig:
    """Return a config that has these hosts, and no others."""
    baremetal = config.baremetal.model_copy(update={"hosts": tuple(hosts)})
    platform = config.platform.model_copy(update={"baremetal": baremetal})
    return config.model_copy(update={"platform": platform})


def _clean(hosts: Sequence[HostProgress]) -> set[str]:
    return {host.name for host in hosts if host.state == CLEAN}
