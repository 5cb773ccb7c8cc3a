"""Which conformance tests a cluster of ours must pass, in batches that are run one by one.

They are those about what an install sets up: how pods, nodes and services reach and find each
other, and what stands on that. Left out are tests that need images other than `images` makes, and
those that take longer than `SECONDS_EACH` on machines of a lab, or start dozens of pods at once.
"""

from __future__ import annotations

__all__ = ["BATCHES", "SECONDS_EACH"]

SECONDS_EACH = 300
"""What a test may take, on average over its batch."""


def _of(subject: str, *behaviours: str) -> tuple[str, ...]:
    """Return the suite's own names of what a subject does."""
    return tuple(f"{subject} {one} [Conformance]" for one in behaviours)


DNS = _of(
    "[sig-network] DNS",
    "should provide /etc/hosts entries for the cluster",
    "should provide DNS for ExternalName services",
    "should provide DNS for pods for Hostname",
    "should provide DNS for pods for Subdomain",
    "should provide DNS for services",
    "should provide DNS for the cluster",
    "should resolve DNS of partial qualified names for services [LinuxOnly]",
    "should support configurable pod DNS nameservers",
)
PODS = _of(
    "[sig-network] Networking Granular Checks: Pods should function for",
    "intra-pod communication: http [NodeConformance]",
    "intra-pod communication: udp [NodeConformance]",
    "node-pod communication: http [LinuxOnly] [NodeConformance]",
    "node-pod communication: udp [LinuxOnly] [NodeConformance]",
)
HOST_PORT = _of(
    "[sig-network] HostPort validates that there is no conflict between pods",
    "with same hostPort but different hostIP and protocol [LinuxOnly]",
)
SERVICES = _of(
    "[sig-network] Services",
    "should be able to change the type from ClusterIP to ExternalName",
    "should be able to change the type from ExternalName to ClusterIP",
    "should be able to change the type from ExternalName to NodePort",
    "should be able to change the type from NodePort to ExternalName",
    "should be able to create a functioning NodePort service",
    "should be able to switch session affinity for NodePort service [LinuxOnly]",
    "should be able to switch session affinity for service with type clusterIP [LinuxOnly]",
    "should complete a service status lifecycle",
    "should delete a collection of services",
    "should find a service from listing all namespaces",
    "should have session affinity work for NodePort service [LinuxOnly]",
    "should have session affinity work for service with type clusterIP [LinuxOnly]",
    "should serve a basic endpoint from pods",
    "should serve endpoints on same port and different protocols",
    "should serve multiport endpoints from pods",
)
API_SERVER = _of(
    "[sig-network] API Server",
    "should have Endpoints and EndpointSlices pointing to API Server",
    "should provide secure master service",
)
SLICES = _of(
    "[sig-network] EndpointSlice",
    "should create and delete EndpointSlices for a Service with a selector that matches no pods",
    "should support a Service with multiple endpoint IPs specified in multiple EndpointSlices",
    "should support a Service with multiple ports specified in multiple EndpointSlices",
    "should support creating EndpointSlice API operations",
)
MIRRORED = _of(
    "[sig-network] EndpointSliceMirroring",
    "should mirror a custom Endpoints resource through create update and delete",
)
ENDPOINTS = _of("[sig-network] Endpoints", "should test the lifecycle of an Endpoint")
ENDPOINTS_CONTROLLER = _of(
    "[sig-network] EndpointsController",
    "should create and delete Endpoints for a Service with a selector that matches no pods",
)
PROXY = _of(
    "[sig-network] Proxy version v1",
    "A set of valid responses are returned for both pod and service Proxy",
    "A set of valid responses are returned for both pod and service ProxyWithPath",
    "should proxy through a service and a pod",
)
ADDRESSES = _of(
    "[sig-network] ServiceCIDR and IPAddress API",
    "should support IPAddress API operations",
    "should support ServiceCIDR API operations",
)
INGRESS = _of("[sig-network] Ingress API", "should support creating Ingress API operations")
INGRESS_CLASS = _of(
    "[sig-network] IngressClass API", "should support creating IngressClass API operations"
)
DEPLOYMENT = _of(
    "[sig-apps] Deployment",
    "Deployment should have a working scale subresource",
    "RecreateDeployment should delete old pods and create new ones",
    "RollingUpdateDeployment should delete old pods and create new ones",
    "deployment should delete old replica sets",
    "deployment should support rollover",
    "should run the lifecycle of a Deployment",
    "should validate Deployment Status endpoints",
)
REPLICA_SET = _of(
    "[sig-apps] ReplicaSet",
    "Replace and Patch tests",
    "Replicaset should have a working scale subresource",
    "should adopt matching pods on creation and release no longer matching pods",
    "should list and delete a collection of ReplicaSets",
    "should serve a basic image on each replica with a public image",
    "should validate Replicaset Status endpoints",
)
STATEFUL_SET = _of(
    "[sig-apps] StatefulSet Basic StatefulSet functionality [StatefulSetBasic]",
    "Should recreate evicted statefulset",
    "should have a working scale subresource",
    "should list, patch and delete a collection of StatefulSets",
    "should validate Statefulset Status endpoints",
)

BATCHES = {
    "dns": DNS,
    "pods": (*PODS, *HOST_PORT),
    "services": SERVICES,
    "endpoints": (*API_SERVER, *SLICES, *MIRRORED, *ENDPOINTS, *ENDPOINTS_CONTROLLER, *PROXY),
    "addresses": (*ADDRESSES, *INGRESS, *INGRESS_CLASS),
    "deployments": (*DEPLOYMENT, *REPLICA_SET),
    "stateful-sets": STATEFUL_SET,
}
"""The names of the tests, by what they are about."""
