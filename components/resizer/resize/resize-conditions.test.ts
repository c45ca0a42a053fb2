import { describe, expect, test } from "bun:test";
import type { ClaimCondition } from "../claim-patch.ts";
import { hasCondition, mergeResizeConditions, type NewCondition } from "./resize-conditions.ts";

const [before, now] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"];
const condition = (type: string, message?: string, lastTransitionTime = before): ClaimCondition => ({
  ...{ type, status: "True", lastTransitionTime },
  ...(message !== undefined && { message }),
});
const [foreign, modifying] = [condition("Unused", "since May"), condition("ModifyingVolume")];
const resizing: NewCondition = { type: "Resizing", now };
const failed = (message: string): NewCondition => ({ type: "ControllerResizeError", message, now });

describe("mergeResizeConditions", () => {
  test.each<[string, ClaimCondition[] | undefined, NewCondition | undefined, "keep" | "drop", ClaimCondition[]]>([
    ["there was none", undefined, resizing, "drop", [condition("Resizing", undefined, now)]],
    ["others' stay where they are", [foreign, modifying], resizing, "drop", [foreign, modifying, condition("Resizing", undefined, now)]],
    [
      "those about resizing go",
      [condition("ControllerResizeError", "no"), foreign, condition("NodeResizeError"), condition("FileSystemResizePending")],
      resizing,
      "drop",
      [foreign, condition("Resizing", undefined, now)],
    ],
    [
      "or stay",
      [condition("ControllerResizeError", "no"), foreign],
      resizing,
      "keep",
      [condition("ControllerResizeError", "no"), foreign, condition("Resizing", undefined, now)],
    ],
    [
      "one of the same type is replaced in its place",
      [condition("ControllerResizeError", "no"), foreign],
      failed("still no"),
      "keep",
      [condition("ControllerResizeError", "still no", now), foreign],
    ],
    ["one that says the same has not changed", [condition("Resizing"), foreign], resizing, "drop", [condition("Resizing"), foreign]],
    [
      "nor has the same error",
      [condition("ControllerResizeError", "no")],
      failed("no"),
      "keep",
      [condition("ControllerResizeError", "no")],
    ],
    [
      "one that did not hold does now",
      [{ ...condition("Resizing"), status: "False" }],
      resizing,
      "keep",
      [condition("Resizing", undefined, now)],
    ],
    ["nothing to add", [condition("Resizing"), foreign, condition("NodeResizeError")], undefined, "drop", [foreign]],
    ["nothing to do", [], undefined, "drop", []],
  ])("%s", (_what, old, added, others, expected) => {
    expect(mergeResizeConditions(old, added, others)).toEqual(expected);
  });
});

test("a condition counts if it is true", () => {
  expect(hasCondition([foreign, condition("Resizing")], "Resizing")).toBe(true);
  expect(hasCondition([{ ...condition("Resizing"), status: "False" }], "Resizing")).toBe(false);
  expect(hasCondition(undefined, "Resizing")).toBe(false);
});
