import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { FakeClock, until } from "@csi-sidecars/base/testing";
import { outcome, startWorld } from "./testing/driver-world.ts";
import { create, named } from "./testing/requests.ts";

const slow = { faults: [{ method: "CreateVolume", action: { delayMs: 1_000 } }] };

test("a graceful stop answers the calls in flight and then lets nobody in", async () => {
  const clock = new FakeClock();
  await using world = await startWorld({ clock, ...slow });
  const call = outcome(world.client.controller.createVolume(named("a")));
  await until("the call is under way", () => world.driver.calls.of("CreateVolume").length === 1);
  const stopped = world.driver.stop();
  await clock.advance(1_000);
  expect(await call).toBe("OK");
  await stopped;
  expect(existsSync(world.path("csi.sock"))).toBe(false);
  expect(await outcome(world.client.identity.probe({}, { timeoutMs: 500 }))).toStartWith("Unavailable");
  await world.restart("stop", { faults: [] });
  expect(world.driver.state.volumes).toHaveLength(1);
});

test("a graceful stop lets held calls go", async () => {
  await using world = await startWorld({ faults: [{ method: "CreateVolume", action: { hang: true } }] });
  const call = outcome(world.client.controller.createVolume(named("a")));
  await until("the call is held", () => world.driver.held.sequences.length === 1);
  await world.driver.stop();
  expect(await call).toBe("OK");
});

test("an abrupt stop breaks the calls in flight", async () => {
  await using world = await startWorld({ clock: new FakeClock(), ...slow });
  const call = outcome(world.client.controller.createVolume(named("a")));
  await until("the call is under way", () => world.driver.calls.of("CreateVolume").length === 1);
  await world.driver.kill();
  expect(await call).toStartWith("Unavailable");
});

test("calls take the time that a script gives their method", async () => {
  const clock = new FakeClock();
  await using world = await startWorld({ clock, random: () => 0.5 });
  world.driver.script.backend.latency({ CreateVolume: [100, 300] });
  await world.client.identity.probe({});
  const call = create(world, named("a"));
  await until("the call is under way", () => world.driver.calls.of("CreateVolume").length === 1);
  await clock.advance(199);
  expect(world.driver.state.volumes).toEqual([]);
  await clock.advance(1);
  await call;
});

test("a driver on TCP, on the port it found free", async () => {
  await using world = await startWorld({ endpoint: "tcp://127.0.0.1:0" });
  expect(world.driver.target).toMatchObject({ kind: "tcp", host: "127.0.0.1" });
  expect(await outcome(world.client.identity.probe({}))).toBe("OK");
});
