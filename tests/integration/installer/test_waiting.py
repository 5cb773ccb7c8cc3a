"""Waiting for a bootstrap: a real API, and a VM of the real driver that says what it is told to."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ingot.errors import ExitCode
from ingot.installer import lateness
from ingot.installer.apiview import ApiView
from ingot.installer.bootstrapvm import NAME
from ingot.installer.phase import LIMITS, Phase
from ingot.installer.progress import Progress
from ingot.installer.waiting import BootstrapFailed, HostFailed, Waiting
from ingot.machine.model import MachineSpec
from ingot.machine.uml.driver import UmlDriver
from tests.integration.installer.test_apiview import HOSTS, add_host, furnish
from tests.integration.kubeapi import KubeApi, kube_api

MAPS = "/api/v1/namespaces/ingot-infra/configmaps"
REFUSED = "the BMC refuses the credentials: HTTP GET https://192.0.2.9/redfish returned code 401"
ROLES = {"cp-0": "control-plane", "cp-1": "control-plane"}


@dataclass
class Site:
    """The API of a new cluster, and a VM that says something when it is switched on."""

    api: KubeApi
    home: Path
    heard: list[Progress] = field(default_factory=list)

    def driver(self, says: str) -> UmlDriver:
        return UmlDriver(
            self.home,
            kernel=Path("/bin/true"),
            namespace_prefix=f"ingot-waiting-{os.getpid()}",
            firmware=("/bin/sh", "-c", f"echo {shlex.quote(says)}; exec sleep 600"),
        )

    def tell(self, **status: Any) -> None:  # noqa: ANN401 - as the bootstrap writes it
        told = {"metadata": {"name": "bootstrap"}, "data": {"status": json.dumps(status)}}
        self.api.request("POST", MAPS, told)

    def wait(self, *, says: str = "", limits: dict[Phase, float] | None = None) -> Progress:
        driver = self.driver(says)
        driver.define(MachineSpec(name=NAME, uuid="", memory_mib=64, disks=(), nics=()))
        try:
            waiting = Waiting.of(
                driver,
                NAME,
                ApiView(self.api.kubeconfig(), ROLES),
                limits={**LIMITS, **(limits or {})},
                listener=self.heard.append,
                progress=Progress(),
            )
            return asyncio.run(waiting.until_complete())
        finally:
            driver.undefine(NAME)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with kube_api(tmp_path_factory.mktemp("api")) as started:
        furnish(started)
        yield started


@pytest.fixture
def site(api: KubeApi, tmp_path: Path) -> Iterator[Site]:
    yield Site(api, tmp_path / "machines")
    for all_of_them in (HOSTS, MAPS):
        api.request("DELETE", all_of_them)


def test_the_last_word_of_the_bootstrap_ends_the_wait(site: Site) -> None:
    progress = site.wait(says="bootstrap [hand-over] done\nbootstrap [complete] done")
    assert [one.phase for one in progress.phases] == [Phase.HAND_OVER]
    assert site.heard[-1] == progress


def test_a_bmc_that_refuses_its_credentials_ends_it_with_the_hosts_name(site: Site) -> None:
    add_host(site.api, "cp-0", "provisioning")
    add_host(site.api, "cp-1", "registering", error=REFUSED)
    with pytest.raises(HostFailed, match=r"host cp-1 .*refuses the credentials") as ended:
        site.wait()
    assert ended.value.exit_code is ExitCode.INFRASTRUCTURE
    assert "bmc.password of cp-1" in ended.value.remedy


@pytest.mark.parametrize("by", ["console", "API"])
def test_what_needs_a_person_ends_it_with_what_to_do(
    site: Site, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    monkeypatch.setattr(lateness, "LASTING_SECONDS", 0.0)
    said, says = "another DHCP server answers; switch it off", ""
    if by == "API":
        site.tell(stage="services", message="", error=said, lasting=True)
    else:
        says = f"bootstrap [services] lasting error: {said}"
    with pytest.raises(BootstrapFailed, match=r"services: .*; switch it off") as ended:
        site.wait(says=says)
    assert ended.value.exit_code is ExitCode.BOOTSTRAP


def test_who_does_not_join_is_named_when_the_time_is_over(site: Site) -> None:
    waits = "cp-1 waits for its Node; cp-1: kubeadm ended with exit code 1"
    with pytest.raises(BootstrapFailed, match=r"join took longer .*cp-1 waits for its Node"):
        site.wait(says=f"bootstrap [join] {waits}", limits={Phase.JOIN: 0.0})
