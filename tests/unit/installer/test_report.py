"""What a report is made from."""

from __future__ import annotations

import json
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ingot.config.loading import load
from ingot.config.sample import sample
from ingot.installer.apiview import HostTime, Seen
from ingot.installer.attaching import latest_run
from ingot.installer.directory import InstallDirectory
from ingot.installer.journal import Entry, InstallJournal
from ingot.installer.phase import Phase
from ingot.installer.progress import HostProgress, Progress
from ingot.installer.report import as_json, hosts_of, report_of, runs_in, write_report

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_servers_have_the_time_of_all_that_has_ended() -> None:
    times = (
        HostTime("cp-0", "inspect", "2026-01-01T00:00:00Z", "2026-01-01T00:01:30Z"),
        HostTime("cp-0", "provision", "2026-01-01T00:02:00Z", None),
        HostTime("of-another-cluster", "inspect", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"),
    )
    (host,) = hosts_of([HostProgress(name="cp-0", state="provisioned")], times)
    assert (host.name, host.operations) == ("cp-0", {"inspect": 90.0})


def test_each_run_looks_for_its_images_once() -> None:
    began = Entry(at(0), Phase.IMAGES.value, "began")
    ended = Entry(at(1), Phase.IMAGES.value, "ended")
    assert runs_in([began, ended, began, Entry(at(3), Phase.HOSTS.value, "began")]) == 2


def test_a_report_covers_all_runs_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    directory = InstallDirectory(tmp_path)
    journal = InstallJournal(directory.journal)
    for what, state, when in (
        ("images", "began", 0),
        ("images", "ended", 5),
        ("hosts", "began", 5),
        ("images", "began", 100),
        ("images", "ended", 101),
        ("hosts", "ended", 160),
        ("complete", "ended", 161),
    ):
        journal.add(what, state, at=at(when))
    config = load(sample("managed").encode()).config
    assert config is not None
    progress = Progress(overcome=("cp-0: no DHCP request",))
    cp_0 = HostProgress(name="cp-0", state="provisioned")
    seen = Seen(said=None, hosts=(cp_0,), vip_holder="cp-0")
    report = report_of(directory, config, progress, seen)
    assert (report.began, report.seconds, report.runs) == (at(0), 160, 2)
    assert report.overcome == ("cp-0: no DHCP request",)
    path = write_report(directory, report)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written == as_json(report)
    assert written["api"].endswith(":6443")
    assert written["vipHolder"] == "cp-0"
    assert written["kubeconfig"] == str(tmp_path / "auth/kubeconfig")
    assert [one["name"] for one in written["phases"]] == ["images", "hosts"]
    assert written["apps"] == f"*.apps.{config.cluster_domain}"
    assert written["ingressVIP"] == str(config.baremetal.ingress_vips[0])


def test_workers_and_the_phases_after_the_bootstrap_are_in_the_report(tmp_path: Path) -> None:
    directory = InstallDirectory(tmp_path)
    journal = InstallJournal(directory.journal)
    for what, began, until in (("clean-up", 0, 4), ("workers", 4, 300), ("add-ons", 300, 330)):
        journal.add(what, "began", at=at(began))
        journal.add(what, "ended", at=at(until))
    config = load(sample("managed").encode()).config
    assert config is not None
    worker = HostProgress(name="w-0", role="worker", state="provisioned", claimed=True, joined=True)
    times = HostTime("w-0", "provision", "2026-01-01T00:00:00Z", "2026-01-01T00:03:00Z")
    seen = Seen(said=None, hosts=(worker,), times=(times,))
    report = as_json(report_of(directory, config, Progress(), seen))
    row = {"name": "w-0", "role": "worker", "state": "provisioned", "seconds": {"provision": 180.0}}
    assert report["hosts"] == [row]
    assert report["phases"] == [
        {"name": "clean-up", "began": at(0).isoformat(), "seconds": 4.0},
        {"name": "workers", "began": at(4).isoformat(), "seconds": 296.0},
        {"name": "add-ons", "began": at(300).isoformat(), "seconds": 30.0},
    ]


def test_what_went_wrong_in_an_earlier_run_is_in_the_report(tmp_path: Path) -> None:
    directory = InstallDirectory(tmp_path)
    journal = InstallJournal(directory.journal)
    journal.note(Progress(), Progress(overcome=("cp-1: no DHCP request",)))
    config = load(sample("managed").encode()).config
    assert config is not None
    # The next run reads the same again, and more.
    later = Progress(overcome=("no image", "cp-1: no DHCP request"))
    journal.note(Progress(), later)
    report = report_of(directory, config, later, Seen(said=None))
    assert report.overcome == ("cp-1: no DHCP request", "no image")
    assert len(list(journal.entries())) == 2


def test_only_the_latest_run_counts_for_whoever_waits() -> None:
    entries = [
        Entry(at(0), "checks", "began"),
        Entry(at(1), "images", "began"),
        Entry(at(2), "hosts", "began"),
        Entry(at(900), "images", "began"),
        Entry(at(901), "images", "ended"),
        Entry(at(901), "assets", "began"),
        Entry(at(902), "unheard-of", "began"),
    ]
    images, assets = latest_run(entries)
    assert (images.phase, images.began, images.ended) == (Phase.IMAGES, at(900), at(901))
    assert (assets.phase, assets.ended) == (Phase.ASSETS, None)
    assert latest_run([]) == ()
