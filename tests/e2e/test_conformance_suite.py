"""What is built to judge a cluster by, held against Kubernetes' suite; no cluster is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot import process
from ingot.payload.binaries import containerd
from tests.conformance.images import ARCHIVE, RESOLVER, images, names_in
from tests.conformance.suite import AGNHOST, SUITE, suite
from tests.conformance.wanted import BATCHES
from tests.e2e.conformance import Conformance, made
from tests.full import only_in_full
from tests.integration.containers import PrivateContainerd, private_containerd
from tests.ports import free_port

pytestmark = only_in_full

WANTED = [(about, name) for about, names in BATCHES.items() for name in names]


@pytest.fixture(scope="module")
def listed() -> str:
    return process.run([made(suite()) / SUITE, "--list-images"])


@pytest.fixture(scope="module")
def store() -> Iterator[PrivateContainerd]:
    with private_containerd(made(containerd())) as started:
        started.ctr("images", "import", "--local", made(images()) / ARCHIVE)
        yield started


@pytest.fixture(scope="module")
def agnhost(store: PrivateContainerd, listed: str) -> Path:
    return store.mount(names_in(listed, AGNHOST)[-1])


def test_enough_is_wanted_and_each_name_is_that_of_one_test() -> None:
    said = process.run([made(suite()) / SUITE, "--list-tests"])
    there = Counter(line.partition(": ")[2].strip() for line in said.splitlines())
    assert len(WANTED) >= 45
    assert {name: there[name] for _, name in WANTED if there[name] != 1} == {}


@pytest.mark.parametrize("about", BATCHES)
def test_suite_chooses_the_wanted_tests_and_no_others(about: str, tmp_path: Path) -> None:
    judge = Conformance(tmp_path / "nobody-is-asked", tmp_path)
    chosen = judge.run(about, "--ginkgo.dry-run")
    assert {name for name, one in chosen.items() if not one.passed} == set()
    assert f"Will run {len(chosen)} of " in (tmp_path / about / "output.log").read_text("utf-8")


def test_every_image_is_there_and_complete(store: PrivateContainerd, listed: str) -> None:
    wanted = {*names_in(listed, AGNHOST), *names_in(listed, RESOLVER)}
    assert len(wanted) == 3
    assert set(store.ctr("images", "list", "--quiet").split()) == wanted
    lines = store.ctr("images", "check").splitlines()[1:]
    assert all(" complete " in line and line.split()[-1] == "true" for line in lines), lines


def test_agnhost_is_of_a_version_that_the_suite_asks_for(listed: str) -> None:
    version = process.run([made(suite()) / AGNHOST, "--version"]).split()[-1]
    assert any(name.endswith(f":{version}") for name in names_in(listed, AGNHOST))


@pytest.mark.parametrize("tool", ["curl", "dig", "getent", "hostname", "nc", "nslookup", "ss"])
def test_agnhost_has_what_tests_run_in_it(
    store: PrivateContainerd, agnhost: Path, tool: str
) -> None:
    assert store.inside("chroot", agnhost, "sh", "-c", f"command -v {tool}")


def test_agnhost_serves_from_its_image(store: PrivateContainerd, agnhost: Path) -> None:
    script = """\
/usr/local/bin/agnhost-or-pause netexec --http-port="$1" --udp-port=-1 >/dev/null 2>&1 &
curl --silent --retry 30 --retry-delay 1 --retry-connrefused "http://127.0.0.1:$1/echo?msg=here"
kill $!
"""
    said = store.inside("chroot", agnhost, "sh", "-c", script, "serve", str(free_port()))
    assert said == "here"


def test_agnhost_waits_when_nobody_says_what_to_do(store: PrivateContainerd, agnhost: Path) -> None:
    script = "timeout 2 /usr/local/bin/agnhost-or-pause; echo $?"
    said = store.inside("chroot", agnhost, "sh", "-c", script)
    assert said.split()[-1] == "124"  # It was still there when its time was over.
