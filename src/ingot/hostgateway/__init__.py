"""networkType HostGateway: pods reach each other by routes that every node keeps to the others.

On each node: the CNI configuration, routes to the pods of other nodes, and masquerade for what
leaves the cluster. What runs pods, and what balances Services, is kubelet's and kube-proxy's.
"""
