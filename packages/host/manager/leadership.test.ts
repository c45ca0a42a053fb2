import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { Lease, mergePatch, PersistentVolume } from "@csi-sidecars/kube";
import { isNotLeading } from "../leadership/leader-permit.ts";
import type { Lead } from "../leadership/leadership.ts";
import { type FakeComponent, fake, fakeProbe, followVolumes } from "./testing/components.ts";
import type { RunningProgram } from "./testing/world.ts";
import { startWorld } from "./testing/world.ts";

setDefaultTimeout(20_000);

const flags = ["--leader-election", "--leader-election-namespace=default", "--http-endpoint=127.0.0.1:0"];
const lease = { namespace: "default", name: "csi-sidecars-driver-example-com" };
const follower = () => fake("a", { kube: true, start: followVolumes });
const running = (component: FakeComponent) => () => component.contexts.length === 1;

describe("two replicas", () => {
  test("only one lists, watches and acts; the other takes over when it ends", async () => {
    await using world = await startWorld({ cluster: true });
    await world.driver();
    const [first, second] = [follower(), follower()];
    const leader = world.run([first], flags, { hostName: "one" });
    await leader.until("one leads", async () => first.contexts.length === 1 && (await leader.get("/healthz/a"))[0] === 200);
    const standby = world.run([second], flags, { hostName: "two" });
    await standby.until("two waits", () => standby.stderr().includes("New leader detected"));
    await standby.until("two has tried again", () => standby.clock.monotonic() > 12_000);
    expect(second.contexts).toHaveLength(0);
    expect((await standby.get("/readyz?verbose"))[1]).toContain("[+]a ok (waiting: another replica leads: one)");
    expect(await standby.get("/healthz/leader-election")).toEqual([200, "ok"]);
    expect(await listsOfVolumes(world)).toBe(1);
    leader.signal();
    expect(await leader.ended()).toBe(0);
    await standby.until("two leads", running(second));
    await standby.until("two lists", async () => (await listsOfVolumes(world)) === 2);
  });

  test("a standby that is asked to stop leaves the lease alone", async () => {
    await using world = await startWorld({ cluster: true });
    await world.driver();
    const first = follower();
    const leader = world.run([first], flags, { hostName: "one" });
    await leader.until("one leads", running(first));
    const standby = world.run([follower()], flags, { hostName: "two" });
    await standby.until("two waits", () => standby.stderr().includes("New leader detected"));
    standby.signal();
    expect(await standby.ended()).toBe(0);
    expect((await world.cluster.admin.get(Lease, lease)).spec?.holderIdentity).toBe("one");
  });
});

test("components of one process share one list and watch of a kind", async () => {
  await using world = await startWorld({ cluster: true });
  await world.driver();
  const all = ["a", "b", "c", "d"].map((name) => fake(name, { kube: true, start: followVolumes }));
  const program = world.run(all, flags);
  await program.until("all run", async () =>
    (await Promise.all(all.map(({ name }) => program.get(`/readyz?verbose&${name}`)))).every(
      ([, body]) => (body.match(/ok \(running\)/g) ?? []).length === 4,
    ),
  );
  expect(await listsOfVolumes(world)).toBe(1);
});

describe("a lost lease", () => {
  const steal = async (world: Awaited<ReturnType<typeof startWorld>>, program: RunningProgram) => {
    const { spec } = await world.cluster.admin.get(Lease, lease);
    const patch = {
      spec: { ...spec, holderIdentity: "thief", renewTime: new Date(program.clock.now()).toISOString().replace("Z", "000Z") },
    };
    await world.cluster.admin.patch(Lease, lease, mergePatch(patch));
  };

  test("with policy exit ends the process, and nothing is written after it", async () => {
    await using world = await startWorld({ cluster: true });
    const calls: string[] = [];
    await world.driver({}, calls);
    const a = follower();
    const program = world.run([a], [...flags, "--loss-policy=exit"]);
    await program.until("it runs", running(a));
    await steal(world, program);
    expect(await program.ended()).toBe(1);
    expect(program.stderr()).toContain("leader election lost");
    const { kube, driver } = a.contexts[0]!;
    const write = await kube.create(PersistentVolume, { metadata: { name: "late" } }).catch((error: unknown) => error);
    const call = await driver.client.controller.deleteVolume({ volumeId: "late" }).catch((error: unknown) => error);
    expect(write).toMatchObject({ kind: "closed" });
    expect(isNotLeading(call)).toBe(true);
    expect(calls).not.toContain("deleteVolume");
  });

  test("makes the process a candidate again, with fresh caches; health stays up", async () => {
    await using world = await startWorld({ cluster: true });
    await world.driver();
    const [a, probe] = [follower(), fakeProbe()];
    const program = world.run([a, probe], [...flags, "--leader-election-migration=skip"]);
    await program.until("it runs", running(a));
    await steal(world, program);
    await program.until("it stops", () => a.contexts[0]?.signal.aborted === true);
    expect(await program.get("/healthz")).toEqual([200, "ok"]);
    await program.until("it leads again", () => a.contexts.length === 2);
    expect([probe.contexts.length, program.code]).toEqual([1, undefined]);
    await program.until("it lists again", async () => (await listsOfVolumes(world)) === 2);
  });
});

