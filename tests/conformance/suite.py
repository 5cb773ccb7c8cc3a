"""The suite as a program, `e2e.test`, and `agnhost`, which most of its pods run.

Both come from the Kubernetes module at the pinned version. The suite is a Go test, so it is built
as one. Packages that the payload's own binaries have in common with it are in Go's cache already.
"""

from __future__ import annotations

from ingot.artefact.building import Workshop
from ingot.artefact.recipe import Recipe
from ingot.payload.golang import architecture, find_go
from ingot.payload.gomodules import GoProject, fetch_source, wrapper
from ingot.payload.versions import versions

__all__ = ["AGNHOST", "CERTIFICATES", "SUITE", "suite"]

MODULE = "k8s.io/kubernetes"
SUITE = "e2e.test"
AGNHOST = "agnhost"
VERSION = "k8s.io/component-base/version.gitVersion"
PACKAGES = {SUITE: f"{MODULE}/test/e2e", AGNHOST: f"{MODULE}/test/images/agnhost"}
CERTIFICATES = ("localhost.crt", "localhost.key")
"""What `agnhost` serves TLS with; they lie beside its source, and belong at the image's root."""

DISK_BYTES = 4_000_000_000


def suite() -> Recipe:
    """Return the recipe of the suite, of `agnhost` and of what that serves TLS with."""
    pinned = versions()
    return Recipe(
        "conformance-suite",
        _build,
        inputs={
            "architecture": architecture(),
            "go": pinned.go,
            "kubernetes": pinned.kubernetes,
            "modules": pinned.kubernetes_modules,
        },
        disk_bytes=DISK_BYTES,
    )


def _build(workshop: Workshop) -> None:
    pinned = versions()
    project = GoProject(
        MODULE,
        f"v{pinned.kubernetes}",
        PACKAGES,
        staging_version=f"v{pinned.kubernetes_modules}",
    )
    go = find_go()
    source = fetch_source(workshop, project, go)
    (workshop.scratch / "go.mod").write_text(wrapper(project, source.go_mod), encoding="utf-8")
    workshop.say("resolving modules")
    workshop.run(go.path, "mod", "tidy", env=go.environment)
    beside = source.folder / "test/images/agnhost"
    version = (beside / "VERSION").read_text(encoding="utf-8").strip()
    built = (
        (AGNHOST, ("build",), f"main.Version={version}"),
        (SUITE, ("test", "-c", "-vet=off"), f"{VERSION}={project.version}"),
    )
    for name, how, stamp in built:
        workshop.say(f"compiling and linking {name}")
        workshop.run(
            go.path,
            *how,
            "-trimpath",
            f"-ldflags=-s -w -buildid= -X {stamp}",
            f"-o={workshop.out / name}",
            PACKAGES[name],
            env=go.environment,
        )
    for name in CERTIFICATES:
        (workshop.out / name).write_bytes((beside / "porter" / name).read_bytes())
