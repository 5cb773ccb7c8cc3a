"""Go commands, built from released modules by a wrapper module that is written here.

`go install MODULE/cmd/X@VERSION` refuses a module whose go.mod has `replace` lines, as that of
Kubernetes has for its staging folders. A module of our own that requires it and says the same with
released versions builds it. The wrapper repeats the project's Go language version, its `godebug`
line and the forks that it names, since Go takes all of them from the main module.

Results are equal wherever they are built: the compiler is pinned, and neither paths nor times nor
the state of a repository go into them.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingot import process
from ingot.artefact.building import Workshop
from ingot.errors import ExitCode, IngotError
from ingot.payload.golang import Go, find_go
from ingot.payload.thinning import Thinned, required_version, thin

__all__ = ["GoProject", "ModuleSource", "build_commands", "fetch_source", "wrapper"]

GO_LINE = re.compile(r"^go\s+(\S+)", re.MULTILINE)
DEBUG_LINE = re.compile(r"^godebug\s+[^(\s].*$", re.MULTILINE)
STAGING_LINE = re.compile(r"^\s*(?:replace\s+)?(\S+)\s+=>\s+\./staging/", re.MULTILINE)
FORK_LINE = re.compile(
    r"^\s*(?:replace\s+)?(\S+(?:\s+v\S+)?)\s+=>\s+(\S+\s+v\S+)\s*(?://.*)?$", re.MULTILINE
)
"""A module that another, released one stands in for; folders have no version."""
MAJOR_VERSION = re.compile(r"v\d+")


class ModuleUnreadable(IngotError):  # noqa: N818 - it says what was seen
    """A module is not what we know it to be."""

    exit_code = ExitCode.INFRASTRUCTURE


@dataclass(frozen=True)
class GoProject:
    """Commands of one project, at one version."""

    module: str
    """Whose go.mod says what the project wants of Go."""
    version: str
    """With its `v`."""
    commands: Mapping[str, str]
    """Each file to be made, with the package it is made from."""
    more_modules: Sequence[str] = ()
    """Other modules of the project, of the same version, that have commands."""
    staging_version: str = ""
    """The version that stands in for the folders its go.mod points to, if it does."""
    stamps: Mapping[str, str] = field(default_factory=dict)
    """Variables set when linking, for `--version`."""
    thinned: Sequence[Thinned] = ()
    """Modules that are built without some of their parts."""


@dataclass(frozen=True, slots=True)
class ModuleSource:
    """Where a module's files lie."""

    folder: Path
    go_mod: str
    """The text of its go.mod."""


def wrapper(project: GoProject, go_mod: str) -> str:
    """Return the go.mod of a module that builds a project's commands.

    Args:
        project: what is to be built.
        go_mod: the project's own go.mod.

    Raises:
        ModuleUnreadable: it does not say which Go it is written for.
    """
    language = GO_LINE.search(go_mod)
    if language is None:
        raise ModuleUnreadable(
            f"the go.mod of {project.module} {project.version} has no go line",
            remedy="check the version in versions.toml",
        )
    debug = DEBUG_LINE.search(go_mod)
    modules = sorted({project.module, *project.more_modules})
    staging = sorted(set(STAGING_LINE.findall(go_mod))) if project.staging_version else []
    lines = [
        "module ingot.invalid/payload",
        f"go {language[1]}",
        *([debug[0]] if debug else []),
        *(f"require {module} {project.version}" for module in modules),
        *(f"replace {name} => {name} {project.staging_version}" for name in staging),
        *(f"replace {name} => {fork}" for name, fork in sorted(FORK_LINE.findall(go_mod))),
        *(f"replace {one.module} => {one.folder}" for one in project.thinned),
        *(f"tool {package}" for package in sorted(project.commands.values())),
    ]
    return "\n".join(lines) + "\n"


def fetch_source(workshop: Workshop, project: GoProject, go: Go | None = None) -> ModuleSource:
    """Return a project's main module, fetched and checked by Go."""
    return _fetched(workshop, project.module, project.version, go or find_go())


def _fetched(workshop: Workshop, module: str, version: str, go: Go) -> ModuleSource:
    workshop.say(f"fetching {module} {version}")
    answer = process.run(
        [go.path, "mod", "download", "-json", f"{module}@{version}"],
        cwd=workshop.scratch,
        env=go.environment,
        remedy="check that Go's module proxy can be reached (`go env GOPROXY`), "
        "then run the command again",
    )
    facts = json.loads(answer)
    return ModuleSource(Path(facts["Dir"]), Path(facts["GoMod"]).read_text(encoding="utf-8"))


def build_commands(workshop: Workshop, project: GoProject) -> ModuleSource:
    """Build a project's commands into the workshop's `out`; return where its source lies."""
    go = find_go()
    source = fetch_source(workshop, project, go)
    folder = workshop.scratch / "wrapper"
    folder.mkdir()
    (folder / "go.mod").write_text(wrapper(project, source.go_mod), encoding="utf-8")
    for one in project.thinned:
        version = required_version(one.module, source.go_mod)
        thin(one, _fetched(workshop, one.module, version, go).folder, folder / one.folder)
    workshop.say("resolving modules")
    workshop.run(go.path, "mod", "tidy", cwd=folder, env=go.environment)
    workshop.say("compiling and linking")
    built = workshop.scratch / "bin"
    workshop.run(
        go.path,
        "build",
        "-v",
        "-trimpath",
        f"-ldflags={_linker_flags(project)}",
        f"-o={built}/",
        *sorted(project.commands.values()),
        cwd=folder,
        env=go.environment,
    )
    for name, package in project.commands.items():
        shutil.move(built / _built_name(package), workshop.out / name)
    return source


def _linker_flags(project: GoProject) -> str:
    stamps = (f"-X {name}={value}" for name, value in sorted(project.stamps.items()))
    return " ".join(["-s", "-w", "-buildid=", *stamps])


def _built_name(package: str) -> str:
    """Return what Go calls a command: its last word that is not a major version."""
    *_, before, last = package.split("/")
    return before if MAJOR_VERSION.fullmatch(last) else last
