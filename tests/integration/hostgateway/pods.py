"""Pods as a container runtime makes them: a namespace, and the plugins of a CNI configuration."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

from ingot.machine import namespaces
from ingot.process import run


@dataclass(frozen=True)
class Runtime:
    """What plays containerd on a node.

    Attributes:
        node: the node's namespace.
        configuration: the file that containerd would read.
        plugins: the folder of the plugins.
        folder: where addresses are kept that are in use; the real place is shared by all nodes.
    """

    node: str
    configuration: Path
    plugins: Path
    folder: Path

    def add(self, name: str, ports: Sequence[dict[str, Any]] = ()) -> Pod:
        """Make a pod's network."""
        space = f"{self.node}-{name}"
        run(["ip", "netns", "add", space])
        run(["ip", "-n", space, "link", "set", "lo", "up"])
        pod = Pod(self, space, tuple(ports))
        result = pod.call("ADD")
        found = {ip_interface(one["address"]).ip for one in result["ips"]}
        return Pod(self, space, pod.ports, {one.version: str(one) for one in found})


@dataclass(frozen=True)
class Pod:
    """A pod's network."""

    runtime: Runtime
    space: str
    ports: tuple[dict[str, Any], ...] = ()
    addresses: dict[int, str] | None = None

    def at(self, version: int) -> str:
        assert self.addresses is not None
        return self.addresses[version]

    def remove(self) -> None:
        self.call("DEL")
        namespaces.delete(self.space)

    def call(self, command: str) -> dict[str, Any]:
        """Call the plugins one after the other, each with what the one before has said."""
        configuration = json.loads(self.runtime.configuration.read_text())
        plugins = configuration["plugins"]
        result: dict[str, Any] = {}
        for plugin in plugins if command == "ADD" else reversed(plugins):
            told = self._told(configuration, plugin)
            if result:
                told["prevResult"] = result
            said = self._called(plugin["type"], command, told)
            result = json.loads(said) if said else result
        return result

    def _told(self, configuration: dict[str, Any], plugin: dict[str, Any]) -> dict[str, Any]:
        told = {**plugin, "name": configuration["name"], "cniVersion": configuration["cniVersion"]}
        if "ipam" in told:
            told["ipam"] = {**told["ipam"], "dataDir": str(self.runtime.folder)}
        if told.pop("capabilities", {}).get("portMappings"):
            told["runtimeConfig"] = {"portMappings": list(self.ports)}
        return told

    def _called(self, plugin: str, command: str, told: dict[str, Any]) -> str:
        environment = {
            "CNI_COMMAND": command,
            "CNI_CONTAINERID": self.space,
            "CNI_NETNS": str(namespaces.NAMED / self.space),
            "CNI_IFNAME": "eth0",
            "CNI_PATH": str(self.runtime.plugins),
            "PATH": f"{os.environ['PATH']}:/usr/sbin:/sbin",
        }
        program = self.runtime.plugins / plugin
        return namespaces.inside(
            self.runtime.node, lambda: run([program], env=environment, stdin=json.dumps(told))
        )
