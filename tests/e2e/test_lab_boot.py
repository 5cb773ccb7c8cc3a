"""The lab image boots under the lab kernel, and its config drive makes it the machine it is."""

from __future__ import annotations

import json
from contextlib import ExitStack

from tests.e2e.configs import config, file, login, pointer
from tests.e2e.configserver import PORT, TOKEN_HEADER, Authority, serving
from tests.e2e.site import GATEWAY, Site, eventually
from tests.e2e.uml import Hardware, config_drive, machine

BOOT_SECONDS = 300
SECRET = "a-token-that-is-in-no-log"

UNIT = """\
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/bin/touch /run/unit-has-run

[Install]
WantedBy=multi-user.target
"""


def test_machine_becomes_what_a_late_config_server_says_and_only_once(
    site: Site, hardware: Hardware, public_key: str
) -> None:
    authority = Authority(site.folder)
    url = f"https://{GATEWAY}:{PORT}/config"
    drive = config_drive(
        site.folder,
        json.dumps(pointer(url, authority=authority.certificate, headers={TOKEN_HEADER: SECRET})),
    )
    told = config(
        passwd={
            "users": [
                login(public_key),
                {**login(public_key, user="core"), "groups": ["sudo"]},
            ]
        },
        storage={"files": [file("/etc/hostname", "node-1\n"), file("/etc/told", SECRET)]},
        systemd={"units": [{"name": "told.service", "enabled": True, "contents": UNIT}]},
    )
    with machine(site, 2, hardware, drive=drive) as node:
        node.start()
        eventually(lambda: f"GET {url}: attempt #2" in node.console, within=BOOT_SECONDS)
        with serving(site, authority, token=SECRET, config=json.dumps(told)) as served:
            node.wait_for_ssh(within=BOOT_SECONDS)
            assert node.ssh("hostname").strip() == "node-1"
            assert node.ssh("cat /etc/told") == SECRET
            assert node.ssh("systemctl is-active told.service").strip() == "active"
            assert node.ssh("test -e /run/unit-has-run; echo $?").strip() == "0"
            assert node.ssh("sudo -n id -u", user="core").strip() == "0"
            assert node.ssh("systemctl --failed --plain --no-legend") == ""
            assert served == ["/config"]

            node.ssh("echo changed > /etc/told; sync")
            node.stop()
            node.start()
            node.wait_for_ssh(within=BOOT_SECONDS)
            assert node.ssh("cat /etc/told").strip() == "changed"
            assert served == ["/config"]
            assert "first boot:" not in node.console
            assert SECRET not in node.ssh("journalctl --no-pager --boot=all", seconds=60)


def test_machine_takes_the_whole_disk(site: Site, hardware: Hardware, public_key: str) -> None:
    drive = config_drive(site.folder, json.dumps(config(passwd={"users": [login(public_key)]})))
    with machine(site, 2, hardware, drive=drive) as node:
        node.start()
        node.wait_for_ssh(within=BOOT_SECONDS)
        size = int(node.ssh("df --output=size --block-size=1 / | tail -1"))
        assert size > hardware.disk_bytes * 0.9


def test_two_machines_share_no_identity_and_no_password(
    site: Site, hardware: Hardware, public_key: str
) -> None:
    drive = config_drive(site.folder, json.dumps(config(passwd={"users": [login(public_key)]})))
    with ExitStack() as machines:
        nodes = [
            machines.enter_context(machine(site, number, hardware, drive=drive))
            for number in (2, 3)
        ]
        for node in nodes:
            node.start()
        for node in nodes:
            node.wait_for_ssh(within=BOOT_SECONDS)
        for identity in ("/etc/machine-id", "/etc/ssh/ssh_host_ed25519_key.pub"):
            one, other = (node.ssh(f"cat {identity}") for node in nodes)
            assert len(one) > 30
            assert one != other
        hashes = nodes[0].ssh("cut -d: -f2 /etc/shadow").split()
        assert set(hashes) <= {"*", "!", "!*"}
        methods = nodes[0].ssh("sshd -T | grep -iE '^(password|kbdinteractive)authentication'")
        assert {line.split()[1] for line in methods.splitlines()} == {"no"}


def test_machine_without_a_config_drive_says_so_and_starts(site: Site, hardware: Hardware) -> None:
    with machine(site, 2, hardware) as node:
        node.start()
        eventually(lambda: "there is no config drive" in node.console, within=BOOT_SECONDS)
        eventually(
            lambda: "Reached target multi-user.target" in plain(node.console), within=BOOT_SECONDS
        )


def test_interrupted_first_boot_is_finished_by_the_next(
    site: Site, hardware: Hardware, public_key: str
) -> None:
    told = config(
        passwd={"users": [login(public_key)]},
        storage={"files": [{**file("/etc/told", "text"), "overwrite": False}]},
    )
    drive = config_drive(site.folder, json.dumps(told))
    with machine(site, 2, hardware, drive=drive) as node:
        node.start()
        eventually(
            lambda: '[finished] writing file "/etc/told"' in node.console,
            within=BOOT_SECONDS,
            every=0.01,
        )
        node.stop()
        node.start()
        node.wait_for_ssh(within=BOOT_SECONDS)
        assert "an earlier run was interrupted" in node.console
        assert node.ssh("cat /etc/told") == "text"


def plain(console: str) -> str:
    return console.replace("\x1b[0;1;39m", "").replace("\x1b[0m", "")
