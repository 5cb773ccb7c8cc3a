"""BareMetalHosts, their Secrets, and the Provisioning."""

from __future__ import annotations

import json

import pytest
import yaml

from ingot.assets.hosts import hosts
from ingot.assets.networkdata import network_data
from ingot.assets.provisioning import provisioning
from ingot.config.model import InstallConfig
from ingot.errors import InstallConfigError
from tests.unit.assets.clusters import (
    BONDED,
    PAYLOAD,
    Tree,
    cluster,
    install_files,
    objects,
    platform_with,
)


def manifest_objects(config: InstallConfig) -> dict[tuple[str, str], Tree]:
    files = install_files(config)
    return objects({path: one for path, one in files.items() if path.startswith("manifests/")})


def test_the_control_plane_is_installed_at_once() -> None:
    found = manifest_objects(cluster())
    host = found["BareMetalHost", "cp-0"]
    assert host["metadata"]["namespace"] == "metal3"
    assert "annotations" not in host["metadata"]
    spec = host["spec"]
    assert spec["online"] is True
    assert spec["bmc"] == {
        "address": "redfish://198.51.100.10/redfish/v1/Systems/1",
        "credentialsName": "cp-0-bmc-secret",
    }
    assert spec["bootMACAddress"] == "52:54:00:00:00:10"
    assert spec["bootMode"] == "UEFI"
    assert spec["rootDeviceHints"] == {"deviceName": "/dev/disk/by-path/pci-0000:00:17.0-ata-1"}
    assert spec["image"] == {
        "url": "http://172.22.0.2:6180/images/disk.img",
        "checksum": "a" * 64,
        "checksumType": "sha256",
        "format": "raw",
    }
    assert found["Secret", spec["userData"]["name"]]["metadata"]["namespace"] == "metal3"


def test_workers_wait_for_the_cluster_to_claim_them() -> None:
    host = manifest_objects(cluster())["BareMetalHost", "worker-0"]
    assert host["metadata"]["annotations"] == {"baremetalhost.metal3.io/paused": "ingot-bootstrap"}
    assert not {"image", "userData", "consumerRef"} & host["spec"].keys()


def test_a_bmcs_secret_holds_what_the_config_reveals() -> None:
    secret = manifest_objects(cluster())["Secret", "cp-2-bmc-secret"]
    assert secret["stringData"] == {"username": "admin", "password": "hunter2"}


def test_a_hosts_user_data_is_its_pointer() -> None:
    config = cluster()
    files = install_files(config)
    found = objects({"one": files["manifests/52-user-data-cp-1.yaml"]})
    assert (
        found["Secret", "cp-1-user-data"]["stringData"]["userData"].encode()
        == (files["hosts/cp-1.ign"])
    )


def test_a_static_network_is_for_the_ramdisk_and_the_system() -> None:
    found = manifest_objects(cluster("virtualmedia"))
    spec = found["BareMetalHost", "cp-1"]["spec"]
    name = spec["preprovisioningNetworkDataName"]
    assert spec["networkData"] == {"name": name}
    content = found["Secret", name]["stringData"]
    assert yaml.safe_load(content["nmstate"])["interfaces"][0]["name"] == "eno1"
    assert json.loads(content["networkData"]) == {
        "links": [{"id": "eno1", "type": "phy", "ethernet_mac_address": "52:54:00:00:00:11"}],
        "networks": [
            {
                "id": "eno1-0",
                "network_id": "eno1-0",
                "link": "eno1",
                "type": "ipv4",
                "ip_address": "192.0.2.11",
                "netmask": "255.255.255.0",
                "routes": [{"network": ANY, "netmask": ANY, "gateway": "192.0.2.1"}],
            }
        ],
        "services": [{"type": "dns", "address": "192.0.2.1"}],
    }


ANY = "0.0.0.0"  # noqa: S104 - the default route


def test_bonds_and_vlans_are_said_too() -> None:
    def change(tree: Tree) -> None:
        tree["platform"]["baremetal"]["hosts"][0]["networkConfig"] = BONDED

    host = cluster(change=change).baremetal.hosts[0]
    said = network_data(host, boots_from_machine_network=False)
    bond, vlan = said["links"][2:]
    assert bond["bond_links"] == ["eno1", "eno2"]
    assert (bond["mtu"], bond["ethernet_mac_address"]) == (9000, "52:54:00:00:01:01")
    assert (vlan["vlan_link"], vlan["vlan_id"]) == ("bond0", 7)
    assert [(one["link"], one["type"]) for one in said["networks"]] == [
        ("bond0", "ipv6_slaac"),
        ("bond0.7", "ipv4_dhcp"),
    ]


def test_a_card_that_cannot_be_told_by_the_boot_mac_has_to_say_its_own() -> None:
    def change(tree: Tree) -> None:
        hosts = tree["platform"]["baremetal"]["hosts"]
        hosts[0]["networkConfig"] = {"interfaces": [{"name": "eno1", "type": "ethernet"}]}

    host = cluster(change=change).baremetal.hosts[0]
    with pytest.raises(InstallConfigError, match="which card 'eno1' is"):
        network_data(host, boots_from_machine_network=False)


def test_an_image_of_the_users_own_is_written_instead() -> None:
    asked = f"https://images.example.com/node.qcow2?sha256={'b' * 64}"
    config = cluster(change=platform_with(clusterOSImage=asked))
    image = objects(hosts(config, PAYLOAD))["BareMetalHost", "cp-0"]["spec"]["image"]
    assert image == {
        "url": "https://images.example.com/node.qcow2",
        "checksum": "b" * 64,
        "checksumType": "sha256",
        "format": "qcow2",
    }


def test_the_provisioning_network_is_handed_to_the_cluster() -> None:
    found = objects(provisioning(cluster()))["Provisioning", "provisioning-configuration"]
    assert found["spec"] == {
        "provisioningNetwork": "Managed",
        "provisioningMacAddresses": [f"52:54:00:00:00:1{number}" for number in range(3)],
        "provisioningIP": "172.22.0.3",
        "provisioningNetworkCIDR": "172.22.0.0/24",
        "provisioningDHCPRange": "172.22.0.10,172.22.0.254",
    }


def test_without_one_the_cluster_is_told_that() -> None:
    found = objects(provisioning(cluster("virtualmedia")))
    spec = found["Provisioning", "provisioning-configuration"]["spec"]
    assert spec["provisioningNetwork"] == "Disabled"
    assert "provisioningMacAddresses" not in spec
