"""What the cluster is given to provision servers, and to let them join, by itself."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingot.assets import clusterconfigserver, metal3cluster
from ingot.assets.bootstrapnetwork import bootstrap_macs
from ingot.assets.kubernetespki import pki_files
from ingot.assets.metal3settings import metal3_settings
from ingot.assets.nodeconfig import control_plane_config
from ingot.assets.provisioning import provisioning
from ingot.config.model import InstallConfig
from ingot.configserver.completing import AUTHORITIES, complete
from ingot.configserver.roster import parse
from ingot.metal3.api.provisioning import Provisioning, ProvisioningSpec
from ingot.metal3.api.reading import read_stored
from ingot.metal3.cluster.names import CONFIG_SERVER, CONTROLLER, NAMESPACE
from ingot.metal3.cluster.options import parse as parse_options
from ingot.metal3.cluster.translating import settings_of
from tests.unit.assets.clusters import (
    PAYLOAD,
    cluster,
    counting,
    install_files,
    objects,
    platform_with,
)

CHECKED = replace(PAYLOAD, kernel_sha256="b" * 64, initrd_sha256="c" * 64)
IMAGE = f"http://images.example.com/node.qcow2.gz?sha256={'d' * 64}"


def provisioning_spec(config: InstallConfig) -> ProvisioningSpec:
    (found,) = objects(provisioning(config)).values()
    return read_stored(Provisioning, json.dumps(found).encode()).spec


def secret_of(files: dict[str, bytes]) -> dict[str, str]:
    made = objects(clusterconfigserver.config_server_secret(cluster(), CHECKED, files))
    found: dict[str, str] = made["Secret", CONFIG_SERVER.name]["stringData"]
    return found


def test_the_controller_reads_the_options_that_it_is_given() -> None:
    config = cluster()
    made = objects(metal3cluster.metal3_cluster(config, CHECKED))
    text = made["ConfigMap", CONTROLLER]["data"]["options.json"]
    assert parse_options(text) == metal3cluster.options_of(config, CHECKED)
    pod = made["Deployment", CONTROLLER]["spec"]["template"]["spec"]
    assert pod["containers"][0]["volumeMounts"][0]["mountPath"] == "/etc/ingot/metal3-controller"


def test_servers_of_a_lab_are_provisioned_by_the_cluster_as_by_the_bootstrap() -> None:
    config, lab = cluster(), replace(CHECKED, slow=True)
    later = settings_of(
        provisioning_spec(config),
        vips=config.baremetal.api_vips,
        further=metal3cluster.options_of(config, lab).settings,
    )
    first = metal3_settings(config, bootstrap_macs(config, counting()), lab=True)
    assert later.kernel_parameters == first.kernel_parameters
    assert later.operator == first.operator


@pytest.mark.parametrize(
    ("change", "names"),
    [
        (None, {"disk.img", "kernel", "initrd"}),
        (platform_with(clusterOSImage=IMAGE), {"kernel", "initrd"}),
    ],
)
def test_a_node_image_of_ones_own_is_not_kept(change: Any, names: set[str]) -> None:  # noqa: ANN401 - a change of a tree
    options = metal3cluster.options_of(cluster(change=change), CHECKED)
    assert {one.name for one in options.images.files} == names


def test_the_first_copy_comes_from_where_the_vm_is() -> None:
    config = cluster()
    source = metal3cluster.options_of(config, CHECKED).images.source
    assert source == f"http://{config.baremetal.api_vips[0]}:6180/images"


def test_servers_fetch_the_node_image_where_the_pod_keeps_its_address() -> None:
    managed, disabled = cluster("managed"), cluster("virtualmedia")
    assert metal3cluster.node_image_url(managed) == (
        f"http://{managed.baremetal.cluster_provisioning_ip}:6180/images/disk.img"
    )
    vip = disabled.baremetal.api_vips[0]
    assert metal3cluster.node_image_url(disabled) == f"http://{vip}:6180/images/disk.img"


def test_no_key_of_the_cluster_is_in_the_secret() -> None:
    files = install_files(cluster())
    text = json.dumps(secret_of(files))
    assert "/etc/kubernetes/pki/" not in text
    # What signs the server's certificate is beside it, for the controller alone.
    assert files["tls/config-server-ca.key"].decode()[40:80] not in text


def test_a_control_plane_node_completes_it_to_what_the_bootstrap_serves(tmp_path: Path) -> None:
    config = cluster()
    files = install_files(config)
    for name, content in secret_of(files).items():
        (tmp_path / "given").mkdir(exist_ok=True)
        (tmp_path / "given" / name).write_text(content)
    for one in pki_files(files):
        place = tmp_path / "pki" / one.path.removeprefix("/etc/kubernetes/pki/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(one.content)
    (tmp_path / "folder").mkdir()
    complete(given=tmp_path / "given", pki=tmp_path / "pki", folder=tmp_path / "folder")
    ours = json.loads((tmp_path / "folder/control-plane.ign").read_text())
    theirs = json.loads(control_plane_config(config, CHECKED, files))
    by_path = [{one["path"]: one for one in it["storage"]["files"]} for it in (ours, theirs)]
    assert by_path[0].keys() == by_path[1].keys()
    for path, one in by_path[1].items():
        assert by_path[0][path]["contents"]["source"] == one["contents"]["source"], path
        assert by_path[0][path]["mode"] == one["mode"], path
    assert ours["systemd"] == theirs["systemd"]


def test_a_node_has_all_that_kubeadm_looks_for() -> None:
    places = {one.path for one in pki_files(install_files(cluster()))}
    assert places == {f"/etc/kubernetes/pki/{name}" for name in AUTHORITIES}


def test_every_host_of_the_install_may_ask() -> None:
    text = secret_of(install_files(cluster()))["hosts.json"]
    names = {one.name for one in parse(text, source="hosts.json").hosts}
    assert names == {one.name for one in cluster().baremetal.hosts}


def test_every_account_that_a_pod_has_is_there() -> None:
    config = cluster()
    made = objects(
        {
            **metal3cluster.metal3_cluster(config, CHECKED),
            **clusterconfigserver.cluster_config_server(config, CHECKED, install_files(config)),
        }
    )
    accounts = {name for kind, name in made if kind == "ServiceAccount"}
    assert accounts == {"metal3", "metal3-images", CONTROLLER, CONFIG_SERVER.name}
    for (kind, _), one in made.items():
        if kind.endswith("Binding"):
            (subject,) = one["subjects"]
            assert subject["name"] in accounts


def test_the_config_server_is_told_where_nodes_find_it() -> None:
    made = objects(
        clusterconfigserver.cluster_config_server(cluster(), CHECKED, install_files(cluster()))
    )
    daemon = made["DaemonSet", CONFIG_SERVER.name]
    assert daemon["metadata"]["namespace"] == CONFIG_SERVER.namespace
    spec = daemon["spec"]["template"]["spec"]
    assert spec["nodeSelector"] == {"node-role.kubernetes.io/control-plane": ""}
    told = {one["name"]: one["value"] for one in spec["containers"][0]["env"]}
    assert told["INGOT_API_SERVER"] == f"https://{cluster().baremetal.api_vips[0]}:6443"
    assert NAMESPACE == "metal3"
