"""A pod's containers as its specification says, without kubelet: root, mounts, rights, variables.

What it says is what is done: a read-only root, volumes mounted where and how it names them, and no
capability beyond those it adds. The network is a namespace that stands for the machine.
"""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.integration.ironic.root import program

Json = dict[str, Any]


@dataclass(frozen=True)
class PodRuntime:
    """Runs containers of one pod.

    Attributes:
        spec: the pod's specification.
        root: the image's root.
        volumes: the folder or file that each volume is on this machine.
        namespace: the network that it is on.
        folder: where the containers' output goes.
    """

    spec: Json
    root: Path
    volumes: Mapping[str, Path]
    namespace: str
    folder: Path

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text("utf-8", errors="replace")

    def run(
        self, name: str, *instead: str, seconds: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """Run a container to its end, or something else in its place."""
        command = self.command(name, *instead)
        return subprocess.run(command, check=False, capture_output=True, text=True, timeout=seconds)

    @contextmanager
    def running(self, name: str) -> Iterator[subprocess.Popen[bytes]]:
        """Run a container until the end of the block."""
        with program(self.command(name), self.folder / f"{name}.log") as process:
            yield process

    def command(self, name: str, *instead: str) -> list[str]:
        """Return what runs a container, or something else in its place."""
        (one,) = (
            container
            for container in (*self.spec["initContainers"], *self.spec["containers"])
            if container["name"] == name
        )
        words = " ".join(map(shlex.quote, instead or one["command"]))
        script = " && ".join([*self._mounts(one), f"exec {self._rights(one)} {words}"])
        entered = ["ip", "netns", "exec", self.namespace]
        return [*entered, "unshare", "--mount", "sh", "-c", script]

    def _mounts(self, one: Json) -> Iterator[str]:
        root = shlex.quote(str(self.root))
        yield f"mount --bind {root} {root}"
        yield f"mount -t proc proc {root}/proc"
        yield f"mount --rbind /dev {root}/dev"
        for mount in sorted(one["volumeMounts"], key=lambda mount: mount["mountPath"]):
            source = self.volumes[mount["name"]]
            target = self.root / mount["mountPath"].lstrip("/")
            quoted = shlex.quote(str(target))
            yield f"{_made(source, quoted)} && mount --bind {shlex.quote(str(source))} {quoted}"
            if mount.get("readOnly"):
                yield f"mount -o remount,bind,ro {quoted}"
        assert one["securityContext"]["readOnlyRootFilesystem"]
        yield f"mount -o remount,bind,ro {root}"

    def _rights(self, one: Json) -> str:
        added = one["securityContext"]["capabilities"].get("add", ())
        kept = ",".join(["-all", *(f"+{name.lower()}" for name in added)])
        variables = {
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "LANG": "C.UTF-8",
            **{entry["name"]: entry["value"] for entry in one.get("env", ())},
        }
        told = " ".join(shlex.quote(f"{name}={value}") for name, value in variables.items())
        return (
            f"chroot {shlex.quote(str(self.root))} /usr/bin/setpriv --no-new-privs"
            f" --bounding-set={kept} --inh-caps=-all /usr/bin/env -i {told}"
        )


def _made(source: Path, target: str) -> str:
    """Return what makes the place that something is mounted at."""
    if source.is_dir():
        return f"mkdir -p {target}"
    return f"mkdir -p $(dirname {target}) && touch {target}"
