import { describe, expect, test } from "bun:test";
import { readdir, rm } from "node:fs/promises";
import { until } from "@csi-sidecars/base/testing";
import { type Step, step } from "@csi-sidecars/testcluster";
import { probeWorld } from "./testing/probe-world.ts";

const quick = ["--probe-timeout=300ms"];

describe("the answer follows the driver's", () => {
  const cases: { driver: string; says: Step<"Probe">; status: number; body: string }[] = [
    { driver: "that says nothing of readiness", says: step.reply({}), status: 200, body: "ok" },
    { driver: "that is ready", says: step.reply({ ready: true }), status: 200, body: "ok" },
    { driver: "that is not ready", says: step.reply({ ready: false }), status: 500, body: "driver responded but is not ready" },
    ...(["FailedPrecondition", "Unavailable", "Unimplemented"] as const).map((code) => ({
      driver: `that fails with ${code}`,
      says: step.fail(code, "no way"),
      status: 500,
      body: `rpc error: code = ${code} desc = no way`,
    })),
    {
      driver: "that is too slow",
      says: step.hang,
      status: 500,
      body: "rpc error: code = DeadlineExceeded desc = context deadline exceeded",
    },
  ];
  for (const { driver, says, status, body } of cases) {
    test(`a driver ${driver}: ${status}`, async () => {
      await using world = await probeWorld({ script: { Probe: [says] } }, quick);
      expect(await world.healthz()).toEqual([status, body]);
      expect(world.driver.calls("Probe").map(({ request }) => request)).toEqual([{}]);
    });
  }
});

describe("a driver that cannot be reached", () => {
  test("whose socket was removed is unhealthy although it still runs", async () => {
    await using world = await probeWorld({}, quick);
    expect(await world.healthz()).toEqual([200, "ok"]);
    await rm(world.driver.address);
    const [status, body] = await world.healthz();
    expect(status).toBe(500);
    expect(body).toBe(`context deadline exceeded: dial unix ${world.driver.address}: connect: no such file or directory`);
  });

  test("that was killed stays unhealthy, and is healthy again on a new socket without a restart", async () => {
    await using world = await probeWorld({}, quick);
    expect(await world.healthz()).toEqual([200, "ok"]);
    await world.driver.kill();
    for (let i = 0; i < 2; i++) {
      const [status, body] = await world.healthz();
      expect([status, body]).toEqual([500, expect.stringMatching(/^context deadline exceeded: dial unix .*: connection refused$/)]);
    }
    await world.driver.start();
    expect(await world.healthz()).toEqual([200, "ok"]);
  });

  test("that is not there when the program starts is waited for", async () => {
    await using world = await probeWorld({ started: false }, quick);
    expect((await world.healthz())[0]).toBe(500);
    await world.driver.start();
    expect(await world.healthz()).toEqual([200, "ok"]);
  });

  test("is unhealthy at once where checks have no time", async () => {
    await using world = await probeWorld({}, ["--probe-timeout=0"]);
    expect(await world.healthz()).toEqual([500, "context deadline exceeded"]);
    expect(world.driver.calls("Probe")).toEqual([]);
  });
});

test.each([
  ["fails", step.fail("Internal", "who knows"), "rpc error: code = Internal desc = who knows"],
  ["is empty", step.reply({ name: "" }), "driver name is empty"],
])("a driver whose name %s at the start is asked again, and its health does not depend on that", async (_, answer, reason) => {
  await using world = await probeWorld({ script: { GetPluginInfo: [answer] } });
  await world.run.wrote(reason);
  expect(await world.healthz()).toEqual([200, "ok"]);
  await world.driver.called("GetPluginInfo", 2);
  expect(world.run.output()).not.toContain("Exiting");
});

test("any method asks; every other path is unknown", async () => {
  await using world = await probeWorld();
  for (const method of ["GET", "POST"]) expect(await world.healthz({ method })).toEqual([200, "ok"]);
  expect(await world.healthz({ method: "HEAD" })).toEqual([200, ""]);
  expect((await world.get("/healthz?why=not"))[0]).toBe(200);
  for (const path of ["/healthz/", "/", "/healthy"]) expect((await world.get(path))[0]).toBe(404);
});

