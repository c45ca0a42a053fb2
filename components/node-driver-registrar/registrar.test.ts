import { describe, expect, test } from "bun:test";
import { lstat, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { GrpcServer, RegistrationDefinition } from "@csi-sidecars/csi";
import { step } from "@csi-sidecars/testcluster";
import { getInfo } from "./registration-service.ts";
import { hostPath, testNode } from "./testing/node.ts";

const info = { type: "CSIPlugin", name: "driver.example.com", endpoint: hostPath, supportedVersions: ["1.0.0"] };
const present = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );
const ask = (path: string) => getInfo({ path, connectMs: 1_000, callMs: 1_000 });

test("kubelet registers the driver, and may ask as often as it likes", async () => {
  await using node = await testNode();
  const kubelet = await node.kubelet();
  const run = await node.registrar();
  await kubelet.until("the registration", () => kubelet.drivers.size === 1);
  expect(kubelet.drivers.get("driver.example.com")).toEqual(info);
  expect((await stat(node.socket)).mode & 0o777).toBe(0o700);
  expect(await readdir(node.registry)).toEqual(["driver.example.com-reg.sock"]);
  for (let i = 0; i < 100; i++) expect(await ask(node.socket)).toEqual({ step: "done", info });
  expect(run.output()).toContain('"Received NotifyRegistrationStatus call"');
  expect(kubelet.records.map(({ kind }) => kind)).toEqual(["found", "registered"]);
});

test("a kubelet that starts later, or restarts, finds the socket; the driver may be away", async () => {
  await using node = await testNode();
  const run = await node.registrar();
  await run.wrote("Registration Server started");
  await node.driver.kill();
  const kubelet = await node.kubelet();
  await kubelet.until("the registration", () => kubelet.drivers.size === 1);
  await kubelet.restart();
  await kubelet.until("the registration", () => kubelet.drivers.size === 1);
});

describe("a stop", () => {
  test("removes the socket, and kubelet forgets the driver", async () => {
    await using node = await testNode();
    const kubelet = await node.kubelet();
    const run = await node.registrar();
    await kubelet.until("the registration", () => kubelet.drivers.size === 1);
    run.signal();
    expect(await run.exit).toBe(0);
    expect(await present(node.socket)).toBe(false);
    await kubelet.until("the end", () => kubelet.records.at(-1)?.kind === "deregistered");
  });

  test("leaves the socket of another registrar alone", async () => {
    await using node = await testNode();
    const kubelet = await node.kubelet();
    const first = await node.registrar();
    await kubelet.until("the registration", () => kubelet.drivers.size === 1);
    const second = await node.registrar();
    await first.wrote("Another registrar serves this driver now");
    first.signal();
    expect(await first.exit).toBe(0);
    expect(await ask(node.socket)).toEqual({ step: "done", info });
    second.signal();
    expect(await second.exit).toBe(0);
    expect(await present(node.socket)).toBe(false);
  });

  test("in a directory that is gone is no failure", async () => {
    await using node = await testNode();
    const run = await node.registrar();
    await run.wrote("Registration Server started");
    await rm(node.registry, { recursive: true });
    run.signal();
    expect(await run.exit).toBe(0);
  });
});

describe("a socket that disappears", () => {
  test("is made again, and kubelet registers the driver again", async () => {
    await using node = await testNode();
    const kubelet = await node.kubelet();
    await node.registrar();
    await kubelet.until("the registration", () => kubelet.drivers.size === 1);
    await rm(node.socket);
    await kubelet.until("the second one", () => kubelet.records.filter(({ kind }) => kind === "registered").length === 2);
    expect((await stat(node.socket)).mode & 0o777).toBe(0o700);
  });

  test("with the registrar that had taken its place is made again by the first one", async () => {
    await using node = await testNode();
    const first = await node.registrar();
    await first.wrote("Registration Server started");
    const second = await node.registrar();
    await first.wrote("Another registrar serves this driver now");
    second.signal();
    expect(await second.exit).toBe(0);
    await first.wrote(/(?:"Registration Server started"[\s\S]*){2}/);
    expect(await ask(node.socket)).toEqual({ step: "done", info });
  });

  test("behind one that answers for another driver is made again", async () => {
    await using node = await testNode();
    const run = await node.registrar();
    await run.wrote("Registration Server started");
    const stranger = new GrpcServer().serve(RegistrationDefinition, { getInfo: () => ({ ...info, name: "stranger" }) });
    await rm(node.socket);
    await stranger.listen({ path: node.socket });
    await run.wrote(/(?:"Registration Server started"[\s\S]*){2}/);
    expect(await ask(node.socket)).toEqual({ step: "done", info });
    await stranger.kill();
  });
});

