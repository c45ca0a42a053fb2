import { describe, expect, test } from "bun:test";
import { CSINode, PersistentVolume, Secret, VolumeAttachment } from "@csi-sidecars/kube";
import { type Disturbance, type Script, step } from "@csi-sidecars/testcluster";
import { publishing, startWorld } from "../testing/attacher-world.ts";
import { attachment, csiNode, finalizer, foreign, inlineSpec, nodeIdAnnotation, prepared, volume } from "../testing/objects.ts";

const addVolumeFinalizer = "patch persistentvolumes pv1";
const prepare = "patch volumeattachments va";
const status = "patch volumeattachments/status va";
const readSecret = "get secrets secret";
const inline = (csi = {}) => attachment({ spec: { source: { inlineVolumeSpec: inlineSpec(csi) } } });
const held = { metadata: { finalizers: [finalizer] } };
const secretRef = (name = "secret") => ({ controllerPublishSecretRef: { name, namespace: "default" } });
const device = { device: "/dev/disk/by-id/handle1" };
const refused = (resource: Disturbance["resource"], times = 1, subresource?: "status"): Disturbance => ({
  ...{ resource, times, how: "refused" },
  ...(subresource && { subresource }),
});

interface Case {
  readonly volume?: ReturnType<typeof volume>;
  readonly attachment?: ReturnType<typeof attachment>;
  readonly secret?: Record<string, string>;
  readonly script?: Script;
  readonly disturbances?: readonly Disturbance[];
  readonly timeout?: number;
  readonly gatesOff?: readonly string[];
  /** What the component asked of the API server, in order. */
  readonly requests?: readonly string[];
  /** What the driver was asked, as far as it matters, call by call. */
  readonly calls?: readonly object[];
  readonly errors?: readonly string[];
  readonly metadata?: object;
}

