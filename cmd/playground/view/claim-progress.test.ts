import { describe, expect, test } from "bun:test";
import type { V1PersistentVolumeClaim } from "@csi-sidecars/kube";
import { attributesOf, growthOf } from "./claim-progress.ts";

type Status = NonNullable<V1PersistentVolumeClaim["status"]>;
type Claim = Partial<Status> & { readonly request?: string; readonly wanted?: string };

const claim = ({ request = "1Gi", wanted, ...status }: Claim = {}): V1PersistentVolumeClaim => ({
  spec: { resources: { requests: { storage: request } }, ...(wanted !== undefined && { volumeAttributesClassName: wanted }) },
  status: { phase: "Bound", capacity: { storage: "1Gi" }, ...status },
});
const allocated = (storage: NonNullable<Status["allocatedResourceStatuses"]>[string]) => ({ allocatedResourceStatuses: { storage } });

describe("the growth of a claim", () => {
  test.each<[string, Claim, string]>([
    ["it has what it requests", {}, ""],
    ["the same in other words", { request: "1024Mi" }, ""],
    ["not bound yet", { phase: "Pending", capacity: undefined }, ""],
    ["not begun", { request: "2Gi" }, "2Gi"],
    ["begun", { request: "2Gi", ...allocated("ControllerResizeInProgress") }, "2Gi, growing"],
    ["refused", { request: "2Ti", ...allocated("ControllerResizeInfeasible") }, "2Ti, infeasible"],
    ["the node's turn", { request: "2Gi", ...allocated("NodeResizePending") }, "2Gi, waits for its node"],
    ["on the node", { request: "2Gi", ...allocated("NodeResizeInProgress") }, "2Gi, growing on its node"],
    ["refused on the node", { request: "2Gi", ...allocated("NodeResizeInfeasible") }, "2Gi, infeasible on its node"],
    [
      "the node's turn, without recovery",
      { request: "2Gi", conditions: [{ type: "FileSystemResizePending", status: "True" }] },
      "2Gi, waits for its node",
    ],
  ])("%s", (_, given, expected) => expect(growthOf(claim(given))).toBe(expected));
});

describe("the attributes of a claim", () => {
  const target = (status: "Pending" | "InProgress" | "Infeasible", name = "gold") => ({
    modifyVolumeStatus: { status, targetVolumeAttributesClassName: name },
  });
  test.each<[string, Claim, string]>([
    ["none", {}, ""],
    ["reached", { wanted: "gold", currentVolumeAttributesClassName: "gold" }, "gold"],
    ["the first, not begun", { wanted: "gold" }, "to gold"],
    [
      "another, begun",
      { wanted: "gold", currentVolumeAttributesClassName: "silver", ...target("InProgress") },
      "silver to gold, in progress",
    ],
    ["refused", { wanted: "gold", currentVolumeAttributesClassName: "silver", ...target("Infeasible") }, "silver to gold, infeasible"],
    ["a class that does not exist", { wanted: "gold", ...target("Pending", "") }, "to gold, pending"],
    ["taken back", { wanted: "", ...target("Infeasible") }, "to gold, infeasible"],
  ])("%s", (_, given, expected) => expect(attributesOf(claim(given))).toBe(expected));
});
