"""The binaries an install carries, one recipe a project: a new version rebuilds that one alone.

Each function returns the recipe of a folder with static binaries, from the source that is asked
for; see `source` for what is chosen when none is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.payload.golang import architecture
from ingot.payload.gomodules import GoProject, build_commands
from ingot.payload.pause import SOURCE_PATH, compile_pause
from ingot.payload.releases import Asset, Release, Site, fetch_release
from ingot.payload.source import Source, choose
from ingot.payload.traefik import traefik_project
from ingot.payload.versions import versions

__all__ = ["BINARIES", "cni_plugins", "containerd", "coredns", "etcd", "kubernetes", "traefik"]

KUBERNETES_COMMANDS = (
    "kube-apiserver",
    "kube-controller-manager",
    "kube-proxy",
    "kube-scheduler",
    "kubeadm",
    "kubectl",
    "kubelet",
)
CNI_PLUGINS = {
    "ipam": ("dhcp", "host-local", "static"),
    "main": (
        "bridge", "dummy", "host-device", "ipvlan", "loopback", "macvlan", "ptp", "tap", "vlan",
    ),
    "meta": ("bandwidth", "firewall", "portmap", "sbr", "tuning", "vrf"),
}  # fmt: skip
"""All that the project releases, by the folders of its source."""

GIGABYTE = 1_000_000_000


@dataclass(frozen=True)
class _Component:
    """A project in both its forms."""

    name: str
    version: str
    release: Release
    project: GoProject
    disk_bytes: int

    def recipe(self, source: Source) -> Recipe:
        def download(workshop: Workshop) -> None:
            fetch_release(workshop, self.release)

        def compile_(workshop: Workshop) -> None:
            build_commands(workshop, self.project)

        thinned = {one.module: one.digest for one in self.project.thinned}
        return choose(
            source,
            release=self.recipe_from(Source.RELEASE, download),
            modules=self.recipe_from(Source.MODULES, compile_, inputs=thinned),
            reachable=self.release.reachable,
        )

    def recipe_from(
        self,
        source: Source,
        build: Callable[[Workshop], None],
        *,
        inputs: dict[str, str] | None = None,
        programs: dict[str, str] | None = None,
    ) -> Recipe:
        """Return the recipe of this component from one source."""
        compiler = {"go": versions().go} if source is Source.MODULES else {}
        decided = {"architecture": architecture(), "source": source.value, "version": self.version}
        return Recipe(
            self.name,
            build,
            inputs=decided | compiler | (inputs or {}),
            disk_bytes=self.disk_bytes,
            programs=programs or {},
        )


def kubernetes(source: Source = Source.AUTO) -> Recipe:
    """Return the recipe of Kubernetes' commands, and of `pause`, compiled from its source."""
    pinned = versions()
    version = f"v{pinned.kubernetes}"
    folder = f"{version}/bin/linux/{architecture()}"
    source_archive = f"{version}/kubernetes-src.tar.gz"
    component = _Component(
        "kubernetes",
        pinned.kubernetes,
        Release(
            Site.KUBERNETES,
            [
                *(
                    Asset(f"{folder}/{name}", f"{folder}/{name}.sha256", {name: ""})
                    for name in KUBERNETES_COMMANDS
                ),
                Asset(source_archive, f"{source_archive}.sha256", {"pause.c": SOURCE_PATH}),
            ],
        ),
        GoProject(
            "k8s.io/kubernetes",
            version,
            {name: f"k8s.io/kubernetes/cmd/{name}" for name in KUBERNETES_COMMANDS},
            staging_version=f"v{pinned.kubernetes_modules}",
            stamps=_kubernetes_stamps(pinned.kubernetes),
        ),
        disk_bytes=6 * GIGABYTE,
    )

    def download(workshop: Workshop) -> None:
        fetch_release(workshop, component.release)
        text = (workshop.out / "pause.c").rename(workshop.scratch / "pause.c")
        compile_pause(workshop, text)

    def compile_(workshop: Workshop) -> None:
        module = build_commands(workshop, component.project)
        compile_pause(workshop, module.folder / SOURCE_PATH)

    def from_(which: Source, build: Callable[[Workshop], None]) -> Recipe:
        return component.recipe_from(
            which, build, inputs={"pause": pinned.pause_tag}, programs={"gcc": "gcc"}
        )

    return choose(
        source,
        release=from_(Source.RELEASE, download),
        modules=from_(Source.MODULES, compile_),
        reachable=component.release.reachable,
    )


