"""What nodes are told, for tests."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from ipaddress import ip_address

from ingot.configserver.joinfile import JoinFacts, Source
from ingot.configserver.role import Role

WORKER = JoinFacts(
    name="worker-1",
    role=Role.WORKER,
    api_server="https://192.0.2.5:6443",
    token="abcdef.0123456789abcdef",
    expires=datetime(2026, 1, 1, 13, tzinfo=UTC),
    ca_certificate="-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n",
    vips=(ip_address("192.0.2.5"), ip_address("2001:db8::5")),
    source=Source("https://192.0.2.5:22623/config/worker", "host-token", "PEM"),
)
CONTROL_PLANE = replace(WORKER, name="cp-1", role=Role.CONTROL_PLANE)
