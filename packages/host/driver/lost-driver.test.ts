import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type IdentityDefinition, PluginCapability_Service_Type as Service, type ServiceHandlers } from "@csi-sidecars/csi";
import { type FakeContext, fake, fakeProbe, runUntilStopped } from "../manager/testing/components.ts";
import { startWorld } from "../manager/testing/world.ts";

setDefaultTimeout(20_000);

type Identity = ServiceHandlers<typeof IdentityDefinition>;

const able = (...services: Service[]): Identity => ({
  getPluginCapabilities: () => ({ capabilities: services.map((type) => ({ type: { $case: "service", service: { type } } })) }),
});
const limited = able(Service.VOLUME_ACCESSIBILITY_CONSTRAINTS);

/** A controller that relies on what the driver can do, and remembers what it was told. */
function controller(name: string, told: Set<Service>[] = []) {
  const start = async (context: FakeContext) => {
    told.push(new Set((await context.driver.capabilities.plugin()).services));
    return runUntilStopped(context);
  };
  return fake(name, { leadership: "none", start });
}

const registrar = () => fake("registrar", { leadership: "none", driver: "named" });

describe("a driver that was lost and comes back the same", () => {
  test.each([
    ["one controller", () => [controller("a")]],
    ["several controllers", () => [controller("a"), controller("b")]],
    ["controllers and livenessprobe", () => [controller("a"), fakeProbe()]],
    ["controllers and the registrar", () => [controller("a"), registrar()]],
    ["all of them", () => [controller("a"), controller("b"), registrar(), fakeProbe()]],
  ])("restarts nothing in a process of %s", async (_what, components) => {
    await using world = await startWorld();
    const driver = await world.driver(limited);
    const started = components();
    const program = world.run(started, ["--http-endpoint=127.0.0.1:0"]);
    const page = async () => (await program.get("/readyz?verbose"))[1];
    await program.until("all run", async () => (await page()).match(/ok \(running\)/g)?.length === started.length);
    await driver.kill();
    await program.until("the loss is noticed", async () => (await page()).includes("[+]a ok (running; the CSI driver is away)"));
    const calls: string[] = [];
    await world.driver(limited, calls);
    await program.until("it goes on", async () => (await page()).includes("[+]a ok (running)"));
    expect(calls.filter((call) => call !== "probe")).toEqual(["getPluginInfo", "getPluginCapabilities"]);
    expect(started.map(({ contexts }) => [contexts.length, contexts[0]?.signal.aborted])).toEqual(started.map(() => [1, false]));
    expect(program.code).toBeUndefined();
  });

  test("and is away for ten minutes, or again and again, is waited for as patiently", async () => {
    await using world = await startWorld();
    let driver = await world.driver(limited);
    const a = controller("a");
    const program = world.run([a]);
    await program.until("it runs", () => a.contexts.length === 1);
    for (let round = 1; round <= 20; round++) {
      await driver.kill();
      if (round === 1) await program.clock.advance(600_000);
      driver = await world.driver(limited);
      await program.until("it is back", () => program.stderr().match(/"The CSI driver is back"/g)?.length === round);
    }
    expect([program.code, a.contexts.length, a.contexts[0]?.signal.aborted]).toEqual([undefined, 1, false]);
  });

  test("gets the calls that were made meanwhile, after it was identified; those with a time limit fail when that is over", async () => {
    await using world = await startWorld();
    const driver = await world.driver();
    const a = controller("a");
    const program = world.run([a]);
    await program.until("it runs", () => a.contexts.length === 1);
    const { client } = a.contexts[0]!.driver;
    await driver.kill();
    await program.until("the loss is noticed", () => program.stderr().includes("Lost connection"));
    const hurried = client.controller.deleteVolume({ volumeId: "one" }, { timeoutMs: 5_000 }).catch((error: unknown) => error);
    const patient = client.controller.deleteVolume({ volumeId: "two" }, { timeoutMs: 60_000 });
    await program.clock.advance(5_000);
    expect(await hurried).toMatchObject({
      codeName: "Unavailable",
      details: `the CSI driver at ${world.socket} is away`,
      origin: "unsent",
    });
    const calls: string[] = [];
    await world.driver({}, calls);
    let answered = false;
    void patient.then(() => (answered = true));
    await program.until("the answer", () => answered);
    expect(calls).toEqual(["probe", "getPluginInfo", "getPluginCapabilities", "deleteVolume"]);
  });

  test("does not hold up the end of the process", async () => {
    await using world = await startWorld();
    const driver = await world.driver();
    const a = controller("a");
    const program = world.run([a]);
    await program.until("it runs", () => a.contexts.length === 1);
    await driver.kill();
    await program.until("the loss is noticed", () => program.stderr().includes("Lost connection"));
    const held = a.contexts[0]?.driver.client.controller.deleteVolume({ volumeId: "two" }).catch(String);
    program.signal();
    expect([await program.ended(), await held]).toEqual([0, expect.stringContaining("is away")]);
  });

  test("while the only controller starts does not end the process: it starts again", async () => {
    await using world = await startWorld();
    let asked = 0;
    const driver = await world.driver({ probe: () => (++asked === 2 ? new Promise<never>(() => {}) : { ready: true }) });
    const start = async (context: FakeContext) => {
      await context.driver.client.identity.probe({});
      return runUntilStopped(context);
    };
    const a = fake("a", { leadership: "none", start });
    const program = world.run([a]);
    await program.until("it starts", () => asked === 2);
    await driver.kill();
    await world.driver();
    await program.until("it runs", () => program.stderr().includes("will be restarted") && a.contexts.length === 2);
    expect(program.code).toBeUndefined();
  });
});

