import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type HungDriver, startHungDriver } from "@csi-sidecars/testcluster";
import { fake, fakeProbe } from "../manager/testing/components.ts";
import { startWorld } from "../manager/testing/world.ts";
import { aborted } from "../signals.ts";

setDefaultTimeout(20_000);

const hangs = ["silent", "greets"] as const satisfies readonly HungDriver[];
const individual = { form: "individual" } as const;
const registrar = () => fake("registrar", { leadership: "none", driver: "named" });
const controller = () => fake("a", { leadership: "none" });
/** Longer than every time limit of a process. */
const longMs = 300_000;

describe("a driver that was lost and comes back hung", () => {
  const programs = [
    { program: "the individual livenessprobe", components: () => [fakeProbe()], options: individual },
    { program: "the individual registrar", components: () => [registrar()], options: individual },
    { program: "the registrar alone", components: () => [registrar()], options: {} },
    { program: "controllers", components: () => [controller()], options: {} },
    { program: "controllers and livenessprobe", components: () => [controller(), fakeProbe()], options: {} },
  ];
  for (const { program, components, options } of programs) {
    test.each([...hangs])(`ends no process of ${program} (%s)`, async (how) => {
      await using world = await startWorld();
      const driver = await world.driver();
      const started = components();
      const run = world.run(started, [], options);
      await run.until("all run", () => started.every(({ contexts }) => contexts.length === 1));
      await run.until("the driver is known", () => started[0]?.contexts[0]?.driver.name === "driver.example.com");
      await driver.kill();
      {
        await using _hung = await startHungDriver(world.socket, how);
        await run.clock.advance(longMs);
        expect([run.code, run.stderr()]).toEqual([undefined, expect.stringContaining("Lost connection")]);
      }
      const calls: string[] = [];
      await world.driver({}, calls);
      await run.until("the driver is asked again", () => calls.includes("getPluginInfo"));
      await run.until("all run again", () => started.every(({ contexts }) => contexts.at(-1)?.signal.aborted === false));
      expect(run.code).toBeUndefined();
    });
  }
});

test("a driver that is connected and answers nothing is told by /readyz", async () => {
  await using world = await startWorld();
  await world.driver({ probe: () => new Promise(() => {}) });
  const asking = fake("a", {
    ...{ leadership: "none", driver: "named" },
    async start({ driver, signal }) {
      void driver.client.identity.probe({}, { timeoutMs: longMs, signal }).catch(() => {});
      return { done: aborted(signal) };
    },
  });
  const run = world.run([asking], ["--http-endpoint=127.0.0.1:0"]);
  const page = async () => (await run.get("/readyz?verbose"))[1];
  await run.until("it is told", async () => /^\[!\]driver warning: no call was answered for 1\d s\n/.test(await page()));
  expect((await run.get("/readyz"))[0]).toBe(200);
});

describe("a driver that hangs from the start", () => {
  /** What upstream's program does, and the all-in-one where it differs: it waits wherever livenessprobe is among the controllers. */
  const outcomes = [
    { program: "the individual livenessprobe", components: () => [fakeProbe()], options: individual, silent: "waits", greets: "waits" },
    { program: "the individual registrar", components: () => [registrar()], options: individual, silent: "connect", greets: "identify" },
    { program: "an individual controller", components: () => [controller()], options: individual, silent: "connect", greets: "waits" },
    { program: "the all-in-one", components: () => [controller(), registrar()], options: {}, silent: "connect", greets: "waits" },
    { program: "the same and livenessprobe", components: () => [controller(), fakeProbe()], options: {}, silent: "waits", greets: "waits" },
  ] as const;
  const ends = { connect: "cannot connect to the CSI driver", identify: "cannot identify the CSI driver" };
  for (const { program, components, options, ...outcome } of outcomes) {
    test.each([...hangs])(`${program}: %s`, async (how) => {
      await using world = await startWorld();
      const hung = await startHungDriver(world.socket, how);
      const run = world.run(components(), [], options);
      const expected = outcome[how];
      if (expected === "waits") {
        await run.clock.advance(longMs);
        expect([run.code, run.stderr()]).toEqual([undefined, expect.not.stringContaining("Exiting")]);
      } else {
        expect(await run.ended()).toBe(1);
        expect(run.stderr()).toContain(`${ends[expected]} at ${world.socket}: `);
      }
      await hung[Symbol.asyncDispose]();
      if (expected !== "waits") return;
      const calls: string[] = [];
      await world.driver({}, calls);
      // An individual controller that was connected exits, as upstream's.
      if (program === "an individual controller") expect(await run.ended()).toBe(1);
      else await run.until("the driver is asked", () => calls.includes("getPluginInfo"));
    });
  }
});
