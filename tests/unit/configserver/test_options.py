"""What the config server is told, and the pod that tells it."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path

import pytest
import yaml

from ingot.configserver.options import VARIABLES, OptionsError, read
from ingot.configserver.pod import manifest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("ca.crt", "cluster-ca.crt"):
        (tmp_path / name).write_text(f"{name} as PEM\n")
    return tmp_path


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {
        "INGOT_CONFIG_FOLDER": str(folder),
        "INGOT_API_SERVER": "https://192.0.2.5:6443",
        "INGOT_VIPS": "192.0.2.5,2001:db8::5",
        "INGOT_CLUSTER_CA": str(folder / "cluster-ca.crt"),
        **more,
    }


def test_the_environment_says_what_nodes_are_told(folder: Path) -> None:
    options = read(environment(folder))
    assert options.port == 22623
    assert options.kubeconfig is None
    assert options.cluster.vips == (ip_address("192.0.2.5"), ip_address("2001:db8::5"))
    assert options.cluster.config_url == "https://192.0.2.5:22623"
    assert options.cluster.config_ca == "ca.crt as PEM\n"


def test_an_ipv6_address_keeps_its_brackets(folder: Path) -> None:
    said = environment(folder, INGOT_API_SERVER="https://[2001:db8::5]:6443")
    assert read(said).cluster.config_url == "https://[2001:db8::5]:22623"


def test_all_mistakes_are_named_at_once() -> None:
    with pytest.raises(OptionsError) as refused:
        read({
            "INGOT_CONFIG_PORT": "x",
            "INGOT_LOG_LEVEL": "loud",
            "INGOT_API_SERVER": "http://a",
            "INGOT_VIPS": "a",
            "INGOT_CLUSTER_CA": "/nowhere",
        })  # fmt: skip
    assert {one.split()[0].rstrip(":") for one in refused.value.mistakes} == {
        "INGOT_CONFIG_PORT", "INGOT_LOG_LEVEL", "INGOT_API_SERVER", "INGOT_VIPS",
        "INGOT_CLUSTER_CA",
    }  # fmt: skip


def test_the_pod_sets_variables_that_there_are_and_mounts_the_files_that_they_name() -> None:
    text = manifest("ingot.local/onprem:1", api_server="https://192.0.2.5:6443", vips=["192.0.2.5"])
    pod = yaml.safe_load(text)
    (container,) = pod["spec"]["containers"]
    said = {one["name"]: one["value"] for one in container["env"]}
    assert set(said) <= set(VARIABLES)
    mounted = {one["mountPath"] for one in container["volumeMounts"]}
    named = ("INGOT_CONFIG_FOLDER", "INGOT_CLUSTER_CA", "KUBECONFIG")
    assert mounted >= {said[name] for name in named}
    assert pod["spec"]["hostNetwork"] is True
    assert container["command"] == ["ingot-node", "configserver"]


def test_the_reference_has_every_variable_with_its_default_and_meaning() -> None:
    page = Path(__file__).parents[3] / "docs/reference/config-server.md"
    text = page.read_text(encoding="utf-8")
    for name, (default, meaning) in VARIABLES.items():
        shown = f" `{default}` " if default else " "
        assert f"| `{name}` |{shown}| {meaning} |" in text
