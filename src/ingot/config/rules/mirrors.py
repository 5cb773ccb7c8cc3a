"""Image mirrors."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingot.config.model import ImageSource, InstallConfig
from ingot.config.problem import Finding, Path, error, warning
from ingot.config.reading import quoted
from ingot.config.registry import Findings, check
from ingot.config.rules.general import registries_of

_HOST = r"(\[[0-9a-fA-F:]+\]|[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?)(:[0-9]{1,5})?"
_REPOSITORY = re.compile(rf"{_HOST}(/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*")


@check(
    "G14",
    "Image sources and mirrors are repositories without tag or digest, in one of the two lists, "
    "and a sourcePolicy has mirrors.",
)
def mirrors_are_repositories(config: InstallConfig) -> Findings:
    if config.image_content_sources and config.image_digest_sources:
        yield error(
            ("imageContentSources",),
            "imageContentSources and imageDigestSources are both given",
            "move everything to imageDigestSources",
        )
    for name, sources in _lists(config):
        for index, source in enumerate(sources):
            yield from _source(source, (name, index))
    yield from _credentials(config)


def _lists(config: InstallConfig) -> list[tuple[str, Sequence[ImageSource]]]:
    return [
        ("imageContentSources", config.image_content_sources),
        ("imageDigestSources", config.image_digest_sources),
    ]


def _source(source: ImageSource, path: Path) -> Findings:
    if not source.source:
        yield error((*path, "source"), "the source is not given", "name the mirrored repository")
    elif not _REPOSITORY.fullmatch(source.source):
        yield _not_a_repository((*path, "source"), source.source)
    for index, mirror in enumerate(source.mirrors):
        if not _REPOSITORY.fullmatch(mirror):
            yield _not_a_repository((*path, "mirrors", index), mirror)
    if source.source_policy is not None and not source.mirrors:
        yield error(
            (*path, "sourcePolicy"),
            "sourcePolicy is given without mirrors",
            "add mirrors, or remove sourcePolicy",
        )


def _not_a_repository(path: Path, text: str) -> Finding:
    before, at_sign, after = text.rpartition("@")
    # What stands before an @ is a name with a digest, or a user with a password.
    shown = f"…@{after}" if at_sign and ":" in before else text
    return error(
        path,
        f"{quoted(shown)} is not a repository",
        "write host[:port][/name], without scheme, user, tag or digest",
    )


def _credentials(config: InstallConfig) -> Findings:
    """Warn of mirrors that a given pull secret does not know; ours need none."""
    known = {registry.partition("/")[0] for registry in registries_of(config.pull_secret) or ()}
    if not known:
        return  # there is none, or G12 says what is wrong with it
    for name, sources in _lists(config):
        for index, source in enumerate(sources):
            for number, mirror in enumerate(source.mirrors):
                host = mirror.partition("/")[0]
                if _REPOSITORY.fullmatch(mirror) and host not in known:
                    yield warning(
                        (name, index, "mirrors", number),
                        f"pullSecret has no entry for {host}",
                        "add one if that registry asks for credentials",
                    )
