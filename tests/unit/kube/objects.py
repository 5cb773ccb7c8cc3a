"""Objects for tests, made as the server would send them."""

from __future__ import annotations

import json

from ingot.kube.kind import Content, Kind
from ingot.kube.object import KubeObject

THINGS = Kind.untyped("test.ingot.dev", "v1", "Thing", "things")


def thing(
    name: str = "one",
    *,
    version: int = 1,
    uid: str = "u1",
    namespace: str = "ns",
    **metadata: object,
) -> KubeObject[Content]:
    known = {
        "name": name,
        "namespace": namespace,
        "uid": uid,
        "resourceVersion": str(version),
        "generation": 1,
    }
    content = {"metadata": known | metadata, "spec": {}}
    return KubeObject(THINGS, json.dumps(content).encode())
