"""What is told of a subscription's failure, without what is secret in it.

Ironic repeats the whole wish when a BMC refuses it, headers and all, and those may hold a token.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from ingot.metal3.operator.hostdata import Mistake
from ingot.metal3.operator.secrets import Secret

__all__ = ["headers_in", "is_gone", "without_secrets"]

_WISH: Final = re.compile(r"Subscription payload:.*?(?=Error:|\Z)", re.DOTALL)
_NOT_THERE: Final = re.compile(r"Resource \S+ not found")
MASK: Final = "***"


def headers_in(secret: Secret) -> tuple[Mapping[str, str], ...]:
    """Return the HTTP headers that a Secret holds, one for each key.

    Raises:
        Mistake: one is no text.
    """
    found = []
    for name in sorted(secret.data):
        text = secret.text(name)
        if text is None:
            raise Mistake(f"Secret {secret.key}, key `{name}`, is no UTF-8 text")
        found.append({name: text})
    return tuple(found)


def without_secrets(sentence: str, headers: Iterable[Mapping[str, str]]) -> str:
    """Return what Ironic says, without the wish that it repeats."""
    told = _WISH.sub("", sentence)
    for header in headers:
        for text in header.values():
            for form in {text, text.strip(), repr(text)[1:-1]} - {""}:
                told = told.replace(form, MASK)
    return " ".join(told.split())


def is_gone(sentence: str) -> bool:
    """Whether the BMC itself says that it has no such subscription.

    Ironic answers 404 to every failure of a removal, also where the BMC could not be reached.
    """
    return _NOT_THERE.search(sentence) is not None
