"""`ingot destroy` as a real process: real BMCs on loopback, a VM of the real driver."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from ingot.installer.bootstrapvm import NAME
from ingot.installer.journal import InstallJournal
from ingot.installer.wipejournal import note_begun, note_clean
from ingot.lab.faults.kind import FaultKind
from ingot.machine import namespaces
from ingot.machine.model import Power
from tests.integration.installer.destroysite import INGOT, OLD, Site, site
from tests.integration.lab.redfish_bench import FIRST, PASSWORD, SECOND, image_server

__all__ = ["site"]


@pytest.mark.parametrize("target", ["bootstrap", "cluster"])
def test_where_nothing_was_made_there_is_nothing_to_destroy(tmp_path: Path, target: str) -> None:
    nowhere = tmp_path / "nowhere"
    done = subprocess.run(
        [INGOT, "--dir", nowhere, "destroy", target], capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "there is no" in done.stdout.lower()
    assert not nowhere.exists()


def test_servers_of_a_cluster_that_was_never_begun_are_left_alone(site: Site) -> None:
    site.make_files()
    site.redfish.driver.power_on(FIRST)
    done = site.run("destroy", "cluster")
    assert (done.returncode, done.stderr) == (0, "")
    assert site.power()[FIRST] is Power.ON


def test_of_checks_that_were_not_passed_nothing_is_left(site: Site) -> None:
    InstallJournal(site.directory.journal).add("checks", "began")
    done = site.run("destroy", "cluster")
    assert done.returncode == 0, done.stderr
    assert not (site.path / ".ingot").exists()


def test_a_half_made_cluster_is_taken_away_and_nothing_of_it_is_left(site: Site) -> None:
    site.begin()
    with image_server(b"an image") as images:
        site.redfish.system().virtual_media.get_members()[0].insert_media(images.url)
    own = site.path / "manifests" / "mine.yaml"
    own.write_text("kind: ConfigMap", encoding="utf-8")
    changed = site.path / "manifests" / "00-namespaces.yaml"
    changed.write_text("# mine\n" + changed.read_text(encoding="utf-8"), encoding="utf-8")
    driver = site.driver
    done = site.run("destroy", "cluster")
    assert done.returncode == 0, done.stderr
    assert set(site.power().values()) == {Power.OFF}
    assert site.redfish.driver.all[FIRST].settings.media is None
    assert driver.machines() == ()
    told = done.stdout.splitlines()
    assert told[0] == "the bootstrap VM is gone"
    assert f"{FIRST}: switched off, boot.iso ejected" in told
    assert f"{OLD}: switched off" in told
    assert "manifests/00-namespaces.yaml was changed by you: kept" in told
    assert "disks were not wiped" in told[-1]
    left = {path.relative_to(site.path).as_posix() for path in site.path.rglob("*")}
    assert left == {
        "install-config.yaml",
        "manifests",
        "manifests/mine.yaml",
        "manifests/00-namespaces.yaml",
    }
    again = site.run("destroy", "cluster", "-o", "json")
    assert (again.returncode, json.loads(again.stdout)["begun"]) == (0, False)


def test_what_cannot_be_reached_is_named_and_the_rest_is_done(site: Site) -> None:
    site.begin()
    site.redfish.set(FaultKind.BMC_401, SECOND, times=1000)
    done = site.run("destroy", "cluster", "-o", "json")
    assert done.returncode == 4
    assert f"{SECOND}: " in done.stderr
    assert "password" in done.stderr
    told = json.loads(done.stdout)
    assert (told["complete"], told["vm"], list(told["failed"])) == (False, True, [SECOND])
    assert site.power() == {FIRST: Power.OFF, SECOND: Power.ON, OLD: Power.OFF}
    assert (site.path / "auth/kubeconfig").exists()
    assert site.directory.has_begun

    site.redfish.faults.clear(SECOND)
    again = site.run("destroy", "cluster", "-o", "json")
    assert again.returncode == 0, again.stderr
    assert site.power()[SECOND] is Power.OFF
    assert {one["name"]: one["wasOn"] for one in json.loads(again.stdout)["servers"]} == {
        FIRST: False,
        SECOND: True,
        OLD: False,
    }
    assert not (site.path / "auth").exists()


def test_a_bmc_that_is_busy_is_asked_again(site: Site) -> None:
    site.begin()
    site.redfish.set(FaultKind.BMC_503, SECOND, times=2)
    done = site.run("destroy", "cluster")
    assert done.returncode == 0, done.stderr
    assert site.power()[SECOND] is Power.OFF


def test_a_server_that_was_taken_out_of_the_file_is_switched_off_too(site: Site) -> None:
    site.begin()
    content = yaml.safe_load((site.path / "install-config.yaml").read_text(encoding="utf-8"))
    del content["platform"]["baremetal"]["hosts"][0]
    content["controlPlane"]["replicas"] = 1
    (site.path / "install-config.yaml").write_text(yaml.safe_dump(content), encoding="utf-8")
    done = site.run("destroy", "cluster")
    assert done.returncode == 0, done.stderr
    assert set(site.power().values()) == {Power.OFF}


def test_a_password_that_was_corrected_since_is_used(site: Site) -> None:
    right = (site.path / "install-config.yaml").read_text(encoding="utf-8")
    wrong = right.replace(PASSWORD, "battery-staple")
    (site.path / "install-config.yaml").write_text(wrong, encoding="utf-8")
    site.begin()
    refused = site.run("destroy", "cluster")
    assert refused.returncode == 4
    assert f"{FIRST}: " in refused.stderr
    assert "battery-staple" not in refused.stderr + refused.stdout
    (site.path / "install-config.yaml").write_text(right, encoding="utf-8")
    done = site.run("destroy", "cluster")
    assert done.returncode == 0, done.stderr
    assert set(site.power().values()) == {Power.OFF}


def test_the_bootstrap_vm_alone_is_removed_and_servers_stay_on(site: Site) -> None:
    site.begin()
    drive = site.directory.hidden / "machines" / "config-2.iso"
    drive.parent.mkdir(exist_ok=True)
    drive.touch()
    for told in ("the bootstrap VM is gone", "there is no bootstrap VM"):
        done = site.run("destroy", "bootstrap")
        assert (done.returncode, done.stdout.strip()) == (0, told), done.stderr
    assert site.driver.machines() == ()
    assert not drive.exists()
    assert set(site.power().values()) == {Power.ON}


def test_a_hypervisor_that_is_gone_keeps_no_server_on(site: Site) -> None:
    site.begin()
    site.driver.undefine(NAME)
    namespaces.delete(site.namespace)
    done = site.run("destroy", "cluster")
    assert done.returncode == 4
    assert "bootstrap VM: " in done.stderr
    assert set(site.power().values()) == {Power.OFF}


def test_wiping_is_refused_before_anything_is_destroyed_where_no_vm_can_be_made(
    site: Site,
) -> None:
    site.begin()
    known = site.path / "metadata.json"
    known.rename(known.with_suffix(".away"))
    done = site.run("destroy", "cluster", "--wipe")
    assert done.returncode == 4
    assert "nothing was destroyed" in done.stderr
    assert "without --wipe" in done.stderr
    assert set(site.power().values()) == {Power.ON}
    known.with_suffix(".away").rename(known)
    assert site.driver.machines() == (NAME,)


def test_where_nothing_tells_the_servers_nothing_is_destroyed(site: Site) -> None:
    site.begin()
    (site.path / "install-config.yaml").unlink()
    site.directory.state_file.unlink()
    done = site.run("destroy", "cluster", "--wipe")
    assert done.returncode == 3
    assert "nothing else tells which servers" in done.stderr
    assert "put it back" in done.stderr
    assert set(site.power().values()) == {Power.ON}
    assert site.driver.machines() == (NAME,)


def test_a_wipe_that_was_killed_at_its_very_end_ends_without_another_vm(site: Site) -> None:
    site.begin()
    journal = InstallJournal(site.directory.journal)
    note_begun(journal)
    note_clean(journal, (FIRST, SECOND, OLD))
    (site.directory.hidden / "wipe").mkdir()
    done = site.run("destroy", "cluster", "--wipe", "-o", "json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["complete"], told["wiped"]) == (True, True)
    assert all(one["wiped"] for one in told["servers"])
    assert set(site.power().values()) == {Power.OFF}
    assert not (site.directory.hidden / "wipe").exists()
    assert not site.directory.has_begun


def test_a_wipe_that_was_begun_can_be_given_up_and_says_which_disks_are_left(site: Site) -> None:
    site.begin()
    journal = InstallJournal(site.directory.journal)
    note_begun(journal)
    note_clean(journal, (FIRST, OLD))
    done = site.run("destroy", "cluster")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].endswith(f"; disks of {SECOND} were not wiped")


def test_a_cluster_that_is_being_wiped_is_not_gone_on_with(site: Site) -> None:
    site.begin()
    note_begun(InstallJournal(site.directory.journal))
    done = site.run("create", "cluster")
    assert done.returncode == 1
    assert "ingot destroy cluster --wipe" in done.stderr
    assert site.driver.machines() == (NAME,)
