"""The pod as Kubernetes is told of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ingot.metal3.operator.options import read
from ingot.metal3.pod.manifest import deployment, manifest
from ingot.metal3.pod.operating import operator_environment
from ingot.metal3.pod.podspec import Sources, pod_spec
from tests.unit.metal3.pod.told import DISABLED, MANAGED, UNMANAGED, settings

IMAGE = "ingot.local/metal3:1"
IN_CLUSTER = Sources(
    given={"secret": {"secretName": "metal3-ironic"}},
    told={"secret": {"secretName": "metal3-ironic", "items": [{"key": "settings.json"}]}},
    media={"hostPath": {"path": "/var/lib/ingot/images/1"}},
)
KEPT = {**MANAGED, "keptIn": "172.22.0.0/24"}


def spec_of(base: dict[str, Any] = MANAGED, **changes: object) -> dict[str, Any]:
    return pod_spec(settings(base, **changes), image=IMAGE, sources=Sources.bootstrap())


def named(spec: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in (*spec["initContainers"], *spec["containers"])}


@pytest.mark.parametrize(
    ("base", "names"),
    [
        (MANAGED, {"prepare", "ironic", "dnsmasq", "httpd", "operator"}),
        (UNMANAGED, {"prepare", "ironic", "dnsmasq", "httpd", "operator"}),
        (DISABLED, {"prepare", "ironic", "httpd", "operator"}),
    ],
)
def test_dnsmasq_is_there_only_with_a_network(base: dict[str, Any], names: set[str]) -> None:
    assert named(spec_of(base)).keys() == names


def test_only_the_boot_servers_have_capabilities() -> None:
    added = {
        name: one["securityContext"]["capabilities"].get("add")
        for name, one in named(spec_of()).items()
    }
    network = ["NET_ADMIN", "NET_BIND_SERVICE", "NET_RAW"]
    assert added.pop("dnsmasq") == [*network, "SETGID", "SETUID"]
    assert added.pop("httpd") == ["SETGID", "SETUID"]
    assert set(added.values()) == {None}


def test_no_container_writes_what_it_is_given() -> None:
    writable = {
        (name, mount["name"])
        for name, one in named(spec_of()).items()
        for mount in one["volumeMounts"]
        if not mount.get("readOnly")
    }
    assert {volume for _, volume in writable} == {"shared", "scratch"}
    assert ("operator", "shared") not in writable


def test_keys_are_seen_only_by_who_needs_them() -> None:
    def seeing(*, tls: bool) -> set[str]:
        return {
            name
            for name, one in named(spec_of(virtualMediaTls=tls)).items()
            if any(mount["name"] == "given" for mount in one["volumeMounts"])
        }

    assert seeing(tls=False) == {"prepare", "ironic", "operator"}
    assert seeing(tls=True) == {"prepare", "ironic", "operator", "httpd"}


def test_every_mount_has_its_volume() -> None:
    for spec in (spec_of(), pod_spec(settings(), image=IMAGE, sources=IN_CLUSTER)):
        mounted = {mount["name"] for one in named(spec).values() for mount in one["volumeMounts"]}
        assert mounted == {volume["name"] for volume in spec["volumes"]}


def test_who_keeps_the_address_sees_no_keys() -> None:
    spec = pod_spec(settings(KEPT), image=IMAGE, sources=IN_CLUSTER)
    network = named(spec)["network"]
    volumes = {volume["name"]: volume for volume in spec["volumes"]}
    seen = {mount["name"] for mount in network["volumeMounts"]}
    assert seen == {"shared", "scratch", "told"}
    assert volumes["told"]["secret"]["items"] == [{"key": "settings.json"}]
    assert network["securityContext"]["capabilities"]["add"] == ["NET_ADMIN"]


def test_a_pod_of_the_cluster_leaves_a_node_that_is_gone() -> None:
    made = deployment(settings(KEPT), image=IMAGE, sources=IN_CLUSTER)
    spec = made["spec"]["template"]["spec"]
    stays = {
        one["key"]: one["tolerationSeconds"]
        for one in spec["tolerations"]
        if one["effect"] == "NoExecute"
    }
    assert stays == {
        "node.kubernetes.io/not-ready": 30,
        "node.kubernetes.io/unreachable": 30,
    }
    assert spec["nodeSelector"] == {"node-role.kubernetes.io/control-plane": ""}
    assert made["spec"]["strategy"] == {"type": "Recreate"}


def test_a_change_of_the_settings_replaces_the_pod() -> None:
    told = (settings(), settings(), settings(ntp=["10.0.0.1"]))
    texts = {manifest(one, image=IMAGE) for one in told}
    assert len(texts) == 2


def test_the_static_pod_is_the_deployments_pod_with_other_files() -> None:
    static = yaml.safe_load(manifest(settings(), image=IMAGE))["spec"]
    inside = deployment(settings(), image=IMAGE, sources=IN_CLUSTER)["spec"]["template"]["spec"]
    for one in (static, inside):
        for container in one["containers"]:
            container.pop("env", None)
            container.pop("volumeMounts")
    assert static["containers"] == inside["containers"]
    assert "serviceAccountName" not in static
    assert inside["serviceAccountName"] == "metal3"
    assert inside["automountServiceAccountToken"]


@pytest.mark.parametrize("base", [MANAGED, UNMANAGED, DISABLED])
def test_the_operator_understands_what_it_is_told(base: dict[str, Any], tmp_path: Path) -> None:
    told = operator_environment(settings(base), kubeconfig=True)
    options = read({**told, "METAL3_AUTH_ROOT_DIR": str(tmp_path)})
    assert options.ironic.root == "https://127.0.0.1:6385"
    assert options.namespace == options.own_namespace == "metal3"
    assert options.site.ramdisk.kernel == "file:///shared/ramdisk/kernel"
    assert options.site.provisioning_network == (base is not DISABLED)
    assert (options.dhcp_log is not None) == (base is not DISABLED)
    assert options.webhook is None


def test_the_operator_can_be_told_more() -> None:
    told = operator_environment(settings(operator={"PROVISIONING_LIMIT": "3"}), kubeconfig=False)
    assert told["PROVISIONING_LIMIT"] == "3"
    assert "KUBECONFIG" not in told


def test_bmcs_with_ipv6_fetch_by_ipv6_where_there_are_both() -> None:
    both = settings(externalAddresses=["192.168.111.5", "fd00::5"])
    told = operator_environment(both, kubeconfig=False)
    assert told["IRONIC_EXTERNAL_URL_V6"] == "http://[fd00::5]:6180"
    assert "IRONIC_EXTERNAL_URL_V6" not in operator_environment(settings(), kubeconfig=False)