describe("alone", () => {
  test("a refusal of kubelet ends it with 1 and leaves the socket; the next start replaces it", async () => {
    await using node = await testNode();
    const kubelet = await node.kubelet({ register: () => "no room" });
    const first = await node.registrar();
    expect(await first.exit).toBe(1);
    expect(first.output()).toContain("Registration process failed with error, restarting registration container");
    expect(first.output()).toContain("plugin registration failed with err: no room");
    expect(await present(node.socket)).toBe(true);
    expect((await ask(node.socket)).step).toBe("connect");
    kubelet.register = () => undefined;
    await node.registrar();
    await kubelet.until("the registration", () => kubelet.drivers.size === 1);
  });

  for (const [what, script, code] of [
    ["slower than --timeout", step.hang, "DeadlineExceeded"],
    ["that fails", step.fail("Internal", "who am I"), "who am I"],
    ["without a name", step.reply({ name: "" }), "driver name is empty"],
  ] as const) {
    test(`a driver ${what} ends it with 1`, async () => {
      await using node = await testNode({ script: { GetPluginInfo: [script] } });
      const run = await node.registrar(["--timeout=100ms"]);
      expect(await run.exit).toBe(1);
      expect(run.output()).toContain(code);
      expect(await readdir(node.registry)).toEqual([]);
    });
  }

  test("a driver that answers within --timeout is registered for longer than that", async () => {
    await using node = await testNode({ script: { GetPluginInfo: [step.delay(20)] } });
    const kubelet = await node.kubelet();
    const run = await node.registrar(["--timeout=200ms"]);
    await kubelet.until("the registration", () => kubelet.drivers.size === 1);
    const ended = await Promise.race([run.exit, new Promise((resolve) => setTimeout(() => resolve("still runs"), 400))]);
    expect(ended).toBe("still runs");
    expect(await ask(node.socket)).toEqual({ step: "done", info });
  });

  test("a missing directory ends it with 1 and is not made", async () => {
    await using node = await testNode();
    const missing = join(node.registry, "missing");
    const run = await node.registrar([`--plugin-registration-path=${missing}`]);
    expect(await run.exit).toBe(1);
    expect(run.output()).toContain(
      `cannot create the registration socket ${missing}/driver.example.com-reg.sock: there is no directory ${missing}; mount kubelet's plugins_registry there`,
    );
    expect(await present(missing)).toBe(false);
  });

  test("a file in its place ends it with 1 and stays", async () => {
    await using node = await testNode();
    await writeFile(node.socket, "precious");
    const run = await node.registrar();
    expect(await run.exit).toBe(1);
    expect(run.output()).toContain("is not a socket");
    expect((await lstat(node.socket)).isFile()).toBe(true);
  });

  test("a path that is too long ends it with 1", async () => {
    await using node = await testNode({ name: `${"d".repeat(100)}.example.com` });
    const run = await node.registrar();
    expect(await run.exit).toBe(1);
    expect(run.output()).toContain("but socket paths are limited to");
  });
});

test("a socket that a killed predecessor left is replaced", async () => {
  await using node = await testNode();
  const dead = new GrpcServer();
  await dead.listen({ path: `${node.socket}.bound` });
  await rename(`${node.socket}.bound`, node.socket);
  await dead.kill();
  expect(await present(node.socket)).toBe(true);
  const run = await node.registrar();
  await run.wrote("Registration Server started");
  expect(await ask(node.socket)).toEqual({ step: "done", info });
});

test("a driver that dies after the registration changes nothing", async () => {
  await using node = await testNode();
  const run = await node.registrar(["--http-endpoint=127.0.0.1:0"]);
  await run.wrote("Registration Server started");
  await node.driver.kill();
  await run.wrote("Lost connection");
  expect(await ask(node.socket)).toEqual({ step: "done", info });
  const response = await fetch(`${await run.url()}/healthz`);
  expect([response.status, await response.text()]).toEqual([200, "ok"]);
});
