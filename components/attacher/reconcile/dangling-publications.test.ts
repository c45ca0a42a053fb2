import { describe, expect, test } from "bun:test";
import { CSINode, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { presets, step } from "@csi-sidecars/testcluster";
import { type AttacherWorld, startWorld, type WorldOptions } from "./testing/attacher-world.ts";
import { cachedAttachment, cachedNode, cachedVolume, deleted, facts } from "./testing/cached.ts";
import { attachment, csiNode, finalizer, foreign, inlineSpec, prepared, volume } from "./testing/manifests.ts";
import { findUnclaimed, type KnownObjects } from "./unclaimed.ts";

const held = { metadata: { finalizers: [finalizer] } };
const world: KnownObjects = { attachments: [], volumes: [cachedVolume(volume(held))], nodes: [cachedNode(csiNode())] };
const unclaimed = [{ volume: "pv1", node: "node1", nodeId: "nodeID1" }];

describe("a volume that the driver lists on a node", () => {
  test.each<[string, Partial<KnownObjects>, readonly object[]]>([
    ["is unclaimed without attachment", {}, unclaimed],
    ["is claimed by one", { attachments: [cachedAttachment(attachment())] }, []],
    ["is claimed by one that is being deleted", { attachments: [cachedAttachment(prepared({}, deleted))] }, []],
    [
      "is claimed by one that describes it",
      { attachments: [cachedAttachment(attachment({ spec: { source: { inlineVolumeSpec: inlineSpec() } } }))] },
      [],
    ],
    [
      "is unclaimed when the attachment is to another node",
      { attachments: [cachedAttachment(attachment({ spec: { nodeName: "node2" } }))] },
      unclaimed,
    ],
    ["is left alone without our finalizer", { volumes: [cachedVolume(volume())] }, []],
    [
      "is left alone when it is another driver's",
      { volumes: [cachedVolume(volume({ ...held, csi: { driver: "other.example.com" } }))] },
      [],
    ],
    ["is left alone on a node that is not this cluster's", { nodes: [cachedNode(csiNode("node1", "other"))] }, []],
    ["is left alone without PersistentVolume", { volumes: [] }, []],
  ])("%s", (_, parts, expected) => {
    expect(findUnclaimed(new Map([["handle1", ["nodeID1"]]]), { ...world, ...parts }, facts)).toEqual(expected as never);
  });
});

/** A volume that is attached, and nobody knows why. */
async function leftAttached(options: WorldOptions = {}): Promise<AttacherWorld> {
  const started = await startWorld({
    stopped: true,
    driver: { capabilities: presets.attachable, volumes: [{ id: "handle1", publishedTo: ["nodeID1", "strange"] }], ...options.driver },
    flags: { reconcileSync: 20, detachUnclaimed: true, ...options.flags },
  });
  await started.create(CSINode, csiNode());
  await started.create(PersistentVolume, volume({ metadata: { finalizers: [foreign, finalizer] } }));
  return started;
}

const passes = (of: AttacherWorld, more: number) => of.driver.called("ListVolumes", of.driver.calls("ListVolumes").length + more);

describe("with --detach-unclaimed", () => {
  test("it is detached after the second look, and only from nodes of this cluster", async () => {
    await using started = await leftAttached();
    await started.run();
    await started.untilTrue(() => !started.driver.publishedTo("handle1").includes("nodeID1"));
    expect(started.driver.calls("ListVolumes").length).toBeGreaterThanOrEqual(2);
    await passes(started, 3);
    expect(started.driver.publishedTo("handle1")).toEqual(["strange"]);
    expect(started.driver.calls("ControllerUnpublishVolume").map(({ request }) => request)).toMatchObject([
      { volumeId: "handle1", nodeId: "nodeID1" },
    ]);
    expect(await started.requests()).toEqual([]);
  });

  test("it is tried again when the driver fails, and its volume not let go of before", async () => {
    const script = { ControllerUnpublishVolume: [step.fail("Internal"), step.waitFor("go")] };
    await using started = await leftAttached({ driver: { script } });
    await started.run();
    await started.driver.called("ControllerUnpublishVolume", 2);
    await started.admin.delete(PersistentVolume, { name: "pv1" });
    await passes(started, 3);
    expect((await started.get(PersistentVolume, "pv1")).metadata?.finalizers).toContain(finalizer);
    started.driver.release("go");
    await started.untilTrue(async () => !(await started.get(PersistentVolume, "pv1")).metadata?.finalizers?.includes(finalizer));
    expect(started.driver.overlaps()).toEqual([]);
  });

  test("attachments that come and go are never disturbed", async () => {
    await using started = await leftAttached({ driver: { volumes: [{ id: "handle1" }], faults: { seed: 1, delayMs: [1, 40] } } });
    await started.run();
    for (let i = 0; i < 10; i++) {
      await started.create(VolumeAttachment, attachment());
      await started.until(({ status }) => status?.attached);
      await started.admin.delete(VolumeAttachment, { name: "va" });
      await started.untilGone(VolumeAttachment, "va");
    }
    expect(started.driver.calls("ControllerUnpublishVolume")).toHaveLength(10);
    expect(started.driver.overlaps()).toEqual([]);
  });
});

test("without it nothing is detached that nobody asked to detach", async () => {
  await using started = await leftAttached({ flags: { detachUnclaimed: false } });
  await started.run();
  await passes(started, 4);
  expect(started.driver.publishedTo("handle1")).toEqual(["nodeID1", "strange"]);
});