def _kubernetes_stamps(version: str) -> dict[str, str]:
    major, minor, _ = version.split(".")
    stamps = {
        "gitVersion": f"v{version}",
        "gitMajor": major,
        "gitMinor": minor,
        "gitCommit": "",  # unknown here; the default is a placeholder that git fills
        "gitTreeState": "clean",
    }
    packages = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
    return {f"{one}.{name}": value for one in packages for name, value in stamps.items()}


def etcd(source: Source = Source.AUTO) -> Recipe:
    """Return the recipe of etcd with its two tools."""
    version = versions().etcd
    top = f"etcd-v{version}-linux-{architecture()}"
    folder = f"etcd-io/etcd/releases/download/v{version}"
    modules = {"etcd": "server", "etcdctl": "etcdctl", "etcdutl": "etcdutl"}
    packages = {name: f"go.etcd.io/etcd/{module}/v3" for name, module in modules.items()}
    return _Component(
        "etcd",
        version,
        Release(
            Site.GITHUB,
            [
                Asset(
                    f"{folder}/{top}.tar.gz",
                    f"{folder}/SHA256SUMS",
                    {name: f"{top}/{name}" for name in packages},
                )
            ],
        ),
        GoProject(packages["etcd"], f"v{version}", packages, more_modules=tuple(packages.values())),
        disk_bytes=2 * GIGABYTE,
    ).recipe(source)


def coredns(source: Source = Source.AUTO) -> Recipe:
    """Return the recipe of CoreDNS."""
    version = versions().coredns
    module = "github.com/coredns/coredns"
    archive = (
        f"coredns/coredns/releases/download/v{version}/coredns_{version}_linux_{architecture()}.tgz"
    )
    return _Component(
        "coredns",
        version,
        Release(Site.GITHUB, [Asset(archive, f"{archive}.sha256", {"coredns": "coredns"})]),
        GoProject(module, f"v{version}", {"coredns": module}),
        disk_bytes=2 * GIGABYTE,
    ).recipe(source)


def cni_plugins(source: Source = Source.AUTO) -> Recipe:
    """Return the recipe of the standard CNI plugins."""
    version = versions().cni_plugins
    module = "github.com/containernetworking/plugins"
    archive = (
        f"containernetworking/plugins/releases/download/v{version}/"
        f"cni-plugins-linux-{architecture()}-v{version}.tgz"
    )
    packages = {
        name: f"{module}/plugins/{kind}/{name}"
        for kind, names in CNI_PLUGINS.items()
        for name in names
    }
    return _Component(
        "cni-plugins",
        version,
        Release(
            Site.GITHUB,
            [Asset(archive, f"{archive}.sha256", {name: name for name in packages})],
        ),
        GoProject(
            module,
            f"v{version}",
            packages,
            stamps={f"{module}/pkg/utils/buildversion.BuildVersion": f"v{version}"},
        ),
        disk_bytes=GIGABYTE,
    ).recipe(source)


def containerd(source: Source = Source.AUTO) -> Recipe:
    """Return the recipe of containerd with its shim and `ctr`."""
    version = versions().containerd
    module = "github.com/containerd/containerd/v2"
    archive = (
        f"containerd/containerd/releases/download/v{version}/"
        f"containerd-static-{version}-linux-{architecture()}.tar.gz"
    )
    names = ("containerd", "containerd-shim-runc-v2", "ctr")
    return _Component(
        "containerd",
        version,
        Release(
            Site.GITHUB,
            [Asset(archive, f"{archive}.sha256sum", {name: f"bin/{name}" for name in names})],
        ),
        GoProject(
            module,
            f"v{version}",
            {name: f"{module}/cmd/{name}" for name in names},
            stamps={f"{module}/version.Version": f"v{version}"},
        ),
        disk_bytes=2 * GIGABYTE,
    ).recipe(source)


def traefik(source: Source = Source.AUTO) -> Recipe:
    """Return the recipe of Traefik."""
    version = versions().traefik
    folder = f"traefik/traefik/releases/download/v{version}"
    archive = f"{folder}/traefik_v{version}_linux_{architecture()}.tar.gz"
    checksums = f"{folder}/traefik_v{version}_checksums.txt"
    return _Component(
        "traefik",
        version,
        Release(Site.GITHUB, [Asset(archive, checksums, {"traefik": "traefik"})]),
        traefik_project(version),
        disk_bytes=3 * GIGABYTE,
    ).recipe(source)


class MakesRecipe(Protocol):
    """A function above."""

    def __call__(self, source: Source = Source.AUTO) -> Recipe:
        """Return a recipe from a source."""


BINARIES: dict[str, MakesRecipe] = {
    "kubernetes": kubernetes,
    "etcd": etcd,
    "coredns": coredns,
    "cni-plugins": cni_plugins,
    "containerd": containerd,
    "traefik": traefik,
}
"""The recipes by their names."""
