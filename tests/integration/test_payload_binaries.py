"""The real binaries, from the cache of whoever runs this; the first time they are built."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ingot.artefact.building import Silent, make
from ingot.artefact.recipe import Recipe
from ingot.artefact.store import Store
from ingot.payload.binaries import BINARIES, cni_plugins
from ingot.payload.source import Source
from ingot.payload.versions import versions

PINNED = versions()
VERSIONS = [
    ("kubernetes", ["kube-apiserver", "--version"], f"Kubernetes v{PINNED.kubernetes}"),
    ("kubernetes", ["kube-controller-manager", "--version"], f"Kubernetes v{PINNED.kubernetes}"),
    ("kubernetes", ["kube-proxy", "--version"], f"Kubernetes v{PINNED.kubernetes}"),
    ("kubernetes", ["kube-scheduler", "--version"], f"Kubernetes v{PINNED.kubernetes}"),
    ("kubernetes", ["kubelet", "--version"], f"Kubernetes v{PINNED.kubernetes}"),
    ("kubernetes", ["kubeadm", "version", "-o", "short"], f"v{PINNED.kubernetes}"),
    ("kubernetes", ["kubectl", "version", "--client"], f"Client Version: v{PINNED.kubernetes}"),
    ("kubernetes", ["pause", "-v"], f"pause.c v{PINNED.pause_tag}"),
    ("etcd", ["etcd", "--version"], f"etcd Version: {PINNED.etcd}"),
    ("etcd", ["etcdctl", "version"], f"etcdctl version: {PINNED.etcd}"),
    ("etcd", ["etcdutl", "version"], f"etcdutl version: {PINNED.etcd}"),
    ("coredns", ["coredns", "-version"], f"CoreDNS-{PINNED.coredns}"),
    ("cni-plugins", ["bridge", "--version"], f"CNI bridge plugin v{PINNED.cni_plugins}"),
    ("cni-plugins", ["host-local", "--version"], f"CNI host-local plugin v{PINNED.cni_plugins}"),
    ("cni-plugins", ["loopback", "--version"], f"CNI loopback plugin v{PINNED.cni_plugins}"),
    ("cni-plugins", ["portmap", "--version"], f"CNI portmap plugin v{PINNED.cni_plugins}"),
    ("containerd", ["containerd", "--version"], f"v{PINNED.containerd}"),
    ("containerd", ["ctr", "--version"], f"v{PINNED.containerd}"),
    ("containerd", ["containerd-shim-runc-v2", "-v"], f"v{PINNED.containerd}"),
    ("traefik", ["traefik", "version"], PINNED.traefik),
]


def said_by(*words: str | Path) -> str:
    done = subprocess.run(words, capture_output=True, check=True, text=True, timeout=60)
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def folder_of() -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def folder(name: str) -> Path:
        if name not in made:
            made[name] = make(Store(), [BINARIES[name]()], Silent())[-1].artefact.path
        return made[name]

    return folder


@pytest.mark.parametrize(
    ("name", "words", "expected"), VERSIONS, ids=[words[0] for _, words, _ in VERSIONS]
)
def test_binary_runs_and_says_the_pinned_version(
    folder_of: Callable[[str], Path], name: str, words: list[str], expected: str
) -> None:
    program, *arguments = words
    assert expected in said_by(folder_of(name) / program, *arguments)


@pytest.mark.parametrize("name", BINARIES)
def test_binaries_are_static_and_stripped(folder_of: Callable[[str], Path], name: str) -> None:
    programs = [path for path in folder_of(name).iterdir() if path.suffix != ".json"]
    shown = said_by("readelf", "--wide", "--program-headers", "--sections", *programs)
    assert shown.count("There are") >= len(programs)
    assert "INTERP" not in shown
    assert ".symtab" not in shown


def test_images_that_kubeadm_asks_for_are_those_that_are_pinned(
    folder_of: Callable[[str], Path],
) -> None:
    kubeadm = folder_of("kubernetes") / "kubeadm"
    wanted = f"--kubernetes-version=v{PINNED.kubernetes}"
    registry, kubernetes = PINNED.image_registry, f"v{PINNED.kubernetes}"
    assert set(said_by(kubeadm, "config", "images", "list", wanted).split()) == {
        f"{registry}/kube-apiserver:{kubernetes}",
        f"{registry}/kube-controller-manager:{kubernetes}",
        f"{registry}/kube-scheduler:{kubernetes}",
        f"{registry}/kube-proxy:{kubernetes}",
        f"{registry}/coredns/coredns:{PINNED.coredns_tag}",
        f"{registry}/pause:{PINNED.pause_tag}",
        f"{registry}/etcd:{PINNED.etcd_tag}",
    }


def test_two_builds_in_different_places_give_equal_digests(tmp_path: Path) -> None:
    recipe: Recipe = cni_plugins(Source.MODULES)
    (one,) = make(Store(tmp_path / "one"), [recipe], Silent())
    (other,) = make(Store(tmp_path / "the" / "other"), [recipe], Silent())
    assert (one.cached, other.cached) == (False, False)
    assert one.artefact.digest == other.artefact.digest


def test_binaries_carry_nothing_of_the_machine_that_built_them(
    folder_of: Callable[[str], Path],
) -> None:
    content = (folder_of("cni-plugins") / "bridge").read_bytes()
    assert str(Path.home()).encode() + b"/go/" not in content
    assert str(Store().root).encode() not in content
