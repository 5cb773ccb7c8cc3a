"""Progress of an install, folded from what is heard."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ingot.installer.apiview import Seen
from ingot.installer.console import Said, said_in
from ingot.installer.phase import Phase
from ingot.installer.progress import HostProgress, Progress
from ingot.installer.tracking import after_phase, after_said, after_seen, after_troubles

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
    assert progress.overcome == ("host cp-0: no DHCP request",)


def test_lost_boots_of_hosts_are_remembered() -> None:
    lost = Seen(said=None, hosts=(HostProgress(name="cp-1", lost="no sign of the agent"),))
    progress = after_seen(Progress(), lost, now=at(0))
    progress = after_seen(progress, Seen(said=None), now=at(1))
    assert progress.overcome == ("host cp-1: no sign of the agent",)


def test_what_was_wrong_and_is_over_is_remembered() -> None:
    progress = after_troubles(Progress(), "host cp-2: 503")
    assert after_troubles(progress, "host cp-2: 503").overcome == ("host cp-2: 503",)


def test_the_last_word_ends_all_phases() -> None:
    progress = after_said(Progress(), Said("hand-over", "done"), now=at(0))
    progress = after_said(progress, Said("complete", "done"), now=at(1))
    assert all(one.ended for one in progress.phases)


def test_a_lasting_error_lasts_until_something_else_is_said() -> None:
    lasting = Said("services", "another DHCP server answers", is_error=True, lasting=True)
    progress = after_said(Progress(), lasting, now=at(0))
    assert progress.lasting
    passing = Said("services", "no image", is_error=True)
    assert not after_said(progress, passing, now=at(1)).lasting
    assert not after_said(progress, Said("services", "waiting"), now=at(1)).lasting
    assert not after_said(progress, Said("hosts", "waiting"), now=at(1)).lasting


def taking(share: float | None, step: str = "its agent is at work") -> Seen:
    host = HostProgress(name="cp-0", state="provisioning", step=step, share=share)
    return Seen(said=None, hosts=(host,))


def test_a_server_that_takes_no_more_of_its_image_has_it() -> None:
    progress = after_seen(Progress(), taking(0.97, "writing the image"), now=at(0))
    for moment in (1, 2):
        progress = after_seen(progress, taking(None), now=at(moment))
        assert progress.hosts[0].step == "has its image; its agent ends the work"
        assert progress.hosts[0].share is None


def test_a_server_that_was_not_seen_to_take_its_image_may_not_have_it() -> None:
    progress = after_seen(Progress(), taking(None), now=at(0))
    progress = after_seen(progress, taking(None), now=at(1))
    assert progress.hosts[0].step == "its agent is at work"


def test_a_server_that_begins_again_is_seen_as_it_is() -> None:
    progress = after_seen(Progress(), taking(0.97, "writing the image"), now=at(0))
    progress = after_seen(progress, taking(None, "waiting for a DHCP request"), now=at(1))
    progress = after_seen(progress, taking(None), now=at(2))
    assert progress.hosts[0].step == "its agent is at work"


def test_who_was_last_seen_to_hold_the_vip_is_known_until_another_is() -> None:
    progress = after_seen(Progress(), Seen(said=None, vip_holder="lab-bootstrap"), now=at(0))
    progress = after_seen(progress, Seen(said=None), now=at(1))
    assert progress.vip_holder == "lab-bootstrap"
    progress = after_seen(progress, Seen(said=None, vip_holder="cp-1"), now=at(2))
    assert progress.vip_holder == "cp-1"


def test_lines_of_others_on_the_console_are_passed_over() -> None:
    assert said_in("[    3.2] systemd[1]: Started something") is None
    said = said_in("[   14.1] ingot-node[311]: bootstrap [join] error: cp-1 is late\r")
    assert said == Said("join", "error: cp-1 is late".removeprefix("error: "), is_error=True)


def test_a_line_says_whether_an_error_lasts() -> None:
    said = said_in("bootstrap [services] lasting error: another DHCP server answers")
    assert said == Said("services", "another DHCP server answers", is_error=True, lasting=True)
