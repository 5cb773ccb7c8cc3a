"""`ingot payload` and `ingot image` as real processes; releases come from a local server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ingot.payload.versions import versions
from tests.mirror import Mirror, publish_cni, serving

INGOT = Path(sys.executable).parent / "ingot"
BUILD = ("payload", "build", "--source", "release", "--only", "cni-plugins")


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    with serving() as running:
        yield running


class Ingot:
    """The command line with a cache of its own."""

    def __init__(self, cache: Path, site: str) -> None:
        self.store = cache / "v1"
        self.environment = {
            **os.environ,
            "INGOT_CACHE": str(cache),
            "INGOT_GITHUB_RELEASES": site,
            "INGOT_KUBERNETES_RELEASES": site,
            "no_proxy": "127.0.0.1",
        }
        self.environment.pop("INGOT_PAYLOAD_SOURCE", None)

    def start(self, *words: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [INGOT, *words],
            env={**self.environment, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        with self.start(*words, **environment) as process:
            output, errors = process.communicate(timeout=60)
        return subprocess.CompletedProcess(words, process.returncode, output, errors)


@pytest.fixture
def ingot(tmp_path: Path, mirror: Mirror) -> Ingot:
    return Ingot(tmp_path / "cache", mirror.address)


@pytest.fixture
def built(ingot: Ingot, mirror: Mirror) -> Ingot:
    publish_cni(mirror)
    assert ingot.run(*BUILD).returncode == 0
    return ingot


def test_build_tells_what_it_does_and_ends_with_a_table(ingot: Ingot, mirror: Mirror) -> None:
    publish_cni(mirror)
    shown = ingot.run(*BUILD)
    assert shown.returncode == 0
    version = versions().cni_plugins
    assert "to build: cni-plugins (0 in the cache)\n" in shown.stderr
    assert f"[1 of 1] cni-plugins {version} from its release: building\n" in shown.stderr
    head, row = shown.stdout.splitlines()
    assert head.split() == ["artefact", "version", "size", "time"]
    assert row.split()[0] == "cni-plugins"
    assert row.split()[-1] == "built"


def test_second_build_takes_it_from_the_cache(built: Ingot, mirror: Mirror) -> None:
    asked = len(mirror.requests)
    shown = built.run(*BUILD)
    assert shown.stdout.splitlines()[1].split()[-1] == "cached"
    assert len(mirror.requests) == asked


def test_source_is_chosen_by_what_can_be_reached(ingot: Ingot, mirror: Mirror) -> None:
    publish_cni(mirror)
    shown = ingot.run("payload", "build", "--only", "cni-plugins", "-o", "json")
    (made,) = json.loads(shown.stdout)
    assert made["origin"] == "release"
    assert made["cached"] is False
    assert made["digest"].startswith("sha256:")


def test_list_has_name_version_digest_size_and_origin_of_each(built: Ingot) -> None:
    listed = json.loads(built.run("payload", "list", "-o", "json").stdout)
    (bridge,) = (item for item in listed["items"] if item["name"] == "bridge")
    assert bridge.keys() == {"kind", "name", "version", "digest", "size", "origin"}
    assert (bridge["version"], bridge["origin"]) == (versions().cni_plugins, "release")
    assert "kubernetes" in listed["missing"]


def test_list_for_people_keeps_its_lines_whole_in_a_pipe(built: Ingot) -> None:
    shown = built.run("payload", "list", COLUMNS="20")
    assert "bridge" in shown.stdout
    assert all(line.split()[-1] == "release" for line in shown.stdout.splitlines()[1:])
    assert "ingot payload build" in shown.stderr


def test_list_of_an_empty_cache_asks_nothing_of_the_network(ingot: Ingot, mirror: Mirror) -> None:
    shown = ingot.run("payload", "list")
    assert shown.returncode == 0
    assert "not built yet" in shown.stderr
    assert mirror.requests == []


def test_altered_file_is_found_by_verify_and_built_again_after_removing(built: Ingot) -> None:
    (bridge,) = built.store.glob("results/cni-plugins-*/bridge")
    content = bridge.read_bytes()
    bridge.write_bytes(b"X" * len(content))
    found = built.run("payload", "verify")
    assert found.returncode == 4
    assert "bridge" in found.stdout
    assert "--remove" in found.stderr
    assert built.run("payload", "verify", "--remove").returncode == 0
    assert built.run(*BUILD).returncode == 0
    assert bridge.read_bytes() == content


def test_verify_of_what_is_whole_finds_nothing(built: Ingot) -> None:
    shown = built.run("payload", "verify", "-o", "json")
    assert json.loads(shown.stdout) == {"checked": 1, "damaged": {}, "removed": False}


def test_prune_removes_what_is_of_no_pinned_version(built: Ingot) -> None:
    old = built.store / "results" / "cni-plugins-0123456789abcdef"
    old.mkdir()
    (old / "bridge").write_bytes(b"old")
    shown = built.run("payload", "prune", "-o", "json", INGOT_PAYLOAD_SOURCE="release")
    assert json.loads(shown.stdout)["removed"] == 1
    assert [path.name for path in built.store.glob("results/*/bridge")] == ["bridge"]
    assert not old.exists()


def test_prune_of_everything_leaves_nothing(built: Ingot) -> None:
    assert built.run("payload", "prune", "--all").stdout.startswith("removed 1, freed ")
    assert list((built.store / "results").iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(
            ("payload", "build", "--only", "etc"), "those that exist: kubernetes", id="payload"
        ),
        pytest.param(("image", "build", "etc"), "those that exist:", id="image"),
        pytest.param(("image", "path", "etc"), "those that exist:", id="path"),
    ],
)
def test_unknown_name_is_a_usage_error_with_the_names(
    ingot: Ingot, words: tuple[str, ...], said: str
) -> None:
    shown = ingot.run(*words)
    assert shown.returncode == 2
    assert said in shown.stderr


def test_path_of_an_image_that_is_not_built_says_how_to_build_it(ingot: Ingot) -> None:
    shown = ingot.run("image", "path", "lab-kernel")
    assert shown.returncode == 4
    assert "ingot image build lab-kernel" in shown.stderr


def test_images_are_listed_whether_built_or_not(ingot: Ingot) -> None:
    listed = json.loads(ingot.run("image", "list", "-o", "json").stdout)
    assert {"name": "lab-kernel", "built": False} in listed


def test_unreachable_site_is_explained(tmp_path: Path) -> None:
    with serving() as gone:
        address = gone.address
    shown = Ingot(tmp_path, address).run(*BUILD)
    assert shown.returncode == 4
    assert address in shown.stderr
    assert "--source modules" in shown.stderr


def test_cache_that_cannot_be_written_is_explained(tmp_path: Path, mirror: Mirror) -> None:
    (tmp_path / "file").touch()
    shown = Ingot(tmp_path / "file", mirror.address).run(*BUILD)
    assert shown.returncode == 4
    assert "INGOT_CACHE" in shown.stderr


def test_missing_tool_is_explained_before_anything_starts(ingot: Ingot, tmp_path: Path) -> None:
    shown = ingot.run(
        "payload", "build", "--source", "modules", "--only", "kubernetes", PATH=str(tmp_path)
    )
    assert shown.returncode == 4
    assert "not installed: gcc" in shown.stderr
    assert "apt-get install gcc" in shown.stderr


def test_interrupted_download_leaves_nothing_half_done_and_can_be_run_again(
    ingot: Ingot, mirror: Mirror
) -> None:
    path = publish_cni(mirror)
    mirror.gates[path] = gate = threading.Event()
    with ingot.start(*BUILD) as process:
        assert mirror.half_sent.wait(30)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    gate.set()
    assert process.returncode == 8
    assert "run the same command again" in errors
    assert list((ingot.store / "work").iterdir()) == []
    assert list((ingot.store / "results").iterdir()) == []
    assert ingot.run(*BUILD).returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupt_ends_what_the_build_has_started(
    ingot: Ingot, tmp_path: Path, number: signal.Signals
) -> None:
    started, never = tmp_path / "started", tmp_path / "never"
    os.mkfifo(started)
    os.mkfifo(never)
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    go.write_text(
        '#!/bin/sh\nif [ "$1" = version ]; then echo go version go1.26.8 linux/amd64; exit; fi\n'
        f"echo $$ > {started}\nexec cat {never}\n",
        encoding="utf-8",
    )
    go.chmod(0o755)
    with ingot.start(
        "payload", "build", "--source", "modules", "--only", "cni-plugins",
        PATH=f"{go.parent}:{os.environ['PATH']}",
    ) as process:  # fmt: skip
        child = int(started.read_text(encoding="utf-8"))
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 8
    assert "interrupted" in errors
    assert "Traceback" not in errors
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_two_builds_at_once_download_once(ingot: Ingot, mirror: Mirror) -> None:
    path = publish_cni(mirror)
    mirror.gates[path] = gate = threading.Event()
    with ingot.start(*BUILD) as first:
        assert mirror.half_sent.wait(30)
        with ingot.start(*BUILD) as second:
            assert second.stderr is not None
            seen = iter(second.stderr.readline, "")
            assert any("waiting for another build of it" in line for line in seen)
            gate.set()
            output, _ = second.communicate(timeout=30)
        first.communicate(timeout=30)
    assert (first.returncode, second.returncode) == (0, 0)
    assert output.splitlines()[1].split()[-1] == "cached"
    assert len(mirror.asked_for(path)) == 1
