import { afterAll, expect, test } from "bun:test";
import { mergePatch, Node, PersistentVolume, PersistentVolumeClaim, Pod, type V1Pod } from "@csi-sidecars/kube";
import { stopSharedClusters } from "../../cluster/start-cluster.ts";
import { creating, inDefault } from "../testing/manifests.ts";
import { startStorageCluster } from "../testing/storage-cluster.ts";

afterAll(stopSharedClusters);

const scheduled = ({ status }: V1Pod) => status?.conditions?.find(({ type }) => type === "PodScheduled");
const waits = (because: string) => (pod: V1Pod) => scheduled(pod)?.message?.startsWith(`0/1 nodes are available: ${because}. preemption: `);

test("an unschedulable pod says why in its status and by an event, and again when the reason changes", async () => {
  await using cluster = await startStorageCluster();
  const { client, until, untilEvent } = cluster;
  const create = creating(cluster);
  await create.driver(false);
  await create.storageClass("fast");
  await create.node("n1");
  await client.patch(Node, { name: "n1" }, mergePatch({ spec: { taints: [{ key: "disk", value: "old", effect: "NoSchedule" }] } }));
  await create.claim("data", "fast");
  await create.pod("app", ["data"]);

  const unbound = await until(Pod, inDefault("app"), waits("pod has unbound immediate PersistentVolumeClaims"));
  expect(scheduled(unbound)).toMatchObject({ status: "False", reason: "Unschedulable", lastTransitionTime: expect.any(String) });
  expect(await untilEvent("app", "FailedScheduling")).toBe(scheduled(unbound)?.message ?? "");

  await create.provisioned(await client.get(PersistentVolumeClaim, inDefault("data")));
  await until(Pod, inDefault("app"), waits("1 node(s) had untolerated taint(s)"));

  await client.patch(Node, { name: "n1" }, mergePatch({ spec: { taints: null } }));
  const running = await until(Pod, inDefault("app"), ({ status }) => status?.phase === "Running");
  expect(scheduled(running)).toMatchObject({ status: "True" });
  expect(scheduled(running)?.message).toBeUndefined();
});

test("a ReadWriteOncePod claim goes to the next pod when the first is gone", async () => {
  await using cluster = await startStorageCluster();
  const { client, until } = cluster;
  const create = creating(cluster);
  await create.driver(false);
  await create.node("n1");
  await create.volume("disk", "manual", { accessModes: ["ReadWriteOncePod"] });
  await until(PersistentVolume, { name: "disk" }, ({ status }) => status?.phase === "Available");
  await create.claim("data", "manual", { accessModes: ["ReadWriteOncePod"] });
  await create.pod("first", ["data"]);
  await until(Pod, inDefault("first"), ({ status }) => status?.phase === "Running");
  await create.pod("second", ["data"]);
  await until(Pod, inDefault("second"), (pod) => scheduled(pod)?.message?.includes("already in-use by another pod"));
  await client.delete(Pod, inDefault("first"));
  await until(Pod, inDefault("second"), ({ status }) => status?.phase === "Running");
});
