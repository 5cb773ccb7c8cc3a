"""Install-configs for tests: a valid one as data, cases as a few changes to it, and their tables.

A config is written by an emitter of our own that remembers the line of each field, so that a test
knows where a problem must be reported without asking the code under test.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, TypeAlias

from ingot.config.loading import Loaded, load
from ingot.config.problem import Problem, Report, Severity

Data: TypeAlias = "dict[str, Data] | list[Data] | str | int | bool | None"


class Plain(str):
    """Text that is written without quotes."""

    __slots__ = ()


class _Absent:
    """Stands for a field to be left out."""


ABSENT: Final = _Absent()


# ---------------------------------------------------------------- valid configs


def bmc_host(name: str, role: str, number: int, *, scheme: str = "redfish") -> dict[str, Data]:
    """Return a host that has nothing in common with those of other numbers."""
    return {
        "name": name,
        "role": role,
        "bootMACAddress": f"52:54:00:00:00:{number}",
        "bmc": {
            "address": f"{scheme}://198.51.100.{number}/redfish/v1/Systems/1",
            "username": "admin",
            "password": f"hunter{number}",
        },
    }


BASE: Final[dict[str, Data]] = {
    "apiVersion": "v1",
    "metadata": {"name": "rack1"},
    "baseDomain": "example.com",
    "networking": {
        "networkType": "HostGateway",
        "machineNetwork": [{"cidr": "192.0.2.0/24"}],
        "clusterNetwork": [{"cidr": "10.128.0.0/14", "hostPrefix": 23}],
        "serviceNetwork": ["172.30.0.0/16"],
    },
    "controlPlane": {"name": "master", "replicas": 3},
    "compute": [{"name": "worker", "replicas": 1}],
    "platform": {
        "baremetal": {
            "apiVIPs": ["192.0.2.5"],
            "ingressVIPs": ["192.0.2.6"],
            "provisioningNetwork": "Managed",
            "hosts": [
                bmc_host("cp-0", "master", 10),
                bmc_host("cp-1", "master", 11),
                bmc_host("cp-2", "master", 12),
                bmc_host("worker-0", "worker", 20),
            ],
        }
    },
}
"""IPv4, with a managed provisioning network that is all defaults. Nothing to warn of."""

MACHINE, CLUSTER, SERVICE = (
    "networking.machineNetwork",
    "networking.clusterNetwork",
    "networking.serviceNetwork",
)
METAL = "platform.baremetal"
API, INGRESS = f"{METAL}.apiVIPs", f"{METAL}.ingressVIPs"
HOST = f"{METAL}.hosts[0]"

TO_IPV6: Final[dict[str, Data]] = {
    MACHINE: [{"cidr": "2001:db8:0:1::/64"}],
    CLUSTER: [{"cidr": "fd01::/48", "hostPrefix": 64}],
    SERVICE: ["fd02::/112"],
    API: ["2001:db8:0:1::5"],
    INGRESS: ["2001:db8:0:1::6"],
    f"{METAL}.provisioningNetworkCIDR": "fd00:1101::/64",
}
"""The changes that make the base config IPv6 only."""

TO_DUAL_STACK: Final[dict[str, Data]] = {
    MACHINE: [{"cidr": "192.0.2.0/24"}, {"cidr": "2001:db8:0:1::/64"}],
    CLUSTER: [{"cidr": "10.128.0.0/14", "hostPrefix": 23}, {"cidr": "fd01::/48", "hostPrefix": 64}],
    SERVICE: ["172.30.0.0/16", "fd02::/112"],
    API: ["192.0.2.5", "2001:db8:0:1::5"],
    INGRESS: ["192.0.2.6", "2001:db8:0:1::6"],
}
"""The changes that make the base config dual stack."""

TO_DISABLED: Final[dict[str, Data]] = {
    f"{METAL}.provisioningNetwork": "Disabled",
    f"{METAL}.hosts": [
        bmc_host(f"cp-{number}", "master", 10 + number, scheme="redfish-virtualmedia")
        for number in range(3)
    ],
    "compute[0].replicas": 0,
}
"""The changes that take the provisioning network away."""

FULL: Final[dict[str, Data]] = {
    "additionalTrustBundlePolicy": "Always",
    "sshKey": "# nobody",
    "controlPlane.hyperthreading": "Enabled",
    "controlPlane.architecture": "amd64",
    "controlPlane.platform": {"baremetal": {}},
    "compute[0].management": "MachineAPI",
    "pullSecret": '{"auths": {"mirror.example.com:5000": {"auth": "dTpw"}}}',
    "proxy": {
        "httpProxy": "http://user:hunter2@proxy.example.com:3128",
        "httpsProxy": "https://proxy.example.com",
        "noProxy": "example.com,192.0.2.0/24",
    },
    "imageDigestSources": [
        {
            "source": "registry.k8s.io",
            "mirrors": ["mirror.example.com:5000/k8s"],
            "sourcePolicy": "AllowContactingSource",
        }
    ],
    "publish": "External",
    "fips": False,
    f"{METAL}.libvirtURI": "qemu+ssh://root@kvm.example.com/system",
    f"{METAL}.externalBridge": "br-ex",
    f"{METAL}.externalMACAddress": "52:54:00:00:01:01",
    f"{METAL}.provisioningBridge": "br-pr",
    f"{METAL}.provisioningMACAddress": "52:54:00:00:01:02",
    f"{METAL}.provisioningNetworkInterface": "eno2",
    f"{METAL}.provisioningNetworkCIDR": "172.22.0.0/24",
    f"{METAL}.provisioningDHCPRange": "172.22.0.10,172.22.0.100",
    f"{METAL}.provisioningNetworkGateway": "172.22.0.1",
    f"{METAL}.bootstrapProvisioningIP": "172.22.0.2",
    f"{METAL}.provisioningHostIP": "172.22.0.3",
    f"{METAL}.apiVIP": "192.0.2.5",
    f"{METAL}.bootstrapExternalStaticIP": "192.0.2.9",
    f"{METAL}.bootstrapExternalStaticGateway": "192.0.2.1",
    f"{METAL}.bootstrapExternalStaticDNS": "192.0.2.1",
    f"{METAL}.loadBalancer": {"type": "OpenShiftManagedDefault"},
    f"{METAL}.dnsRecordsType": "Internal",
    f"{METAL}.additionalNTPServers": ["ntp.example.com", "192.0.2.1"],
    f"{METAL}.clusterOSImage": f"https://example.com/image?sha256={'ab' * 32}",
    f"{HOST}.bootMode": "UEFISecureBoot",
    f"{HOST}.bmc.disableCertificateVerification": True,
    f"{HOST}.rootDeviceHints": {
        "deviceName": "/dev/sda",
        "hctl": "0:0:0:0",
        "model": "Disk",
        "minSizeGigabytes": 100,
        "rotational": False,
    },
    f"{HOST}.networkConfig": {
        "interfaces": [
            {
                "name": "eno1",
                "mtu": 9000,
                "ipv4": {"address": [{"ip": "192.0.2.10", "prefix-length": 24}]},
                "ipv6": {"address": [{"ip": "2001:db8::10", "prefix-length": 64}]},
            }
        ],
        "dns-resolver": {"config": {"server": ["192.0.2.1"]}},
    },
}
"""The changes that give nearly every field of the base config a valid value."""

USER_MANAGED: Final[dict[str, Data]] = {f"{METAL}.loadBalancer": {"type": "UserManaged"}}


# ---------------------------------------------------------------- writing them


@dataclass(frozen=True, slots=True)
class Config:
    """An install-config as bytes, and the line of each of its fields."""

    data: bytes
    lines: Mapping[str, int] = field(default_factory=dict)

    def line(self, path: str) -> int:
        """Return the line of a field, or of the nearest one above that is there."""
        while path not in self.lines:
            path = re.sub(r"(^|\.)[^.\[\]]*$|\[\d+\]$", "", path)
            if not path:
                return 1
        return self.lines[path]

    def load(self) -> Loaded:
        return load(self.data)

    def report(self) -> Report:
        return self.load().report


def changed(*changes: Mapping[str, object], base: Mapping[str, Data] = BASE) -> Config:
    """Write a config with changes, given by path: `{"platform.baremetal.apiVIPs[0]": "192.0.2.9"}`.

    A new key goes to the end of its mapping, an index one past the end appends to its list, and
    ABSENT takes a field out.
    """
    data = copy.deepcopy(dict(base))
    for change in changes:
        for path, value in change.items():
            _set(data, _parts(path), value)
    return Config(*_emit(data))


def _parts(path: str) -> list[str | int]:
    found = re.findall(r"\[(\d+)\]|([^.\[\]]+)", path)
    return [int(index) if index else name for index, name in found]


def _set(data: object, parts: list[str | int], value: object) -> None:
    for part, after in pairwise(parts):
        if isinstance(data, dict):
            data = data.setdefault(part, [] if isinstance(after, int) else {})
        elif isinstance(data, list) and isinstance(part, int):
            data.extend({} for _ in range(part + 1 - len(data)))
            data = data[part]
    last = parts[-1]
    if isinstance(data, list) and isinstance(last, int):
        data[last : last + 1] = [] if value is ABSENT else [copy.deepcopy(value)]
    elif isinstance(data, dict) and value is ABSENT:
        data.pop(last, None)
    elif isinstance(data, dict):
        data[last] = copy.deepcopy(value)


def _emit(data: object) -> tuple[bytes, dict[str, int]]:
    out: list[str] = []
    lines: dict[str, int] = {}
    _emit_into(out, lines, data, path="", indent="", lead="")
    return ("\n".join(out) + "\n").encode(), lines


def _emit_into(
    out: list[str], lines: dict[str, int], data: object, *, path: str, indent: str, lead: str
) -> None:
    """Write a value whose first line begins with `lead`; the others are indented."""
    lines.setdefault(path, len(out) + 1)
    if isinstance(data, dict) and data:
        for key, value in data.items():
            below = f"{path}.{key}" if path else str(key)
            lines[below] = len(out) + 1
            _emit_entry(out, lines, value, path=below, indent=indent, lead=f"{lead}{key}:")
            lead = indent
    elif isinstance(data, list) and data:
        for index, value in enumerate(data):
            _emit_into(
                out,
                lines,
                value,
                path=f"{path}[{index}]",
                indent=f"{indent}  ",
                lead=f"{lead}- ",
            )
            lead = indent
    else:
        out.append(f"{lead}{_scalar(data)}")


def _emit_entry(
    out: list[str], lines: dict[str, int], value: object, *, path: str, indent: str, lead: str
) -> None:
    if isinstance(value, dict | list) and value:
        out.append(lead)
        inner = f"{indent}  "
        _emit_into(out, lines, value, path=path, indent=inner, lead=inner)
    else:
        out.append(f"{lead} {_scalar(value)}")


def _scalar(value: object) -> str:
    return value if isinstance(value, Plain) else json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------- cases


@dataclass(frozen=True, slots=True)
class Case:
    """One config, and what one rule must say of it."""

    rule: str
    what: str
    config: Config
    fields: tuple[str, ...] = ()
    """Where the rule must find something; nowhere, for a config that it accepts."""
    says: str = ""
    line: int | None = None
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        verdict = "refuses" if self.fields else "accepts"
        return f"{self.rule} {verdict} {self.what}".replace(" ", "-")

    def check(self) -> None:
        """Check that the rule, and no other one, finds what it must where it must."""
        report = self.config.report()
        expected = sorted((self.rule, one) for one in self.fields)
        seen = sorted((problem.rule, problem.field) for problem in report.of(self.severity))
        if self.fields:
            assert seen == expected, told(report)
        else:
            assert self.rule not in rules_of(report.problems), told(report)
        if self.severity is Severity.WARNING or not self.fields:
            assert not report.errors, told(report)
        for problem in report.problems if self.fields else ():
            if problem.rule == self.rule:
                assert problem.line == (self.line or self.config.line(problem.field))
                assert problem.message
                assert problem.remedy
                assert self.says in problem.sentence


ACCEPTED: Final[set[str]] = set()
REFUSED: Final[set[str]] = set()
"""The rules that some table has an accepted and a refused case for."""


def table(*cases: Case) -> list[Case]:
    """Return the cases for a parametrised test, and remember what they cover."""
    for case in cases:
        (REFUSED if case.fields else ACCEPTED).add(case.rule)
    return list(cases)


def accepted(
    rule: str, what: str, *changes: Mapping[str, object], text: str | bytes | None = None
) -> Case:
    """Return a case that the rule has nothing to say about."""
    return Case(rule, what, _config(changes, text))


def refused(
    rule: str,
    where: str | tuple[str, ...],
    what: str,
    *changes: Mapping[str, object],
    says: str = "",
    text: str | bytes | None = None,
    line: int | None = None,
) -> Case:
    """Return a case in which the rule finds an error in these fields, and nothing else is found."""
    fields = (where,) if isinstance(where, str) else where
    return Case(rule, what, _config(changes, text), fields, says, line)


def warned(
    rule: str,
    where: str | tuple[str, ...],
    what: str,
    *changes: Mapping[str, object],
    says: str = "",
) -> Case:
    """Return a case in which the rule warns of these fields, and nothing else is found."""
    fields = (where,) if isinstance(where, str) else where
    return Case(rule, what, changed(*changes), fields, says, severity=Severity.WARNING)


def _config(changes: tuple[Mapping[str, object], ...], text: str | bytes | None) -> Config:
    if text is None:
        return changed(*changes)
    return Config(text.encode() if isinstance(text, str) else text)


# ---------------------------------------------------------------- reading reports


def rules_of(problems: Iterable[Problem]) -> list[str]:
    """Return the rules of problems, in their order."""
    return [problem.rule for problem in problems]


def places_of(problems: Iterable[Problem]) -> list[tuple[str, str]]:
    """Return the rule and the field of each problem, in their order."""
    return [(problem.rule, problem.field) for problem in problems]


def told(report: Report) -> str:
    """Return a report as text, for a failed assertion."""
    return "\n".join(
        f"{problem.severity} {problem.rule} line {problem.line} {problem.field}: {problem.sentence}"
        for problem in report.problems
    )
