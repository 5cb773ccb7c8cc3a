"""What is remembered of whom, and for how long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from ingot.metal3.operator.boots.lines import dnsmasq_sign, web_sign
from ingot.metal3.operator.boots.sign import Mac, Sign, SignKind
from ingot.metal3.operator.boots.trail import Signs, Trail
from tests.unit.metal3.operator.boots.test_lines import lines

NOW = datetime(2026, 11, 16, 6, 30, tzinfo=UTC)
ONE, OTHER = Mac("52:54:00:b1:00:00"), Mac("52:54:00:b1:00:01")
ADDRESS = "172.22.0.99"


def at(second: float) -> datetime:
    return NOW + timedelta(seconds=second)


def leased(second: float, mac: Mac = ONE, address: str = ADDRESS) -> Sign:
    return Sign(kind=SignKind.DHCP, at=at(second), mac=mac, address=address)


def fetched(second: float, kind: SignKind = SignKind.KERNEL, mac: Mac | None = None) -> Sign:
    return Sign(kind=kind, at=at(second), mac=mac, address=ADDRESS)


def trail(*signs: Sign, now: float = 3600) -> Trail:
    made = Trail()
    for sign in signs:
        made.add(sign, now=at(now))
    return made


def test_a_real_boot_leaves_its_whole_trail() -> None:
    made = Trail()
    signs = [dnsmasq_sign(line, now=NOW) for line in lines("dnsmasq.log")]
    signs += [web_sign(line) for line in lines("web.log")]
    for sign in signs:
        if sign is not None:
            made.add(sign, now=NOW)
    there = datetime(2026, 11, 16, 5, 55, tzinfo=UTC)
    assert made.signs([ONE]) == Signs(
        dhcp=there.replace(second=37),  # that of the ramdisk
        boot_file=there.replace(second=26, microsecond=725000),
        kernel=there.replace(second=26, microsecond=735000),
    )
    assert made.signs([OTHER]) == Signs()


def test_over_ipv6_an_address_is_known_by_its_exchange() -> None:
    made = Trail()
    for line in lines("dnsmasq-ipv6.log"):
        sign = dnsmasq_sign(line, now=NOW)
        if sign is not None:
            made.add(sign, now=NOW)
    made.add(Sign(kind=SignKind.KERNEL, at=NOW, address="fd00:1101::32"), now=NOW)
    seen = made.signs(["52:54:00:B1:00:06"])
    assert seen.dhcp == datetime(2026, 11, 16, 6, 4, 22, tzinfo=UTC)
    assert seen.kernel == NOW


def test_the_last_sign_of_each_kind_is_kept_whatever_comes_first() -> None:
    made = trail(leased(0), fetched(5), fetched(3), leased(1))
    assert made.signs([ONE]) == Signs(dhcp=at(1), kernel=at(5))


def test_a_server_is_all_of_its_cards() -> None:
    made = trail(leased(0), leased(7, OTHER, "172.22.0.98"), fetched(9))
    assert made.signs([ONE, OTHER]) == Signs(dhcp=at(7), kernel=at(9))


def test_a_fetch_is_of_who_had_the_address_then() -> None:
    made = trail(leased(0), leased(100, OTHER), fetched(50), fetched(150))
    assert made.signs([ONE]).kernel == at(50)
    assert made.signs([OTHER]).kernel == at(150)


def test_a_lease_that_seems_a_moment_too_young_counts() -> None:
    made = trail(leased(0), leased(100, OTHER), fetched(99.5))
    assert made.signs([OTHER]).kernel == at(99.5)


def test_a_fetch_from_before_all_that_is_known_is_of_the_first_who_is() -> None:
    """After a restart, the lease that it was made with may be older than what was read."""
    assert trail(leased(100), fetched(50)).signs([ONE]).kernel == at(50)


def test_a_fetch_of_somebody_unknown_is_nobodys() -> None:
    assert len(trail(fetched(50))) == 0


def test_without_our_dhcp_the_script_says_whose_an_address_is() -> None:
    made = trail(fetched(1, SignKind.BOOT_FILE, ONE), fetched(2))
    assert made.signs([ONE]) == Signs(boot_file=at(1), kernel=at(2))


def test_a_server_that_boots_from_another_card_than_ironic_knows_is_seen_by_both() -> None:
    made = trail(leased(0, OTHER), fetched(1, SignKind.BOOT_FILE, ONE), fetched(2))
    assert made.signs([ONE]) == Signs(boot_file=at(1), kernel=at(2))
    assert made.signs([OTHER]).kernel == at(2)


def test_a_sign_from_the_future_is_one_of_now() -> None:
    assert trail(leased(50), now=10).signs([ONE]).dhcp == at(10)


def test_what_is_older_than_a_day_is_forgotten() -> None:
    made = trail(leased(0))
    made.add(leased(86000, OTHER), now=at(86000))
    assert made.signs([ONE]).dhcp == at(0)
    made.add(leased(86500, OTHER), now=at(86500))
    assert made.signs([ONE]) == Signs()
    assert len(made) == 1


macs = st.integers(0, 40).map(lambda number: Mac(f"52:54:00:00:00:{number:02x}"))
addresses = st.integers(0, 40).map(lambda number: f"10.0.0.{number}")
signs = st.builds(
    Sign,
    kind=st.sampled_from(SignKind),
    at=st.integers(0, 400_000).map(at),
    mac=st.none() | macs,
    address=st.none() | addresses,
    transaction=st.none() | st.integers(0, 50).map(str),
)


@given(st.lists(signs, max_size=80))
def test_whatever_comes_memory_is_bounded(several: list[Sign]) -> None:
    made = Trail(most=5)
    for sign in several:
        made.add(sign, now=at(400_000))
        assert len(made) <= 5
        assert len(made._holders) <= 5  # noqa: SLF001 - what it keeps is what is tested
        assert len(made._exchanges) <= 5  # noqa: SLF001
