"""Making a cluster: phase after phase, each of which looks before it acts.

Whoever is stopped runs the same command again. What is there is used: images by their content,
assets by what they were made from, the VM by its definition, and the bootstrap goes on by itself,
as does the cluster after it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from ingot.assets import kubeconfig as kubeconfig_asset
from ingot.assets import metadata
from ingot.assets.bootstrapconfig import PATH as BOOTSTRAP_IGNITION
from ingot.assets.catalogue import BOOTSTRAP_MACS
from ingot.assets.graph.files import Files
from ingot.config.model import InstallConfig
from ingot.errors import ExitCode, IngotError
from ingot.installer import bootstrapvm
from ingot.installer.apiview import ApiView, Seen
from ingot.installer.bmcchecks import check_bmcs
from ingot.installer.bootstrapvm import Cards, Parts, check_hypervisor, config_drive, vm_spec
from ingot.installer.carrying import payload
from ingot.installer.destroying import destroy_bootstrap
from ingot.installer.directory import InstallDirectory
from ingot.installer.imagewatching import ImageWatcher
from ingot.installer.journal import COMPLETE, InstallJournal
from ingot.installer.phase import Phase
from ingot.installer.progress import Listener, Progress
from ingot.installer.report import Report, report_of, write_report
from ingot.installer.roles import roles_of
from ingot.installer.settling import Settling
from ingot.installer.targets import Request, make_target
from ingot.installer.tracking import after_phase, after_troubles
from ingot.installer.vips import check_free
from ingot.installer.vmimages import VmImages, vm_images
from ingot.installer.waiting import Waiting
from ingot.installer.wipejournal import check_not_wiped
from ingot.machine.driver import Driver
from ingot.machine.hypervisor import Hypervisor, hypervisor_at

__all__ = ["Creation", "NotAnswering"]


class NotAnswering(IngotError):  # noqa: N818 - it says what was seen
    """The cluster does not answer, though it should."""

    exit_code = ExitCode.INSTALL


@dataclass(slots=True)
class Creation:
    """One run of `create cluster`.

    Attributes:
        directory: where the install's files are.
        request: what is asked for.
        limits: how long each phase may take.
        listener: told of every change.
        progress: what is known.
        report: what came of it; None until the cluster is there.
    """

    directory: InstallDirectory
    request: Request
    limits: Mapping[Phase, float]
    listener: Listener
    progress: Progress
    report: Report | None = None

    @property
    def journal(self) -> InstallJournal:
        """The journal of the install."""
        return InstallJournal(self.directory.journal)

    @property
    def config(self) -> InstallConfig:
        """The cluster as asked for."""
        return self.request.config

    @property
    def is_complete(self) -> bool:
        """Whether the cluster is there, and nothing is left to do.

        Raises:
            IngotError: it is being wiped.
        """
        check_not_wiped(self.journal)
        return self.journal.is_complete

    def run(self) -> Progress:
        """Make the cluster, or go on making it; whoever asks holds the directory."""
        check_not_wiped(self.journal)
        place = self._place("check")
        if not self.directory.has_begun:
            self._begin(Phase.CHECKS)
            check_hypervisor(place, self.config.baremetal)
            check_free(self.config)
            overcome = check_bmcs(self.config, self._say)
            self._tell(after_troubles(self.progress, *overcome))
        images = self._images(place)
        files = self._assets(place)
        infra_id = str(json.loads(files[metadata.PATH])["infraID"])
        driver = self._place(infra_id).driver
        if not self._is_handed_over():
            self._bootstrap_vm(driver, files, infra_id, images)
            self.progress = asyncio.run(self._waiting(driver).until_complete())
        self._begin(Phase.CLEAN_UP)
        seen = asyncio.run(self._answers())
        holder = seen.vip_holder or self.progress.vip_holder
        self._tell(replace(self.progress, hosts=seen.hosts, vip_holder=holder))
        destroy_bootstrap(self.directory)
        settling = self._settling()
        asyncio.run(settling.until_settled())
        self.report = report_of(self.directory, self.config, self.progress, settling.seen)
        write_report(self.directory, self.report)
        self.journal.add(COMPLETE, "ended")
        return self.progress

    def _place(self, owner: str) -> Hypervisor:
        home = self.directory.hidden / "machines"
        return hypervisor_at(self.config.baremetal.libvirt_uri, home=home, owner=owner)

    def _images(self, place: Hypervisor) -> VmImages:
        self._begin(Phase.IMAGES)
        return vm_images(place.flavour, ImageWatcher(self._say))

    def _assets(self, place: Hypervisor) -> Files:
        self._begin(Phase.ASSETS)
        made = make_target(self.directory, "cluster", self.request, payload(place.flavour))
        return made.outcome.all_files()

    def _is_handed_over(self) -> bool:
        """Return whether the bootstrap has done its work: then its VM may be half destroyed."""
        return any(entry.what == Phase.CLEAN_UP.value for entry in self.journal.entries())

    def _bootstrap_vm(self, driver: Driver, files: Files, infra_id: str, images: VmImages) -> None:
        self._begin(Phase.BOOTSTRAP_VM)
        folder = self.directory.hidden / "machines"
        folder.mkdir(mode=0o700, exist_ok=True)
        drive = config_drive(files[BOOTSTRAP_IGNITION], folder)
        cards = Cards(**json.loads(files[BOOTSTRAP_MACS]))
        spec = vm_spec(
            self.config.baremetal,
            infra_id=infra_id,
            cards=cards,
            parts=Parts(images.image, images.media, drive),
        )
        bootstrapvm.ensure(driver, spec)

    def _waiting(self, driver: Driver) -> Waiting:
        return Waiting.of(
            driver,
            bootstrapvm.NAME,
            ApiView(self.directory.path / kubeconfig_asset.PATH, roles_of(self.config)),
            limits=self.limits,
            listener=self._tell,
            progress=self.progress,
        )

    def _settling(self) -> Settling:
        return Settling.of(
            self.directory.path / kubeconfig_asset.PATH,
            self.config,
            limits=self.limits,
            listener=self._tell,
            progress=self.progress,
        )

    async def _answers(self) -> Seen:
        view = ApiView(self.directory.path / kubeconfig_asset.PATH, roles_of(self.config))
        try:
            async with asyncio.timeout(self.limits[Phase.CLEAN_UP]):
                while (seen := await view.look()) is None:  # noqa: ASYNC110 - it is elsewhere
                    await asyncio.sleep(1)
                return seen
        except TimeoutError as late:
            raise NotAnswering(
                "the bootstrap has handed over, and the API does not answer at its VIP",
                remedy="see `ingot-node vip status` on a control-plane node",
            ) from late

    def _say(self, message: str) -> None:
        self._tell(replace(self.progress, message=message))

    def _begin(self, phase: Phase) -> None:
        self._tell(after_phase(self.progress, phase, now=datetime.now(UTC)))

    def _tell(self, progress: Progress) -> None:
        self.journal.note(self.progress, progress)
        self.progress = progress
        self.listener(progress)
