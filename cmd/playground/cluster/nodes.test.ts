import { expect, test } from "bun:test";
import { mergePatch, Node } from "@csi-sidecars/kube";
import { startCluster } from "@csi-sidecars/testcluster";
import { ensureNode, planNodes } from "./nodes.ts";

const noon = Date.parse("2026-03-01T12:00:00Z");

test("a node is ready for pods, with the time of that and a capacity", async () => {
  await using cluster = await startCluster({ own: true });
  const { admin: client } = cluster;
  await ensureNode(client, { name: "n", labels: { zone: "a" } }, noon);
  const { metadata, spec, status } = await client.get(Node, { name: "n" });
  expect(metadata?.labels).toMatchObject({ "kubernetes.io/hostname": "n", "kubernetes.io/os": "linux", zone: "a" });
  expect(spec?.taints ?? []).toEqual([]);
  expect(status?.conditions).toEqual([
    expect.objectContaining({ type: "Ready", status: "True", lastTransitionTime: "2026-03-01T12:00:00Z" }),
  ]);
  expect(status?.allocatable).toMatchObject({ cpu: "4", pods: "110" });
});

test("an existing node keeps its taints", async () => {
  await using cluster = await startCluster({ own: true });
  const { admin: client } = cluster;
  await ensureNode(client, { name: "n", labels: { zone: "a" } }, noon);
  await client.patch(Node, { name: "n" }, mergePatch({ spec: { taints: [{ key: "mine", effect: "NoSchedule" }] } }));
  await ensureNode(client, { name: "n", labels: { zone: "b" } }, noon + 1);
  const { metadata, spec } = await client.get(Node, { name: "n" });
  expect(metadata?.labels).toMatchObject({ zone: "b" });
  expect(spec?.taints).toEqual([{ key: "mine", effect: "NoSchedule" }]);
});

test("nodes are spread evenly over the zones", () => {
  expect(planNodes({ nodes: 2, zones: 0 })).toEqual([{ name: "node-1" }, { name: "node-2" }]);
  expect(planNodes({ nodes: 3, zones: 2 })).toEqual([
    { name: "node-1", zone: "zone-1" },
    { name: "node-2", zone: "zone-2" },
    { name: "node-3", zone: "zone-1" },
  ]);
});
