import { describe, expect, test } from "bun:test";
import { type BoundClaim, cachedClaim, cachedVolume, driverInfo, G, Gi, type ResizeStatus } from "../testing/objects.ts";
import { planResize, type ResizeKnowledge, type ResizePlan } from "./plan-resize.ts";

const knowledge: ResizeKnowledge = { driver: driverInfo, recovers: true, finalError: false };

interface Sizes {
  /** Request, capacity of the claim, allocated. */
  readonly sizes: readonly [string, string, string?];
  readonly volume: string;
  readonly status?: ResizeStatus;
}

function plan(
  { sizes: [request, capacity, allocated], volume, status }: Sizes,
  known: Partial<ResizeKnowledge> = {},
  more: BoundClaim = {},
) {
  const parts = {
    ...{ request, capacity, volume: { spec: { capacity: { storage: volume } } } },
    ...more,
    status: {
      ...(allocated && { allocatedResources: { storage: allocated } }),
      ...(status && { allocatedResourceStatuses: { storage: status } }),
      ...more.status,
    },
  };
  return planResize(cachedClaim(parts), cachedVolume(parts), { ...knowledge, ...known });
}

const expand = (size: string, bytes: bigint, resumes = false): ResizePlan => ({ step: "expand", size, bytes, resumes });
const none: ResizePlan = { step: "none" };

describe("recovery", () => {
  test.each<[Sizes, Partial<ResizeKnowledge>, ResizePlan]>([
    [{ sizes: ["2G", "1G"], volume: "1Gi" }, {}, expand("2G", 2n * G)],
    [{ sizes: ["5G", "3G", "10G"], volume: "3Gi", status: "ControllerResizeInfeasible" }, {}, expand("5G", 5n * G)],
    [{ sizes: ["5G", "3G", "10G"], volume: "3Gi", status: "ControllerResizeInProgress" }, { finalError: true }, expand("5G", 5n * G)],
    [{ sizes: ["5G", "3G", "10G"], volume: "3Gi", status: "ControllerResizeInProgress" }, {}, expand("10G", 10n * G, true)],
    [
      { sizes: ["5G", "3G", "10G"], volume: "10Gi", status: "NodeResizeInfeasible" },
      { driver: { expansion: "node" } },
      expand("5G", 5n * G),
    ],
    [{ sizes: ["2G", "1G", "1G"], volume: "2Gi", status: "NodeResizePending" }, {}, none],
    [{ sizes: ["2G", "1G", "2G"], volume: "2Gi", status: "NodeResizeInfeasible" }, {}, expand("2G", 2n * G, true)],
    [{ sizes: ["10G", "1G", "3G"], volume: "3Gi", status: "NodeResizePending" }, {}, none],
    [{ sizes: ["10G", "1G", "3G"], volume: "3Gi", status: "NodeResizeInProgress" }, {}, none],
  ])("%j, known %j", (sizes, known, expected) => {
    expect(plan(sizes, known)).toEqual(expected);
  });

  test.each<[string, Sizes, ResizePlan]>([
    [
      "the same size in another spelling is the same attempt",
      { sizes: ["2048Mi", "1Gi", "2Gi"], volume: "1Gi" },
      expand("2Gi", 2n * Gi, true),
    ],
    ["1G is less than 1Gi", { sizes: ["1Gi", "1G"], volume: "1G" }, expand("1Gi", Gi)],
    ["1G when there is 1Gi", { sizes: ["1G", "1Gi"], volume: "1Gi" }, none],
    ["a part of a byte", { sizes: ["1500m", "1"], volume: "1" }, expand("1500m", 2n)],
    ["as much as there is", { sizes: ["1Gi", "1Gi"], volume: "1Gi" }, none],
  ])("%s", (_what, sizes, expected) => {
    expect(plan(sizes)).toEqual(expected);
  });

  test("a claim that is not bound is left alone", () => {
    expect(plan({ sizes: ["2Gi", "1Gi"], volume: "1Gi" }, {}, { status: { phase: "Pending" } })).toEqual(none);
  });

  test("a claim without a capacity has none", () => {
    const { status: _, ...claim } = cachedClaim({ request: "2Gi" });
    expect(planResize({ ...claim, status: { phase: "Bound" } }, cachedVolume(), knowledge)).toEqual(expand("2Gi", 2n * Gi));
  });

  test("an old server that keeps no state is told apart", () => {
    const pending = [{ type: "FileSystemResizePending", status: "True" }];
    expect(plan({ sizes: ["2Gi", "1Gi"], volume: "2Gi" })).toEqual({ ...expand("2Gi", 2n * Gi), noStatus: true } as ResizePlan);
    expect(plan({ sizes: ["2Gi", "1Gi"], volume: "2Gi" }, {}, { status: { conditions: pending } })).toEqual({
      step: "none",
      noStatus: true,
    });
  });
});

describe("without recovery", () => {
  const plain = { recovers: false };
  const pending = (status: string) => ({ status: { conditions: [{ type: "FileSystemResizePending", status }] } });
  test.each<[string, Sizes, BoundClaim, ResizePlan]>([
    [
      "always to the request",
      { sizes: ["5G", "3G", "10G"], volume: "3Gi", status: "ControllerResizeInProgress" },
      {},
      expand("5G", 5n * G),
    ],
    ["again if the volume has it and the claim does not", { sizes: ["5G", "3G"], volume: "5G" }, {}, expand("5G", 5n * G)],
    ["not while it is kubelet's turn", { sizes: ["5G", "3G"], volume: "5G" }, pending("True"), none],
    ["not kubelet's turn", { sizes: ["5G", "3G"], volume: "5G" }, pending("False"), expand("5G", 5n * G)],
    ["more is requested while it is kubelet's turn", { sizes: ["7G", "3G"], volume: "5G" }, pending("True"), expand("7G", 7n * G)],
  ])("%s", (_what, sizes, claim, expected) => {
    expect(plan(sizes, plain, claim)).toEqual(expected);
  });
});
