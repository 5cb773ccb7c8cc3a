"""Running conformance tests against a cluster: images onto its nodes, then batch by batch.

By hand, against a cluster that stands:

    python -m tests.e2e.conformance --kubeconfig auth/kubeconfig --key lab-ssh-key --namespace NAME

The key and the namespace are those of a lab. Without a key no images are sent: the nodes have them
already, or find them by their names.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree as ET

from ingot.artefact.building import Silent, make
from ingot.artefact.recipe import Recipe
from ingot.artefact.store import Store
from tests.conformance.images import ARCHIVE, images
from tests.conformance.suite import SUITE, suite
from tests.conformance.wanted import BATCHES, SECONDS_EACH
from tests.e2e.ssh import OPTIONS
from tests.integration.kubeapi import binaries

SUITE_NAME = "Kubernetes e2e suite"
REPORT = "junit_01.xml"
IMPORT = "sudo ctr -n k8s.io images import --local -"
IMPORT_SECONDS = 600
GRACE_SECONDS = 120
"""What the suite has to write its report after its own time is over."""
INTERNAL = "InternalIP"
CONTROL_PLANE = "node-role.kubernetes.io/control-plane"
"""A taint; those of nodes that are not ready yet come and go."""
SHOWN = 3000


@dataclass(frozen=True)
class Verdict:
    """How one test went.

    Attributes:
        status: `passed`, or anything else.
        seconds: how long it took.
        said: why it did not pass.
    """

    status: str
    seconds: float
    said: str

    @property
    def passed(self) -> bool:
        return self.status == "passed"


@dataclass(frozen=True)
class Conformance:
    """The suite, and the cluster that it judges.

    Attributes:
        kubeconfig: of somebody who may do everything there.
        folder: for what the suite says and reports.
    """

    kubeconfig: Path
    folder: Path

    @cached_property
    def program(self) -> Path:
        """The suite, built if it is not there."""
        return made(suite()) / SUITE

    def run(self, about: str, *more: str) -> dict[str, Verdict]:
        """Run a batch of tests and return how each of them went, by its name."""
        names = BATCHES[about]
        folder = self.folder / about
        folder.mkdir(parents=True)
        seconds = SECONDS_EACH * len(names)
        words: list[str | Path] = [
            self.program,
            f"--kubeconfig={self.kubeconfig}",
            f"--kubectl-path={binaries()['kubectl']}",
            "--provider=skeleton",
            "--repo-root=",
            "--disable-log-dump",
            f"--report-dir={folder}",
            f"--e2e-output-dir={folder}",
            f"--ginkgo.focus={focus(names)}",
            f"--ginkgo.timeout={seconds}s",
            "--ginkgo.no-color",
            "--ginkgo.silence-skips",
            "--ginkgo.v",
            *more,
        ]
        log = folder / "output.log"
        # Where it hangs, there is no report, and its tests were not run: that is told of each.
        with log.open("wb") as stream, suppress(subprocess.TimeoutExpired):
            subprocess.run(
                words,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                check=False,  # What it returns follows from the report.
                timeout=seconds + GRACE_SECONDS,
            )
        report = folder / REPORT
        verdicts = read_report(report.read_text(encoding="utf-8")) if report.exists() else {}
        unknown = Verdict("not run", 0, _why_not(verdicts, log))
        return {
            name: unknown if one is None or one.status == "skipped" else one
            for name in names
            for one in [verdicts.get(f"[It] {name}")]
        }

    def send_images(self, *, namespace: str, key: Path) -> None:
        """Import the images of the tests into every node that takes their pods.

        Args:
            namespace: the network that the nodes are on.
            key: what their SSH servers know us by.
        """
        archive = made(images()) / ARCHIVE
        with ThreadPoolExecutor() as threads:
            sent = [
                threads.submit(_send, archive, address, namespace=namespace, key=key)
                for address in self.addresses()
            ]
        for one in sent:
            one.result()

    def addresses(self) -> list[str]:
        """Return the address of each node that is not kept for the control plane."""
        kubectl = (binaries()["kubectl"], f"--kubeconfig={self.kubeconfig}")
        asked = subprocess.run(
            [*kubectl, "get", "nodes", "-o", "json"], check=True, capture_output=True, timeout=60
        )
        return [
            next(one["address"] for one in node["status"]["addresses"] if one["type"] == INTERNAL)
            for node in json.loads(asked.stdout)["items"]
            if all(one["key"] != CONTROL_PLANE for one in node["spec"].get("taints", ()))
        ]


def made(recipe: Recipe) -> Path:
    """Return the folder of a result, made if it is not there."""
    return make(Store(), [recipe], Silent())[-1].artefact.path


def focus(names: Sequence[str]) -> str:
    """Return the expression by which the suite finds exactly these tests."""
    return f"^{SUITE_NAME} (?:{'|'.join(map(re.escape, names))})$"


def read_report(text: str) -> dict[str, Verdict]:
    """Return what a JUnit report says of each test and of what came before them."""
    root = ET.fromstring(text)  # noqa: S314 - the suite's own, written a moment ago
    return {
        case.attrib["name"]: Verdict(
            case.attrib["status"],
            float(case.attrib["time"]),
            "\n".join(one.text or "" for kind in ("failure", "error") for one in case.iter(kind)),
        )
        for case in root.iter("testcase")
    }


def _why_not(verdicts: Mapping[str, Verdict], log: Path) -> str:
    """Return why tests were not run: what failed around them, or how the suite ended."""
    around = [one.said for name, one in verdicts.items() if not name.startswith("[It]") if one.said]
    return "\n".join(around) or log.read_text(encoding="utf-8", errors="replace")[-SHOWN:]


def _send(archive: Path, address: str, *, namespace: str, key: Path) -> None:
    inside = ("ip", "netns", "exec", namespace) if namespace else ()
    with archive.open("rb") as stream:
        done = subprocess.run(
            [*inside, "ssh", "-i", str(key), *OPTIONS, f"core@{address}", IMPORT],
            stdin=stream,
            capture_output=True,
            text=True,
            check=False,
            timeout=IMPORT_SECONDS,
        )
    assert done.returncode == 0, f"{address}: {IMPORT}: {done.stdout}\n{done.stderr}"


def _tell(verdicts: Mapping[str, Verdict]) -> None:
    for name, one in verdicts.items():
        sys.stdout.write(f"{one.status:8} {one.seconds:6.0f} s  {name}\n")
        if not one.passed:
            sys.stdout.write(f"{one.said[:SHOWN]}\n")
    sys.stdout.flush()


def main() -> int:
    """Judge a cluster and say how it went; returns 1 if a test did not pass."""
    parser = argparse.ArgumentParser(prog="python -m tests.e2e.conformance")
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--key", type=Path, help="of nodes' SSH, to send images to them")
    parser.add_argument("--namespace", default="", help="the network that nodes are on")
    parser.add_argument("--only", choices=BATCHES, action="append", help="a batch; all by default")
    parser.add_argument("--folder", type=Path, help="for logs and reports; a new one by default")
    asked = parser.parse_args()
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="conformance-"))
    sys.stdout.write(f"logs and reports are in {folder}\n")
    judge = Conformance(asked.kubeconfig.resolve(), folder)
    if asked.key:
        judge.send_images(namespace=asked.namespace, key=asked.key)
    passed = True
    for about in asked.only or BATCHES:
        verdicts = judge.run(about)
        _tell(verdicts)
        passed = passed and all(one.passed for one in verdicts.values())
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
