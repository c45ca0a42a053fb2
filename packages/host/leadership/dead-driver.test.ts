import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Lease, mergePatch } from "@csi-sidecars/kube";
import { startHungDriver } from "@csi-sidecars/testcluster";
import { fake, followVolumes } from "../manager/testing/components.ts";
import { type RunningProgram, startWorld } from "../manager/testing/world.ts";

setDefaultTimeout(30_000);

type World = Awaited<ReturnType<typeof startWorld>>;

const lease = { namespace: "default", name: "csi-sidecars-driver-example-com" };
const flags = ["--leader-election", "--leader-election-namespace=default", "--http-endpoint=127.0.0.1:0"];
const follower = () => fake("a", { kube: true, start: followVolumes });
const specOf = async (world: World) => (await world.cluster.admin.get(Lease, lease)).spec;
const holder = async (world: World) => (await specOf(world))?.holderIdentity ?? "";
const elapsed = (program: RunningProgram, ms: number) => {
  const due = program.clock.monotonic() + ms;
  return program.until(`${ms} ms later`, () => program.clock.monotonic() >= due);
};
const lost = (program: RunningProgram) => program.until("the loss is noticed", () => program.stderr().includes('"Lost connection"'));

describe("a leader whose driver is away", () => {
  test("keeps the lease for 30 s, then drains, releases it and stays out of the election until the driver answers", async () => {
    await using world = await startWorld({ cluster: true });
    const driver = await world.driver();
    const a = follower();
    const program = world.run([a], flags);
    await program.until("it runs", () => a.contexts.length === 1);
    await driver.kill();
    await lost(program);
    await elapsed(program, 28_000);
    expect([await holder(world), a.contexts[0]?.signal.aborted, (await program.get("/readyz"))[0]]).toEqual(["pod-1", false, 200]);
    await program.until("it is released", async () => (await holder(world)) === "");
    expect(a.contexts[0]?.signal.aborted).toBe(true);
    const [status, page] = await program.get("/readyz");
    expect([status, page]).toEqual([500, expect.stringMatching(/\[-\]driver failed: the CSI driver at \S+ has been away for 3\d s/)]);
    expect(page).toContain("[+]a ok (waiting: the CSI driver is away)");
    await elapsed(program, 60_000);
    expect([await holder(world), a.contexts.length]).toEqual(["", 1]);
    await world.driver();
    await program.until("it leads again", () => a.contexts.length === 2);
    expect([await holder(world), program.code]).toEqual(["pod-1", undefined]);
    expect(await program.get("/readyz")).toEqual([200, "ok"]);
    expect(program.stderr()).toContain('"The CSI driver is gone, this replica does not lead until it answers again"');
  });

  test.each(["silent", "greets"] as const)("and comes back hung (%s) gives the lease up as well", async (how) => {
    await using world = await startWorld({ cluster: true });
    const driver = await world.driver();
    const a = follower();
    const program = world.run([a], [...flags, "--driver-loss-grace-period=5s"]);
    await program.until("it runs", () => a.contexts.length === 1);
    await driver.kill();
    {
      await using _hung = await startHungDriver(world.socket, how);
      await program.until("it is released", async () => (await holder(world)) === "");
    }
    await world.driver();
    await program.until("it leads again", () => a.contexts.length === 2);
  });

  test("again and again, never for longer than the grace period, keeps the lease", async () => {
    await using world = await startWorld({ cluster: true });
    let driver = await world.driver();
    const a = follower();
    const program = world.run([a], [...flags, "--driver-loss-grace-period=10s"]);
    await program.until("it runs", () => a.contexts.length === 1);
    const availability = a.contexts[0]?.driver.availability;
    for (let round = 1; round <= 4; round++) {
      await driver.kill();
      await program.until("the loss is noticed", () => availability?.available === false);
      await elapsed(program, 5_000);
      driver = await world.driver();
      await program.until("it is back", () => availability?.available === true);
    }
    await elapsed(program, 20_000);
    expect(await specOf(world)).toMatchObject({ holderIdentity: "pod-1", leaseTransitions: 0 });
    expect(a.contexts.length).toBe(1);
  });

  test("finishes its work before it releases the lease, and may act until then", async () => {
    await using world = await startWorld({ cluster: true });
    const driver = await world.driver();
    const work = Promise.withResolvers<void>();
    const a = fake("a", { kube: true, start: async () => ({ done: work.promise }) });
    const program = world.run([a], [...flags, "--driver-loss-grace-period=1s"]);
    await program.until("it runs", () => a.contexts.length === 1);
    await driver.kill();
    await program.until("it is asked to stop", () => a.contexts[0]?.signal.aborted === true);
    await elapsed(program, 10_000);
    expect(await holder(world)).toBe("pod-1");
    await a.contexts[0]?.kube.create(Lease, { metadata: { namespace: "default", name: "written-while-draining" } });
    work.resolve();
    await program.until("it is released", async () => (await holder(world)) === "");
  });

  test("with work that does not end lets the lease expire, and ends when the next leader may act", async () => {
    await using world = await startWorld({ cluster: true });
    const driver = await world.driver();
    const a = fake("a", { kube: true, start: async () => ({ done: new Promise<never>(() => {}) }) });
    const program = world.run([a], [...flags, "--driver-loss-grace-period=1s", "--shutdown-timeout=5s"]);
    await program.until("it runs", () => a.contexts.length === 1);
    await driver.kill();
    await program.until("it stops renewing", () => program.stderr().includes('"Stopped leading"'));
    expect(await holder(world)).toBe("pod-1");
    expect(await program.ended()).toBe(1);
    expect(await holder(world)).toBe("pod-1");
    expect(program.stderr()).toContain("the lease was given up, and the work under it does not end");
  });
});

test("a standby whose driver is away for longer than the grace period does not win a free lease; with its driver it does", async () => {
  await using world = await startWorld({ cluster: true });
  const driver = await world.driver();
  const hold = (holderIdentity: string) =>
    mergePatch({ spec: { holderIdentity, leaseDurationSeconds: holderIdentity ? 3_600 : 1, leaseTransitions: 0 } });
  await world.cluster.admin.create(Lease, { metadata: { ...lease }, spec: { holderIdentity: "other", leaseDurationSeconds: 3_600 } });
  const a = follower();
  const program = world.run([a], [...flags, "--driver-loss-grace-period=5s"]);
  await program.until("it waits", () => program.stderr().includes("New leader detected"));
  await driver.kill();
  await lost(program);
  await elapsed(program, 6_000);
  await world.cluster.admin.patch(Lease, lease, hold(""));
  await elapsed(program, 30_000);
  expect([await holder(world), a.contexts.length]).toEqual(["", 0]);
  await world.driver();
  await program.until("it leads", () => a.contexts.length === 1);
  expect(await holder(world)).toBe("pod-1");
});

test("a driver that is gone does not keep a process from ending", async () => {
  await using world = await startWorld({ cluster: true });
  const driver = await world.driver();
  const a = follower();
  const program = world.run([a], [...flags, "--driver-loss-grace-period=1s"]);
  await program.until("it runs", () => a.contexts.length === 1);
  await driver.kill();
  await program.until("it is released", async () => (await holder(world)) === "");
  program.signal();
  expect(await program.ended()).toBe(0);
});
