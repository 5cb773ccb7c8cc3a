"""`ingot create manifests` and `create ignition-configs` as real processes, on real files."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import stat
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from ingot.config.sample import sample
from ingot.installer.journal import VM, InstallJournal

INGOT = Path(sys.executable).parent / "ingot"
PASSWORD = "hunter2-and-more"
HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine, namespace: default}\n"


class Site:
    """An install directory, and the command line in it."""

    def __init__(self, path: Path) -> None:
        self.path = path / "install"
        self.path.mkdir(mode=0o700)
        image = path / "disk.raw"
        image.write_bytes(b"not really a disk")
        self.checksum = sha256(image.read_bytes()).hexdigest()
        self.environment = {
            **os.environ,
            "BMC_PASSWORD": PASSWORD,
            "INGOT_NODE_IMAGE": str(image),
        }
        self.configure(sample("managed"))

    def configure(self, text: str) -> None:
        (self.path / "install-config.yaml").write_text(text, encoding="utf-8")

    def change(self, before: str, after: str) -> None:
        text = (self.path / "install-config.yaml").read_text(encoding="utf-8")
        assert before in text
        self.configure(text.replace(before, after))

    def run(self, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [INGOT, "--dir", self.path, *words],
            env={**self.environment, **environment},
            capture_output=True,
            check=False,
            text=True,
            timeout=120,
        )

    def create(self, target: str) -> dict[str, list[str]]:
        done = self.run("create", target, "-o", "json")
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert isinstance(told, dict)
        return told

    def files(self) -> dict[str, bytes]:
        """Return all files but those of .ingot."""
        paths = (path for path in self.path.rglob("*") if path.is_file())
        found = {path.relative_to(self.path).as_posix(): path.read_bytes() for path in paths}
        return {name: content for name, content in found.items() if not name.startswith(".ingot")}

    def bootstrap(self) -> dict[str, str]:
        """Return the files in bootstrap.ign by their paths."""
        config = json.loads((self.path / "bootstrap.ign").read_bytes())
        return {one["path"]: one["contents"]["source"] for one in config["storage"]["files"]}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def test_manifests_are_written_for_people_to_read(site: Site) -> None:
    done = site.run("create", "manifests")
    assert done.returncode == 0, done.stderr
    assert "manifests/ (" in done.stdout
    files = site.files()
    assert "manifests/00-namespaces.yaml" in files
    host = next(content for name, content in files.items() if "60-host-" in name)
    assert site.checksum in host.decode()
    assert "bootstrap.ign" not in files


def test_ignition_configs_come_with_keys_kubeconfig_and_metadata(site: Site) -> None:
    site.create("ignition-configs")
    files = site.files()
    assert {"bootstrap.ign", "auth/kubeconfig", "metadata.json", "tls/ca.key"} <= files.keys()
    assert any(name.startswith("hosts/") for name in files)
    names = {name for name in files if name.startswith("manifests/")}
    assert {f"/etc/ingot/{name}" for name in names} <= site.bootstrap().keys()


def test_only_the_owner_can_read_what_is_made(site: Site) -> None:
    site.create("ignition-configs")
    for path in site.path.rglob("*"):
        if path.name != "install-config.yaml":
            allowed = 0o700 if path.is_dir() else 0o600
            assert stat.S_IMODE(path.stat().st_mode) == allowed, path


def test_without_an_install_config_nothing_is_made(site: Site) -> None:
    shutil.rmtree(site.path)
    done = site.run("create", "manifests")
    assert done.returncode == 3
    assert "install-config.yaml cannot be read" in done.stderr
    assert not site.path.exists()


def test_no_secret_is_ever_told(site: Site) -> None:
    for words in (("manifests",), ("ignition-configs", "-o", "json"), ("ignition-configs",)):
        done = site.run("--log-level", "debug", "create", *words)
        assert PASSWORD not in done.stdout + done.stderr
        assert "PRIVATE KEY" not in done.stdout + done.stderr


def test_a_second_run_changes_nothing(site: Site) -> None:
    site.create("ignition-configs")
    before = site.files()
    told = site.create("ignition-configs")
    assert (told["made"], told["written"], told["removed"], told["yours"]) == ([], [], [], [])
    assert site.files() == before
    assert "nothing to write" in site.run("create", "ignition-configs").stdout


def test_changed_added_and_deleted_manifests_are_respected_and_said(site: Site) -> None:
    site.create("manifests")
    folder = site.path / "manifests"
    (folder / "20-rbac.yaml").write_text(HEAD, encoding="utf-8")
    (folder / "90-mine.yaml").write_text(HEAD, encoding="utf-8")
    (folder / "40-provisioning.yaml").unlink()
    (folder / "notes.txt").write_text("remember", encoding="utf-8")
    done = site.run("create", "ignition-configs")
    assert done.returncode == 0, done.stderr
    assert "manifests/20-rbac.yaml was changed by you: used as it is" in done.stdout
    assert "manifests/90-mine.yaml was added by you: used with the others" in done.stdout
    assert "manifests/40-provisioning.yaml was deleted by you: left out" in done.stdout
    assert "manifests/notes.txt is not a manifest" in done.stdout
    applied = {name for name in site.bootstrap() if name.startswith("/etc/ingot/manifests/")}
    assert "/etc/ingot/manifests/90-mine.yaml" in applied
    assert "/etc/ingot/manifests/40-provisioning.yaml" not in applied
    assert not {one for one in applied if "notes" in one}
    assert (folder / "20-rbac.yaml").read_text(encoding="utf-8") == HEAD


def test_a_changed_config_makes_again_what_depends_on_it(site: Site) -> None:
    site.create("ignition-configs")
    before = site.files()
    site.environment["BMC_PASSWORD"] = "another"
    told = site.create("ignition-configs")
    assert set(told["made"]) == {"bmc-secrets", "bootstrap"}
    after = site.files()
    assert {name for name in after if name.startswith(("tls/", "hosts/"))} <= {
        name for name in after if after[name] == before[name]
    }


def test_a_host_that_is_gone_from_the_config_is_gone_from_the_directory(site: Site) -> None:
    site.create("manifests")
    hosts = sorted(name for name in site.files() if "60-host-" in name)
    name = hosts[-1].removeprefix("manifests/60-host-").removesuffix(".yaml")
    site.change(f"name: {name}", "name: renamed")
    told = site.create("manifests")
    assert hosts[-1] in told["removed"]
    assert "manifests/60-host-renamed.yaml" in site.files()


def test_own_authorities_are_used(site: Site, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = Site(tmp_path / "other")
    other.create("ignition-configs")
    (site.path / "tls").mkdir()
    for name in ("tls/ca.crt", "tls/ca.key"):
        shutil.copy(other.path / name, site.path / name)
    done = site.run("create", "ignition-configs")
    assert "tls/ca.crt is yours" in done.stdout
    assert site.files()["tls/ca.crt"] == other.files()["tls/ca.crt"]
    issued = subprocess.run(
        ["openssl", "verify", "-CAfile", site.path / "tls/ca.crt", site.path / "tls/admin.crt"],
        capture_output=True,
        check=False,
    )
    assert issued.returncode == 0


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        pytest.param("manifests/x.yaml", "a: [1\nb: 2", "manifests/x.yaml:2 ", id="not YAML"),
        pytest.param("manifests/x.yaml", f"{HEAD}---\na: 1\n", "x.yaml:5 ", id="no object"),
        pytest.param("bootstrap.ign", "{", "bootstrap.ign:1 ", id="not JSON"),
        pytest.param("bootstrap.ign", "{}", "a field `ignition`", id="not Ignition"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_with_its_line(
    name: str, content: str, words: str, site: Site
) -> None:
    site.create("ignition-configs")
    before = site.files()
    (site.path / name).write_text(content, encoding="utf-8")
    done = site.run("create", "ignition-configs")
    assert done.returncode == 3
    assert words in done.stderr
    assert site.files() == before | {name: content.encode()}


def test_an_invalid_config_is_told_with_its_lines(site: Site) -> None:
    site.change("      - 192.0.2.6", "      - 192.0.2.5")
    done = site.run("create", "manifests")
    assert done.returncode == 3
    assert "error P3" in done.stderr
    assert "is not valid" in done.stderr
    assert site.files().keys() == {"install-config.yaml"}


def test_two_at_once_are_refused(site: Site) -> None:
    site.create("manifests")
    with (site.path / ".ingot" / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("process 4711 (`ingot create cluster`)")
        lock.flush()
        done = site.run("create", "manifests")
    assert done.returncode == 1
    assert "process 4711 (`ingot create cluster`) is at work in" in done.stderr
    assert "wait until it has ended" in done.stderr


@pytest.mark.parametrize("size", [0, 40, 2000, -40])
def test_a_damaged_state_is_named_with_a_remedy(size: int, site: Site) -> None:
    site.create("manifests")
    state = site.path / ".ingot" / "state" / "assets.json"
    state.write_bytes(state.read_bytes()[:size])
    before = site.files()
    done = site.run("create", "ignition-configs")
    assert done.returncode == 1
    assert f"{state} is damaged" in done.stderr
    assert "put it back from a backup" in done.stderr
    assert site.files() == before


def test_a_full_disk_leaves_everything_as_it_was(site: Site) -> None:
    script = f"""
        mount -t tmpfs -o size=8m,mode=700 tmpfs {site.path} || exit 77
        printf '%s' "$CONFIG" > {site.path}/install-config.yaml
        {INGOT} --dir {site.path} create manifests >&2 || exit 78
        cp -a {site.path} {site.path.parent}/before
        dd if=/dev/zero of={site.path}/filler bs=4k 2>/dev/null
        {INGOT} --dir {site.path} create ignition-configs
        code=$?
        rm {site.path}/filler
        rm -f {site.path}/.ingot/lock {site.path.parent}/before/.ingot/lock
        diff -r {site.path} {site.path.parent}/before || exit 79
        exit $code
    """
    config = (site.path / "install-config.yaml").read_text(encoding="utf-8")
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", "sh", "-c", script],
        env={**site.environment, "CONFIG": config},
        capture_output=True,
        check=False,
        text=True,
        timeout=120,
    )
    assert done.returncode == 4, done.stderr + done.stdout
    assert "No space left on device" in done.stderr
    assert "make room" in done.stderr


def test_a_directory_that_everybody_may_write_to_is_refused(site: Site) -> None:
    site.path.chmod(0o777)
    done = site.run("create", "manifests")
    assert done.returncode == 4
    assert "everybody may write to" in done.stderr


def test_a_missing_node_image_is_told(site: Site) -> None:
    done = site.run("create", "manifests", INGOT_NODE_IMAGE="/nowhere")
    assert done.returncode == 4
    assert "the node image /nowhere cannot be read" in done.stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(
            lambda site: site.change("baseDomain: example.com", "baseDomain: example.org"),
            "install-config.yaml: baseDomain changed since",
            id="config",
        ),
        pytest.param(
            lambda site: (site.path / "manifests/20-rbac.yaml").write_text(HEAD),
            "manifests/20-rbac.yaml changed since",
            id="manifest",
        ),
    ],
)
def test_nothing_may_change_once_the_cluster_is_being_made(
    change: object, words: str, site: Site
) -> None:
    site.create("ignition-configs")
    InstallJournal(site.path / ".ingot" / "journal").add(VM, "began")
    site.create("ignition-configs")  # The same again is no change.
    assert callable(change)
    change(site)
    before = site.files()
    done = site.run("create", "ignition-configs")
    assert done.returncode == 1
    assert words in done.stderr
    assert "ingot destroy cluster" in done.stderr
    assert site.files() == before


def test_the_graph_is_drawn_in_three_forms(site: Site) -> None:
    assert "└── " in site.run("graph").stdout
    told = json.loads(site.run("graph", "manifests", "-o", "json").stdout)
    assert told["target"] == "manifests"
    keys = {"name", "about", "needs", "reads", "payload", "places", "shown"}
    assert all(asset.keys() == keys for asset in told["assets"])
    assert site.run("graph", "ignition-configs", "-o", "dot").stdout.startswith("digraph assets {")
