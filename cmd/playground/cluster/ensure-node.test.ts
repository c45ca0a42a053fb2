import { expect, test } from "bun:test";
import { mergePatch, Node } from "@csi-sidecars/kube";
import { startCluster } from "@csi-sidecars/testcluster";
import { ensureNode } from "./ensure-node.ts";

const noon = Date.parse("2026-03-01T12:00:00Z");

test("a node is ready for pods, and says since when and how much it has", async () => {
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

test("a node that is there keeps what it knows, taints of its user among it", async () => {
  await using cluster = await startCluster({ own: true });
  const { admin: client } = cluster;
  await ensureNode(client, { name: "n", labels: { zone: "a" } }, noon);
  await client.patch(Node, { name: "n" }, mergePatch({ spec: { taints: [{ key: "mine", effect: "NoSchedule" }] } }));
  await ensureNode(client, { name: "n", labels: { zone: "b" } }, noon + 1);
  const { metadata, spec } = await client.get(Node, { name: "n" });
  expect(metadata?.labels).toMatchObject({ zone: "b" });
  expect(spec?.taints).toEqual([{ key: "mine", effect: "NoSchedule" }]);
});
