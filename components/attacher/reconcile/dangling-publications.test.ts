import { describe, expect, test } from "bun:test";
import { CSINode, PersistentVolume, VolumeAttachment } from "@csi-sidecars/kube";
import { presets, step } from "@csi-sidecars/testcluster";
import { type AttacherWorld, startWorld, type WorldOptions } from "../testing/attacher-world.ts";
import {
  attachment,
  cachedAttachment,
  cachedNode,
  cachedVolume,
  csiNode,
  deleted,
  driverInfo,
  finalizer,
  foreign,
  inlineSpec,
  prepared,
  volume,
} from "../testing/objects.ts";
import { findDangling, type KnownObjects } from "./dangling-publications.ts";

const held = { metadata: { finalizers: [finalizer] } };
const known: KnownObjects = { attachments: [], volumes: [cachedVolume(volume(held))], nodes: [cachedNode(csiNode())] };
const dangling = [{ volume: "pv1", node: "node1", nodeId: "nodeID1" }];

describe("a volume that the driver lists on a node", () => {
  test.each<[string, Partial<KnownObjects>, readonly object[]]>([
    ["is dangling without attachment", {}, dangling],
    ["is not with one", { attachments: [cachedAttachment(attachment())] }, []],
    ["is not with one that is being deleted", { attachments: [cachedAttachment(prepared({}, deleted))] }, []],
    [
      "is not with one that describes it inline",
      { attachments: [cachedAttachment(attachment({ spec: { source: { inlineVolumeSpec: inlineSpec() } } }))] },
      [],
    ],
    [
      "is dangling when the attachment is to another node",
      { attachments: [cachedAttachment(attachment({ spec: { nodeName: "node2" } }))] },
      dangling,
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
    expect(findDangling(new Map([["handle1", ["nodeID1"]]]), { ...known, ...parts }, driverInfo)).toEqual(expected as never);
  });
});

/** A volume that is attached without an attachment. */
async function leftAttached(options: WorldOptions = {}): Promise<AttacherWorld> {
  const world = await startWorld({
    stopped: true,
    driver: { capabilities: presets.attachable, volumes: [{ id: "handle1", publishedTo: ["nodeID1", "strange"] }], ...options.driver },
    flags: { reconcileSync: 20, detachDanglingVolumes: true, ...options.flags },
  });
  await world.create(CSINode, csiNode());
  await world.create(PersistentVolume, volume({ metadata: { finalizers: [foreign, finalizer] } }));
  return world;
}

const passes = ({ driver }: AttacherWorld, more: number) => driver.called("ListVolumes", driver.calls("ListVolumes").length + more);

describe("with --detach-dangling-volumes", () => {
  test("it is detached after the second comparison, and only from nodes of this cluster", async () => {
    await using world = await leftAttached();
    await world.run();
    await world.untilTrue(() => !world.driver.publishedTo("handle1").includes("nodeID1"));
    expect(world.driver.calls("ListVolumes").length).toBeGreaterThanOrEqual(2);
    await passes(world, 3);
    expect(world.driver.publishedTo("handle1")).toEqual(["strange"]);
    expect(world.driver.calls("ControllerUnpublishVolume").map(({ request }) => request)).toMatchObject([
      { volumeId: "handle1", nodeId: "nodeID1" },
    ]);
    expect(await world.requests()).toEqual([]);
  });

  test("it is retried when the driver fails, and its volume keeps its finalizer until then", async () => {
    const script = { ControllerUnpublishVolume: [step.fail("Internal"), step.waitFor("go")] };
    await using world = await leftAttached({ driver: { script } });
    await world.run();
    await world.driver.called("ControllerUnpublishVolume", 2);
    await world.admin.delete(PersistentVolume, { name: "pv1" });
    await passes(world, 3);
    expect((await world.get(PersistentVolume, "pv1")).metadata?.finalizers).toContain(finalizer);
    world.driver.release("go");
    await world.untilTrue(async () => !(await world.get(PersistentVolume, "pv1")).metadata?.finalizers?.includes(finalizer));
    expect(world.driver.overlaps()).toEqual([]);
  });

  test("attachments that come and go are never disturbed", async () => {
    await using world = await leftAttached({ driver: { volumes: [{ id: "handle1" }], faults: { seed: 1, delayMs: [1, 40] } } });
    await world.run();
    for (let i = 0; i < 10; i++) {
      await world.create(VolumeAttachment, attachment());
      await world.until(({ status }) => status?.attached);
      await world.admin.delete(VolumeAttachment, { name: "va" });
      await world.untilGone(VolumeAttachment, "va");
    }
    expect(world.driver.calls("ControllerUnpublishVolume")).toHaveLength(10);
    expect(world.driver.overlaps()).toEqual([]);
  });
});

test("without the flag nothing is detached", async () => {
  await using world = await leftAttached({ flags: { detachDanglingVolumes: false } });
  await world.run();
  await passes(world, 4);
  expect(world.driver.publishedTo("handle1")).toEqual(["nodeID1", "strange"]);
});
