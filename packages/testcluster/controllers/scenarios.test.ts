import { afterAll, expect, test } from "bun:test";
import { mergePatch, Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from "@csi-sidecars/kube";
import { stopSharedClusters } from "../cluster/start-cluster.ts";
import { attachmentName } from "./attach-detach/plan-attachments.ts";
import { creating, driver, inDefault } from "./testing/manifests.ts";
import { startStorageCluster } from "./testing/storage-cluster.ts";

afterAll(stopSharedClusters);

const selectedNode = "volume.kubernetes.io/selected-node";

test("a claim is provisioned and bound at once, protected while a pod uses it, released when it goes", async () => {
  await using cluster = await startStorageCluster();
  const { client, until, untilGone, untilEvent } = cluster;
  const create = creating(cluster);
  await create.storageClass("fast");
  await create.claim("data", "fast");
  const pending = await until(
    PersistentVolumeClaim,
    inDefault("data"),
    (it) => it.metadata?.annotations?.["volume.kubernetes.io/storage-provisioner"],
  );
  expect(pending.metadata?.annotations?.["volume.beta.kubernetes.io/storage-provisioner"]).toBe(driver);
  expect(pending.metadata?.finalizers).toContain("kubernetes.io/pvc-protection");
  expect(await untilEvent("data", "ExternalProvisioning")).toContain(`external provisioner '${driver}'`);

  const { metadata = {} } = await create.provisioned(pending, { capacity: { storage: "2Gi" } });
  const volumeName = metadata.name ?? "";
  const claim = await until(PersistentVolumeClaim, inDefault("data"), (it) => it.status?.phase === "Bound");
  expect(claim.spec?.volumeName).toBe(volumeName);
  expect(claim.status).toMatchObject({ accessModes: ["ReadWriteOnce"], capacity: { storage: "2Gi" } });
  expect(claim.metadata?.annotations).toMatchObject({
    "pv.kubernetes.io/bind-completed": "yes",
    "pv.kubernetes.io/bound-by-controller": "yes",
  });
  const volume = await until(PersistentVolume, { name: volumeName }, (it) => it.status?.phase === "Bound");
  expect(volume.metadata?.annotations?.["pv.kubernetes.io/bound-by-controller"]).toBeUndefined();
  expect(volume.metadata?.finalizers).toContain("kubernetes.io/pv-protection");

  await create.driver(false);
  await create.node("n1");
  await create.pod("app", ["data"], "n1");
  await until(Pod, inDefault("app"), (it) => it.status?.phase === "Running");
  await client.delete(PersistentVolumeClaim, inDefault("data"));
  await client.delete(Pod, inDefault("app"), { gracePeriodSeconds: 30 });
  await untilGone(Pod, inDefault("app"));
  await untilGone(PersistentVolumeClaim, inDefault("data"));
  await until(PersistentVolume, { name: volumeName }, (it) => it.status?.phase === "Released");
  await client.delete(PersistentVolume, { name: volumeName });
  await untilGone(PersistentVolume, { name: volumeName });
});

test("a claim that a pod uses is deleted only after the pod, a bound volume only after the claim", async () => {
  await using cluster = await startStorageCluster();
  const { client, until, untilGone } = cluster;
  const create = creating(cluster);
  await create.driver(false);
  await create.node("n1");
  await create.volume("disk", "manual", { persistentVolumeReclaimPolicy: "Retain" });
  await until(PersistentVolume, { name: "disk" }, (it) => it.status?.phase === "Available");
  await create.claim("data", "manual", { volumeName: "disk" });
  await until(PersistentVolumeClaim, inDefault("data"), (it) => it.status?.phase === "Bound");
  const volume = await client.get(PersistentVolume, { name: "disk" });
  expect(volume.metadata?.annotations?.["pv.kubernetes.io/bound-by-controller"]).toBe("yes");
  expect(volume.spec?.claimRef).toMatchObject({ kind: "PersistentVolumeClaim", namespace: "default", name: "data" });
  await create.pod("app", ["data"], "n1");
  await until(Pod, inDefault("app"), (it) => it.status?.phase === "Running");

  await client.delete(PersistentVolume, { name: "disk" });
  await client.delete(PersistentVolumeClaim, inDefault("data"));
  const terminating = await until(PersistentVolumeClaim, inDefault("data"), (it) => it.metadata?.deletionTimestamp);
  expect(terminating.metadata?.finalizers).toEqual(["kubernetes.io/pvc-protection"]);
  await client.delete(Pod, inDefault("app"), { gracePeriodSeconds: 30 });
  await untilGone(PersistentVolumeClaim, inDefault("data"));
  await untilGone(PersistentVolume, { name: "disk" });
});

test("a claim waits for its first consumer, is provisioned for the pod's node, and elsewhere after a failure", async () => {
  await using cluster = await startStorageCluster();
  const { client, until, untilEvent } = cluster;
  const create = creating(cluster);
  await create.driver(false);
  await create.storageClass("late", true);
  await create.node("n1");
  await create.node("n2");
  await create.claim("data", "late");
  expect(await untilEvent("data", "WaitForFirstConsumer")).toBe("waiting for first consumer to be created before binding");

  await create.pod("app", ["data"]);
  const first = await until(PersistentVolumeClaim, inDefault("data"), (it) => it.metadata?.annotations?.[selectedNode]);
  expect(first.metadata?.annotations?.[selectedNode]).toBe("n1");
  await until(PersistentVolumeClaim, inDefault("data"), (it) => it.metadata?.annotations?.["volume.kubernetes.io/storage-provisioner"]);
  await client.patch(PersistentVolumeClaim, inDefault("data"), mergePatch({ metadata: { annotations: { [selectedNode]: null } } }));
  const second = await until(PersistentVolumeClaim, inDefault("data"), (it) => it.metadata?.annotations?.[selectedNode]);
  expect(second.metadata?.annotations?.[selectedNode]).toBe("n2");

  const nodeSelectorTerms = [{ matchExpressions: [{ key: "topology.example.com/node", operator: "In" as const, values: ["n2"] }] }];
  await create.provisioned(second, { nodeAffinity: { required: { nodeSelectorTerms } } });
  await until(PersistentVolumeClaim, inDefault("data"), (it) => it.status?.phase === "Bound");
  const pod = await until(Pod, inDefault("app"), (it) => it.status?.phase === "Running");
  expect(pod.spec?.nodeName).toBe("n2");
  expect(await untilEvent("app", "Scheduled")).toBe("Successfully assigned default/app to n2");
});

test("a volume made by hand is found for a claim and lost with its deletion", async () => {
  await using cluster = await startStorageCluster();
  const { client, until, untilEvent } = cluster;
  const create = creating(cluster);
  await create.volume("large", "manual", { capacity: { storage: "9Gi" } });
  await create.volume("right", "manual", { capacity: { storage: "2Gi" } });
  await create.volume("small", "manual", { capacity: { storage: "1Mi" } });
  for (const name of ["large", "right", "small"]) await until(PersistentVolume, { name }, (it) => it.status?.phase === "Available");
  await create.claim("data", "manual");
  const claim = await until(PersistentVolumeClaim, inDefault("data"), (it) => it.status?.phase === "Bound");
  expect(claim.spec?.volumeName).toBe("right");

  await client.patch(PersistentVolume, { name: "right" }, mergePatch({ metadata: { finalizers: null } }));
  await client.delete(PersistentVolume, { name: "right" });
  await client.patch(PersistentVolume, { name: "right" }, mergePatch({ metadata: { finalizers: null } })).catch(() => undefined);
  await until(PersistentVolumeClaim, inDefault("data"), (it) => it.status?.phase === "Lost");
  expect(await untilEvent("data", "ClaimLost")).toBe("Bound claim has lost its PersistentVolume. Data on the volume is lost!");
});

test("a volume made by hand is bound late, on the node that can reach it, with its attributes class", async () => {
  await using cluster = await startStorageCluster();
  const { until } = cluster;
  const create = creating(cluster);
  await create.driver(false);
  await create.storageClass("late", true);
  await create.node("n1");
  await create.node("n2");
  const nodeSelectorTerms = [{ matchExpressions: [{ key: "topology.example.com/node", operator: "In" as const, values: ["n1"] }] }];
  await create.volume("local", "late", { nodeAffinity: { required: { nodeSelectorTerms } }, volumeAttributesClassName: "gold" });
  await until(PersistentVolume, { name: "local" }, (it) => it.status?.phase === "Available");
  await create.claim("data", "late", { volumeAttributesClassName: "gold" });
  await create.pod("app", ["data"]);
  const claim = await until(PersistentVolumeClaim, inDefault("data"), (it) => it.status?.phase === "Bound");
  expect(claim.spec?.volumeName).toBe("local");
  expect(claim.status?.currentVolumeAttributesClassName).toBe("gold");
  expect(claim.metadata?.annotations?.[selectedNode]).toBeUndefined();
  const pod = await until(Pod, inDefault("app"), (it) => it.status?.phase === "Running");
  expect(pod.spec?.nodeName).toBe("n1");
});

test("a claim of a volume whose expansion was not finished on a node has the size before that", async () => {
  await using cluster = await startStorageCluster();
  const { until } = cluster;
  const create = creating(cluster);
  const sizes = { half: "1Gi", nonsense: "a lot" };
  for (const [name, before] of Object.entries(sizes)) {
    const annotations = { "volume.alpha.kubernetes.io/pre-resize-capacity": before };
    await create.volume(name, "manual", { capacity: { storage: "3Gi" } }, { annotations });
    await until(PersistentVolume, { name }, (it) => it.status?.phase === "Available");
    await create.claim(name, "manual", { volumeName: name });
  }
  const capacityOf = async (name: string) =>
    (await until(PersistentVolumeClaim, inDefault(name), (it) => it.status?.phase === "Bound")).status?.capacity;
  expect([await capacityOf("half"), await capacityOf("nonsense")]).toEqual([{ storage: "1Gi" }, { storage: "3Gi" }]);
});

test("claims without a class or with an unknown one say why they wait", async () => {
  await using cluster = await startStorageCluster();
  const create = creating(cluster);
  await create.claim("none", "");
  await create.claim("unknown", "missing");
  expect(await cluster.untilEvent("none", "FailedBinding")).toBe(
    "no persistent volumes available for this claim and no storage class is set",
  );
  expect(await cluster.untilEvent("unknown", "ProvisioningFailed")).toBe('storageclass.storage.k8s.io "missing" not found');
});

test("a volume is attached for a pod, refused to a second node, and detached when the pod is gone", async () => {
  await using cluster = await startStorageCluster();
  const { client, until, untilGone, untilEvent } = cluster;
  const create = creating(cluster);
  await create.driver(true);
  await create.node("n1");
  await create.node("n2");
  await create.volume("disk", "manual");
  await until(PersistentVolume, { name: "disk" }, (it) => it.status?.phase === "Available");
  await create.claim("data", "manual");
  await until(PersistentVolumeClaim, inDefault("data"), (it) => it.status?.phase === "Bound");
  await create.pod("app", ["data"], "n1");

  const onFirst = { name: attachmentName("handle-of-disk", driver, "n1") };
  const attachment = await until(VolumeAttachment, onFirst, () => true);
  expect(attachment.spec).toEqual({ attacher: driver, nodeName: "n1", source: { persistentVolumeName: "disk" } });
  expect((await client.get(Pod, inDefault("app"))).status?.phase).toBe("Pending");
  await client.patch(VolumeAttachment, onFirst, mergePatch({ status: { attached: true } }), { subresource: "status" });
  await until(Pod, inDefault("app"), (it) => it.status?.phase === "Running");
  expect(await untilEvent("app", "SuccessfulAttachVolume")).toBe('AttachVolume.Attach succeeded for volume "disk" ');

  await create.pod("second", ["data"], "n2");
  expect(await untilEvent("second", "FailedAttachVolume")).toBe(
    'Multi-Attach error for volume "disk" Volume is already used by pod(s) app',
  );
  await client.delete(Pod, inDefault("app"), { gracePeriodSeconds: 30 });
  await untilGone(VolumeAttachment, onFirst);
  const onSecond = { name: attachmentName("handle-of-disk", driver, "n2") };
  await until(VolumeAttachment, onSecond, () => true);
  await client.patch(VolumeAttachment, onSecond, mergePatch({ status: { attached: true } }), { subresource: "status" });
  await until(Pod, inDefault("second"), (it) => it.status?.phase === "Running");
  await client.delete(Pod, inDefault("second"), { gracePeriodSeconds: 30 });
  await untilGone(VolumeAttachment, onSecond);
});

test("pods that leave a node together leave no volume in use there", async () => {
  await using cluster = await startStorageCluster();
  const { client, until, untilGone } = cluster;
  const create = creating(cluster);
  await create.driver(true);
  await create.node("n1");
  const names = Array.from({ length: 12 }, (_, i) => `disk-${i}`);
  for (const name of names) {
    await create.volume(name, "manual", { claimRef: inDefault(name) });
    await create.claim(name, "manual");
    await create.pod(name, [name], "n1");
  }
  const attachments = names.map((name) => ({ name: attachmentName(`handle-of-${name}`, driver, "n1") }));
  for (const ref of attachments) {
    await until(VolumeAttachment, ref, () => true);
    await client.patch(VolumeAttachment, ref, mergePatch({ status: { attached: true } }), { subresource: "status" });
  }
  for (const name of names) await until(Pod, inDefault(name), (it) => it.status?.phase === "Running");
  await until(Node, { name: "n1" }, (it) => it.status?.volumesInUse?.length === names.length);
  await Promise.all(names.map((name) => client.delete(Pod, inDefault(name), { gracePeriodSeconds: 30 })));
  await until(Node, { name: "n1" }, (it) => (it.status?.volumesInUse ?? []).length === 0);
  for (const ref of attachments) await untilGone(VolumeAttachment, ref);
});

test("a pod with an ephemeral volume gets a claim of its own", async () => {
  await using cluster = await startStorageCluster();
  const { client, until } = cluster;
  const create = creating(cluster);
  await create.driver(false);
  await create.node("n1");
  await create.volume("disk", "manual");
  await until(PersistentVolume, { name: "disk" }, (it) => it.status?.phase === "Available");
  const spec = { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } }, storageClassName: "manual" };
  await client.create(Pod, {
    metadata: inDefault("app"),
    spec: {
      containers: [{ name: "main", image: "app" }],
      volumes: [{ name: "data", ephemeral: { volumeClaimTemplate: { metadata: { labels: { app: "a" } }, spec } } }],
    },
  });
  const pod = await until(Pod, inDefault("app"), (it) => it.status?.phase === "Running");
  const claim = await client.get(PersistentVolumeClaim, inDefault("app-data"));
  expect(claim.metadata?.labels).toEqual({ app: "a" });
  expect(claim.metadata?.ownerReferences).toEqual([
    { apiVersion: "v1", kind: "Pod", name: "app", uid: pod.metadata?.uid ?? "", controller: true, blockOwnerDeletion: true },
  ]);
});