test("a driver that comes back with other capabilities restarts those that need it, with the new ones, and nobody else", async () => {
  await using world = await startWorld();
  const driver = await world.driver(limited);
  const told: Set<Service>[] = [];
  const toldToo: Set<Service>[] = [];
  const [a, b, node, probe] = [controller("a", told), controller("b", toldToo), registrar(), fakeProbe()];
  const program = world.run([a, b, node, probe]);
  await program.until("all run", () => told.length + toldToo.length + node.contexts.length + probe.contexts.length === 4);
  await driver.kill();
  await program.until("the loss is noticed", () => program.stderr().includes("Lost connection"));
  const planned = a.contexts[0]?.driver.client.controller.deleteVolume({ volumeId: "one" }).catch(String);
  const calls: string[] = [];
  await world.driver(able(), calls);
  await program.until("they run again", () => told.length + toldToo.length === 4);
  expect(told).toEqual([new Set([Service.VOLUME_ACCESSIBILITY_CONSTRAINTS]), new Set()]);
  expect([a, b, node, probe].map(({ contexts }) => contexts.map(({ signal }) => signal.aborted))).toEqual([
    [true, false],
    [true, false],
    [false],
    [false],
  ]);
  expect(program.stderr()).toContain('"The CSI driver is back with other capabilities, its controllers are restarted"');
  expect(program.stderr()).toContain('changed="plugin"');
  expect([await planned, calls.includes("deleteVolume")]).toEqual([expect.stringContaining("is away"), false]);
  expect(program.code).toBeUndefined();
});

test.each([
  ["one controller", () => [controller("a")]],
  ["controllers and livenessprobe", () => [controller("a"), fakeProbe()]],
  ["the registrar", () => [registrar()]],
])("a driver that comes back under another name ends a process of %s, and gets no other call", async (_what, components) => {
  await using world = await startWorld();
  const driver = await world.driver();
  const started = components();
  const program = world.run(started);
  await program.until("it runs", () => started[0]?.contexts.length === 1);
  await driver.kill();
  const calls: string[] = [];
  await world.driver({ getPluginInfo: () => ({ name: "other.example.com" }) }, calls);
  const late = started[0]?.contexts[0]?.driver.client.controller.deleteVolume({ volumeId: "one" }, { timeoutMs: 1 }).catch(String);
  expect(await program.ended()).toBe(1);
  await late;
  expect(program.stderr()).toContain(
    `the CSI driver at ${world.socket} was driver.example.com and is other.example.com now: leases and caches are bound to its name`,
  );
  if (started[0]?.driver === "ready") expect(calls).not.toContain("deleteVolume");
});