test("a leader that is not certain to lead any more reads, but writes and calls nothing that changes something", async () => {
  await using world = await startWorld({ cluster: true });
  const calls: string[] = [];
  await world.driver({}, calls);
  const a = fake("a", { kube: true });
  let certain = true;
  const lead: Lead = ({ started, signal }) => {
    queueMicrotask(() => started(signal));
    return {
      mayAct: () => certain,
      check: () => undefined,
      waitingFor: () => "nothing",
      ended: new Promise((resolve) => signal.addEventListener("abort", () => resolve({ reason: "cancelled" }))),
    };
  };
  const program = world.run([a], flags, { lead });
  await program.until("it runs", running(a));
  const { kube, driver } = a.contexts[0]!;
  await driver.client.controller.deleteVolume({ volumeId: "one" });
  certain = false;
  const write = await kube.create(Lease, { metadata: { ...lease } }).catch((error: unknown) => error);
  const call = await driver.client.controller.deleteVolume({ volumeId: "two" }).catch((error: unknown) => error);
  expect([isNotLeading(write), isNotLeading(call)]).toEqual([true, true]);
  expect([(await kube.list(Lease, { namespace: "default" })).items, (await driver.client.identity.probe({})).ready]).toEqual([[], true]);
  expect(calls.filter((name) => name === "deleteVolume")).toHaveLength(1);
});

test("a lost lease under which work does not end ends the process", async () => {
  await using world = await startWorld({ cluster: true });
  await world.driver();
  const a = fake("a", { kube: true, start: async () => ({ done: new Promise(() => {}) }) });
  const program = world.run([a], flags);
  await program.until("it runs", running(a));
  await world.cluster.admin.delete(Lease, lease);
  await world.cluster.admin.create(Lease, { metadata: { ...lease }, spec: { holderIdentity: "thief", leaseDurationSeconds: 15 } });
  expect(await program.ended()).toBe(1);
  expect(program.stderr()).toContain("the work under it does not end");
});

test("a lost driver leaves the lease with the process, and the caches", async () => {
  await using world = await startWorld({ cluster: true });
  const driver = await world.driver();
  const a = follower();
  const program = world.run([a], flags);
  await program.until("it runs", running(a));
  await driver.kill();
  await program.until("the loss is noticed", () => program.stderr().includes("Lost connection"));
  await world.driver();
  await program.until("it is back", () => program.stderr().includes('"The CSI driver is back"'));
  expect((await world.cluster.admin.get(Lease, lease)).spec).toMatchObject({ holderIdentity: "pod-1", leaseTransitions: 0 });
  expect(program.stderr().match(/Successfully acquired lease/g)).toHaveLength(1);
  expect([a.contexts.length, await listsOfVolumes(world)]).toEqual([1, 1]);
});

/** Only the embedded server can be told to refuse for a while. */
const refusable = process.env.TESTCLUSTER !== "real";

test.skipIf(!refusable)("a kind that may not be listed holds up the component that needs it, and no other", async () => {
  await using world = await startWorld({ cluster: true });
  await world.driver();
  const refused = world.cluster.embedded?.faults.add({ match: { resource: "persistentvolumes" }, action: { do: "status", code: 403 } });
  const [a, b] = [follower(), fake("b", { kube: true })];
  const program = world.run([a, b], ["--http-endpoint=127.0.0.1:0"]);
  const waiting = "waiting for caches: persistentvolumes (";
  await program.until("b runs", async () => (await program.get("/readyz?verbose"))[1].includes("[+]b ok (running)"));
  await program.until("a is refused", async () => (await program.get("/readyz?verbose"))[1].includes(`[+]a ok (starting; ${waiting}`));
  await program.clock.advance(31_000);
  expect(program.stderr()).toContain(`${waiting}`);
  refused?.remove();
  await program.clock.advance(60_000);
  await program.until("a runs", async () => (await program.get("/readyz?verbose"))[1].includes("[+]a ok (running)"));
});

async function listsOfVolumes(world: Awaited<ReturnType<typeof startWorld>>): Promise<number> {
  // The controllers and the admission of a real API server watch volumes too, again every few minutes.
  return (await world.cluster.requests({ user: "admin", resource: "persistentvolumes", verb: "watch" })).length;
}