describe("many who ask", () => {
  test("at the same time share a probe", async () => {
    await using world = await probeWorld({ script: { Probe: [step.waitFor("go")] } });
    const first = world.healthz();
    await world.driver.called("Probe");
    const others = Array.from({ length: 50 }, () => world.healthz());
    await world.get("/nowhere");
    world.driver.release("go");
    expect(new Set((await Promise.all([first, ...others])).map(String))).toEqual(new Set(["200,ok"]));
    expect(world.driver.calls("Probe").length).toBeLessThan(5);
  });

  test("after a probe began do not take its failure for theirs", async () => {
    await using world = await probeWorld({ script: { Probe: [step.waitFor("go", step.fail("Internal", "old news"))] } });
    const first = world.healthz();
    await world.driver.called("Probe");
    const second = world.healthz();
    await world.get("/nowhere");
    world.driver.release("go");
    expect(await first).toEqual([500, "rpc error: code = Internal desc = old news"]);
    expect(await second).toEqual([200, "ok"]);
  });

  test("of a driver that hangs, each within the time of one check", async () => {
    await using world = await probeWorld({ script: { Probe: [step.hang, step.hang, step.hang] } }, ["--probe-timeout=2s"]);
    const first = world.healthz();
    await world.driver.called("Probe");
    const asked = performance.now();
    const [status] = await world.healthz();
    expect([status, (await first)[0]]).toEqual([500, 500]);
    expect(performance.now() - asked).toBeLessThan(3_800);
  });

  test("one after the other, and in parallel, leave nothing open", async () => {
    await using world = await probeWorld();
    const round = async () => {
      for (let i = 0; i < 100; i++) await world.healthz();
      await Promise.all(Array.from({ length: 50 }, () => world.healthz()));
      await world.healthz();
    };
    await round();
    const before = (await readdir("/proc/self/fd")).length;
    await round();
    await round();
    await until("the connections to close", async () => (await readdir("/proc/self/fd")).length < before + 20);
  });

  test("and go away: the probe ends with the last of them", async () => {
    await using world = await probeWorld({ script: { Probe: [step.hang] } }, ["--probe-timeout=30s"]);
    const leave = [new AbortController(), new AbortController()] as const;
    const asking = leave.map(({ signal }) => world.healthz({ signal }).catch(() => "gone"));
    await world.driver.called("Probe");
    leave[0].abort();
    expect(await asking[0]).toBe("gone");
    await world.get("/nowhere");
    expect(world.driver.calls("Probe")[0]?.outcome).toBeUndefined();
    leave[1].abort();
    await world.driver.until("the end of the probe", () => world.driver.calls("Probe")[0]?.outcome !== undefined);
    expect(await world.healthz()).toEqual([200, "ok"]);
  });
});

describe("a driver that is dead while clients give up", () => {
  const failed = "Failed to establish connection to CSI driver";

  test("is probed again for every later check", async () => {
    await using world = await probeWorld({}, quick);
    await world.healthz();
    await world.driver.kill();
    for (let i = 0; i < 5; i++) {
      await world.healthz({ signal: AbortSignal.timeout(20) }).catch(() => "gone");
      expect((await world.healthz())[1]).toMatch(/^context deadline exceeded: dial unix .*: connection refused$/);
    }
    const [, metrics] = await world.get("/metrics");
    expect(metrics).toMatch(/csi_sidecars_driver_health_checks_total\{result="unhealthy"\} 10\n/);
    await world.driver.start();
    expect(await world.healthz()).toEqual([200, "ok"]);
  });

  test("is in the log once for each reason, and at the end how often", async () => {
    await using world = await probeWorld({}, quick);
    await world.healthz();
    await world.driver.kill();
    for (let i = 0; i < 3; i++) {
      await world.healthz({ signal: AbortSignal.timeout(20) }).catch(() => "gone");
      await world.healthz();
    }
    const lines = () =>
      world.run
        .output()
        .split("\n")
        .filter((line) => line.includes(failed));
    expect(lines().map((line) => /err="(context [a-z ]+)/.exec(line)?.[1])).toEqual(["context canceled", "context deadline exceeded"]);
    world.run.signal();
    await world.run.exit;
    expect(lines().map((line) => /repeated=(\d+)/.exec(line)?.[1])).toEqual([undefined, undefined, "2", "2"]);
  });
});

test("a stop does not wait for a driver that hangs", async () => {
  await using world = await probeWorld({ script: { Probe: [step.hang] } }, ["--probe-timeout=30s"]);
  const asking = world.healthz().catch(() => "cut off");
  await world.driver.called("Probe");
  world.run.signal();
  expect(await world.run.exit).toBe(0);
  await asking;
});
