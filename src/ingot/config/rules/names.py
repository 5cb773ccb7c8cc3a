"""What Kubernetes and DNS accept as a name."""

from __future__ import annotations

import re

__all__ = ["NAME_FORM", "is_domain", "is_subdomain"]

_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_SUBDOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_MAX_NAME = 253

NAME_FORM = "lower-case letters, digits and hyphens, starting and ending with a letter or digit"


def is_subdomain(text: str) -> bool:
    """Tell whether a text is a DNS-1123 subdomain: labels of lower case, digits and hyphens."""
    return len(text) <= _MAX_NAME and _SUBDOMAIN.fullmatch(text) is not None


def is_domain(text: str) -> bool:
    """Tell whether a text is a DNS name in any letter case, a trailing dot allowed."""
    return is_subdomain(text.removesuffix(".").lower())
