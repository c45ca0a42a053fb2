import { expect, test } from "bun:test";
import { faultsOf } from "../faults/faults.ts";
import type { Playground } from "../playground.ts";
import { foldNamed } from "./fold-text.ts";
import { keyGroups, keyHelp, keySummary } from "./keys.ts";

const everything = { provisions: true, expands: true, snapshots: true, groupSnapshots: true };
const hostpath = {};
const faults = faultsOf({ apiServer: {}, hostpath } as Parameters<typeof faultsOf>[0]);
const groupsWith = (parts: object) => keyGroups({ faults, sidecar: {}, ...parts } as Playground);
const all = groupsWith({ driver: { hostpath, info: everything }, snapshotController: {} });

test("all keys fit in one line of the smallest terminal", () => {
  expect(keySummary(all)).toBe("  keys c g m b t r p d; faults w f x a; kill s n v; ? help; q quit");
});

test("no two actions have the same key", () => {
  const keys = all.flatMap(({ actions }) => actions.map(({ key }) => key));
  expect(new Set([...keys, "h", "q", "?"]).size).toBe(keys.length + 3);
});

test("the help says what each key does, and d what it deletes", () => {
  const help = keyHelp(all).flatMap((line) => foldNamed(line, 80));
  expect(help).toEqual([
    "  keys      c create a claim and a pod; g grow it; m modify it; b break or heal",
    "            it; t take a snapshot; r restore it; p group snapshot; d delete what",
    "            these keys have created",
    "  faults    w driver slow; f driver refusing; x driver dead; a API server cut",
    "            off; the same key ends it",
    "  kill      s csi-sidecars; n snapshot-controller; v driver; it is started again",
    "  also      ? help; q quit",
  ]);
});

test("a driver that only attaches has no keys for volumes, and the user's own is not killed", () => {
  expect(keySummary(groupsWith({ driver: { info: { provisions: false } }, faults: [] }))).toBe("  kill s; ? help; q quit");
});
