"""The program that asks every 10 ms who has each VIP, and writes down who says so.

Everybody who answers before the next question is a holder. What is announced without being asked
for is written down apart from that. A line is a JSON list: when it was asked, in seconds of the
monotonic clock; who answered, as MACs by VIP; who announced, likewise.

Arguments: the record, our MAC, our IPv6 address or nothing, and the VIPs.
"""

from __future__ import annotations

import json
import select
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import IO

from tests.onprem_site.frames import ETHERTYPE_ARP, ETHERTYPE_V6, Claim, claim, question
from tests.onprem_site.plan import Address
from tests.onprem_site.promptness import run_before_others

EVERY_SECONDS = 0.01


def main(record: str, mac: str, own: str, *vips: str) -> None:
    """Ask until standard input ends."""
    run_before_others()
    source = IPv6Address(own) if own else None
    targets = [ip_address(vip) for vip in vips]
    with ExitStack() as ending, Path(record).open("w", encoding="ascii", buffering=1) as lines:
        sockets = [ending.enter_context(_opened(kind)) for kind in (ETHERTYPE_ARP, ETHERTYPE_V6)]
        questions = [question(target, mac=mac, source=source) for target in targets]
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        _ask(sockets, questions, lines, mac, targets)


def _ask(
    sockets: Sequence[socket.socket],
    questions: Sequence[bytes],
    lines: IO[str],
    mac: str,
    targets: Sequence[Address],
) -> None:
    due = time.monotonic()
    while True:
        asked = time.monotonic()
        for frame in questions:
            with suppress(OSError):  # Our link is down, which is seen by nobody answering.
                sockets[0].send(frame)
        # What is missed stays missed: to ask twice at once tells nothing.
        due = max(due + EVERY_SECONDS, asked + EVERY_SECONDS / 2)
        answered: dict[str, list[str]] = {}
        announced: dict[str, list[str]] = {}
        while True:
            left = max(due - time.monotonic(), 0)
            readable, _, _ = select.select([*sockets, sys.stdin], [], [], left)
            if sys.stdin in readable:
                return
            if not readable:
                break  # Not before all is read that has come, however late we are.
            for one in filter(readable.__contains__, sockets):
                heard = _heard(one, mac)
                if heard is not None and heard.address in targets:
                    book = answered if heard.asked_for else announced
                    macs = book.setdefault(str(heard.address), [])
                    if heard.mac not in macs:
                        macs.append(heard.mac)
        lines.write(json.dumps([round(asked, 5), answered, announced]) + "\n")


def _heard(one: socket.socket, mac: str) -> Claim | None:
    try:
        return claim(one.recv(2048), mac=mac)
    except OSError:
        return None


def _opened(ethertype: int) -> socket.socket:
    found = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ethertype))
    found.bind(("eth0", ethertype))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
