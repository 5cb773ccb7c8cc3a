"""The real kubeadm takes what we write for it, and fails in words that we understand."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ingot.configserver.joinfile import JoinFacts
from ingot.node.joining.cause import cause_of
from ingot.node.joining.configuration import DISCOVERY_FILE, discovery, join_configuration
from tests.integration.kubeapi import KubeApi, binaries, free_port, kube_api, make_certificate
from tests.unit.node.joining.facts import CONTROL_PLANE, WORKER


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with kube_api(tmp_path_factory.mktemp("kubeapi")) as started:
        yield started


def written(facts: JoinFacts, folder: Path, *, uml: bool = False) -> Path:
    (folder / DISCOVERY_FILE).write_text(discovery(facts))
    config = folder / "join.yaml"
    addresses = ["192.0.2.21", "2001:db8::21"]
    config.write_text(join_configuration(facts, addresses, folder=folder, uml=uml))
    return config


def kubeadm(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [binaries()["kubeadm"], *words], capture_output=True, check=False, text=True, timeout=150
    )


@pytest.mark.parametrize("facts", [WORKER, CONTROL_PLANE], ids=["worker", "control plane"])
@pytest.mark.parametrize("uml", [True, False], ids=["uml", "iron"])
def test_kubeadm_takes_the_join_configuration(facts: JoinFacts, tmp_path: Path, uml: bool) -> None:  # noqa: FBT001
    done = kubeadm("config", "validate", "--config", written(facts, tmp_path, uml=uml))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "ok"


def test_checks_are_left_out_in_the_lab_only(tmp_path: Path) -> None:
    assert "NumCPU" in written(WORKER, tmp_path, uml=True).read_text()
    assert "NumCPU" not in written(WORKER, tmp_path).read_text()


def preflight(config: Path) -> subprocess.CompletedProcess[str]:
    """Run the part of a join that only looks, up to asking the API for the cluster's config."""
    return kubeadm("join", "phase", "preflight", "--config", config)


def hurried(config: Path) -> Path:
    """Let kubeadm give up in seconds, and look at nothing of the machine that tests run on."""
    told = json.loads(config.read_text())
    told["timeouts"] = dict.fromkeys(told["timeouts"], "2s")
    told["nodeRegistration"]["ignorePreflightErrors"] = ["all"]
    config.write_text(json.dumps(told))
    return config


def test_a_token_that_is_not_taken_is_known_as_such(api: KubeApi, tmp_path: Path) -> None:
    facts = replace(WORKER, api_server=api.url, ca_certificate=api.ca.read_text())
    done = preflight(hurried(written(facts, tmp_path)))
    assert done.returncode != 0
    cause = cause_of((done.stdout + done.stderr).splitlines())
    assert cause.token_refused, done.stderr
    assert cause.phase == "preflight"


def test_an_api_that_is_away_is_known_as_such(api: KubeApi, tmp_path: Path) -> None:
    away = f"https://127.0.0.1:{free_port()}"
    facts = replace(WORKER, api_server=away, ca_certificate=api.ca.read_text())
    done = preflight(hurried(written(facts, tmp_path)))
    assert done.returncode != 0
    cause = cause_of((done.stdout + done.stderr).splitlines())
    assert cause.message.startswith("the API server cannot be reached"), done.stderr
    assert not cause.token_refused


def test_another_clusters_api_is_known_as_such(api: KubeApi, tmp_path: Path) -> None:
    make_certificate(tmp_path)
    other = (tmp_path / "api.crt").read_text()
    done = preflight(
        hurried(written(replace(WORKER, api_server=api.url, ca_certificate=other), tmp_path))
    )
    cause = cause_of((done.stdout + done.stderr).splitlines())
    assert cause.message.startswith("the API server's certificate is not of this cluster")
