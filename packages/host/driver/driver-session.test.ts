import { describe, expect, setDefaultTimeout, test } from "bun:test";
import type { Component } from "../component.ts";
import { type FakeTable, fake, fakeProbe } from "../manager/testing/components.ts";
import { startWorld } from "../manager/testing/world.ts";

setDefaultTimeout(20_000);

const elected = { leadership: "none" } as const;

describe("a driver", () => {
  test("that is not there within 30 s ends the process", async () => {
    await using world = await startWorld();
    const a = fake("a", elected);
    const program = world.run([a]);
    await program.clock.advance(29_000);
    expect(program.code).toBeUndefined();
    await program.clock.advance(1_000);
    expect([await program.ended(), a.contexts.length]).toEqual([1, 0]);
    expect(program.stderr()).toContain(`cannot connect to the CSI driver at ${world.socket}: context deadline exceeded`);
  });

  test("is waited for without end where the process answers for it; /healthz answers meanwhile", async () => {
    await using world = await startWorld();
    const [a, probe] = [fake("a", elected), fakeProbe()];
    const program = world.run([a, probe], ["--http-endpoint=127.0.0.1:0"]);
    await program.until("the probe runs", () => probe.contexts.length === 1);
    await program.clock.advance(120_000);
    expect((await program.get("/healthz"))[0]).toBe(500);
    expect((await program.get("/readyz"))[1]).toContain(`[-]driver failed: the CSI driver at ${world.socket} was not reached yet`);
    await world.driver();
    await program.until("a runs", () => a.contexts.length === 1);
    expect([await program.get("/healthz"), await program.get("/readyz")]).toEqual([
      [200, "ok"],
      [200, "ok"],
    ]);
  });

  test("is probed until it is ready, then asked for its name, once", async () => {
    await using world = await startWorld();
    const calls: string[] = [];
    let ready = false;
    await world.driver({ probe: () => ({ ready }) }, calls);
    const [a, b] = [fake("a", elected), fake("b", elected)];
    const program = world.run([a, b]);
    await program.until("three probes", () => calls.length === 3);
    expect(a.contexts).toHaveLength(0);
    ready = true;
    await program.until("both run", () => a.contexts.length + b.contexts.length === 2);
    expect(calls.filter((call) => !call.includes("Capabilities")).slice(-2)).toEqual(["probe", "getPluginInfo"]);
    expect(a.contexts[0]?.driver.name).toBe("driver.example.com");
    await Promise.all([a.contexts[0]?.driver.capabilities.plugin(), b.contexts[0]?.driver.capabilities.plugin()]);
    expect(calls.filter((call) => call === "getPluginCapabilities")).toHaveLength(1);
  });

  test("is not probed for components that only need its name", async () => {
    await using world = await startWorld();
    const calls: string[] = [];
    await world.driver({}, calls);
    const a = fake("a", { ...elected, driver: "named" });
    const program = world.run([a]);
    await program.until("it runs", () => a.contexts.length === 1);
    expect(calls).toEqual(["getPluginInfo"]);
  });

  test("that does not answer with its name is asked again; with policy exit it ends the process", async () => {
    await using world = await startWorld();
    let asked = 0;
    await world.driver({ getPluginInfo: () => ({ name: ++asked <= 2 ? "" : "driver.example.com" }) });
    const strict = world.run([fake("a", elected)], ["--loss-policy=exit"]);
    expect(await strict.ended()).toBe(1);
    expect(strict.stderr()).toContain("driver name is empty");
    const patient = fake("a", elected);
    const program = world.run([patient]);
    await program.until("it runs", () => patient.contexts.length === 1);
  });

  test("that replaces an in-tree plugin gets the label migrated", async () => {
    await using world = await startWorld();
    await world.driver({ getPluginInfo: () => ({ name: "ebs.csi.aws.com" }) });
    const a = fake("a", elected);
    const program = world.run([a], ["--http-endpoint=127.0.0.1:0"]);
    await program.until("it runs", () => a.contexts.length === 1);
    await a.contexts[0]?.driver.client.identity.probe({}, { migrated: true });
    expect((await program.get("/metrics"))[1]).toContain(
      'csi_sidecar_operations_seconds_count{driver_name="ebs.csi.aws.com",grpc_status_code="OK",method_name="/csi.v1.Identity/Probe",migrated="true"} 1',
    );
  });
});

