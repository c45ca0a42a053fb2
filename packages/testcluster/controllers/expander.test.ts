import { describe, expect, test } from "bun:test";
import { growthBegan, planExpansion } from "./expander.ts";
import { claim, claimRef, volume } from "./testing/objects.ts";

const sized = (request: string, capacity: string, phase: "Bound" | "Pending" = "Bound") =>
  claim({ spec: { resources: { requests: { storage: request } } }, status: { phase, capacity: { storage: capacity } } });
const bound = volume({ spec: { claimRef } });

describe("expansion", () => {
  test.each([
    ["asks for more", sized("1Gi", "1Gi"), sized("2Gi", "1Gi"), true],
    ["got more", sized("2Gi", "1Gi"), sized("2Gi", "2Gi"), true],
    ["asks for less after a failure", sized("3Gi", "1Gi"), sized("2Gi", "1Gi"), false],
    ["is not bound", sized("1Gi", "0", "Pending"), sized("2Gi", "0", "Pending"), false],
    ["the same size in other words", sized("1Gi", "1Gi"), sized("1024Mi", "1Gi"), false],
  ])("a claim that %s", (_name, old, now, expected) => expect(growthBegan(old, now)).toBe(expected));

  test.each([
    ["larger than the volume", sized("2Gi", "1Gi"), bound, "waiting for an external controller to expand this PVC"],
    ["as large as the volume", sized("1Gi", "1Gi"), bound, undefined],
    ["bound elsewhere", sized("2Gi", "1Gi"), volume(), undefined],
    ["without its volume", sized("2Gi", "1Gi"), undefined, undefined],
  ])("a claim %s", (_name, given, of, message) => expect(planExpansion(given, of)).toBe(message));
});
