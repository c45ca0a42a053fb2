import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { mergePatch, Pod, type V1Pod } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { resizerRules } from "../../rbac.ts";
import { inDefault, isNodePending, podOf } from "../../testing/objects.ts";
import { type ResizerWorld, startWorld } from "../../testing/resizer-world.ts";

const inUse =
  "Warning VolumeResizeFailed: Unable to expand default/data because CSI driver csi.example.com only supports offline expansion and volume is currently in-use";
const ephemeral = {
  ephemeral: { volumeClaimTemplate: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } } },
};
const refused = step.fail("FailedPrecondition", "in use");

const remove = (world: ResizerWorld, name: string) => world.admin.delete(Pod, inDefault(name), { gracePeriodSeconds: 0 });
const finish = (world: ResizerWorld, name: string, phase: string) =>
  world.admin.patch(Pod, inDefault(name), mergePatch({ status: { phase } }), { subresource: "status" });
const podRequests = async (world: ResizerWorld) =>
  (await world.cluster.requests()).filter(({ resource, verb }) => resource === "pods" && verb === "watch");

/** A claim that pods use, whose expansion the driver refused; its backoff is long. */
async function refusedOnce(world: ResizerWorld, ...pods: V1Pod[]): Promise<void> {
  for (const each of pods) await world.create(Pod, each);
  await world.addClaim({ request: "2Gi" });
  await world.driver.called("ControllerExpandVolume");
}

