"""A role's config with a host's own files."""

from __future__ import annotations

import json

import pytest

from ingot.configserver.ignition import ConfigError, File, file_in, merged, parse
from tests.e2e.configs import config, file


def test_a_hosts_files_are_added_and_take_the_place_of_the_roles() -> None:
    role = config(storage={"files": [file("/a", "role"), file("/etc/hostname", "role")]})
    own = merged(role, [File("/etc/hostname", "cp-1\n"), File("/secret", "ü%,\n", mode=0o600)])
    assert [one["path"] for one in own["storage"]["files"]] == ["/a", "/etc/hostname", "/secret"]
    assert file_in(own, "/etc/hostname") == "cp-1\n"
    assert file_in(own, "/secret") == "ü%,\n"
    assert file_in(own, "/a") == "role"
    assert file_in(own, "/b") is None
    assert own["storage"]["files"][2]["mode"] == 0o600
    assert file_in(role, "/etc/hostname") == "role", "the role's own config stays as it is"


def test_what_else_a_role_says_stays_and_the_version_is_ours() -> None:
    units = {"units": [{"name": "a.service", "enabled": True}]}
    role = {"ignition": {"version": "3.1.0", "timeouts": {"httpTotal": 3}}, "systemd": units}
    own = merged(role, [])
    assert own["systemd"] == units
    assert own["ignition"] == {"version": "3.3.0", "timeouts": {"httpTotal": 3}}


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"ignition": {"version": "3.4.0"}}', '{"ignition": {"version": "2.2.0"}}',
     json.dumps(config(storage=[])), json.dumps(config(storage={"files": {}}))],
)  # fmt: skip
def test_what_debians_ignition_would_not_take_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^worker\.ign: "):
        parse(text, source="worker.ign")


def test_a_file_that_lies_elsewhere_cannot_be_read() -> None:
    away = config(storage={"files": [{"path": "/a", "contents": {"source": "https://x/y,z"}}]})
    with pytest.raises(ConfigError):
        file_in(away, "/a")
