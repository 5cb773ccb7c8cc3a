"""What the API server is told of our webhook: which objects to ask about, where, and whom to trust.

It fails closed: an object that nobody could judge is not stored. The one exception keeps a promise:
an object that is being deleted is not asked about at all, so that its finalizers can be taken off,
by the operator or by hand, while nothing answers here.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Any, Final

from ingot.kube.crd.definition import Scope
from ingot.metal3.api.kinds import DEFINITIONS
from ingot.metal3.api.wire import GROUP, VERSION
from ingot.metal3.webhooks.kinds import JUDGES

__all__ = ["API_PATH", "NAME", "PATH", "Service", "configuration", "trusting"]

NAME: Final = "ingot-metal3"
"""What the configuration is called."""

WEBHOOK: Final = f"validate.{GROUP}"
API_PATH: Final = f"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/{NAME}"
"""Where it is in the API."""

PATH: Final = "/validate"
"""Where we answer."""

TIMEOUT_SECONDS: Final = 5
"""Longer than we take for the largest object; an API server with a dead webhook waits so long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Where the webhook is reached from the API server, inside the cluster."""

    namespace: str
    name: str
    port: int = 443

    @property
    def host(self) -> str:
        """The name that its certificate has to carry."""
        return f"{self.name}.{self.namespace}.svc"


def configuration(where: Service | str, ca_bundle: bytes) -> dict[str, Any]:
    """Return the ValidatingWebhookConfiguration.

    Args:
        where: a Service; or an origin such as ``https://10.0.0.5:9443``, for an API server that is
            in no cluster's network, as on the bootstrap VM.
        ca_bundle: the certificates that may have signed ours, as PEM.
    """
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": NAME},
        "webhooks": [
            {
                "name": WEBHOOK,
                "admissionReviewVersions": ["v1"],
                "clientConfig": {**_place(where), "caBundle": _encoded(ca_bundle)},
                "failurePolicy": "Fail",
                "matchPolicy": "Equivalent",
                "sideEffects": "None",
                "timeoutSeconds": TIMEOUT_SECONDS,
                "matchConditions": [
                    {
                        "name": "not-being-deleted",
                        "expression": "!has(object.metadata.deletionTimestamp)",
                    }
                ],
                "rules": _rules(),
            }
        ],
    }


def trusting(ca_bundle: bytes) -> list[dict[str, Any]]:
    """Return the JSON patch by which the API server trusts other certificates from now on."""
    return [
        {
            "op": "replace",
            "path": "/webhooks/0/clientConfig/caBundle",
            "value": _encoded(ca_bundle),
        }
    ]


def _rules() -> list[dict[str, Any]]:
    judged = [definition for definition in DEFINITIONS if definition.kind in JUDGES]
    return [
        {
            "apiGroups": [GROUP],
            "apiVersions": [VERSION],
            "operations": ["CREATE", "UPDATE"],
            # Without the status: it is written often, by the operator alone.
            "resources": sorted(one.plural for one in judged if one.scope is scope),
            "scope": scope.value,
        }
        for scope in Scope
    ]


def _place(where: Service | str) -> dict[str, Any]:
    if isinstance(where, str):
        return {"url": f"{where}{PATH}"}
    service = {"namespace": where.namespace, "name": where.name, "port": where.port, "path": PATH}
    return {"service": service}


def _encoded(ca_bundle: bytes) -> str:
    return base64.b64encode(ca_bundle).decode()
