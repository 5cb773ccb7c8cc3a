"""The wrapper module says what the project's own go.mod says, with released versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingot.payload import golang
from ingot.payload.golang import NoGo, find_go
from ingot.payload.gomodules import GoProject, ModuleUnreadable, wrapper
from ingot.payload.thinning import Thinned
from ingot.payload.versions import versions

GO_MOD = """\
// This is a generated file. Do not edit directly.

module k8s.io/kubernetes

go 1.26.0

godebug default=go1.26

require (
	github.com/kylelemons/godebug v1.1.0 // indirect
	k8s.io/api v0.0.0
	k8s.io/kubelet v0.0.0
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/kubelet => ./staging/src/k8s.io/kubelet
)

replace k8s.io/mount-utils => ./staging/src/k8s.io/mount-utils
"""


def project(staging_version: str = "") -> GoProject:
    return GoProject(
        "k8s.io/kubernetes",
        "v1.36.3",
        {"kubelet": "k8s.io/kubernetes/cmd/kubelet"},
        staging_version=staging_version,
    )


def test_staging_modules_are_replaced_by_released_ones() -> None:
    assert wrapper(project("v0.36.3"), GO_MOD) == (
        "module ingot.invalid/payload\n"
        "go 1.26.0\n"
        "godebug default=go1.26\n"
        "require k8s.io/kubernetes v1.36.3\n"
        "replace k8s.io/api => k8s.io/api v0.36.3\n"
        "replace k8s.io/kubelet => k8s.io/kubelet v0.36.3\n"
        "replace k8s.io/mount-utils => k8s.io/mount-utils v0.36.3\n"
        "tool k8s.io/kubernetes/cmd/kubelet\n"
    )


def test_project_without_staging_modules_replaces_nothing() -> None:
    assert "replace" not in wrapper(project(), GO_MOD)


FORKS = """\
module example.org/proxy
go 1.25.0

replace (
	example.org/mux => example.org/fork/mux v0.1.0
	example.org/old v1.0.0 => example.org/old v1.0.1 // until it is released
	example.org/part => ./part
)

replace example.org/heap => example.org/fork/heap v0.2.0
"""


def test_forks_that_the_project_builds_with_are_built_with_here_too() -> None:
    proxy = GoProject("example.org/proxy", "v1.0.0", {"proxy": "example.org/proxy"})
    lines = wrapper(proxy, FORKS).splitlines()
    assert [line for line in lines if line.startswith("replace")] == [
        "replace example.org/heap => example.org/fork/heap v0.2.0",
        "replace example.org/mux => example.org/fork/mux v0.1.0",
        "replace example.org/old v1.0.0 => example.org/old v1.0.1",
    ]


def test_thinned_module_is_taken_from_its_copy() -> None:
    thinned = Thinned("example.org/big", left_out=("huge",), instead={})
    proxy = GoProject(
        "example.org/proxy", "v1.0.0", {"proxy": "example.org/proxy"}, thinned=(thinned,)
    )
    said = wrapper(proxy, "module example.org/proxy\ngo 1.25.0\n")
    assert f"replace example.org/big => {thinned.folder}\n" in said
    assert thinned.folder.startswith("./")


def test_every_module_with_a_command_is_required_at_the_same_version() -> None:
    etcd = GoProject(
        "example.org/server/v3",
        "v3.6.8",
        {"etcd": "example.org/server/v3", "etcdctl": "example.org/etcdctl/v3"},
        more_modules=("example.org/etcdctl/v3", "example.org/server/v3"),
    )
    lines = wrapper(etcd, "module example.org/server/v3\ngo 1.24.0\n").splitlines()
    assert lines[2:4] == [
        "require example.org/etcdctl/v3 v3.6.8",
        "require example.org/server/v3 v3.6.8",
    ]


def test_go_mod_that_names_no_go_is_refused() -> None:
    with pytest.raises(ModuleUnreadable, match="has no go line"):
        wrapper(project(), "module k8s.io/kubernetes\n")


def install_go(folder: Path, said: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    go = folder / "go"
    go.write_text(f"#!/bin/sh\necho '{said}'\n", encoding="utf-8")
    go.chmod(0o755)
    return go


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in which a go can be found."""
    monkeypatch.setattr(golang, "PLACES", (tmp_path / "tools/go",))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    return tmp_path / "bin"


def test_pinned_go_is_used_as_it_is(path: Path) -> None:
    install_go(path, f"go version go{versions().go} linux/amd64")
    assert find_go().environment["GOTOOLCHAIN"] == "local"


@pytest.mark.parametrize("version", ["1.21", "1.26.7", "1.27.3"])
def test_another_go_is_told_to_fetch_the_pinned_one(path: Path, version: str) -> None:
    install_go(path, f"go version go{version} linux/amd64")
    assert find_go().environment["GOTOOLCHAIN"] == f"go{versions().go}"


def test_go_of_setup_is_used_where_the_one_on_the_path_is_too_old(
    path: Path, tmp_path: Path
) -> None:
    install_go(path, "go version go1.19.8 linux/amd64")
    ours = install_go(tmp_path / "tools", "go version go1.26.6 linux/amd64")
    assert find_go().path == ours


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        pytest.param("go version go1.19.8 linux/amd64", "is 1.19.8", id="too old"),
        pytest.param("gibberish", "of no known version", id="not Go"),
    ],
)
def test_go_that_will_not_do_is_named(path: Path, said: str, seen: str) -> None:
    install_go(path, said)
    with pytest.raises(NoGo) as refused:
        find_go()
    assert seen in refused.value.what
    assert "make setup" in refused.value.remedy


def test_machine_without_go_is_told_what_to_do(path: Path) -> None:
    del path
    with pytest.raises(NoGo) as refused:
        find_go()
    assert versions().go in refused.value.remedy
