"""The install-config of a lab: valid for every lab there can be, and never at another's cost."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from ingot.config.file import load_file
from ingot.config.model import BootMode, Host, InstallConfig, Role
from ingot.lab.installconfig import FILE, FileInTheWay, check_place, write
from ingot.lab.labs import STATE_VARIABLE, Lab
from ingot.lab.plan import LabPlan
from ingot.lab.sshkey import public_key
from ingot.lab.words import BmcChoice, DriverKind, ProvisioningMode
from tests.unit.config.keys import ED25519
from tests.unit.lab.descriptions import loaded, planned


def written(plan: LabPlan, folder: Path, *, ssh_key: str = "") -> InstallConfig:
    """Write a lab's install-config, check that nothing is wrong with it, and return it."""
    write(plan, folder / FILE, ssh_key=ssh_key)
    found = load_file(folder / FILE)
    assert found.report.problems == []
    assert found.config is not None
    return found.config


def hosts_of(config: InstallConfig) -> dict[str, Host]:
    return {host.name: host for host in config.baremetal.hosts}


@pytest.mark.parametrize(
    ("driver", "bmc", "mode"), list(product(DriverKind, BmcChoice, ProvisioningMode))
)
def test_every_lab_that_can_be_asked_for_has_a_valid_one(
    driver: DriverKind, bmc: BmcChoice, mode: ProvisioningMode, tmp_path: Path
) -> None:
    text = f"bmc: {bmc}\nprovisioningNetwork: {mode}\nspares: 1"
    if loaded(text, driver=driver).report.errors:
        assert mode is ProvisioningMode.DISABLED
        assert bmc is not BmcChoice.REDFISH_VIRTUALMEDIA
        return
    config = written(planned(text, driver=driver), tmp_path)
    assert config.baremetal.provisioning_network.value.lower() == mode.value
    assert len(config.baremetal.hosts) == 6


@pytest.mark.parametrize("control_plane", [3, 5])
@pytest.mark.parametrize("workers", [0, 1, 4])
def test_numbers_are_those_of_the_lab(control_plane: int, workers: int, tmp_path: Path) -> None:
    config = written(planned(control_plane=control_plane, workers=workers), tmp_path)
    assert config.control_plane.replicas == control_plane
    assert config.worker_replicas == workers


def test_hosts_are_those_of_the_plan(tmp_path: Path) -> None:
    plan = planned(bmc=BmcChoice.MIXED, spares=1)
    hosts = hosts_of(written(plan, tmp_path))
    for host in plan.hosts:
        found = hosts[host.name]
        assert str(found.boot_mac_address) == host.nics[0].mac
        assert found.bmc.address is not None
        assert found.bmc.address.scheme == host.bmc.kind
        assert found.bmc.address.ip == host.bmc.address
        assert found.bmc.password is not None
        assert found.bmc.password.reveal() == host.bmc.password
        if host.bmc.kind != "ipmi":
            assert found.bmc.address.path == f"/redfish/v1/Systems/{host.uuid}"
            assert found.bmc.disable_certificate_verification
    assert hosts["cp-0"].role is Role.MASTER
    assert hosts["worker-0"].role is Role.WORKER
    assert hosts["spare-0"].role is Role.NONE


def test_the_first_disk_is_installed_to(tmp_path: Path) -> None:
    plan = planned("defaults: {disksGiB: [20, 8]}", control_plane=3, workers=0)
    hints = hosts_of(written(plan, tmp_path))["cp-0"].root_device_hints
    assert hints is not None
    assert hints.device_name == "/dev/ubda"


def test_libvirt_disks_are_known_by_their_number(tmp_path: Path) -> None:
    plan = planned(driver=DriverKind.LIBVIRT)
    host = hosts_of(written(plan, tmp_path))["cp-0"]
    assert host.root_device_hints is not None
    assert host.root_device_hints.wwn == plan.hosts[0].disks[0].wwn
    assert host.boot_mode is BootMode.UEFI


def test_uml_hosts_boot_as_old_servers(tmp_path: Path) -> None:
    assert hosts_of(written(planned(), tmp_path))["cp-0"].boot_mode is BootMode.LEGACY


@pytest.mark.parametrize("word", ["0123", "yes", "null", "it's", '"', "a: b", "# x", "*x", "{x}"])
def test_credentials_survive_yaml(
    word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_WORD", word)
    plan = planned("bmcUsername: {env: LAB_WORD}\nbmcPassword: {env: LAB_WORD}")
    bmc = hosts_of(written(plan, tmp_path))["cp-0"].bmc
    assert bmc.username is not None
    assert bmc.password is not None
    assert (bmc.username.reveal(), bmc.password.reveal()) == (word, word)


def test_names_survive_yaml(tmp_path: Path) -> None:
    plan = planned("clusterName: 'on'\nhosts: [{name: '123', role: control-plane}]")
    write(plan, tmp_path / FILE)
    found = load_file(tmp_path / FILE).config
    assert found is not None
    assert found.metadata.name == "on"
    assert found.baremetal.hosts[0].name == "123"


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    write(planned(), tmp_path / FILE)
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [tmp_path / FILE]


def test_a_key_is_made_where_the_user_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SUDO_USER", raising=False)
    key = public_key(tmp_path)
    assert (tmp_path / "lab-ssh-key").stat().st_mode & 0o777 == 0o600
    assert public_key(tmp_path) == key  # It is made once.
    assert written(planned(), tmp_path, ssh_key=key).ssh_key == key


def test_the_users_own_key_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SUDO_USER", raising=False)
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh/id_ed25519.pub").write_text(f"{ED25519}\n")
    assert public_key(tmp_path / "elsewhere") == ED25519
    assert not (tmp_path / "elsewhere").exists()


@pytest.fixture(autouse=True)
def _state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path_factory.mktemp("state")))


def test_a_file_of_a_lab_that_is_gone_may_be_written_over(tmp_path: Path) -> None:
    check_place(tmp_path, "lab")
    write(planned(), tmp_path / FILE)
    check_place(tmp_path, "lab")
    check_place(tmp_path, "another")


def test_a_file_of_another_lab_is_left_alone(tmp_path: Path) -> None:
    other = planned(name="other")
    write(other, tmp_path / FILE)
    Lab("other").write_plan(other)
    with pytest.raises(FileInTheWay, match="belongs to the lab 'other'"):
        check_place(tmp_path, "lab")


def test_a_file_that_was_changed_is_left_alone(tmp_path: Path) -> None:
    write(planned(), tmp_path / FILE)
    with (tmp_path / FILE).open("a") as file:
        file.write("# mine\n")
    with pytest.raises(FileInTheWay, match="changed by hand"):
        check_place(tmp_path, "lab")


def test_a_file_of_the_user_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("apiVersion: v1\n")
    with pytest.raises(FileInTheWay, match="not made by") as refused:
        check_place(tmp_path, "lab")
    assert "--force" in refused.value.remedy
