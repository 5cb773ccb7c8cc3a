"""Files of the user: used, or refused with their line."""

from __future__ import annotations

import pytest

from ingot.assets.userfiles import UserFileError, check

HEAD = "apiVersion: v1\nkind: List\n"


@pytest.mark.parametrize(
    ("path", "content"),
    [
        pytest.param("manifests/a.yaml", HEAD, id="one"),
        pytest.param("manifests/a.yaml", f"# why\n---\n{HEAD}---\n---\n{HEAD}", id="several"),
        pytest.param("manifests/a.yaml", "", id="empty"),
        pytest.param("hosts/a.ign", '{"ignition": {}}', id="Ignition"),
        pytest.param("metadata.json", "{}", id="JSON"),
        pytest.param("tls/ca.crt", "{", id="others are not looked at"),
    ],
)
def test_what_can_be_used(path: str, content: str) -> None:
    check(path, content.encode())


@pytest.mark.parametrize(
    ("path", "content", "line"),
    [
        pytest.param("manifests/a.yaml", b"a: [", 1, id="not YAML"),
        pytest.param("manifests/a.yaml", f"{HEAD}---\n- 1\n".encode(), 4, id="a list"),
        pytest.param("manifests/a.yaml", b"kind: List\n", 1, id="no apiVersion"),
        pytest.param("manifests/a.yaml", b"\xff\xfe\x00", 0, id="binary"),
        pytest.param("manifests/a.yaml", b"a: \x07", 0, id="control character"),
        pytest.param("manifests/a.yaml", b"[" * 5000, 0, id="deep"),
        pytest.param("manifests/a.yaml", b"a: !!python/object:os.system {}", 1, id="a tag"),
        pytest.param("manifests/a.yaml", b"a: 2001-99-99", 0, id="no date"),
        pytest.param("hosts/a.ign", b"{\n", 2, id="not JSON"),
        pytest.param("hosts/a.ign", b"[]", 0, id="not an object"),
        pytest.param("hosts/a.ign", b"{}", 0, id="not Ignition"),
        pytest.param("hosts/a.ign", b"\xff", 0, id="binary JSON"),
    ],
)
def test_what_cannot(path: str, content: bytes, line: int) -> None:
    with pytest.raises(UserFileError) as refused:
        check(path, content)
    assert refused.value.path == path
    assert refused.value.line == line
    assert refused.value.remedy
