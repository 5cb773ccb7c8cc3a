"""How long an install-config of 5, 50 and 500 hosts takes to check."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from ingot.config.loading import load
from tests.bench.timing import Timing, timed, timed_command

SIZES = (5, 50, 500)
RUNS = 15
LIMIT = 10.0

HEAD = """\
apiVersion: v1
metadata: {name: bench}
baseDomain: example.com
networking:
  machineNetwork: [{cidr: 10.0.0.0/16}]
controlPlane: {name: master, replicas: 3}
compute: [{name: worker, replicas: 2}]
platform:
  baremetal:
    apiVIPs: [10.0.0.5]
    ingressVIPs: [10.0.0.6]
    hosts:
"""

HOST = """\
      - name: host-{number}
        role: {role}
        bootMACAddress: 52:54:00:00:{high:02x}:{low:02x}
        bootMode: UEFI
        bmc:
          address: redfish-virtualmedia://10.9.{high}.{low}/redfish/v1/Systems/1
          username: admin
          password: "not-a-secret-{number}"
          disableCertificateVerification: true
        rootDeviceHints:
          deviceName: /dev/disk/by-path/pci-0000:00:17.0-ata-1
"""


def config(hosts: int) -> bytes:
    """Return a valid config with that many hosts."""
    entries = (
        HOST.format(
            number=number,
            role="master" if number < 3 else "worker",
            high=number // 250,
            low=number % 250 + 1,
        )
        for number in range(hosts)
    )
    return (HEAD + "".join(entries)).encode()


def report(start: Timing) -> None:
    """Print the times and their growth."""
    print("Validation of an install-config")
    timings = {}
    for hosts in SIZES:
        data = config(hosts)
        if not load(data).report.valid:
            raise SystemExit(f"the config of {hosts} hosts is not valid")
        timings[hosts] = timed(lambda data=data: load(data), RUNS)  # type: ignore[misc]  # bound at once
        each = timings[hosts].median / hosts
        print(f"  {hosts:>3} hosts         {timings[hosts]}   {each * 1e6:7.0f} µs a host")
    growth = (timings[500].median - timings[50].median) / (timings[50].median - timings[5].median)
    print(f"  growth           {growth:.1f} x from 50 to 500 over 5 to 50 (linear: 10)")
    ratio = timings[500].median / start.median
    print(f"  500 hosts        {ratio:.1f} x `ingot version` (aim: {LIMIT:.0f})")
    for hosts in SIZES:
        _report_command(hosts, start)


def _report_command(hosts: int, start: Timing) -> None:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "install-config.yaml")
        file.write_bytes(config(hosts))
        ingot = Path(sys.executable).parent / "ingot"
        whole = timed_command([ingot, "validate", file], RUNS)
    ratio = whole.median / start.median
    print(f"  {hosts:>3}, whole command {whole}   {ratio:.1f} x `ingot version`")
