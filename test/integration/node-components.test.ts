import { expect, test } from "bun:test";
import { once } from "node:events";
import { access, mkdir, mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:http2";
import { connect as connectTo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { advanceUntil, FakeClock } from "@csi-sidecars/base/testing";
import { livenessprobe } from "@csi-sidecars/livenessprobe";
import { nodeDriverRegistrar } from "@csi-sidecars/node-driver-registrar";
import { type DriverOptions, runInProcess, startPluginWatcher, startScriptedDriver } from "@csi-sidecars/testcluster";

/** A node with one process for both components, no API server in reach, and a clock of its own. */
async function nodeWorld(options: DriverOptions = {}, flags: readonly string[] = []) {
  const registry = await mkdtemp(join(tmpdir(), "registry-"));
  const driver = await startScriptedDriver(options);
  const clock = new FakeClock();
  const argv = [
    "--controllers=livenessprobe,node-driver-registrar",
    `--csi-address=${driver.address}`,
    "--http-endpoint=127.0.0.1:0",
    "--kubelet-registration-path=/host/csi.sock",
    `--plugin-registration-path=${registry}`,
    ...flags,
  ];
  const run = await runInProcess([livenessprobe, nodeDriverRegistrar], argv, { form: "all-in-one", clock });
  const url = await run.url();
  return {
    ...{ registry, driver, clock, run },
    socket: join(registry, "driver.example.com-reg.sock"),
    get: async (path: string) => {
      const response = await fetch(url + path);
      return [response.status, await response.text()] as const;
    },
    /** Lets the process's time pass until something has happened. */
    until: (what: string, happened: () => boolean | Promise<boolean>, stepMs = 10) =>
      advanceUntil(clock, () => `${what}\n${run.output()}`, happened, { stepMs }),
    async [Symbol.asyncDispose]() {
      await run[Symbol.asyncDispose]();
      await driver[Symbol.asyncDispose]();
      await rm(registry, { recursive: true, force: true });
    },
  };
}

const registrationPath = "/pluginregistration.Registration/GetInfo";

const present = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

test("both health checks answer, and kubelet registers the driver", async () => {
  await using world = await nodeWorld();
  await using kubelet = await startPluginWatcher({ directory: world.registry });
  await world.until("the registration", () => kubelet.drivers.size === 1);
  for (const path of ["/healthz", "/healthz/livenessprobe", "/healthz/node-driver-registrar"])
    expect(await world.get(path)).toEqual([200, "ok"]);
  world.driver.settings.ready = false;
  expect(await world.get("/healthz")).toEqual([500, "driver responded but is not ready"]);
  expect(await world.get("/healthz/node-driver-registrar")).toEqual([200, "ok"]);
});

test("a failed registration leaves the health check alone; the socket is created again after 10 s, then 20 s", async () => {
  await using world = await nodeWorld();
  let refusals = 2;
  await using kubelet = await startPluginWatcher({ directory: world.registry, register: () => (refusals-- > 0 ? "no room" : undefined) });
  const count = (wanted: string) => kubelet.records.filter(({ kind }) => kind === wanted).length;
  for (const [index, seconds] of [10, 20].entries()) {
    await world.until("the socket to be removed", () => count("removed") > index, 0);
    const removed = world.clock.monotonic();
    expect(await world.get("/healthz")).toEqual([200, "ok"]);
    const [status, body] = await world.get("/healthz/node-driver-registrar");
    expect([status, body]).toEqual([404, expect.stringMatching(/^registration socket does not exist: kubelet refused .*no room$/)]);
    expect((await world.get("/metrics"))[1]).toContain("csi_sidecars_driver_registered 0");
    await world.until("the socket to be back", () => count("found") > index + 1, 20);
    expect(world.clock.monotonic() - removed).toBeWithin(seconds * 1_000 - 1_000, seconds * 1_000 + 4_000);
  }
  await world.until("the registration", () => kubelet.drivers.size === 1, 0);
  const [, metrics] = await world.get("/metrics");
  expect(metrics).toContain("csi_sidecars_driver_registration_failures_total 2");
  expect(metrics).toContain("csi_sidecars_driver_registered 1");
  expect(await world.get("/healthz/node-driver-registrar")).toEqual([200, "ok"]);
});

test("a client whose request never ends does not keep the socket from being created again", async () => {
  await using world = await nodeWorld();
  await world.until("the socket", () => present(world.socket));
  const session = connect("http://localhost", { createConnection: () => connectTo(world.socket) });
  const request = () => session.request({ ":method": "POST", ":path": registrationPath, "content-type": "application/grpc" });
  const unfinished = request().on("error", () => {});
  await once(request().end(), "response");
  expect(unfinished.closed).toBe(false);
  let refusals = 1;
  await using kubelet = await startPluginWatcher({ directory: world.registry, register: () => (refusals-- > 0 ? "no room" : undefined) });
  await world.until("the registration", () => kubelet.drivers.size === 1, 20);
  session.destroy();
});

test("a missing directory leaves the health check alone; the socket is created when the directory exists", async () => {
  const missing = join(await mkdtemp(join(tmpdir(), "late-")), "registry");
  try {
    await using world = await nodeWorld({}, [`--plugin-registration-path=${missing}`]);
    await world.until("the failure", () => world.run.output().includes("Failed to create the registration socket, will be retried"), 0);
    expect(await world.get("/healthz")).toEqual([200, "ok"]);
    expect(await world.get("/healthz/node-driver-registrar")).toEqual([
      404,
      expect.stringMatching(/^registration socket does not exist: cannot create .*: there is no directory .*\/registry; mount /),
    ]);
    await mkdir(missing);
    await world.until("the socket", () => present(join(missing, "driver.example.com-reg.sock")), 1_000);
    expect(await world.get("/healthz/node-driver-registrar")).toEqual([200, "ok"]);
  } finally {
    await rm(dirname(missing), { recursive: true });
  }
});

test("a driver that comes late, and goes, is waited for without a restart", async () => {
  await using world = await nodeWorld({ started: false }, ["--livenessprobe-probe-timeout=50ms"]);
  await world.until("a minute", () => world.clock.monotonic() > 60_000, 1_000);
  const health = world.get("/healthz");
  await world.until("the answer", async () => Boolean(await Promise.race([health, Promise.resolve(false)])));
  expect((await health)[0]).toBe(500);
  await world.driver.start();
  await world.until("the socket", () => present(world.socket), 100);
  expect(await world.get("/healthz")).toEqual([200, "ok"]);
  await world.driver.kill();
  expect(await present(world.socket)).toBe(true);
  world.run.signal();
  expect(await world.run.exit).toBe(0);
  expect(await present(world.socket)).toBe(false);
});

test("without livenessprobe a driver that is not there within 30 s ends the process", async () => {
  const clock = new FakeClock();
  const argv = ["--csi-address=/nowhere/csi.sock", "--kubelet-registration-path=/host/csi.sock", "--plugin-registration-path=/nowhere"];
  await using run = await runInProcess([nodeDriverRegistrar], argv, { clock });
  let code: number | undefined;
  void run.exit.then((ended) => {
    code = ended;
  });
  while (code === undefined && clock.monotonic() < 40_000) await clock.advance(1_000);
  expect([await run.exit, Math.round(clock.monotonic() / 1_000)]).toEqual([1, 30]);
  expect(run.output()).toContain("context deadline exceeded");
});
