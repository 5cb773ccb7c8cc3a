"""Ignition configs as values, so that a test shows only what it is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

Config = dict[str, Any]


def data_url(text: str) -> str:
    return f"data:,{quote(text)}"


def config(**sections: object) -> Config:
    return {"ignition": {"version": "3.3.0"}, **sections}


def file(path: str, text: str, *, mode: int = 0o644) -> Config:
    return {
        "path": path, "mode": mode, "overwrite": True, "contents": {"source": data_url(text)},
    }  # fmt: skip


def login(key: str, *, user: str = "root") -> Config:
    return {"name": user, "sshAuthorizedKeys": [key]}


def pointer(url: str, *, authority: str, headers: Mapping[str, str]) -> Config:
    """Return a config that only says where the real one is, and how to trust who gives it."""
    return {
        "ignition": {
            "version": "3.3.0",
            "config": {
                "merge": [
                    {
                        "source": url,
                        "httpHeaders": [
                            {"name": name, "value": value} for name, value in headers.items()
                        ],
                    }
                ]
            },
            "security": {"tls": {"certificateAuthorities": [{"source": data_url(authority)}]}},
        }
    }
