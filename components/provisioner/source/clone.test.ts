import { describe, expect, test } from "bun:test";
import { mergePatch, Namespace, PersistentVolumeClaim } from "@csi-sidecars/kube";
import { step } from "@csi-sidecars/testcluster";
import { finalizer } from "../names.ts";
import { claim, inDefault } from "../testing/manifests.ts";
import { type ProvisionerWorld, startWorld } from "../testing/provisioner-world.ts";
import { options } from "./testing/snapshots.ts";

const isWaiting = ({ log }: ProvisionerWorld) =>
  log.lines.some(
    ({ message, fields }) => message === "The claim is being cloned: its finalizer stays" && fields.claim === "default/source",
  );

describe("cloning a claim", () => {
  const fromClaim = { dataSource: { kind: "PersistentVolumeClaim", name: "source" } };

  test("fills the volume; the source cannot go before that", async () => {
    await using world = await startWorld(options);
    await world.createClass();
    await world.createClaim("source");
    const { volume: original } = await world.bound("source");
    world.driver.script("CreateVolume", step.waitFor("deleted"));
    await world.createClaim("copy", fromClaim);
    await world.driver.called("CreateVolume", 2);
    await world.deleteClaim("source");
    const source = await world.until(PersistentVolumeClaim, inDefault("source"), ({ metadata }) => metadata?.deletionTimestamp);
    expect(source.metadata?.finalizers).toContain(finalizer.cloneSource);
    world.driver.release("deleted");
    await world.bound("copy");
    expect(world.driver.calls("CreateVolume")[1]?.request.volumeContentSource).toEqual({
      type: { $case: "volume", volume: { volumeId: original.spec?.csi?.volumeHandle ?? "" } },
    });
    await world.untilGone(PersistentVolumeClaim, inDefault("source"));
    expect(await world.refused()).toEqual([]);
  });

  test("goes on when the source is deleted after a call without an answer", async () => {
    await using world = await startWorld({ ...options, flags: { timeout: 100 } });
    await world.createClass();
    await world.createClaim("source");
    await world.bound("source");
    world.driver.always("CreateVolume", step.hang);
    await world.createClaim("copy", fromClaim);
    await world.untilEvent("copy", "DeadlineExceeded");
    await world.deleteClaim("source");
    await world.until(PersistentVolumeClaim, inDefault("source"), ({ metadata }) => metadata?.deletionTimestamp);
    world.driver.always("CreateVolume", step.act);
    await world.bound("copy");
    await world.untilGone(PersistentVolumeClaim, inDefault("source"));
  });

  test("the source stays while the driver reads it, although the clone's claim is gone, and goes at once after that", async () => {
    await using world = await startWorld({ ...options, flags: { retryIntervalStart: 60_000, retryIntervalMax: 60_000 } });
    await world.createClass();
    await world.createClaim("source");
    await world.bound("source");
    world.driver.script("CreateVolume", step.waitFor("looked"));
    await world.createClaim("copy", fromClaim);
    await world.driver.called("CreateVolume", 2);
    await world.deleteClaim("copy");
    await world.untilGone(PersistentVolumeClaim, inDefault("copy"));
    await world.deleteClaim("source");
    await world.untilTrue(() => isWaiting(world));
    const { metadata } = await world.admin.get(PersistentVolumeClaim, inDefault("source"));
    expect(metadata?.finalizers).toContain(finalizer.cloneSource);
    world.driver.release("looked");
    await world.untilGone(PersistentVolumeClaim, inDefault("source"));
  });

  test("the source goes when its clone is given up", async () => {
    await using world = await startWorld({ ...options, flags: { retryIntervalStart: 60_000, retryIntervalMax: 60_000 } });
    await world.createClass();
    await world.createClaim("source");
    await world.bound("source");
    world.driver.always("CreateVolume", step.fail("Internal"));
    await world.createClaim("copy", fromClaim);
    await world.untilEvent("copy", "Internal");
    await world.deleteClaim("source");
    await world.untilTrue(() => isWaiting(world));
    await world.deleteClaim("copy");
    await world.untilGone(PersistentVolumeClaim, inDefault("source"));
  });
});

describe("a claim that was cloned and is being deleted", () => {
  const held = (name: string) => claim(name, {}, { finalizers: [finalizer.cloneSource] });
  const copyOf = (name: string) => ({ dataSource: { kind: "PersistentVolumeClaim", name } });

  test("goes with its last clone; only those of its own namespace count, and only those that wait", async () => {
    const flags = { retryIntervalStart: 60_000, retryIntervalMax: 60_000 };
    await using world = await startWorld({ ...options, flags, controllers: false });
    await world.create(Namespace, { metadata: { name: "clones-elsewhere" } });
    for (const name of ["one-of-two", "elsewhere", "none"]) await world.create(PersistentVolumeClaim, held(name));
    const copy = async (name: string, source: string, phase: string) => {
      await world.create(PersistentVolumeClaim, claim(name, copyOf(source)));
      await world.admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ status: { phase } }), { subresource: "status" });
    };
    await copy("first", "one-of-two", "Bound");
    await copy("second", "one-of-two", "Pending");
    const { metadata, ...rest } = claim("copy", copyOf("elsewhere"));
    await world.create(PersistentVolumeClaim, { ...rest, metadata: { ...metadata, namespace: "clones-elsewhere" } });
    const isFree = (name: string) =>
      world.until(PersistentVolumeClaim, inDefault(name), (found) => !found.metadata?.finalizers?.includes(finalizer.cloneSource));
    for (const name of ["one-of-two", "elsewhere", "none"]) {
      const keep = mergePatch({ metadata: { finalizers: [finalizer.cloneSource, "example.com/other"] } });
      await world.admin.patch(PersistentVolumeClaim, inDefault(name), keep);
      await world.deleteClaim(name);
    }
    await isFree("elsewhere");
    await isFree("none");
    const waiting = await world.admin.get(PersistentVolumeClaim, inDefault("one-of-two"));
    expect(waiting.metadata?.finalizers).toEqual([finalizer.cloneSource, "example.com/other"]);
    await world.admin.patch(PersistentVolumeClaim, inDefault("second"), mergePatch({ status: { phase: "Bound" } }), {
      subresource: "status",
    });
    expect((await isFree("one-of-two")).metadata?.finalizers).toEqual(["example.com/other"]);
    for (const name of ["one-of-two", "elsewhere", "none"]) {
      await world.admin.patch(PersistentVolumeClaim, inDefault(name), mergePatch({ metadata: { finalizers: null } }));
    }
  });

  test("is not written while it is not being deleted", async () => {
    await using world = await startWorld({ ...options, controllers: false });
    await world.create(PersistentVolumeClaim, held("kept"));
    await world.create(PersistentVolumeClaim, held("witness"));
    await world.deleteClaim("witness");
    await world.until(PersistentVolumeClaim, inDefault("witness"), (found) => !found.metadata?.finalizers?.includes(finalizer.cloneSource));
    const { metadata } = await world.admin.get(PersistentVolumeClaim, inDefault("kept"));
    expect(metadata?.finalizers).toContain(finalizer.cloneSource);
    await world.admin.patch(PersistentVolumeClaim, inDefault("kept"), mergePatch({ metadata: { finalizers: null } }));
  });
});
