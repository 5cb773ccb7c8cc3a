"""`ingot wait-for bootstrap-complete` as a real process, with a real API of the new cluster."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ingot.assets.kubeconfig import PATH as KUBECONFIG
from ingot.config.sample import sample
from ingot.installer.directory import InstallDirectory
from ingot.installer.journal import COMPLETE, VM, InstallJournal
from tests.integration.installer.destroysite import network
from tests.integration.kubeapi import kube_api

INGOT = Path(sys.executable).parent / "ingot"
WAIT = ("wait-for", "bootstrap-complete")
ENVIRONMENT = {**os.environ, "BMC_PASSWORD": "hunter2"}


@pytest.fixture
def directory(tmp_path: Path) -> InstallDirectory:
    made = InstallDirectory(tmp_path / "install")
    made.path.mkdir(mode=0o700)
    made.config_file.write_text(sample("managed"), encoding="utf-8")
    return made


def run(directory: InstallDirectory, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [INGOT, "--dir", directory.path, *WAIT, *words],
        env=ENVIRONMENT,
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )


def begin(directory: InstallDirectory, namespace: str) -> None:
    InstallJournal(directory.journal).add(VM, "began")
    uri = f"uml://{directory.path / 'vms'}?netns={namespace}&kernel={INGOT}"
    known = {"infraID": "rack1-x", "baremetal": {"libvirtURI": uri}}
    (directory.path / "metadata.json").write_text(json.dumps(known), encoding="utf-8")
    (directory.path / "auth").mkdir()


def test_where_nothing_is_made_there_is_nothing_to_wait_for(directory: InstallDirectory) -> None:
    done = run(directory)
    assert done.returncode == 1
    assert "no cluster is being made" in done.stderr


def test_a_bootstrap_that_is_complete_is_not_waited_for(directory: InstallDirectory) -> None:
    journal = InstallJournal(directory.journal)
    journal.add(VM, "began")
    journal.add(COMPLETE, "ended")
    with directory.held():  # Another command may be at work.
        done = run(directory)
    assert done.returncode == 0, done.stderr
    assert "complete" in done.stdout


def test_an_install_that_does_not_come_to_its_vm_is_given_up(directory: InstallDirectory) -> None:
    InstallJournal(directory.journal).add("images", "began")
    limits = [f"--timeout={phase}=1s" for phase in ("checks", "images", "assets")]
    done = run(directory, *limits)
    assert done.returncode == 5
    assert "images does not end" in done.stderr


def test_ctrl_c_ends_the_waiting_alone(directory: InstallDirectory) -> None:
    InstallJournal(directory.journal).add("images", "began")
    with subprocess.Popen(
        [INGOT, "--dir", directory.path, *WAIT, "-o", "json"],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as waiting:
        assert waiting.stdout is not None
        assert json.loads(waiting.stdout.readline())["message"] == "images"
        waiting.send_signal(signal.SIGINT)
        _, errors = waiting.communicate(timeout=60)
    assert waiting.returncode == 8
    assert "the install goes on" in errors


def test_what_the_bootstrap_tells_the_api_ends_the_waiting(
    directory: InstallDirectory, tmp_path: Path
) -> None:
    status = {"stage": "complete", "message": "done"}
    with network(f"ingot-wait-{os.getpid()}") as namespace, kube_api(tmp_path / "api") as api:
        api.request("POST", "/api/v1/namespaces", {"metadata": {"name": "ingot-infra"}})
        api.request(
            "POST",
            "/api/v1/namespaces/ingot-infra/configmaps",
            {"metadata": {"name": "bootstrap"}, "data": {"status": json.dumps(status)}},
        )
        begin(directory, namespace)
        shutil.copy(api.kubeconfig(), directory.path / KUBECONFIG)
        done = run(directory)
    assert done.returncode == 0, done.stderr
    assert "the bootstrap is complete" in done.stdout


def test_a_vm_that_is_gone_too_soon_is_told(directory: InstallDirectory, tmp_path: Path) -> None:
    with network(f"ingot-wait-{os.getpid()}") as namespace, kube_api(tmp_path / "api") as api:
        begin(directory, namespace)
        shutil.copy(api.kubeconfig(), directory.path / KUBECONFIG)
        done = run(directory)
    assert done.returncode == 5
    assert "the bootstrap VM is gone" in done.stderr
