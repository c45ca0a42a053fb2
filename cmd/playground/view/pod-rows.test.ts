import { expect, test } from "bun:test";
import type { V1Pod } from "@csi-sidecars/kube";
import { type PodSurroundings, podRow } from "./pod-rows.ts";
import { noon, usedStatus } from "./testing/statuses.ts";

const pod = (nodeName?: string, claimName = "data", parts: Partial<V1Pod> = {}): V1Pod => ({
  metadata: { namespace: "default", name: "app", uid: "u", creationTimestamp: new Date(noon).toISOString() },
  spec: { nodeName, containers: [], volumes: [{ name: "disk", persistentVolumeClaim: { claimName } }] },
  status: { phase: "Pending" },
  ...parts,
});
const used: PodSurroundings = {
  claims: usedStatus.claims,
  attachments: usedStatus.attachments,
  attaches: true,
  isMounted: () => true,
  usageOf: () => "",
  whyNotMounted: () => undefined,
};
const deleting = usedStatus.claims.map((claim) => ({ ...claim, phase: "Terminating" }));
const withoutVolume = (claim: (typeof deleting)[number]) => ({ ...claim, volume: "" });
const unmounted = { ...used, isMounted: () => false };

test.each<[string, V1Pod, PodSurroundings, string]>([
  ["mounted", pod("node-1"), used, "mounted"],
  ["mounted, and how full", pod("node-1"), { ...used, usageOf: () => "1Mi of 1Gi used" }, "mounted, 1Mi of 1Gi used"],
  ["on its way", pod("node-1"), unmounted, "wait to be mounted"],
  ["not attached yet", pod("node-2"), unmounted, "wait to be attached"],
  ["of a driver that does not attach", pod("node-2"), { ...unmounted, attaches: false }, "wait to be mounted"],
  ["of a driver that is not on the node", pod("node-1"), { ...unmounted, whyNotMounted: () => "no" }, "not mounted"],
  ["no node", pod(), unmounted, "wait for a node"],
  ["no claim", pod(undefined, "other"), unmounted, "wait for the claim other"],
  ["of a claim that is being deleted", pod("node-1"), { ...used, claims: deleting }, "mounted"],
  ["of a claim that is deleted before it has one", pod(), { ...unmounted, claims: deleting.map(withoutVolume) }, "wait for the claim data"],
  ["none", pod("node-1", "data", { spec: { nodeName: "node-1", containers: [] } }), used, ""],
])("the volumes of a pod: %s", (_, of, surroundings, volumes) => {
  expect(podRow(of, surroundings).volumes).toBe(volumes);
});

test("a pod that is being deleted", () => {
  const { metadata } = pod();
  const row = podRow(pod("node-1", "data", { metadata: { ...metadata, deletionTimestamp: "2026-01-01T12:00:00Z" } }), used);
  expect(row).toMatchObject({ name: "default/app", phase: "Terminating", node: "node-1", since: noon });
});
