"""`ingot explain`: the model tells about itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ingot.config.explain import FieldDoc, UnknownField, children, describe


def every_field(docs: list[FieldDoc]) -> Iterator[FieldDoc]:
    for doc in docs:
        yield doc
        yield from every_field(children(doc))


@pytest.mark.parametrize("doc", list(every_field(children(None))), ids=lambda doc: doc.path)
def test_every_field_has_a_type_and_a_meaning(doc: FieldDoc) -> None:
    assert doc.kind
    assert doc.meaning.endswith((".", "`"))


@pytest.mark.parametrize(
    ("path", "default"),
    [
        ("networking.machineNetwork", "cidr: 10.0.0.0/16"),
        ("networking.clusterNetwork", "cidr: 10.128.0.0/14, hostPrefix: 23"),
        ("networking.serviceNetwork", "172.30.0.0/16"),
        ("controlPlane.replicas", "3"),
        ("compute", "name: worker, replicas: 3"),
        ("platform.baremetal.libvirtURI", "qemu:///system"),
        ("platform.baremetal.provisioningNetworkCIDR", "172.22.0.0/24"),
        ("platform.baremetal.provisioningDHCPRange", "172.22.0.10,172.22.0.254"),
        ("platform.baremetal.bootstrapProvisioningIP", "172.22.0.2"),
        ("platform.baremetal.hosts.bootMode", "UEFI"),
        ("platform.baremetal.hosts.bmc.disableCertificateVerification", "false"),
        ("platform.baremetal.apiVIPs", ""),
    ],
)
def test_default_is_what_an_install_would_use(path: str, default: str) -> None:
    assert describe(path).default == default


@pytest.mark.parametrize(
    "path",
    [
        "platform.baremetal.hosts[2].bmc.address",
        "platform.baremetal.hosts[].bmc.address",
        "platform.baremetal.hosts.bmc.address",
        "Platform.BareMetal.Hosts.BMC.Address",
    ],
)
def test_indices_and_letter_case_do_not_matter(path: str) -> None:
    assert describe(path).path == "platform.baremetal.hosts[].bmc.address"


@pytest.mark.parametrize(
    ("path", "note"),
    [
        ("platform.baremetal.apiVIP", "deprecated: use platform.baremetal.apiVIPs"),
        ("fips", "accepted and ignored: only OpenShift has it"),
        ("arbiter", "refused: clusters with an arbiter node are not built yet"),
        ("baseDomain", ""),
    ],
)
def test_note_tells_a_field_that_is_not_honoured(path: str, note: str) -> None:
    assert describe(path).note == note


@pytest.mark.parametrize(
    ("path", "remedy"),
    [
        ("platfrom", "did you mean platform?"),
        ("platform.baremetal.hosts.rol", "did you mean role?"),
        ("baseDomain.name", "baseDomain has no fields below it"),
    ],
)
def test_unknown_field_is_refused_with_what_to_write(path: str, remedy: str) -> None:
    with pytest.raises(UnknownField) as refused:
        describe(path)
    assert refused.value.remedy == remedy
