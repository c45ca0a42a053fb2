import { describe, expect, test } from "bun:test";
import type { Node } from "../fields.ts";
import { healthOf, type NodeHealth, notReadyForMs } from "./node-health.ts";

const now = Date.UTC(2026, 0, 1, 12);

type Condition = { type: string; status: string; lastTransitionTime?: string };

function node(conditions?: readonly Condition[], phase?: string): Node {
  const metadata = { name: "n", uid: "u", resourceVersion: "1" };
  return { metadata, status: { ...(phase && { phase }), ...(conditions && { conditions }) } } as Node;
}
const ready = (status: string, lastTransitionTime?: string): Condition => ({
  type: "Ready",
  status,
  ...(lastTransitionTime && { lastTransitionTime }),
});
const pressure = { type: "MemoryPressure", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };

describe("healthOf", () => {
  test.each<[string, Node | undefined, NodeHealth]>([
    ["ready", node([pressure, ready("True")]), "ready"],
    ["not ready", node([ready("False")]), "not-ready"],
    ["unreachable", node([pressure, ready("Unknown")]), "not-ready"],
    ["terminated", node([ready("False")], "Terminated"), "terminated"],
    ["terminated without conditions", node(undefined, "Terminated"), "terminated"],
    ["ready, and terminated", node([ready("True")], "Terminated"), "ready"],
    ["without a Ready condition", node([pressure]), "unknown"],
    ["without conditions", node(), "unknown"],
    ["gone", undefined, "deleted"],
  ])("%s", (_what, object, expected) => {
    expect(healthOf(object)).toBe(expected);
  });
});

describe("notReadyForMs", () => {
  test.each<[string, Node, number]>([
    ["a minute", node([pressure, ready("False", "2026-01-01T11:59:00Z")]), 60_000],
    ["a clock that is ahead of ours", node([ready("False", "2026-01-01T12:01:00Z")]), 0],
    ["no time", node([ready("Unknown")]), 0],
    ["a time that is none", node([ready("Unknown", "soon")]), 0],
    ["no Ready condition", node([pressure]), 0],
  ])("%s", (_what, object, expected) => {
    expect(notReadyForMs(object, now)).toBe(expected);
  });
});
