import { describe, expect, test } from "bun:test";
import { Code } from "@csi-sidecars/csi";
import type { TopologyProblem } from "./requirement.ts";
import { rescheduleGraceMs, reschedulesForCode, reschedulesForProblem, selectedNodeOf, withSelectedNode } from "./selected-node.ts";

describe("another node is asked for", () => {
  for (const [name, code] of Object.entries(Code)) {
    for (const [topology, node] of [
      [true, "n"],
      [true, undefined],
      [true, ""],
      [false, "n"],
      [false, undefined],
    ] as const) {
      const expected = name === "ResourceExhausted" && topology && node === "n";
      test(`${name}, topology ${topology}, node ${node}: ${expected}`, () => {
        expect(reschedulesForCode(code, topology, node)).toBe(expected);
      });
    }
  }

  const expected: Record<TopologyProblem, "at once" | "after a while" | "never"> = {
    "no-csinode": "at once",
    "not-registered": "after a while",
    "node-gone": "after a while",
    "no-keys": "never",
    "labels-missing": "never",
    "not-allowed": "never",
    "bad-key": "never",
    "no-topology": "never",
  };
  test.each(Object.entries(expected))("for %s %s", (name, when) => {
    const problem = name as TopologyProblem;
    expect(reschedulesForProblem(problem, 0)).toBe(when === "at once");
    expect(reschedulesForProblem(problem, rescheduleGraceMs)).toBe(when !== "never");
    expect(reschedulesForProblem(problem, rescheduleGraceMs - 1)).toBe(when === "at once");
  });
});

test("the selected node is read, set and taken away", () => {
  const key = "volume.kubernetes.io/selected-node";
  expect(selectedNodeOf(undefined)).toBeUndefined();
  expect(selectedNodeOf({ [key]: "" })).toBeUndefined();
  expect(selectedNodeOf({ [key]: "a", "volume.alpha.kubernetes.io/selected-node": "b" })).toBe("a");
  expect(selectedNodeOf({ "volume.alpha.kubernetes.io/selected-node": "b" })).toBe("b");
  expect(withSelectedNode({ other: "x", [key]: "a" }, undefined)).toEqual({ other: "x" });
  expect(withSelectedNode({ other: "x" }, undefined)).toBeUndefined();
  expect(withSelectedNode(undefined, "a")).toEqual({ [key]: "a" });
  expect(withSelectedNode({ [key]: "b" }, "a")).toEqual({ [key]: "a" });
  expect(withSelectedNode({ [key]: "a" }, "a")).toBeUndefined();
});
