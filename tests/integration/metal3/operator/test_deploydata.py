"""Secrets of a deployment, read from a real API server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from ingot.kube.controller import Controller
from ingot.metal3.api.image import Image
from ingot.metal3.host.observation import DeployData
from ingot.metal3.operator.deploydata import Deployments
from ingot.metal3.operator.parts import Parts
from tests.integration.kube.widgets import awaited
from tests.integration.kubeapi import KubeApi
from tests.integration.metal3.operator.rooms_site import RoomsSite, metal3_api, site

OCI = {"url": "oci://registry.test/os:1", "ociAuthSecretName": "pull"}


class Room(Deployments):
    """It has no controller."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts.secrets)

    def controllers(self) -> Sequence[Controller]:
        return ()


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KubeApi]:
    with metal3_api(tmp_path_factory.mktemp("kube")) as started:
        yield started


async def data(
    at: RoomsSite,
    room: Deployments,
    name: str,
    **spec: Any,  # noqa: ANN401 - any field of the spec
) -> DeployData:
    host = await at.host(name, **spec)
    return await room.data(host.model)


@awaited()
async def test_a_host_that_names_no_secret_knows_its_name(api: KubeApi) -> None:
    async with site(api, Room) as (at, room):
        found = await data(at, room, "plain")
        assert found.problem is None
        drive = found.config_drive
        assert drive is not None
        assert drive.meta_data["local-hostname"] == "plain"
        assert drive.meta_data["uuid"] == at.stored("plain").metadata.uid
        assert (drive.user_data, drive.network_data, found.pull_secret) == (None, None, None)


@awaited()
async def test_all_that_secrets_hold_is_brought_along(api: KubeApi) -> None:
    async with site(api, Room) as (at, room):
        await at.secret("user", userData='{"ignition": {}}')
        await at.secret("meta", metaData="name: other\nrack: 7")
        await at.secret("net", value="links: []")
        await at.secret("pull", username="anna", password="hush")
        found = await data(
            at,
            room,
            "full",
            userData={"name": "user", "namespace": at.namespace},
            metaData={"name": "meta"},
            networkData={"name": "net"},
            image=OCI,
        )
        assert found.problem is None
        drive = found.config_drive
        assert drive is not None
        assert drive.user_data == '{"ignition": {}}'
        assert (drive.meta_data["name"], drive.meta_data["rack"]) == ("other", 7)
        assert drive.meta_data["metal3-name"] == "full"
        assert drive.network_data == {"links": []}
        assert found.pull_secret == "anna:hush"
        assert "hush" not in repr(found)


@awaited()
async def test_the_ramdisks_network_data_does_for_the_system_too(api: KubeApi) -> None:
    async with site(api, Room) as (at, room):
        await at.secret("pre", networkData="links: [{id: a}]")
        await at.secret("own", networkData="links: [{id: b}]")
        both = {"preprovisioningNetworkDataName": "pre"}
        first = await data(at, room, "first", **both)
        second = await data(at, room, "second", networkData={"name": "own"}, **both)
        found = [one.config_drive and one.config_drive.network_data for one in (first, second)]
        assert found == [{"links": [{"id": "a"}]}, {"links": [{"id": "b"}]}]
        assert await room.ramdisk_network(at.stored("second").model) == {"links": [{"id": "a"}]}


@pytest.mark.parametrize(
    ("spec", "kind", "says"),
    [
        ({"userData": {"name": "none"}}, "userData", "is not there"),
        ({"userData": {"name": "empty"}}, "userData", "neither the key `userData` nor `value`"),
        ({"userData": {"name": "binary"}}, "userData", "key `value`, is no UTF-8"),
        ({"metaData": {"name": "list"}}, "metaData", "key `value`, is no mapping"),
        ({"metaData": {"name": "empty"}}, "metaData", "neither the key"),
        ({"networkData": {"name": "broken"}}, "networkData", "neither YAML nor JSON"),
        ({"networkData": {"name": "x", "namespace": "other"}}, "networkData", "other/x is not in"),
        ({"image": OCI}, "imageAuth", "is not there"),
        (
            {"image": {**OCI, "ociAuthSecretName": "empty"}},
            "imageAuth",
            "none of the keys",
        ),
    ],
)
@awaited()
async def test_what_cannot_be_had_is_told_by_kind_secret_and_key(
    api: KubeApi, spec: dict[str, object], kind: str, says: str
) -> None:
    async with site(api, Room) as (at, room):
        await at.secret("empty", other="hush")
        await at.secret("binary", value=b"\xffhush")
        await at.secret("list", value="- hush")
        await at.secret("broken", networkData="hush: [")
        found = await data(at, room, "wrong", **spec)
        assert found.config_drive is None
        assert found.problem is not None
        assert found.problem.kind == kind
        assert says in found.problem.why
        assert "hush" not in found.problem.why


@awaited()
async def test_no_credentials_are_asked_of_an_image_that_is_in_no_registry(api: KubeApi) -> None:
    async with site(api, Room) as (at, room):
        image = {"url": "http://images/os.raw", "checksum": "a", "ociAuthSecretName": "none"}
        found = await data(at, room, "web", image=image)
        assert found.problem is None
        assert found.pull_secret is None
        stored = at.stored("web").model.spec.image
        assert stored == Image(
            url="http://images/os.raw", checksum="a", oci_auth_secret_name="none"
        )
