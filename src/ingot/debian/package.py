"""One package of any suite, fetched and checked by apt, without touching this machine's own apt."""

from __future__ import annotations

from pathlib import Path

from ingot.artefact.building import Workshop

__all__ = ["fetch_package"]

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")


def fetch_package(
    workshop: Workshop, name: str, *, suite: str, mirror: str, component: str = "main"
) -> Path:
    """Return the newest .deb of a package in a suite, signatures checked."""
    home = workshop.scratch / f"apt-{suite}"
    for folder in ("lists/partial", "cache/archives/partial", "parts", "preferences"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    sources = home / "sources.list"
    source = f"deb [signed-by={KEYRING}] {mirror} {suite} {component}\n"
    sources.write_text(source, encoding="utf-8")
    options = [
        f"-oDir::Etc::SourceList={sources}",
        f"-oDir::Etc::SourceParts={home / 'parts'}",
        f"-oDir::Etc::PreferencesParts={home / 'preferences'}",
        f"-oDir::State::Lists={home / 'lists'}",
        f"-oDir::Cache={home / 'cache'}",
        "-oAPT::Sandbox::User=root",
        "-oAcquire::Languages=none",
    ]
    workshop.run("apt-get", *options, "update")
    workshop.run("apt-get", *options, "download", name, cwd=home)
    (package,) = home.glob("*.deb")
    return package
