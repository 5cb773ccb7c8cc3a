"""Progress of an install, folded from what is heard."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ingot.installer.apiview import Seen
from ingot.installer.console import Said, said_in
from ingot.installer.phase import Phase
from ingot.installer.progress import HostProgress, Progress
from ingot.installer.tracking import after_phase, after_said, after_seen

START = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def test_a_phase_ends_when_the_next_begins() -> None:
    progress = after_phase(Progress(), Phase.CHECKS, now=at(0))
    progress = after_phase(progress, Phase.IMAGES, now=at(5))
    checks, images = progress.phases
    assert (checks.began, checks.ended) == (at(0), at(5))
    assert images.ended is None
    assert progress.phase is Phase.IMAGES


def test_an_earlier_phase_does_not_begin_again() -> None:
    progress = after_phase(Progress(), Phase.HOSTS, now=at(0))
    progress = after_said(progress, Said("control-plane", "kubeadm: certs"), now=at(1))
    assert progress.phase is Phase.HOSTS
    assert progress.message == ""


def test_an_error_is_shown_until_something_else_is_said_and_remembered() -> None:
    progress = after_said(Progress(), Said("services", "waiting for Ironic"), now=at(0))
    progress = after_said(progress, Said("services", "no image", is_error=True), now=at(1))
    assert progress.error == "no image"
    progress = after_said(progress, Said("services", "waiting for Ironic"), now=at(2))
    assert (progress.error, progress.overcome) == ("", ("no image",))


def test_errors_of_hosts_are_remembered_once() -> None:
    troubled = Seen(said=None, hosts=(HostProgress(name="cp-0", error="no DHCP request"),))
    progress = after_seen(Progress(), troubled, now=at(0))
    progress = after_seen(progress, troubled, now=at(1))
    assert progress.overcome == ("cp-0: no DHCP request",)


def test_the_last_word_ends_all_phases() -> None:
    progress = after_said(Progress(), Said("hand-over", "done"), now=at(0))
    progress = after_said(progress, Said("complete", "done"), now=at(1))
    assert all(one.ended for one in progress.phases)


def test_lines_of_others_on_the_console_are_passed_over() -> None:
    assert said_in("[    3.2] systemd[1]: Started something") is None
    said = said_in("[   14.1] ingot-node[311]: bootstrap [join] error: cp-1 is late\r")
    assert said == Said("join", "error: cp-1 is late".removeprefix("error: "), is_error=True)
