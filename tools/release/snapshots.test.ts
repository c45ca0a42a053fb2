import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { bool, component, gate, text } from "@csi-sidecars/host";
import { flagsSnapshot } from "./flags-snapshot.ts";
import { releasedComponents, releasedPrograms } from "./programs.ts";
import { rbacSnapshot } from "./rbac-snapshot.ts";
import { notReviewed, snapshotChanges } from "./snapshot-changes.ts";
import { currentSnapshots, staleSnapshots } from "./snapshots.ts";

test("the files in release/ are what the programs are: npm run generate:docs", () => {
  expect(staleSnapshots(join(import.meta.dirname, "../.."), currentSnapshots())).toEqual([]);
  expect(releasedPrograms.map(({ name }) => name)).toContain("csi-proxy");
  expect(releasedComponents.map(({ name }) => name)).toContain("snapshot-controller");
});

const mover = component({
  name: "mover",
  standalone: "csi-mover",
  flags: { "move-all": bool(false, "Moves all."), target: text("here", "Where to.", { aliases: ["to"] }) },
  gates: { FastMoves: gate(true, "beta", "Moves fast.") },
  processFlags: ["version"],
  leadership: "none",
  kube: true,
  driver: "none",
  rbac: ({ moveAll }) => ({
    cluster: [
      { apiGroups: [""], resources: ["nodes"], verbs: ["get", "list"] },
      { apiGroups: ["storage.k8s.io"], resources: ["csinodes"], verbs: ["get"], gate: "FastMoves" },
    ],
    namespaced: moveAll ? [{ apiGroups: [""], resources: ["pods"], verbs: ["delete"] }] : [],
  }),
  start: async () => ({ done: Promise.resolve() }),
});

test("flags are every spelling with type and default, or what it stands for", () => {
  const { "csi-mover": alone, all } = flagsSnapshot([
    { form: "individual", name: "csi-mover", component: mover },
    { form: "all-in-one", name: "all", components: [mover] },
  ]);
  expect(alone).toMatchObject({
    "--move-all": 'bool, "false"',
    "--target": 'string, "here"',
    "--version": 'bool, "false"',
    "gate FastMoves": "beta, on",
  });
  expect(alone).not.toHaveProperty("--to");
  expect(all).toMatchObject({
    "--mover-target": 'string, "here"',
    "--target": "--mover-target",
    "--to": "--mover-target",
    "--mover-to": "--mover-target",
  });
});

test("permissions are lines, with the flag or gate that asks for them", () => {
  expect(rbacSnapshot([mover]).mover).toEqual({
    "cluster: get csinodes.storage.k8s.io": "gate FastMoves",
    "cluster: get nodes": "always",
    "cluster: list nodes": "always",
    "namespace: delete pods": "--move-all=true",
  });
});

describe("a review", () => {
  const before = { a: { "--gone": "bool", "--same": "int", "--other": "int, 1" } };
  const after = { a: { "--same": "int", "--other": "int, 2", "--new": "bool" }, b: { "--first": "bool" } };
  const changes = snapshotChanges(before, after);

  test("is asked for by the names of what has changed", () => {
    expect(changes).toEqual({
      added: ["a: --new (bool)", "b: --first (bool)"],
      removed: ["a: --gone"],
      changed: ["a: --other (int, 1 → int, 2)"],
    });
  });

  test("counts for its version, and with a reason", () => {
    const all = [...changes.removed, ...changes.changed];
    expect(notReviewed(all, {}, "0.2.0")).toEqual(all);
    expect(notReviewed(all, { "0.2.0": { "a: --gone": "nobody used it", "a: --other": " " } }, "0.2.0")).toEqual([
      "a: --other (int, 1 → int, 2)",
    ]);
    expect(notReviewed(all, { "0.1.0": { "a: --gone": "nobody used it" } }, "0.2.0")).toEqual(all);
  });
});
