"""From JSON data to a verdict: what holds for the rules of every kind.

Three things are decided here once. An object that is being deleted is never refused, because that
would hold its finalizers. What an object already had before an update is no reason to refuse the
update: the operator has to be able to add a finalizer to a host that is older than a rule, and a
person to correct one mistake of two; it becomes a warning. And an object that cannot be read is
refused by the fields that are wrong, never by an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Generic, TypeVar

from ingot.metal3.api.reading import UnreadableObject, read
from ingot.metal3.webhooks.finding import Finding, Verdict, shown

__all__ = ["ANNOTATION_BYTES", "Judge"]

T = TypeVar("T")

ANNOTATION_BYTES: Final = 256 * 1024
"""All annotations of an object together, as Kubernetes limits them; nothing larger is parsed."""

_WHOLE: Final = "the object"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge(Generic[T]):
    """The rules of one kind.

    Attributes:
        model: the kind.
        rules: what an object alone has to keep to.
        change_rules: what an update has to keep to, by the object before and after it.
    """

    model: type[T]
    rules: tuple[Callable[[T], Iterable[Finding]], ...]
    change_rules: tuple[Callable[[T, T], Iterable[Finding]], ...] = ()

    def validate_create(self, new: object) -> Verdict:
        """Return whether an object may be created."""
        _, found = self._judged(new)
        return Verdict.of(found)

    def validate_update(self, old: object, new: object) -> Verdict:
        """Return whether an object may be replaced by another."""
        if _is_going(new):
            return Verdict()
        before, known = self._judged(old)
        after, found = self._judged(new)
        earlier = {(one.field, one.what) for one in known}
        findings = [
            replace(one, refuses=False) if (one.field, one.what) in earlier else one
            for one in found
        ]
        if before is not None and after is not None:
            findings += [one for rule in self.change_rules for one in rule(before, after)]
        return Verdict.of(findings)

    def _judged(self, raw: object) -> tuple[T | None, list[Finding]]:
        if not isinstance(raw, Mapping):
            return None, [Finding(_WHOLE, "is no JSON object", "send one")]
        oversize = list(_oversize(raw))
        if oversize:
            return None, oversize
        try:
            read_object = read(self.model, raw)
        except UnreadableObject as error:
            return None, [self._unreadable(field, why) for field, why in error.fields.items()]
        return read_object, [one for rule in self.rules for one in rule(read_object)]

    def _unreadable(self, field: str, why: str) -> Finding:
        plain = field.partition("[")[0]
        explained = f"kubectl explain {self.model.__name__.lower()}.{shown(plain)[1:-1]}"
        return Finding(
            shown(field)[1:-1], f"cannot be read: {why}", f"correct it as `{explained}` says"
        )


def _is_going(raw: object) -> bool:
    metadata = raw.get("metadata") if isinstance(raw, Mapping) else None
    return isinstance(metadata, Mapping) and bool(metadata.get("deletionTimestamp"))


def _oversize(raw: Mapping[object, object]) -> Iterator[Finding]:
    metadata = raw.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, Mapping) else None
    if not isinstance(annotations, Mapping):
        return
    # Four bytes are the most that a character takes, so most objects are never encoded to count.
    sizes = {str(key): len(str(key)) + len(str(value)) for key, value in annotations.items()}
    if sum(sizes.values()) * 4 <= ANNOTATION_BYTES:
        return
    sizes = {
        str(key): len(f"{key}{value}".encode(errors="replace"))
        for key, value in annotations.items()
    }
    total = sum(sizes.values())
    if total > ANNOTATION_BYTES:
        largest = max(sizes, key=lambda key: sizes[key])
        yield Finding(
            f"metadata.annotations[{shown(largest)[1:-1]}]",
            f"has {sizes[largest]} bytes, and all annotations together have {total}",
            f"keep them to {ANNOTATION_BYTES} bytes in all; a Secret or ConfigMap takes more",
        )
