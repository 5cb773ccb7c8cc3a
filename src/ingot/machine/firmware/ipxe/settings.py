"""Settings by name and scope, and texts with `${settings}` in them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ingot.machine.firmware.ipxe.value import BadValue, Value

__all__ = ["Settings"]

_INNERMOST = re.compile(r"\$\{([^{}$]*)\}")
MOST_EXPANSIONS = 200
"""A setting may hold the name of another; one that holds its own would go on for ever."""

CURRENT = "net0"
"""The card that is booted from."""


class Settings:
    """All settings. A name without a scope is a script's own first, and else the card's."""

    def __init__(self, scopes: Mapping[str, Mapping[str, Value]] | None = None) -> None:
        self._scopes: dict[str, dict[str, Value]] = {"": {}}
        for scope, values in (scopes or {}).items():
            self.learn(scope, values)

    def learn(self, scope: str, values: Mapping[str, Value]) -> None:
        """Add what a card or a server says."""
        self._scopes.setdefault(scope, {}).update(values)

    def fetch(self, name: str) -> Value | None:
        """Return a setting, by `name` or `scope/name`."""
        scope, name = _place(name)
        if scope:
            return self._scopes.get(scope, {}).get(name)
        return self._scopes[""].get(name) or self._scopes.get(CURRENT, {}).get(name)

    def store(self, name: str, value: Value) -> None:
        """Set a setting."""
        scope, name = _place(name)
        self._scopes.setdefault(scope, {})[name] = value

    def clear(self, name: str) -> None:
        """Forget a setting."""
        scope, name = _place(name)
        self._scopes.get(scope, {}).pop(name, None)

    def shown(self, reference: str) -> str:
        """Return the text of `name` or `name:type`; nothing for what is not set."""
        name, _, kind = reference.partition(":")
        value = self.fetch(name)
        try:
            return value.shown(kind or None) if value else ""
        except BadValue:
            return ""

    def expand(self, text: str) -> str:
        """Replace every `${setting}` by its text, the innermost first."""
        for _ in range(MOST_EXPANSIONS):
            found = _INNERMOST.search(text)
            if found is None:
                break
            text = text[: found.start()] + self.shown(found[1]) + text[found.end() :]
        return text


def _place(name: str) -> tuple[str, str]:
    """Split a name; what DHCP said of a card is kept with the card."""
    scope, _, rest = name.rpartition("/")
    card = scope.partition(".")[0]
    return (CURRENT if card == "netX" else card), rest
