"""join.json, as the config server writes it and the node reads it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ingot.configserver.joinfile import JoinFacts, JoinFileError
from tests.unit.node.joining.facts import CONTROL_PLANE, WORKER


@pytest.mark.parametrize(
    "facts", [WORKER, CONTROL_PLANE, replace(WORKER, source=None, expires=None)]
)
def test_what_is_written_is_what_is_read(facts: JoinFacts) -> None:
    assert JoinFacts.parse(facts.text()) == facts


def test_secrets_are_not_shown() -> None:
    shown = repr(WORKER)
    assert "0123456789abcdef" not in shown
    assert "host-token" not in shown


@pytest.mark.parametrize("missing", ["name", "role", "apiServer", "token", "caCertificate", "vips"])
def test_what_is_missing_is_named(missing: str) -> None:
    said = json.loads(WORKER.text())
    del said[missing]
    with pytest.raises(JoinFileError, match=rf"^join\.json: {missing} is missing"):
        JoinFacts.parse(json.dumps(said), source="join.json")


@pytest.mark.parametrize("text", ["", "[]", '{"role": "boss"}'])
def test_what_is_no_such_file_is_refused(text: str) -> None:
    with pytest.raises(JoinFileError):
        JoinFacts.parse(text)