describe("a lost driver", () => {
  test.each([
    ["with policy exit", ["--loss-policy=exit"], {}],
    ["in an individual program", [], { form: "individual" }],
  ] as const)("ends the process with a message for the kubelet %s", async (_when, flags, options) => {
    await using world = await startWorld();
    const driver = await world.driver();
    const a = fake("a", elected);
    const program = world.run([a], flags, options);
    await program.until("it runs", () => a.contexts.length === 1);
    await driver.kill();
    expect(await program.ended()).toBe(1);
    expect(await world.terminationMessage()).toBe("Lost connection to CSI driver, exiting");
    expect(program.stderr()).toContain("Lost connection to CSI driver, exiting");
  });

  test("does not trouble components that need only its name", async () => {
    await using world = await startWorld();
    const driver = await world.driver();
    const registrar = fake("registrar", { leadership: "none", driver: "named" });
    const program = world.run([registrar]);
    await program.until("it runs", () => registrar.contexts.length === 1);
    await driver.kill();
    const calls: string[] = [];
    await world.driver({}, calls);
    await program.until("it is asked again", () => calls.length === 1);
    expect([program.code, registrar.contexts.length, registrar.contexts[0]?.signal.aborted]).toEqual([undefined, 1, false]);
  });

  test("does not keep a process from draining", async () => {
    await using world = await startWorld();
    const driver = await world.driver();
    const work = Promise.withResolvers<void>();
    const a = fake("a", { ...elected, start: async () => ({ done: work.promise }) });
    const program = world.run([a]);
    await program.until("it runs", () => a.contexts.length === 1);
    program.signal();
    await driver.kill();
    await program.until("the loss is noticed", () => program.stderr().includes("Lost connection"));
    expect(program.code).toBeUndefined();
    work.resolve();
    expect(await program.ended()).toBe(0);
  });
});

describe("a driver that a component cannot serve", () => {
  const unsupported = async () => "CSI driver does not support snapshots";

  test("ends the process if there is no other component", async () => {
    await using world = await startWorld();
    await world.driver();
    const program = world.run([fake("a", { ...elected, unsupported })]);
    expect(await program.ended()).toBe(1);
    expect(program.stderr()).toContain('"CSI driver does not support snapshots"');
  });

  test("disables only that component, until the driver comes back and can be served", async () => {
    await using world = await startWorld();
    const driver = await world.driver();
    const unable: Component<FakeTable>["unsupported"] = async ({ driver: { capabilities } }) =>
      (await capabilities.plugin()).services.size > 0 ? undefined : "no snapshots";
    const a = fake("a", { ...elected, unsupported: unable });
    const b = fake("b", elected);
    const program = world.run([a, b], ["--http-endpoint=127.0.0.1:0"]);
    await program.until("b runs", () => b.contexts.length === 1);
    await program.until("a is disabled", () => program.stderr().includes("controller disabled: no snapshots"));
    expect((await program.get("/metrics"))[1]).toMatch(/controller_enabled{controller="a"} 0\n.*controller="b"} 1/);
    expect(await program.get("/healthz/a")).toEqual([200, "a is disabled: no snapshots"]);
    await driver.kill();
    await world.driver({ getPluginCapabilities: () => ({ capabilities: [{ type: { $case: "service", service: { type: 1 } } }] }) });
    await program.until("a runs", () => a.contexts.length === 1);
    expect((await program.get("/metrics"))[1]).toContain('controller_enabled{controller="a"} 1');
  });
});
