import { mkdirSync } from "node:fs";
import { runCommand } from "../machine/run-command.ts";
import { apiServiceAddress, nodeAddress } from "./addresses.ts";
import type { NodeFiles } from "./files.ts";

/** Gives the node folders and addresses of its own, in the mount and network namespaces that it has. */
export function prepareNamespaces(files: NodeFiles): void {
  // /var/lib stays readable, and nothing is written to that of the machine.
  const layers = { lowerdir: "/var/lib", upperdir: files.folder("var-lib"), workdir: files.folder("var-lib-work") };
  const options = Object.entries(layers).map(([name, folder]) => `${name}=${folder}`);
  mount("-t", "overlay", "-o", options.join(","), "overlay", "/var/lib");
  bind(files.folder("kubelet"), "/var/lib/kubelet");
  bind(files.folder("csi-data"), "/var/lib/csi-hostpath-data");
  bind(files.folder("var-log"), "/var/log");
  mount("-t", "tmpfs", "tmpfs", "/run");

  ip("link", "set", "lo", "up");
  // A node's address must not be a loopback one. Some kernels have no dummy interfaces; pods need bridges anyway.
  ip("link", "add", "node0", "type", "bridge");
  for (const address of [nodeAddress, apiServiceAddress]) ip("address", "add", `${address}/32`, "dev", "node0");
  ip("link", "set", "node0", "up");
  ip("route", "add", "default", "dev", "node0");
}

function bind(source: string, target: string): void {
  mkdirSync(target, { recursive: true });
  mount("--bind", source, target);
}

function mount(...args: string[]): void {
  runCommand("mount", args);
}

function ip(...args: string[]): void {
  runCommand("ip", args);
}
