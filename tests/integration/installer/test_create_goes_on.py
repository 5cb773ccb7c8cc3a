"""`create cluster` that was stopped after the hand-over, run again: a real API, and no VM left."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingot.assets.kubeconfig import PATH as KUBECONFIG
from ingot.config.sample import sample
from ingot.errors import ExitCode
from ingot.installer import creating, settling
from ingot.installer.carrying import VARIABLE, payload
from ingot.installer.creating import Creation
from ingot.installer.directory import InstallDirectory
from ingot.installer.journal import VM, InstallJournal
from ingot.installer.phase import LIMITS, Phase
from ingot.installer.progress import Progress
from ingot.installer.settling import NotStable, WorkersMissing
from ingot.installer.targets import make_target, requested
from tests.integration.installer.destroysite import network
from tests.integration.installer.test_wait_for import INGOT
from tests.integration.installer.young import Young, cluster_api, young_cluster
from tests.integration.kubeapi import KubeApi


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with cluster_api(tmp_path_factory.mktemp("api")) as started:
        yield started


@pytest.fixture
def young(api: KubeApi, monkeypatch: pytest.MonkeyPatch) -> Iterator[Young]:
    monkeypatch.setattr(settling, "LOOK_SECONDS", 0.05)
    # Images are for the VM, which is not made again; building them takes an hour.
    monkeypatch.setattr(creating, "vm_images", lambda *_: None)
    with young_cluster(api) as cluster:
        cluster.has_ready(0)
        yield cluster


@pytest.fixture
def directory(
    young: Young, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[InstallDirectory]:
    """Have an install whose bootstrap has handed over, and that was stopped right then."""
    image = tmp_path / "disk.img"
    image.write_bytes(b"not really a disk")
    monkeypatch.setenv(VARIABLE, str(image))
    monkeypatch.setenv("BMC_PASSWORD", "hunter2")
    made = InstallDirectory(tmp_path / "install")
    made.path.mkdir(mode=0o700)
    with network(f"ingot-goes-on-{os.getpid()}") as namespace:
        uri = f"uml://{tmp_path / 'machines'}?netns={namespace}&kernel={INGOT}"
        asked = sample("managed").replace(
            "  baremetal:\n", f"  baremetal:\n    libvirtURI: {uri}\n"
        )
        made.config_file.write_text(asked, encoding="utf-8")
        with made.held():
            make_target(made, "cluster", requested(made), payload("lab"))
            # What a person changes before a cluster is made is used as it is.
            shutil.copy(young.api.kubeconfig(), made.path / KUBECONFIG)
            make_target(made, "cluster", requested(made), payload("lab"))
        journal = InstallJournal(made.journal)
        for what in (Phase.IMAGES.value, Phase.ASSETS.value, VM, Phase.HAND_OVER.value):
            journal.add(what, "began")
            journal.add(what, "ended")
        journal.add(Phase.CLEAN_UP.value, "began")
        yield made


def create(
    directory: InstallDirectory,
    heard: Callable[[Progress], None] = lambda _: None,
    **limits: float,
) -> Creation:
    given = {Phase(name.replace("_", "-")): most for name, most in limits.items()}
    creation = Creation(directory, requested(directory), {**LIMITS, **given}, heard, Progress())
    with directory.held():
        assert not creation.is_complete
        creation.run()
    return creation


def test_each_run_goes_on_where_the_last_was_stopped_until_all_is_there(
    directory: InstallDirectory, young: Young
) -> None:
    with pytest.raises(WorkersMissing) as late:
        create(directory, workers=0.0)
    assert late.value.exit_code is ExitCode.INSTALL
    young.comes_up()
    with pytest.raises(NotStable) as unstable:
        create(directory, add_ons=0.0)
    assert unstable.value.exit_code is ExitCode.NOT_STABLE
    young.settles()
    told: list[Progress] = []
    done = create(directory, told.append)
    assert [one.phase for one in done.progress.phases][-3:] == list(Phase)[-3:]
    assert told[-1] == done.progress
    assert done.is_complete
    assert done.report is not None
    assert done.report.runs == 4
    written = json.loads((directory.hidden / "report.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in written["phases"]][-3:] == ["clean-up", "workers", "add-ons"]
    workers = [one for one in written["hosts"] if one["role"] == "worker"]
    assert [(one["name"], one["state"]) for one in workers] == [
        ("worker-0", "provisioned"),
        ("worker-1", "provisioned"),
    ]
    assert "inspect" in workers[0]["seconds"]