describe("ends attached", () => {
  test.each<[string, Case]>([
    [
      "a volume",
      { volume: volume(held), requests: [prepare, status], calls: [{ volumeId: "handle1", nodeId: "nodeID1", readonly: false }] },
    ],
    ["an inline volume", { attachment: inline(), requests: [prepare, status], calls: [{ volumeId: "handle1", nodeId: "nodeID1" }] }],
    ["a volume without our finalizer", { volume: volume(), requests: [addVolumeFinalizer, prepare, status] }],
    ["a read-only volume", { volume: volume({ ...held, csi: { readOnly: true } }), calls: [{ readonly: true }] }],
    ["a read-only inline volume", { attachment: inline({ readOnly: true }), calls: [{ readonly: true }] }],
    ["attributes", { volume: volume({ ...held, csi: { volumeAttributes: { a: "b" } } }), calls: [{ volumeContext: { a: "b" } }] }],
    ["inline attributes", { attachment: inline({ volumeAttributes: { a: "b" } }), calls: [{ volumeContext: { a: "b" } }] }],
    [
      "a secret",
      {
        volume: volume({ ...held, csi: secretRef() }),
        secret: { user: "me", key: "ü" },
        requests: [readSecret, prepare, status],
        calls: [{ secrets: { user: "me", key: "ü" } }],
      },
    ],
    [
      "an inline secret",
      {
        attachment: inline(secretRef()),
        secret: { user: "me" },
        requests: [readSecret, prepare, status],
        calls: [{ secrets: { user: "me" } }],
      },
    ],
    ["an empty secret", { volume: volume({ ...held, csi: secretRef() }), secret: {}, calls: [{ secrets: {} }] }],
    ["an empty inline secret", { attachment: inline(secretRef()), secret: {}, calls: [{ secrets: {} }] }],
    [
      "a publish context",
      {
        volume: volume(held),
        script: { ControllerPublishVolume: [step.reply({ publishContext: { foo: "bar" } })] },
        metadata: { foo: "bar" },
      },
    ],
    ["an empty publish context", { volume: volume(held), script: { ControllerPublishVolume: [step.reply({})] }, metadata: {} }],
    [
      "prepared by an earlier attempt",
      { volume: volume(held), attachment: prepared({}, { finalizers: [foreign, finalizer] }), requests: [status] },
    ],
    [
      "the volume's finalizer refused once",
      {
        volume: volume(),
        disturbances: [refused(PersistentVolume)],
        requests: [status, addVolumeFinalizer, prepare, status],
        errors: ["attach: could not add PersistentVolume finalizer: mock error", "attach: none"],
      },
    ],
    [
      "preparing refused, the error too",
      {
        volume: volume(held),
        disturbances: [refused(VolumeAttachment), refused(VolumeAttachment, 1, "status")],
        requests: [prepare, status],
        errors: [],
      },
    ],
    [
      "preparing refused",
      {
        volume: volume(held),
        disturbances: [refused(VolumeAttachment)],
        requests: [status, prepare, status],
        errors: ["attach: could not save VolumeAttachment: mock error", "attach: none"],
      },
    ],
    [
      "the status refused once: not published again, no error",
      {
        volume: volume(held),
        disturbances: [refused(VolumeAttachment, 1, "status")],
        requests: [prepare, status],
        calls: [{}],
        errors: [],
      },
    ],
    [
      "the driver refuses once",
      {
        volume: volume(held),
        script: { ControllerPublishVolume: [step.fail("Internal", "mock error")] },
        requests: [prepare, status, status],
        calls: [{}, {}],
        errors: ["attach: rpc error: code = Internal desc = mock error (13)", "attach: none"],
      },
    ],
    [
      "the driver is full: the code is saved",
      {
        volume: volume(held),
        script: { ControllerPublishVolume: [step.fail("ResourceExhausted", "full")] },
        errors: ["attach: rpc error: code = ResourceExhausted desc = full (8)", "attach: none"],
      },
    ],
    [
      "the driver is full, the gate is off",
      {
        volume: volume(held),
        gatesOff: ["MutableCSINodeAllocatableCount"],
        script: { ControllerPublishVolume: [step.fail("ResourceExhausted", "full")] },
        errors: ["attach: rpc error: code = ResourceExhausted desc = full", "attach: none"],
      },
    ],
    [
      "the driver is too slow once",
      {
        volume: volume(held),
        timeout: 100,
        script: { ControllerPublishVolume: [step.hangAfter] },
        calls: [{}, {}],
        errors: ["attach: rpc error: code = DeadlineExceeded desc = context deadline exceeded (4)", "attach: none"],
      },
    ],
    [
      "an answer lost after the driver acted: the call is retried",
      { volume: volume(held), script: { ControllerPublishVolume: [step.lost] }, calls: [{}, {}] },
    ],
    [
      "an error longer than the server takes",
      {
        volume: volume(held),
        script: { ControllerPublishVolume: [step.fail("Internal", "ä".repeat(1000))] },
        errors: [`attach: rpc error: code = Internal desc = ${"ä".repeat(495)} (13)`, "attach: none"],
      },
    ],
  ])("%s", async (_what, given) => {
    const { timeout, gatesOff, script } = given;
    await using world = await startWorld({ driver: { script }, flags: timeout ? { timeout } : {}, gatesOff });
    for (const disturbance of given.disturbances ?? []) world.disturb({ ...disturbance });
    await world.create(CSINode, csiNode());
    if (given.volume) await world.create(PersistentVolume, given.volume);
    if (given.secret) {
      const data = Object.fromEntries(Object.entries(given.secret).map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
      await world.create(Secret, { metadata: { name: "secret", namespace: "default" }, data });
    }
    await world.create(VolumeAttachment, given.attachment ?? attachment());
    const va = await world.until((seen) => seen.status?.attached);

    expect(va.metadata?.finalizers).toEqual([...(given.attachment?.metadata?.finalizers?.slice(0, -1) ?? []), finalizer]);
    expect(va.metadata?.annotations).toEqual({ [nodeIdAnnotation]: "nodeID1" });
    expect<object | undefined>(va.status).toEqual({ attached: true, ...attachmentMetadata(given.metadata ?? device) });
    const calls = world.driver.calls("ControllerPublishVolume").map(({ request }) => request);
    expect(calls).toMatchObject((given.calls ?? calls.map(() => ({}))) as never);
    expect(calls).toHaveLength(given.calls?.length ?? (script ? calls.length : 1));
    if (given.requests) expect(await world.requests()).toEqual([...given.requests]);
    if (!given.disturbances) expect(await world.refused()).toEqual([]);
    await world.untilTrue(() => world.errors().length >= (given.errors?.length ?? 0));
    if (given.errors) expect(world.errors()).toEqual([...given.errors]);
  });
});

function attachmentMetadata(metadata: object) {
  return Object.keys(metadata).length === 0 ? {} : { attachmentMetadata: metadata };
}

test("attachments that are attached or of other drivers are left alone", async () => {
  await using world = await startWorld({ stopped: true });
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume(held));
  await world.createAttachment(prepared({}, { name: "rests" }), { attached: true });
  await world.createAttachment(attachment({ metadata: { name: "theirs" }, spec: { attacher: "other.example.com" } }));
  await world.run();
  await world.createAttachment(attachment({ metadata: { name: "last" } }));
  await world.until((va) => va.status?.attached, "last");
  expect(await world.requests()).toEqual(["patch volumeattachments last", "patch volumeattachments/status last"]);
});

test("a driver without PUBLISH_READONLY publishes everything for writing", async () => {
  await using world = await startWorld({ driver: { capabilities: { ...publishing, controller: ["PUBLISH_UNPUBLISH_VOLUME"] } } });
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume({ csi: { readOnly: true } }));
  await world.create(VolumeAttachment, attachment());
  await world.until((va) => va.status?.attached);
  expect(world.driver.calls("ControllerPublishVolume").map(({ request }) => request.readonly)).toEqual([false]);
});

test("a migrated disk is published under its translated handle, protected, and measured as migrated", async () => {
  const name = "pd.csi.storage.gke.io";
  const id = "projects/UNSPECIFIED/zones/testZone/disks/testpd";
  await using world = await startWorld({ driver: { name, volumes: [{ id }] } });
  const labels = { "topology.kubernetes.io/zone": "testZone" };
  const annotations = { "pv.kubernetes.io/migrated-to": name };
  await world.create(CSINode, csiNode("node1", "nodeID1", name));
  await world.create(
    PersistentVolume,
    volume({ metadata: { labels, annotations }, spec: { csi: undefined, gcePersistentDisk: { pdName: "testpd" } } }),
  );
  await world.create(VolumeAttachment, attachment({ spec: { attacher: name } }));
  await world.until((va) => va.status?.attached);
  expect(world.driver.calls("ControllerPublishVolume")[0]?.request).toMatchObject({ volumeId: id, volumeContext: { partition: "" } });
  expect((await world.get(PersistentVolume, "pv1")).metadata?.finalizers).toContain("external-attacher/pd-csi-storage-gke-io");
  expect(await world.metrics()).toMatch(/operations_seconds_count\{[^}]*ControllerPublishVolume[^}]*migrated="true"\} 1/);
});