describe("the driver does not expand a volume in use", () => {
  test("it is not called again while a pod uses it, and at once when the last one is gone", async () => {
    const clock = new FakeClock();
    await using world = await startWorld({
      clock,
      flags: { retryIntervalStart: 1_000, retryIntervalMax: 1_000_000 },
      driver: { script: { ControllerExpandVolume: [refused] } },
    });
    await refusedOnce(world, podOf("one"), podOf("two"));
    const ticks = async (n: number) =>
      world.untilTrue(() => world.log.lines.filter(({ message }) => message.startsWith("Sync failed")).length >= n);
    await ticks(1);
    await world.untilTrue(async () => (await podRequests(world)).length > 0);
    for (const n of [1, 2, 4, 8]) {
      await clock.advance(n * 1_000);
      await ticks(Math.log2(n) + 2);
    }
    await world.untilEvent(inUse);
    expect(await world.metrics()).toContain('csi_sidecars_resizer_claims{operation="resize",state="in_use"} 1');
    await remove(world, "one");
    await clock.advance(16_000);
    await ticks(6);
    expect(world.asked()).toHaveLength(1);
    // No time passes: the claim would wait for its backoff now.
    await remove(world, "two");
    await world.until(isNodePending);
    expect(world.asked()).toHaveLength(2);
    expect(await world.metrics()).toContain('csi_sidecars_resizer_claims{operation="resize",state="in_use"} 0');
  });

  test.each(["Succeeded", "Failed"])("a pod that has %s uses nothing", async (phase) => {
    await using world = await startWorld({ driver: { script: { ControllerExpandVolume: [refused] } } });
    await refusedOnce(world, podOf("job"));
    await world.untilEvent(inUse);
    expect(world.asked()).toHaveLength(1);
    await finish(world, "job", phase);
    await world.until(isNodePending);
  });

  test("an ephemeral volume is in use too", async () => {
    await using world = await startWorld({ driver: { script: { ControllerExpandVolume: [refused] } } });
    const { metadata: { uid = "" } = {} } = await world.create(Pod, podOf("web", ephemeral));
    const owner = { apiVersion: "v1", kind: "Pod", name: "web", uid };
    await world.addClaim({ name: "web-v", request: "2Gi", metadata: { ownerReferences: [owner] } });
    await world.untilEvent("Unable to expand default/web-v", "web-v");
    await remove(world, "web");
    await world.until(isNodePending, "web-v");
    expect(world.asked("web-v")).toHaveLength(2);
  });

  test("a claim that only has the name of an ephemeral volume's is not in use", async () => {
    await using world = await startWorld({ driver: { script: { ControllerExpandVolume: [refused] } } });
    await world.create(Pod, podOf("web", ephemeral));
    await world.addClaim({ name: "web-v", request: "2Gi" });
    await world.until(isNodePending, "web-v");
    expect(world.asked("web-v")).toHaveLength(2);
  });

  test("no pod uses it: it is called again after the backoff", async () => {
    await using world = await startWorld({ driver: { script: { ControllerExpandVolume: [refused, refused] } } });
    await refusedOnce(world, podOf("other", { persistentVolumeClaim: { claimName: "else" } }));
    await world.until(isNodePending);
    expect(world.asked()).toHaveLength(3);
    expect(await world.events()).not.toContain(inUse);
  });

  test("it answers something else then: pods do not matter any more", async () => {
    await using world = await startWorld({
      driver: { script: { ControllerExpandVolume: [refused, step.fail("Internal", "no"), step.fail("Internal", "no")] } },
    });
    await refusedOnce(world);
    await world.driver.called("ControllerExpandVolume", 2);
    await world.create(Pod, podOf("one"));
    await world.until(isNodePending);
    expect(world.asked()).toHaveLength(4);
  });

  test("a claim that has what it requests for another reason is not waited for", async () => {
    const clock = new FakeClock();
    await using world = await startWorld({
      clock,
      flags: { retryIntervalStart: 60_000, retryIntervalMax: 600_000 },
      driver: { script: { ControllerExpandVolume: [refused] } },
    });
    await refusedOnce(world, podOf("one"));
    const states = async () => (await world.metrics()).match(/(?<=operation="resize",state=").*/g);
    await world.untilTrue(() => world.log.lines.some(({ message }) => message.startsWith("Sync failed")));
    expect(await states()).toEqual(['pending"} 1', 'infeasible"} 0', 'in_use"} 1']);
    await world.patchStatus({ capacity: { storage: "2Gi" } });
    await world.witness();
    await clock.advance(60_000);
    await world.untilTrue(async () => (await states())?.includes('pending"} 0'));
    expect(await states()).toEqual(['pending"} 0', 'infeasible"} 0', 'in_use"} 0']);
  });

  test("with --handle-volume-inuse-error=false pods do not matter, and are not watched", async () => {
    await using world = await startWorld({
      flags: { handleVolumeInuseError: false },
      driver: { script: { ControllerExpandVolume: [refused, refused] } },
    });
    await refusedOnce(world, podOf("one"));
    await world.until(isNodePending);
    expect(world.asked()).toHaveLength(3);
    expect(await podRequests(world)).toEqual([]);
  });
});

test("pods may not be listed: the claim waits, and says for what", async () => {
  const role = resizerRules({ handleVolumeInuseError: true }).cluster.filter(({ resources }) => !resources.includes("pods"));
  await using world = await startWorld({ role, driver: { script: { ControllerExpandVolume: [refused] } } });
  await world.addClaim({ request: "2Gi" });
  await world.untilEvent(
    "Warning VolumeResizeFailed: Unable to expand default/data: CSI driver csi.example.com only supports offline expansion, and the pods that may use the volume are not listed yet",
  );
  expect(world.asked()).toHaveLength(1);
  await world.grant(resizerRules({ handleVolumeInuseError: true }).cluster);
  await world.until(isNodePending);
  expect(world.asked()).toHaveLength(2);
});

test("the last pod ends before pods are listed: the attempt that was held back is made then", async () => {
  const role = resizerRules({ handleVolumeInuseError: true }).cluster.filter(({ resources }) => !resources.includes("pods"));
  const clock = new FakeClock();
  await using world = await startWorld({
    ...{ role, clock, driver: { script: { ControllerExpandVolume: [refused] } } },
    flags: { retryIntervalStart: 60_000, retryIntervalMax: 600_000 },
  });
  await refusedOnce(world, podOf("one"));
  await world.untilTrue(() => world.log.lines.some(({ message }) => message.startsWith("Sync failed")));
  await clock.advance(60_000);
  await world.untilEvent("are not listed yet");
  await remove(world, "one");
  await world.grant(resizerRules({ handleVolumeInuseError: true }).cluster);
  await world.until(isNodePending);
  expect(world.asked()).toHaveLength(2);
});

test("pods are not watched as long as no driver refuses, and one in use is expanded", async () => {
  await using world = await startWorld();
  await world.create(Pod, podOf("one"));
  await world.addClaim({ request: "2Gi" });
  await world.until(isNodePending);
  expect(await podRequests(world)).toEqual([]);
});
