"""The install directory on a real file system: killed, filled, held, and misused."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from ingot.assets.graph.making import Outcome, Present, make
from ingot.installer.directory import (
    DirectoryInUse,
    DirectoryUnusable,
    InstallDirectory,
    StateUnusable,
)
from tests.unit.assets.graph.smallgraph import counting, small_graph, sources

GRAPH = small_graph()
PLACES = [place for asset in GRAPH if asset.shown for place in asset.places]
FEW_STEPS = 30
"""More renames and removals than any run here has."""


@pytest.fixture
def directory(tmp_path: Path) -> InstallDirectory:
    return InstallDirectory(tmp_path / "install")


def run(directory: InstallDirectory, name: str = "ab", *, seed: int = 0) -> Outcome:
    random = counting()
    for _ in range(seed):
        random(8)
    with directory.held():
        present = Present(directory.state(), directory.found(PLACES))
        outcome = make(GRAPH, "all", sources=sources(name, random=random), present=present)
        directory.settle(outcome)
    return outcome


def killed_run(directory: InstallDirectory, step: int, name: str) -> bool:
    """Kill a run before one of its renames or removals; return whether it came so far."""
    child = os.fork()
    if child == 0:
        die_at(step)
        run(directory, name, seed=100)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def die_at(step: int) -> None:
    """Have this process killed at a step, as nothing but the kernel can do it."""
    done = 0

    def counted(act: Callable[..., object]) -> Callable[..., object]:
        def stepping(*args: object, **kwargs: object) -> object:
            nonlocal done
            if done == step:
                os.kill(os.getpid(), signal.SIGKILL)
            done += 1
            return act(*args, **kwargs)

        return stepping

    Path.replace = counted(Path.replace)  # type: ignore[method-assign, assignment]
    Path.unlink = counted(Path.unlink)  # type: ignore[method-assign, assignment]


def shown(directory: InstallDirectory, outcome: Outcome) -> None:
    """Check that the directory holds what was made, and nothing else."""
    made = {
        path: content
        for asset in GRAPH
        if asset.shown
        for path, content in outcome.files[asset.name].items()
    }
    on_disk = {
        path.relative_to(directory.path).as_posix(): path.read_bytes()
        for path in directory.path.rglob("*")
        if path.is_file() and ".ingot" not in path.parts
    }
    assert on_disk == made
    assert on_disk["tls/ca.key"] in on_disk["tls/admin.crt"]


@pytest.mark.parametrize("step", range(FEW_STEPS))
def test_a_first_run_that_is_killed_is_not_taken_for_a_person(
    step: int, directory: InstallDirectory
) -> None:
    if not killed_run(directory, step, "ab"):
        return
    outcome = run(directory, "ab")
    assert outcome.notes == ()
    shown(directory, outcome)


@pytest.mark.parametrize("step", range(FEW_STEPS))
def test_a_later_run_that_is_killed_neither(step: int, directory: InstallDirectory) -> None:
    first = run(directory, "ab")
    if not killed_run(directory, step, "bc"):
        return
    outcome = run(directory, "bc")
    assert outcome.notes == ()
    assert outcome.files["key"] == first.files["key"]
    shown(directory, outcome)


def test_runs_have_fewer_steps_than_are_tried(directory: InstallDirectory) -> None:
    run(directory, "ab")
    assert not killed_run(directory, FEW_STEPS - 1, "bc")


def test_what_is_made_is_for_the_owner_alone(directory: InstallDirectory) -> None:
    before = os.umask(0)
    try:
        run(directory)
    finally:
        os.umask(before)
    for path in [directory.path, *directory.path.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_a_directory_that_is_there_keeps_its_mode(directory: InstallDirectory) -> None:
    directory.path.mkdir(mode=0o755)
    run(directory)
    assert stat.S_IMODE(directory.path.stat().st_mode) == 0o755
    assert stat.S_IMODE((directory.path / "tls").stat().st_mode) == 0o700


def test_a_second_command_is_refused_and_told_who_is_at_work(directory: InstallDirectory) -> None:
    with (
        directory.held(),
        pytest.raises(DirectoryInUse, match=rf"process {os.getpid()} \(`"),
        InstallDirectory(directory.path).held(),
    ):
        pass
    with directory.held():
        pass


def test_links_are_followed_when_read_and_replaced_when_written(
    directory: InstallDirectory, tmp_path: Path
) -> None:
    run(directory)
    elsewhere = tmp_path / "elsewhere.yaml"
    elsewhere.write_bytes(b"mine")
    (directory.path / "manifests/mine.yaml").symlink_to(elsewhere)
    assert run(directory).files["manifests"]["manifests/mine.yaml"] == b"mine"
    key = directory.path / "tls/ca.key"
    content = key.read_bytes()
    key.unlink()
    key.symlink_to(tmp_path / "nowhere")
    run(directory)
    assert not key.is_symlink()
    assert key.read_bytes() == content


def test_what_is_no_file_is_not_one_of_the_manifests(directory: InstallDirectory) -> None:
    run(directory)
    folder = directory.path / "manifests"
    (folder / "folder.yaml").mkdir()
    os.mkfifo(folder / "pipe.yaml")
    (folder / "mine.yml").touch()
    (folder / ".mine.yaml.swp").touch()
    assert run(directory).notes == ()
    assert directory.unused(["manifests/*.yaml"]) == ["manifests/mine.yml"]


def test_a_file_that_is_far_too_large_is_refused(directory: InstallDirectory) -> None:
    run(directory)
    with (directory.path / "manifests/huge.yaml").open("wb") as file:
        file.truncate(17 * 1024 * 1024)
    with pytest.raises(DirectoryUnusable, match=r"huge\.yaml has more than 16 MiB"):
        run(directory)


def test_what_is_in_the_way_is_named(directory: InstallDirectory) -> None:
    directory.path.mkdir()
    (directory.path / "tls").touch()
    with pytest.raises(DirectoryUnusable, match="tls cannot be written: File exists"):
        run(directory)
    assert not directory.state_file.exists()


def test_a_state_of_a_later_version_is_left_alone(directory: InstallDirectory) -> None:
    run(directory)
    directory.state_file.write_bytes(b'{"format": 99, "sha256": ""}\n{}\n')
    with pytest.raises(StateUnusable, match="a later version of Ingot"):
        run(directory)


def test_the_config_that_was_used_is_kept(directory: InstallDirectory) -> None:
    run(directory)
    assert directory.state().config == b"ab example.com"
