import { describe, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { CSINode, mergePatch, PersistentVolume, Secret, VolumeAttachment } from "@csi-sidecars/kube";
import { type Disturbance, type Script, step } from "@csi-sidecars/testcluster";
import { type AttacherWorld, startWorld } from "../testing/attacher-world.ts";
import { csiNode, finalizer, foreign, inlineSpec, nodeIdAnnotation, prepared, volume } from "../testing/objects.ts";

const removeFinalizer = "patch volumeattachments va";
const status = "patch volumeattachments/status va";
const readSecret = "get secrets secret";
const secretRef = { controllerPublishSecretRef: { name: "secret", namespace: "default" } };
const inline = (csi = {}) => prepared({ source: { inlineVolumeSpec: inlineSpec(csi) } });

interface Case {
  readonly attachment?: ReturnType<typeof prepared>;
  readonly attached?: boolean;
  readonly volume?: ReturnType<typeof volume> | undefined;
  readonly node?: ReturnType<typeof csiNode> | undefined;
  readonly secret?: Record<string, string>;
  readonly script?: Script;
  readonly disturbances?: readonly Disturbance[];
  readonly timeout?: number;
  readonly requests?: readonly string[];
  readonly calls?: readonly object[];
  readonly errors?: readonly string[];
}

/** An attached volume that is to be detached by the component when it starts. */
async function deletedAttachment(world: AttacherWorld, given: Case): Promise<void> {
  const node = "node" in given ? given.node : csiNode();
  const pv = "volume" in given ? given.volume : volume();
  if (node) await world.create(CSINode, node);
  if (pv) await world.create(PersistentVolume, pv);
  if (given.secret) {
    const data = Object.fromEntries(Object.entries(given.secret).map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
    await world.create(Secret, { metadata: { name: "secret", namespace: "default" }, data });
  }
  const metadata = { attachmentMetadata: { device: "/dev/x" } };
  await world.createAttachment(given.attachment ?? prepared(), { attached: given.attached ?? true, ...metadata });
  await world.admin.delete(VolumeAttachment, { name: "va" });
}

test("attaching and detaching are one log line each", async () => {
  await using world = await startWorld({ stopped: true });
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume());
  await world.createAttachment(prepared(), { attached: false });
  await world.run();
  await world.until(({ status }) => status?.attached);
  await world.admin.delete(VolumeAttachment, { name: "va" });
  await world.untilGone(VolumeAttachment, "va");
  const logged = () => world.log.lines.filter(({ level, message }) => level === 2 && message.endsWith("tached"));
  await until("both lines", () => logged().length === 2);
  const fields = { attachment: "va", volumeId: "handle1", nodeId: "nodeID1", seconds: expect.any(Number) };
  expect(logged()).toMatchObject([
    { message: "Attached", fields },
    { message: "Detached", fields },
  ]);
});

describe("ends detached", () => {
  const usual = { volumeId: "handle1", nodeId: "nodeID1" };
  test.each<[string, Case]>([
    ["a volume", { requests: [removeFinalizer], calls: [{ ...usual, secrets: {} }] }],
    ["never attached for certain", { attached: false, requests: [removeFinalizer], calls: [usual] }],
    ["an inline volume", { attachment: inline(), volume: undefined, requests: [removeFinalizer], calls: [usual] }],
    [
      "a secret, no node",
      {
        node: undefined,
        volume: volume({ csi: secretRef }),
        secret: { user: "me" },
        requests: [readSecret, removeFinalizer],
        calls: [{ ...usual, secrets: { user: "me" } }],
      },
    ],
    [
      "an inline secret",
      { attachment: inline(secretRef), volume: undefined, secret: { user: "me" }, calls: [{ secrets: { user: "me" } }] },
    ],
    ["an empty secret", { volume: volume({ csi: secretRef }), secret: {}, calls: [{ ...usual, secrets: {} }] }],
    ["an empty inline secret", { attachment: inline(secretRef), volume: undefined, secret: {}, calls: [{ ...usual, secrets: {} }] }],
    [
      "a node that is gone",
      {
        node: undefined,
        attachment: prepared({}, { annotations: { [nodeIdAnnotation]: "annotatedNodeID" } }),
        calls: [{ nodeId: "annotatedNodeID" }],
      },
    ],
    ["a node that lost the driver", { node: csiNode("node1", "x", "other.example.com"), calls: [usual] }],
    [
      "a migrated disk",
      {
        volume: volume({
          spec: { csi: undefined, gcePersistentDisk: { pdName: "testpd" } },
          metadata: { labels: { "topology.kubernetes.io/zone": "testZone" } },
        }),
        calls: [{ volumeId: "projects/UNSPECIFIED/zones/testZone/disks/testpd" }],
      },
    ],
    [
      "the driver refuses once",
      {
        script: { ControllerUnpublishVolume: [step.fail("Internal", "mock error")] },
        requests: [status, removeFinalizer],
        calls: [usual, usual],
        errors: ["detach: rpc error: code = Internal desc = mock error"],
      },
    ],
    [
      "not found is an error like any other",
      {
        script: { ControllerUnpublishVolume: [step.fail("NotFound", "no such volume")] },
        calls: [usual, usual],
        errors: ["detach: rpc error: code = NotFound desc = no such volume"],
      },
    ],
    [
      "the driver is too slow once",
      {
        timeout: 100,
        script: { ControllerUnpublishVolume: [step.hangAfter] },
        calls: [usual, usual],
        errors: ["detach: rpc error: code = DeadlineExceeded desc = context deadline exceeded"],
      },
    ],
    ["an answer lost after the driver acted", { script: { ControllerUnpublishVolume: [step.lost] }, calls: [usual, usual] }],
    [
      "removing the finalizer refused once: the driver is not called again",
      {
        disturbances: [{ resource: VolumeAttachment, how: "refused", times: 1 }],
        requests: [status, removeFinalizer],
        calls: [usual],
        errors: ["detach: could not mark as detached: mock error"],
      },
    ],
    [
      "the answer to removing the finalizer lost",
      { disturbances: [{ resource: VolumeAttachment, how: "lost", times: 1 }], calls: [usual] },
    ],
  ])("%s", async (_what, given) => {
    const { script, timeout } = given;
    await using world = await startWorld({ stopped: true, driver: { script }, flags: timeout ? { timeout } : {} });
    await deletedAttachment(world, given);
    for (const disturbance of given.disturbances ?? []) world.disturb({ ...disturbance });
    await world.run();
    await world.untilGone(VolumeAttachment, "va");

    const calls = world.driver.calls("ControllerUnpublishVolume").map(({ request }) => request);
    if (given.calls) expect(calls).toMatchObject([...given.calls]);
    expect(world.driver.calls("ControllerPublishVolume")).toEqual([]);
    if (given.requests) expect(await world.requests()).toEqual([...given.requests]);
    if (!given.disturbances) expect(await world.refused()).toEqual([]);
    expect(world.errors()).toEqual([...(given.errors ?? world.errors())]);
  });
});

describe("cannot be detached", () => {
  test.each<[string, Case & { error: string }]>([
    ["the volume is gone", { volume: undefined, error: 'persistentvolume "pv1" not found' }],
    [
      "the node is gone and there is no annotation",
      { node: undefined, attachment: prepared({}, { annotations: {} }), error: 'csinode.storage.k8s.io "node1" not found' },
    ],
    [
      "the secret is gone",
      { volume: volume({ csi: secretRef }), error: 'failed to load secret "default/secret": secrets "secret" not found' },
    ],
  ])("%s: the error is saved again and again, the attachment stays, the driver is not called", async (_what, given) => {
    await using world = await startWorld({ stopped: true, flags: { retryIntervalStart: 30, retryIntervalMax: 30 } });
    await deletedAttachment(world, given);
    world.disturb({ resource: VolumeAttachment, subresource: "status", how: "refused", times: 2 });
    await world.run();
    const va = await world.until((seen) => seen.status?.detachError?.message === given.error);
    await world.untilTrue(async () => (await world.requests()).filter((request) => request === status).length >= 3);
    expect(va.metadata?.finalizers).toEqual([finalizer]);
    expect(va.status?.detachError).not.toHaveProperty("errorCode");
    expect(world.driver.calls("ControllerUnpublishVolume")).toEqual([]);
  });
});

describe("the attachment has other finalizers", () => {
  const kept = prepared({}, { finalizers: [foreign, finalizer, "example.com/b"] });

  test("ours is removed, the others stay in order, the status says detached", async () => {
    await using world = await startWorld({ stopped: true });
    await deletedAttachment(world, { attachment: kept });
    await world.run();
    const va = await world.until((seen) => seen.status?.attached === false);
    expect(va.metadata?.finalizers).toEqual([foreign, "example.com/b"]);
    expect(va.status).toEqual({ attached: false });
    expect(await world.requests()).toEqual([removeFinalizer, status]);
    expect(world.driver.calls("ControllerUnpublishVolume")).toHaveLength(1);
  });

  test("a status that could not be written is written later, without asking the driver again", async () => {
    await using world = await startWorld({ stopped: true });
    await deletedAttachment(world, { attachment: kept });
    const twice = { resource: VolumeAttachment, subresource: "status", how: "refused", times: 3 } as const;
    world.disturb({ ...twice });
    await world.run();
    const va = await world.until((seen) => seen.status?.attached === false && !seen.status.detachError);
    expect(va.metadata?.finalizers).toEqual([foreign, "example.com/b"]);
    expect(world.driver.calls("ControllerUnpublishVolume")).toHaveLength(1);
  });

  test("an attachment without our finalizer is left alone", async () => {
    await using world = await startWorld({ stopped: true });
    await deletedAttachment(world, { attachment: prepared({}, { finalizers: [foreign] }) });
    await world.run();
    await world.createAttachment(prepared({}, { name: "last" }), { attached: false });
    await world.until((va) => va.status?.attached, "last");
    expect(world.driver.calls("ControllerUnpublishVolume")).toEqual([]);
    expect((await world.get(VolumeAttachment, "va")).status?.attached).toBe(true);
  });

  test("a finalizer that others took away while the driver worked does not come back", async () => {
    await using world = await startWorld({ stopped: true, driver: { script: { ControllerUnpublishVolume: [step.waitFor("go")] } } });
    await deletedAttachment(world, { attachment: prepared({}, { finalizers: [foreign, finalizer] }) });
    await world.run();
    await world.driver.called("ControllerUnpublishVolume");
    world.holdWatches();
    await world.admin.patch(VolumeAttachment, { name: "va" }, mergePatch({ metadata: { finalizers: [finalizer] } }));
    world.driver.release("go");
    await world.untilGone(VolumeAttachment, "va");
  });
});
