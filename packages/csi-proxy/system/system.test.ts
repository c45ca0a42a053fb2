import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import type { CsiProxyError } from "../csi-proxy-error.ts";
import { SimulatedHost, type SimulatedService } from "../testing/index.ts";
import { windowsSystemHostApi } from "./host-api.windows.ts";
import { serviceStatus, startType } from "./service-record.ts";
import { System } from "./system.ts";

function withServices(...services: SimulatedService[]) {
  const host = new SimulatedHost();
  for (const service of services) host.services.add(service);
  const clock = new FakeClock();
  return { host, clock, system: new System(windowsSystemHostApi(host, { clock }), { clock }) };
}

const failure = (call: Promise<unknown>): Promise<CsiProxyError> =>
  call.then(
    () => undefined!,
    (error) => error,
  );

describe("System on a simulated host", () => {
  test("tells the BIOS serial number, and nothing where there is none", async () => {
    const { host, system } = withServices();
    expect(await system.getBiosSerialNumber()).toEqual({ serialNumber: "SIMULATED-0001" });
    host.services.biosSerialNumber = null;
    expect(await system.getBiosSerialNumber()).toEqual({ serialNumber: "" });
  });

  test("describes a service, and says which one is missing", async () => {
    const { system } = withServices({
      name: "MSiSCSI",
      displayName: "Microsoft iSCSI Initiator Service",
      startMode: "Auto",
      state: "Running",
    });
    expect(await system.getService({ name: "msiscsi" })).toEqual({
      displayName: "Microsoft iSCSI Initiator Service",
      startType: 2,
      status: 4,
    });
    const error = await failure(system.getService({ name: "nope" }));
    expect([error.code, error.message]).toEqual(["NotFound", "failed to get service nope: service nope not found"]);
    expect((await failure(system.startService({ name: "" }))).code).toBe("InvalidArgument");
  });

  test("starts a service and asks every 200 ms whether it runs", async () => {
    const { host, clock, system } = withServices({ name: "A", polls: 3 });
    const started = system.startService({ name: "A" });
    await clock.advance(600);
    expect(await started).toEqual({});
    expect(host.operations).toEqual(["system.getService", "system.startService", ...Array(4).fill("system.getService")]);
    host.calls.length = 0;
    await system.startService({ name: "A" });
    expect(host.operations).toEqual(["system.getService"]);
  });

  test("gives up after 30 s and tells the last state", async () => {
    const { clock, system } = withServices(
      { name: "A", polls: Number.POSITIVE_INFINITY },
      { name: "B", state: "Running", polls: Number.POSITIVE_INFINITY },
    );
    const starting = failure(system.startService({ name: "A" }));
    const stopping = failure(system.stopService({ name: "B" }));
    await clock.advance(29_800);
    expect(clock.waiting).toBe(2);
    await clock.advance(200);
    const [started, stopped] = [await starting, await stopping];
    expect([started.code, started.message]).toEqual(["DeadlineExceeded", "timed out waiting for service A to become running"]);
    expect(stopped.message).toBe("timed out waiting for service B to stop");
    expect([started.cause, stopped.cause].map(String)).toEqual([
      'Error: the last state of the service was "Start Pending"',
      'Error: the last state of the service was "Stop Pending"',
    ]);
  });

  test("a start that Windows refuses is an error", async () => {
    const { host, system } = withServices({ name: "A" });
    host.failNext("system.startService", { message: "the service is disabled" });
    expect((await failure(system.startService({ name: "A" }))).message).toBe("failed to start service A: the service is disabled");
  });

  test("stops waiting when the caller does", async () => {
    const { clock, system } = withServices({ name: "A", polls: Number.POSITIVE_INFINITY });
    const abort = new AbortController();
    const started = failure(system.startService({ name: "A" }, { signal: abort.signal }));
    await clock.advance(400);
    abort.abort();
    const error = await started;
    expect([error.code, error.message]).toEqual(["Aborted", "waiting for service A: aborted"]);
    expect(clock.waiting).toBe(0);
  });

  const chain: SimulatedService[] = [
    { name: "A", state: "Running", dependents: ["B", "X", "removed"] },
    { name: "B", state: "Running", dependents: ["C"] },
    { name: "C", state: "Paused" },
    { name: "X", state: "Stopped", dependents: ["Y"] },
    { name: "Y", state: "Running" },
  ];

  test("does not stop a service that others need, unless forced", async () => {
    const { host, system } = withServices(...chain);
    const error = await failure(system.stopService({ name: "A" }));
    expect(error.message).toBe("failed to stop service A: WMI Win32_Service.StopService failed (target=A): code=3");
    expect(host.services.stateOf("B")).toBe("Running");
  });

  test("forced, stops what needs the service first; what has stopped and its dependents are left alone", async () => {
    const { host, clock, system } = withServices(...chain);
    const stopped = system.stopService({ name: "A", force: true });
    await clock.advance(5_000);
    expect(await stopped).toEqual({});
    const stops = host.calls.flatMap(({ op, params }) => (op === "system.stopService" ? [params.ServiceName] : []));
    expect(stops).toEqual(["A", "C", "B", "A"]);
    expect(["A", "B", "C", "X", "Y"].map((name) => host.services.stateOf(name))).toEqual([
      ...["Stopped", "Stopped", "Stopped", "Stopped"],
      "Running",
    ]);
    await system.stopService({ name: "A" });
    expect(host.operations.at(-1)).toBe("system.getService");
  });

  test("starts and stops of one service wait for each other", async () => {
    const { host, clock, system } = withServices({ name: "A", polls: 2 });
    const calls = Promise.all([system.startService({ name: "A" }), system.stopService({ name: "a" })]);
    await clock.advance(2_000);
    await calls;
    expect(host.services.stateOf("A")).toBe("Stopped");
    expect(host.operations.indexOf("system.stopService")).toBe(6);
  });
});

test("the words of Windows have the numbers of the API", () => {
  const states = ["Unknown", "Stopped", "Start Pending", "Stop Pending", "Running", "Continue Pending", "Pause Pending", "Paused"];
  expect(states.map((state) => Number(serviceStatus(state)))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(["Boot", "System", "Auto", "Manual", "Disabled"].map((mode) => Number(startType(mode)))).toEqual([0, 1, 2, 3, 4]);
});

test("words that are not known are 0", () => {
  expect([Number(serviceStatus("Dreaming")), Number(startType("constructor"))]).toEqual([0, 0]);
});
