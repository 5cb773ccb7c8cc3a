"""The labs on this PC, by name, and where each keeps what it is.

    plan.json      everything that was decided when the lab was made
    machines/      a folder for each host
    installs/      a folder for each bootstrap VM
    media/         what BMCs have fetched
    bmc/           the lab's CA, certificates, what the BMCs keep
    faults.json    the faults that are set
    daemon.json    the process that holds the BMCs, while there is one
    daemon.log     what it says
    control.sock   where commands reach it

A lab has root's rights and passwords of BMCs in it, so its folder is for its owner alone.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ingot.background import Background
from ingot.errors import ExitCode, IngotError
from ingot.lab.plan import LabPlan

__all__ = [
    "MAX_NAME",
    "STATE_VARIABLE",
    "DamagedLab",
    "Lab",
    "NoSuchLab",
    "OutOfReach",
    "is_lab_name",
    "labs",
    "labs_home",
]

STATE_VARIABLE = "INGOT_STATE"
STATE = Path("/var/lib/ingot")

MAX_NAME = 32
"""Of a lab. The control socket lies in a folder of that name, and the path of a socket may have
107 characters; this leaves enough of them for where the state lies."""

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")


class NoSuchLab(IngotError):  # noqa: N818 - it names what was seen
    """There is no lab of that name."""

    exit_code = ExitCode.USAGE

    def __init__(self, name: str, others: tuple[str, ...] = ()) -> None:
        known = f"those that exist: {', '.join(others)}" if others else "run `ingot lab create`"
        super().__init__(f"there is no lab {name!r}", remedy=known)
        self.name = name


class DamagedLab(IngotError):  # noqa: N818 - it says what was seen
    """What is kept of a lab cannot be read."""

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, name: str, path: Path, why: str) -> None:
        super().__init__(
            f"the lab {name!r} cannot be read: {path}: {why}",
            remedy=f"run `ingot lab destroy --name {name}`, then create it again",
        )
        self.name = name
        self.path = path


class OutOfReach(IngotError):  # noqa: N818 - it says what was seen
    """Labs belong to root, and somebody else asks for them."""

    exit_code = ExitCode.INFRASTRUCTURE

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{path} can be read by root alone", remedy="run the same command with sudo"
        )
        self.path = path


def labs_home() -> Path:
    """Return the folder of all labs, as set by `$INGOT_STATE`; it need not exist yet."""
    return Path(os.environ.get(STATE_VARIABLE) or STATE) / "labs"


def is_lab_name(name: str) -> bool:
    """Tell whether a lab may have that name: a DNS label that is not too long."""
    return len(name) <= MAX_NAME and _NAME.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class Lab:
    """One lab, whether it exists or not."""

    name: str

    @property
    def home(self) -> Path:
        """Its folder."""
        return labs_home() / self.name

    @property
    def plan_file(self) -> Path:
        """What was decided; the first file of a lab that is written, and the last removed."""
        return self.home / "plan.json"

    @property
    def machines(self) -> Path:
        """The folder with a folder for each host."""
        return self.home / "machines"

    @property
    def installs(self) -> Path:
        """The folder of machines that installs make on the lab's networks: bootstrap VMs."""
        return self.home / "installs"

    @property
    def media(self) -> Path:
        """The folder of what BMCs have fetched."""
        return self.home / "media"

    @property
    def bmc(self) -> Path:
        """The folder of the lab's CA, its certificates, and of what the BMCs keep."""
        return self.home / "bmc"

    @property
    def faults(self) -> Path:
        """The faults that are set."""
        return self.home / "faults.json"

    @property
    def daemon(self) -> Background:
        """The process that holds the BMCs."""
        return Background(self.home / "daemon.json")

    @property
    def daemon_log(self) -> Path:
        """What that process says."""
        return self.home / "daemon.log"

    @property
    def control_socket(self) -> Path:
        """Where commands reach that process."""
        return self.home / "control.sock"

    @property
    def exists(self) -> bool:
        """Whether there is anything of it, be it half made or half removed."""
        # The name comes from a command line, and its folder is removed in the end.
        try:
            return is_lab_name(self.name) and self.home.is_dir()
        except PermissionError:
            raise OutOfReach(self.home) from None

    def plan(self) -> LabPlan:
        """Return what was decided when it was made.

        Raises:
            NoSuchLab: there is none of that name.
            OutOfReach: it is not this user's to see.
            DamagedLab: its plan is missing or cannot be read.
        """
        if not self.exists:
            raise NoSuchLab(self.name, tuple(lab.name for lab in labs()))
        try:
            return LabPlan.model_validate_json(self.plan_file.read_bytes())
        except PermissionError:
            raise OutOfReach(self.plan_file) from None
        except OSError as bad:
            raise DamagedLab(self.name, self.plan_file, bad.strerror or "unreadable") from None
        except ValidationError as bad:
            raise DamagedLab(
                self.name, self.plan_file, f"{bad.error_count()} values are not as they were made"
            ) from None

    def write_plan(self, plan: LabPlan) -> None:
        """Make its folder and write down what was decided; nothing else is made."""
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = self.plan_file.with_suffix(".new")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(plan.model_dump_json(indent=2))
        fresh.replace(self.plan_file)


def labs() -> tuple[Lab, ...]:
    """Return every lab there is anything of, by name.

    Raises:
        OutOfReach: they are not this user's to see.
    """
    home = labs_home()
    try:
        names = sorted(path.name for path in home.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except PermissionError:
        raise OutOfReach(home) from None
    return tuple(lab for lab in map(Lab, names) if lab.exists)
