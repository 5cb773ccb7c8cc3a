"""When waiting is over, and what it was for."""

from __future__ import annotations

from datetime import UTC, datetime

from ingot.installer.lateness import LASTING_SECONDS, has_lasted, lasting_since, waited_for
from ingot.installer.phase import Phase
from ingot.installer.progress import HostProgress, PhaseTimes, Progress

START = datetime(2026, 1, 1, tzinfo=UTC)
LASTING = Progress(error="another DHCP server answers", lasting=True)


def during(phase: Phase, **facts: object) -> Progress:
    times = PhaseTimes(phase=phase, began=START)
    return Progress(phases=(times,), **facts)  # type: ignore[arg-type] # as each test has it


def test_every_server_that_is_not_provisioned_is_named_with_what_is_done_with_it() -> None:
    hosts = (
        HostProgress(name="cp-0", state="provisioned", step="boots from its disk"),
        HostProgress(name="cp-1", state="inspecting", step="its agent looks at the hardware"),
        HostProgress(name="cp-2", state="registering", error="its BMC does not answer", step="x"),
        HostProgress(name="w-0", role="worker", state="new"),
    )
    assert waited_for(during(Phase.HOSTS, hosts=hosts, message="cp-1 inspecting")) == (
        "cp-1 inspecting (its agent looks at the hardware); "
        "cp-2 registering (its BMC does not answer)"
    )


def test_later_the_bootstrap_says_who_waits_for_what_and_an_error_does_not_hide_it() -> None:
    hosts = (HostProgress(name="cp-1", state="provisioned", step="boots from its disk"),)
    waits = "cp-1 waits for its Node"
    progress = during(Phase.JOIN, hosts=hosts, message=waits, error="etcd is slow")
    assert waited_for(progress) == "cp-1 waits for its Node; the last error: etcd is slow"


def test_where_nothing_was_heard_that_is_said() -> None:
    assert waited_for(during(Phase.NETWORK)) == "nothing was heard"
    assert waited_for(during(Phase.HOSTS)) == "nothing was heard"


def test_what_needs_a_person_is_given_up_when_it_has_stood_for_a_while() -> None:
    since = lasting_since(LASTING, None, now=100.0)
    since = lasting_since(LASTING, since, now=110.0)
    assert not has_lasted(since, now=100.0 + LASTING_SECONDS - 1)
    assert has_lasted(since, now=100.0 + LASTING_SECONDS)


def test_what_a_person_has_mended_is_not() -> None:
    since = lasting_since(LASTING, None, now=100.0)
    since = lasting_since(Progress(message="goes on"), since, now=120.0)
    since = lasting_since(LASTING, since, now=125.0)
    assert not has_lasted(since, now=100.0 + LASTING_SECONDS)
