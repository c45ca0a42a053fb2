import { expect, test } from "bun:test";
import { processNamespaces } from "./process-namespaces.ts";

const files = (namespace: string | undefined) => ({
  read(path: string) {
    if (namespace === undefined) throw new Error(`${path}: no such file`);
    return `${namespace}\n`;
  },
});

test.each([
  ["nothing is known", {}, "", undefined, { objects: "default", lease: "default" }],
  ["of the service account", {}, "", "storage", { objects: "storage", lease: "storage" }],
  ["of the variable POD_NAMESPACE", { POD_NAMESPACE: "pod" }, "", "storage", { objects: "pod", lease: "pod" }],
  ["outside a pod, with NAMESPACE", { NAMESPACE: "capacity" }, "", undefined, { objects: "capacity", lease: "default" }],
  ["all differ", { NAMESPACE: "capacity", POD_NAMESPACE: "pod" }, "election", "storage", { objects: "capacity", lease: "election" }],
])("the namespaces of a process: %s", (_, env, leaderElectionNamespace, mounted, expected) => {
  expect(processNamespaces(env, { leaderElectionNamespace }, files(mounted))).toEqual(expected);
});
