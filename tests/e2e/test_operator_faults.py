"""Each fault of the lab ends in recovery or in an error with its name, and never in a stuck host.

There is a host for each fault, which is there from the start. When it has been told, the fault is
taken away, and the host gets on by itself.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from threading import Semaphore
from typing import Any

import pytest

from ingot.lab.faults.kind import FaultKind
from tests.e2e.faultcases import CASES, SOUND, Case, Work, description
from tests.e2e.lab import TestLab, created_lab
from tests.e2e.metal3site import Metal3Site, metal3_site
from tests.e2e.provisioner import Ramdisk
from tests.e2e.ramdisk_machine import built_parts
from tests.full import FULL

LAB = f"ill{os.getpid()}"
TOLD_NOW = {kind: case for kind, case in CASES.items() if FULL or not case.slow}

BOOTS_AT_ONCE = 4
"""Agents that boot at once under a fault: each takes a processor for most of a minute."""
BOOT_LIMITS = "dhcp=25,boot_file=25,without_network=150,cycles=1"
IMAGE_BYTES = 4 << 20
SECONDS = 600.0


@dataclass
class Story:
    """What became of a host.

    Attributes:
        troubles: what its status told while the fault was there, errors and lost boots.
        errors: the types of the errors.
        told_after: seconds until the first, or until it was available in spite of the fault.
        well_after: seconds from the end of the fault until it was available.
    """

    troubles: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    told_after: float = 0.0
    well_after: float = 0.0


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestLab]:
    folder = tmp_path_factory.mktemp("lab")
    (folder / "lab.yaml").write_text(description(TOLD_NOW), encoding="utf-8")
    with created_lab(folder, "--file", folder / "lab.yaml", name=LAB) as created:
        yield created


@pytest.fixture(scope="module")
def site(lab: TestLab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Metal3Site]:
    parts = built_parts(tmp_path_factory.mktemp("parts"))
    folder = tmp_path_factory.mktemp("site")
    image = tmp_path_factory.mktemp("image") / "disk.img"
    write_image(image)
    with metal3_site(
        lab,
        folder,
        ramdisk=Ramdisk(parts.kernel, parts.initrd),
        image=image,
        key=parts.key,
        options={"INGOT_BOOT_LIMITS": BOOT_LIMITS, "INGOT_BOOTS_AT_ONCE": "20"},
    ) as running:
        yield running


@pytest.fixture(scope="module")
def stories(site: Metal3Site) -> Iterator[dict[str, Future[Story]]]:
    with ThreadPoolExecutor(len(CASES) + 1) as threads:
        yield told_by(site, TOLD_NOW, threads)


def told_by(
    site: Metal3Site, cases: Mapping[FaultKind, Case], threads: ThreadPoolExecutor
) -> dict[str, Future[Story]]:
    """Begin the stories of all hosts, and of the sound one."""
    boots = Semaphore(BOOTS_AT_ONCE)
    stories = {SOUND: threads.submit(tell, site, SOUND, Case(work=Work.POWER), nullcontext())}
    for kind, case in cases.items():
        place = boots if case.boots_at_first else nullcontext()
        stories[str(kind)] = threads.submit(tell, site, str(kind), case, place)
    return stories


def tell(site: Metal3Site, name: str, case: Case, place: AbstractContextManager[object]) -> Story:
    """Take a host through its fault."""
    story = Story()
    with place:
        began = time.monotonic()
        site.add(site.lab.host(name), **{**case.work, **image_for(site, case)})
        site.until(name, lambda seen: heard(seen, case, story), within=SECONDS, what="told")
        story.told_after = time.monotonic() - began
    if name != SOUND:
        site.lab.ingot("fault", "clear", name)
    began = time.monotonic()
    site.until(name, lambda seen: is_well(seen, case), within=SECONDS, what="well")
    story.well_after = time.monotonic() - began
    return story


def write_image(path: Path) -> None:
    """Write an image that has partitions and is otherwise empty: nothing boots from it."""
    path.write_bytes(bytes(IMAGE_BYTES))
    subprocess.run(["sfdisk", "--quiet", path], input="label: gpt\n,1M\n", text=True, check=True)


def image_for(site: Metal3Site, case: Case) -> dict[str, Any]:
    return {"image": site.image()} if "image" in case.work else {}


def heard(status: Mapping[str, Any], case: Case, story: Story) -> bool:
    """Take note of what a status tells; return whether that is all that it will."""
    if is_well(status, case):
        return True
    if status.get("errorMessage"):
        story.errors.append(status["errorType"])
        story.troubles.append(status["errorMessage"])
        return True
    lost = [one for one in status.get("conditions", ()) if one["type"] == "BootLost"]
    story.troubles.extend(f"{one['reason']}: {one['message']}" for one in lost)
    return bool(lost) and case.error is None


def is_well(status: Mapping[str, Any], case: Case) -> bool:
    """Return whether a host is where it should be, and nothing is left of an error."""
    return (
        status.get("provisioning", {}).get("state") == case.state
        and status.get("operationalStatus") == "OK"
        and not status.get("errorType")
        and status.get("poweredOn") is case.work["online"]
    )


def test_every_kind_has_a_case() -> None:
    assert set(CASES) == set(FaultKind)


@pytest.mark.parametrize("kind", TOLD_NOW)
def test_fault_is_told_and_left_behind(stories: dict[str, Future[Story]], kind: FaultKind) -> None:
    case, story = CASES[kind], stories[str(kind)].result(timeout=2 * SECONDS)
    if case.told is None:
        assert not story.troubles
        return
    assert re.search(case.told, " ".join(story.troubles)), story.troubles
    assert case.error in (None, *story.errors)


def test_sound_host_is_not_held_up_by_the_others(stories: dict[str, Future[Story]]) -> None:
    story = stories[SOUND].result(timeout=2 * SECONDS)
    assert not story.troubles
    if FaultKind.BMC_HANGS in TOLD_NOW:
        hung = stories[str(FaultKind.BMC_HANGS)].result(timeout=2 * SECONDS)
        assert story.told_after < hung.told_after
