"""`ingot wait-for install-complete` as a real process, with a real API of the new cluster."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ingot.assets.kubeconfig import PATH as KUBECONFIG
from ingot.config.sample import sample
from ingot.installer.directory import InstallDirectory
from ingot.installer.journal import COMPLETE, VM, InstallJournal
from tests.integration.installer.destroysite import network
from tests.integration.installer.test_wait_for import ENVIRONMENT, INGOT, begin
from tests.integration.installer.young import SET, Young, cluster_api, young_cluster
from tests.integration.kubeapi import KubeApi

WAIT = ("wait-for", "install-complete")


@pytest.fixture
def directory(tmp_path: Path) -> InstallDirectory:
    made = InstallDirectory(tmp_path / "install")
    made.path.mkdir(mode=0o700)
    made.config_file.write_text(sample("managed"), encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with cluster_api(tmp_path_factory.mktemp("api")) as started:
        yield started


@pytest.fixture
def young(api: KubeApi) -> Iterator[Young]:
    with young_cluster(api) as cluster:
        yield cluster


def hand_over(directory: InstallDirectory, young: Young) -> None:
    """Have an install whose bootstrap has done its work, and that nobody goes on with."""
    journal = InstallJournal(directory.journal)
    journal.add(VM, "began")
    journal.add(VM, "ended")
    journal.add("clean-up", "began")
    (directory.path / "auth").mkdir()
    shutil.copy(young.api.kubeconfig(), directory.path / KUBECONFIG)


def waiting(directory: InstallDirectory, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [INGOT, "--dir", directory.path, *WAIT, *words],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def follow(process: subprocess.Popen[str], reactions: dict[str, Callable[[], None]]) -> list[str]:
    """Return the messages of a command that writes events, and react to them as they come."""
    assert process.stdout is not None
    heard = []
    for line in process.stdout:
        event = json.loads(line)
        heard.append(f"{event['type']}: {event['message']}")
        for said in [said for said in reactions if said in event["message"]]:
            reactions.pop(said)()
    process.wait(60)
    return heard


def run(directory: InstallDirectory, *words: str) -> tuple[int, str]:
    with waiting(directory, *words) as process:
        out, errors = process.communicate(timeout=120)
    return process.returncode, out + errors


def test_where_nothing_is_made_there_is_nothing_to_wait_for(directory: InstallDirectory) -> None:
    code, said = run(directory)
    assert code == 1
    assert "no cluster is being made" in said


def test_an_install_that_is_complete_is_not_waited_for(directory: InstallDirectory) -> None:
    journal = InstallJournal(directory.journal)
    journal.add(VM, "began")
    journal.add(COMPLETE, "ended")
    with directory.held():  # Another command may be at work.
        code, said = run(directory)
    assert code == 0, said
    assert "the install is complete" in said


def test_it_follows_a_cluster_until_it_is_whole(directory: InstallDirectory, young: Young) -> None:
    young.has_ready(0)
    hand_over(directory, young)
    with waiting(directory, "-o", "json") as process:
        heard = follow(
            process,
            {"0 of 2 machines": young.comes_up, "router-default: 1 of 2": young.settles},
        )
    assert process.returncode == 0
    assert f"message: {SET}: 0 of 2 machines ready" in heard
    assert "host: worker-0 available: is free" in heard
    assert "host: worker-1 provisioned: is a node" in heard
    phases = [one for one in heard if one.startswith("phase: ")]
    names = [one.split()[1] for one in phases]
    assert names[0] == "bootstrap-vm"  # It has ended long ago; of all others both ends are told.
    assert names[1:] == [
        name for name in ("clean-up", "workers", "add-ons") for _ in ("begins", "ends")
    ]


def test_it_ends_when_whoever_makes_the_cluster_says_so(
    directory: InstallDirectory, young: Young
) -> None:
    young.has_ready(0)
    hand_over(directory, young)
    journal = InstallJournal(directory.journal)
    with waiting(directory, "-o", "json") as process:
        follow(process, {"0 of 2 machines": lambda: journal.add(COMPLETE, "ended")})
    assert process.returncode == 0


def test_a_bootstrap_that_is_under_way_is_waited_for_first(
    directory: InstallDirectory, young: Young
) -> None:
    young.comes_up()
    young.settles()
    young.has_bootstrap("complete")
    with network(f"ingot-whole-{os.getpid()}") as namespace:
        begin(directory, namespace)
        shutil.copy(young.api.kubeconfig(), directory.path / KUBECONFIG)
        code, said = run(directory)
    assert code == 0, said
    assert "the install is complete" in said


@pytest.mark.parametrize(
    ("phase", "code", "seen"),
    [
        ("workers", 6, f"{SET}: 0 of 2 machines ready"),
        ("add-ons", 7, "router-default: 1 of 2 available; metal3: metal3 is starting"),
    ],
)
def test_what_is_late_ends_the_waiting_with_a_code_of_its_own(
    directory: InstallDirectory, young: Young, phase: str, code: int, seen: str
) -> None:
    young.has_ready(0)
    if phase == "add-ons":
        young.comes_up()
    hand_over(directory, young)
    ended, said = run(directory, "--timeout", f"{phase}=0s")
    assert ended == code
    assert seen in " ".join(said.split())
    assert f"--timeout {phase}=2h" in " ".join(said.split())
