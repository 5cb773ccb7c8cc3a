"""URLs that a host's management controller, or Ironic, is to fetch from or send to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

__all__ = ["Url", "UrlFault", "read_url"]

LONGEST: Final = 2048
"""Characters; controllers cut longer ones, or refuse them without a word."""


@dataclass(frozen=True, slots=True)
class Url:
    """A URL in its parts.

    Attributes:
        scheme: in lower case.
        host: with neither port nor credentials.
    """

    scheme: str
    host: str
    path: str
    query: str


@dataclass(frozen=True, slots=True)
class UrlFault:
    """Why a text is no URL, as a clause that goes on from the field's name."""

    what: str


def read_url(text: str) -> Url | UrlFault:
    """Return the parts of an absolute URL that names a host, or what is wrong with it.

    The standard library drops line ends and tabs from a URL without a word, so those are looked
    for first.
    """
    if not text:
        return UrlFault("is empty")
    if len(text) > LONGEST:
        return UrlFault(f"has {len(text)} characters, more than {LONGEST}")
    if " " in text or not text.isprintable():
        return UrlFault("has white space or characters in it that cannot be printed")
    return _parts(text)


def _parts(text: str) -> Url | UrlFault:
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return UrlFault(f"is no URL ({error})")
    if not parts.scheme:
        return UrlFault("has no scheme")
    if not host:
        return UrlFault("names no host")
    return Url(parts.scheme.lower(), host, parts.path, parts.query)
