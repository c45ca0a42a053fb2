import { expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { FakeClock, until } from "@csi-sidecars/base/testing";
import { startHostpathDriver } from "./driver.ts";
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

test("a graceful stop lets a call go that would be held only now", async () => {
  const clock = new FakeClock();
  await using world = await startWorld({ clock, faults: [{ method: "CreateVolume", action: { delayMs: 1_000, hang: true } }] });
  const call = outcome(world.client.controller.createVolume(named("a")));
  await until("the call is under way", () => world.driver.calls.of("CreateVolume").length === 1);
  const stopped = world.driver.stop();
  await clock.advance(1_000);
  expect(await call).toBe("OK");
  await stopped;
});

test("a graceful stop does not wait for a client that says nothing", async () => {
  await using world = await startWorld();
  // As a client of another language may be: it does not look whether the other side has hung up.
  const silent = connect({ path: world.path("csi.sock"), allowHalfOpen: true });
  await once(silent, "connect");
  await world.driver.stop();
  silent.destroy();
});

test("a graceful stop waits for work in the background", async () => {
  const background = { doneAfterMs: 60_000 };
  await using world = await startWorld({ faults: [{ method: "CreateVolume", times: 1, action: { background } }] });
  const source = await outcome(world.client.controller.createVolume(named("a")));
  expect(source).toStartWith("DeadlineExceeded");
  await world.restart("stop", { faults: [] });
  expect(world.driver.state.volumes).toHaveLength(1);
});

test("a start that fails lets go of everything it had taken", async () => {
  await using world = await startWorld();
  const options = { nodeId: "n", mountMode: "none", stateDir: world.path("other"), controlEndpoint: world.path("control.sock") } as const;
  await expect(startHostpathDriver({ ...options, endpoint: world.path("csi.sock") })).rejects.toThrow("another process listens there");
  expect(existsSync(world.path("control.sock"))).toBe(false);
  await using driver = await startHostpathDriver({ ...options, endpoint: world.path("other.sock") });
  expect(driver.target).toEqual({ kind: "unix", path: world.path("other.sock") });
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
