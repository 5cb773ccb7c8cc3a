"""Ironic's session key is made cheap where the source is the known one, and nowhere else."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from ingot.payload.ironicpatch import (
    MODULE,
    PatchDoesNotFit,
    cheapen_session_key,
    with_cheap_session_key,
)

KNOWN = """\
import hashlib
import os


class SessionCache(object):
    def __init__(self, driver_info):
        password = driver_info.get('password')
        if not password:
            password = ''
        pw_hash = hashlib.pbkdf2_hmac(
            'sha512',
            password.encode('utf-8'),
            str(driver_info.get('address') * 4).encode('utf-8'), 600000)
        self._session_key = (pw_hash.hex(),)
"""
"""The lines of Ironic 39 that matter."""


def key(module: dict[str, Any], address: str, password: str | None) -> object:
    cache = module["SessionCache"]({"address": address, "password": password})
    return cache._session_key  # noqa: SLF001 - it is what the change is about


def run(source: str) -> dict[str, Any]:
    module: dict[str, Any] = {}
    exec(source, module)  # noqa: S102 - the source is the one above
    return module


def test_equal_credentials_have_equal_keys_and_others_do_not() -> None:
    module = run(with_cheap_session_key(KNOWN))
    first = key(module, "https://10.0.0.1", "secret")
    assert first == key(module, "https://10.0.0.1", "secret")
    assert first != key(module, "https://10.0.0.1", "other")
    assert first != key(module, "https://10.0.0.2", "secret")
    assert key(module, "https://10.0.0.1", None) == key(module, "https://10.0.0.1", "")


def test_where_the_address_ends_and_the_password_begins_is_part_of_the_key() -> None:
    module = run(with_cheap_session_key(KNOWN))
    assert key(module, "https://a", "bc") != key(module, "https://ab", "c")


def test_nothing_is_derived(monkeypatch: pytest.MonkeyPatch) -> None:
    module = run(with_cheap_session_key(KNOWN))
    monkeypatch.delattr(hashlib, "pbkdf2_hmac")
    key(module, "https://10.0.0.1", "secret")


def test_a_key_says_nothing_outside_its_process() -> None:
    changed = with_cheap_session_key(KNOWN)
    address = "https://10.0.0.1"
    assert key(run(changed), address, "secret") != key(run(changed), address, "secret")


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(KNOWN.replace("600000", "700000"), id="other rounds"),
        pytest.param(KNOWN.replace("import os\n", "import pathlib\n"), id="other imports"),
        pytest.param(KNOWN + KNOWN, id="twice"),
        pytest.param("", id="not there"),
    ],
)
def test_another_source_stops_the_build(source: str) -> None:
    with pytest.raises(PatchDoesNotFit, match="does not have exactly one") as refused:
        with_cheap_session_key(source)
    assert "0006-ironic-session-key.md" in refused.value.remedy


def test_the_change_is_made_in_the_file(tmp_path: Path) -> None:
    module = tmp_path / MODULE
    module.parent.mkdir(parents=True)
    module.write_text(KNOWN, encoding="utf-8")
    cheapen_session_key(tmp_path)
    assert module.read_text("utf-8") == with_cheap_session_key(KNOWN)
