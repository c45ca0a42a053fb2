import { describe, expect, test } from "bun:test";
import { planTargetSize, type SizeState, type TargetSize } from "./plan-target-size.ts";

type Size = TargetSize["size"];

const state = (volume: bigint, status: string | undefined, rest: Partial<SizeState>): SizeState => ({
  ...{ requested: 10n, volume, allocated: undefined, status, fileSystemPending: false, finalError: false, controllerExpands: true },
  ...rest,
});

const statuses = [
  undefined,
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizePending",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "SomethingNew",
];

describe("the volume has less than what is requested", () => {
  test.each<[string | undefined, Partial<SizeState>, Size]>([
    [undefined, {}, "requested"],
    [undefined, { allocated: 7n }, "requested"],
    ["", { allocated: 7n }, "requested"],
    ["SomethingNew", { allocated: 7n }, "requested"],
    ["ControllerResizeInfeasible", {}, "requested"],
    ["ControllerResizeInfeasible", { allocated: 20n }, "requested"],
    ["ControllerResizeInProgress", {}, "requested"],
    ["ControllerResizeInProgress", { allocated: 20n }, "allocated"],
    ["ControllerResizeInProgress", { allocated: 20n, finalError: true }, "requested"],
    ["ControllerResizeInProgress", { finalError: true }, "requested"],
    ["NodeResizeInfeasible", {}, "requested"],
    ["NodeResizeInfeasible", { allocated: 7n }, "allocated"],
    ["NodeResizeInfeasible", { allocated: 7n, finalError: true }, "allocated"],
    ["NodeResizePending", {}, "requested"],
    ["NodeResizePending", { allocated: 7n }, "allocated"],
    ["NodeResizePending", { allocated: 5n }, "none"],
    ["NodeResizePending", { allocated: 4n }, "none"],
    ["NodeResizeInProgress", { allocated: 7n }, "allocated"],
    ["NodeResizeInProgress", { allocated: 5n }, "none"],
  ])("%p %p: %s", (status, rest, size) => {
    expect(planTargetSize(state(5n, status, rest))).toEqual({ size });
  });
});

describe("the volume has what is requested, or more", () => {
  test.each<[string | undefined, Partial<SizeState>, Size]>([
    ["NodeResizePending", {}, "none"],
    ["NodeResizePending", { allocated: 20n }, "none"],
    ["NodeResizeInProgress", { allocated: 20n }, "none"],
    ["NodeResizeInfeasible", {}, "requested"],
    ["NodeResizeInfeasible", { allocated: 20n }, "allocated"],
    ["NodeResizeInfeasible", { allocated: 20n, controllerExpands: false }, "requested"],
    ["ControllerResizeInProgress", {}, "requested"],
    ["ControllerResizeInProgress", { allocated: 20n }, "allocated"],
    ["ControllerResizeInProgress", { allocated: 20n, finalError: true }, "allocated"],
    ["ControllerResizeInfeasible", { allocated: 20n }, "allocated"],
    ["ControllerResizeInfeasible", {}, "requested"],
    [undefined, { allocated: 20n }, "allocated"],
    ["", { allocated: 20n }, "allocated"],
  ])("%p %p: %s", (status, rest, size) => {
    for (const volume of [10n, 15n]) expect(planTargetSize(state(volume, status, rest))).toEqual({ size });
  });

  test.each<[string | undefined, Partial<SizeState>, Size]>([
    [undefined, {}, "requested"],
    [undefined, { fileSystemPending: true }, "none"],
    ["SomethingNew", { allocated: 20n }, "requested"],
    ["SomethingNew", { allocated: 20n, fileSystemPending: true }, "none"],
  ])("without a known state of the expansion: %p %p: %s", (status, rest, size) => {
    expect(planTargetSize(state(10n, status, rest))).toEqual({ size, noStatus: true });
  });
});

test("without an earlier attempt it is the requested size, or none", () => {
  for (const status of statuses) {
    for (const volume of [5n, 10n]) expect(planTargetSize(state(volume, status, {})).size).not.toBe("allocated");
  }
});
