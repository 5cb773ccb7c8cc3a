"""Every asset for every kind of config, and what each says that it reads."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

import pytest
import yaml

from ingot.assets import catalogue
from ingot.assets.graph.asset import Asset, Sources
from ingot.assets.graph.making import Outcome, Present, make
from ingot.assets.graph.state import State
from ingot.assets.graph.web import Graph
from ingot.assets.payload import Payload
from ingot.config.loading import load
from ingot.config.sample import SAMPLES, sample
from ingot.pki.authority import Authority
from ingot.pki.term import AUTHORITY_LIFETIME, Term
from tests.unit.config.keys import ED25519

PAYLOAD = Payload(
    kubernetes="v1.36.3",
    onprem="onprem:1",
    metal3="metal3:1",
    traefik="traefik:1",
    disk_sha256="0" * 64,
)
NOW = datetime(2030, 1, 1, tzinfo=UTC)
PEM = Authority.made("someone", Term.since(datetime.now(UTC), AUTHORITY_LIFETIME)).certificate
NETWORK = {
    "interfaces": [
        {
            "name": "eno1",
            "type": "ethernet",
            "state": "up",
            "mac-address": "52:54:00:aa:bb:cc",
            "ipv4": {"enabled": True, "address": [{"ip": "192.0.2.50", "prefix-length": 24}]},
        }
    ]
}


def plain(name: str) -> dict[str, Any]:
    """Return a sample; MAC addresses in quotes, as YAML takes some of them for numbers."""
    text = re.sub(r"(bootMACAddress: )([0-9a-fA-F:]{17})", r'\1"\2"', sample(name))
    config: dict[str, Any] = yaml.safe_load(text)
    return config


def rich(name: str) -> dict[str, Any]:
    """Return a sample with everything in it that one may ask for."""
    config = plain(name)
    platform = config["platform"]["baremetal"]
    config["sshKey"] = ED25519
    config["proxy"] = {"httpProxy": "http://192.0.2.9:3128", "noProxy": "example.net"}
    config["additionalTrustBundle"] = PEM.decode()
    config["additionalTrustBundlePolicy"] = "Always"
    platform["additionalNTPServers"] = ["192.0.2.9"]
    platform["clusterOSImage"] = f"http://192.0.2.9/disk.qcow2?sha256={'1' * 64}"
    platform["bmcVerifyCA"] = PEM.decode()
    platform["bootstrapExternalStaticIP"] = "192.0.2.40"
    platform["bootstrapExternalStaticGateway"] = "192.0.2.1"
    platform["bootstrapExternalStaticDNS"] = "192.0.2.1"
    platform["hosts"][0]["networkConfig"] = NETWORK
    return config


def as_text(config: Mapping[str, Any]) -> str:
    text: str = yaml.safe_dump(config)
    return text.replace("file: /etc/ingot/bmc-password", "env: BMC_PASSWORD")


CONFIGS = {name: as_text(plain(name)) for name in SAMPLES} | {
    f"rich {name}": as_text(rich(name)) for name in SAMPLES
}


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BMC_PASSWORD", "hunter2")


def made(graph: Graph, text: str, state: State, target: str = "cluster") -> Outcome:
    loaded = load(text.encode())
    config = loaded.config
    assert config is not None
    assert loaded.report.errors == []
    numbers = itertools.count()
    given = Sources(
        b"", config, PAYLOAD, lambda size: bytes([next(numbers) % 256] * size), NOW, "1"
    )
    return make(graph, target, sources=given, present=Present(state, {}))


@cache
def first(name: str) -> State:
    return made(catalogue.graph(), CONFIGS[name], State()).after


@pytest.mark.parametrize("name", CONFIGS)
def test_every_target_is_made(name: str) -> None:
    for target in catalogue.TARGETS:
        assert made(catalogue.graph(), CONFIGS[name], State(), target).writes


def reads() -> list[tuple[Asset, str]]:
    return [(asset, part) for asset in catalogue.graph() for part in asset.reads]


@pytest.mark.parametrize(
    ("asset", "part"), [pytest.param(*one, id=f"{one[0].name} {one[1]}") for one in reads()]
)
def test_an_asset_reads_what_it_says(asset: Asset, part: str) -> None:
    others = [one for one in catalogue.graph() if one is not asset]
    less = replace(asset, reads=tuple(one for one in asset.reads if one != part))
    graph = Graph([*others, less], {"cluster": (asset.name,)})
    with pytest.raises(AttributeError):  # noqa: PT012 - which config has it read is its business
        for name in CONFIGS:
            kept = first(name)
            rest = {one: kept.records[one] for one in kept.records if one != asset.name}
            made(graph, CONFIGS[name], replace(kept, records=rest, left={}))


def test_a_new_bmc_password_makes_no_key_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = first("managed")
    monkeypatch.setenv("BMC_PASSWORD", "another")
    assert set(made(catalogue.graph(), CONFIGS["managed"], kept).made) == {
        "bmc-secrets",
        "bootstrap",
    }


def test_what_tells_a_cluster_from_others_outlives_a_change() -> None:
    config = rich("managed")
    before = made(catalogue.graph(), as_text(config), State())
    config["platform"]["baremetal"]["libvirtURI"] = "qemu+ssh://root@192.0.2.9/system"
    after = made(catalogue.graph(), as_text(config), before.after)
    assert after.made == ("metadata",)
    assert after.files["identity"] == before.files["identity"]
    assert b"qemu+ssh" in after.files["metadata"]["metadata.json"]


def test_without_a_network_of_our_own_there_is_no_manifest_for_it() -> None:
    config = rich("managed")
    config["networking"]["networkType"] = "None"
    assert made(catalogue.graph(), as_text(config), State()).files["host-gateway"] == {}


def test_secrets_lie_only_in_files_that_are_written_for_the_owner_alone() -> None:
    outcome = made(catalogue.graph(), CONFIGS["managed"], State())
    with_password = {path for path, one in outcome.all_files().items() if b"hunter2" in one}
    assert with_password
    assert all(path.startswith("manifests/50-bmc-secret-") for path in with_password)
