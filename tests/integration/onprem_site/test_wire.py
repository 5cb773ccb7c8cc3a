"""What nftables is told, and what frames say."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address

from tests.onprem_site.frames import Claim, claim, question
from tests.onprem_site.plan import Plan
from tests.onprem_site.wire import Wires, rules

PLAN = Plan(control=2, workers=0, bootstrap=False)
SEATS = {seat.name: seat for seat in PLAN.seats}
MAC = "02:88:00:00:00:02"


def told(wires: Wires) -> str:
    return rules(wires, SEATS, PLAN.observer)


def test_nothing_is_dropped_where_nothing_is_wrong() -> None:
    assert "drop" not in told(Wires())


def test_sides_are_apart_in_both_directions() -> None:
    said = told(Wires(sides=(frozenset({"control-0"}), frozenset({"control-1"}))))
    assert '"p20" . "p21"' in said
    assert '"p21" . "p20"' in said


def test_the_observer_is_let_through_before_loss_and_after_silence() -> None:
    said = told(Wires(silent=frozenset({"control-0"}), lost_by_all=20, lost={"control-1": 5}))
    places = [said.index(what) for what in ('"p20"', '"p2" accept', "< 2000", "< 500")]
    assert places == sorted(places)


def test_an_answer_by_arp_is_a_claim_and_so_is_an_announcement() -> None:
    frame = bytearray(question(ip_address("10.88.0.5"), mac=MAC, source=None))
    assert claim(bytes(frame), mac=MAC) is None
    holder, vip = bytes.fromhex("028800000014"), ip_address("10.88.0.5")
    answer = bytes.fromhex(MAC.replace(":", "")) + holder + frame[12:20] + b"\0\2" + holder
    answer += vip.packed + bytes(10)
    assert claim(answer, mac=MAC) == Claim(vip, "02:88:00:00:00:14", asked_for=True)
    assert claim(answer, mac="02:88:00:00:00:03") is None
    announced = b"\xff" * 6 + answer[6:38] + vip.packed
    assert claim(announced, mac=MAC) == Claim(vip, "02:88:00:00:00:14", asked_for=False)


def test_a_solicitation_goes_to_the_group_of_its_target() -> None:
    frame = question(ip_address("fd88::5"), mac=MAC, source=IPv6Address("fd88::2"))
    assert frame[:6].hex() == "3333ff000005"
    assert IPv6Address(frame[38:54]) == IPv6Address("ff02::1:ff00:5")
    assert claim(frame, mac=MAC) is None
    assert claim(b"", mac=MAC) is None
