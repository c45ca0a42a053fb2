import { describe, expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { recordingLogger } from "@csi-sidecars/base/testing";
import { ControllerDefinition, IdentityDefinition, SnapshotMetadataDefinition } from "../gen/csi.ts";
import { GrpcServer } from "../grpc/server.ts";
import { Code, GrpcError } from "../grpc/status.ts";
import { failureOf } from "../grpc/testing/failure.ts";
import { tempSocket } from "../grpc/testing/temp-socket.ts";
import { exposition } from "../metrics/exposition.ts";
import { operationMetrics } from "../metrics/operation-metrics.ts";
import { type ConnectOptions, connectDriver } from "./connect.ts";

async function world(options: Partial<ConnectOptions> & { verbosity?: number } = {}) {
  const socket = await tempSocket();
  const server = new GrpcServer().serve(IdentityDefinition, {}).serve(ControllerDefinition, {
    createVolume: ({ name, secrets }) => {
      if (name === "wrong") throw new GrpcError(Code.InvalidArgument, `login with ${secrets.password} failed`);
      if (name.startsWith("code ")) throw new GrpcError(Number(name.slice(5)), "no");
      return { volume: { volumeId: name.repeat(3), capacityBytes: 2n ** 53n + 1n } };
    },
  });
  server.serve(SnapshotMetadataDefinition, {
    // biome-ignore lint/correctness/useYield: the stream fails before its first answer
    async *getMetadataDelta({ secrets }) {
      throw new GrpcError(Code.PermissionDenied, `login with ${secrets.password} failed`);
    },
    async *getMetadataAllocated({ secrets }) {
      yield { volumeCapacityBytes: 1n };
      throw new GrpcError(Code.DataLoss, `Basic ${Buffer.from(`user:${secrets.password}`).toString("base64url")} expired`);
    },
  });
  await server.listen(socket);
  const log = recordingLogger(options.verbosity ?? 5);
  const connection = await connectDriver({ address: socket.path, log, ...options });
  return {
    log,
    connection,
    calls: () => log.lines.filter((line) => line.message.startsWith("GRPC")),
    async [Symbol.asyncDispose]() {
      connection.close();
      await server.kill();
      await socket[Symbol.asyncDispose]();
    },
  };
}

describe("the log of calls", () => {
  test("shows call and answer without secrets", async () => {
    await using w = await world();
    await w.connection.driver.controller.createVolume({ name: "data", secrets: { password: "hunter2" } });
    expect(w.calls()).toMatchObject([
      {
        level: 5,
        message: "GRPC call",
        fields: { rpc: 1, method: "/csi.v1.Controller/CreateVolume", request: '{"name":"data","secrets":"***stripped***"}' },
      },
      {
        level: 5,
        message: "GRPC response",
        fields: { rpc: 1, response: '{"volume":{"capacity_bytes":9007199254740993,"volume_id":"datadatadata"}}', err: null },
      },
    ]);
  });

  test("shows errors without secrets, and passes them on so", async () => {
    await using w = await world();
    const call = w.connection.driver.controller.createVolume({ name: "wrong", secrets: { password: "hunter2" } });
    const text = "rpc error: code = InvalidArgument desc = login with ***stripped*** failed";
    expect(String(await failureOf(call))).toBe(text);
    expect(w.calls()[1]?.fields).toEqual({ rpc: 1, response: "{}", err: text });
    expect(JSON.stringify(w.log.lines)).not.toContain("hunter2");
  });

  test.each(["getMetadataDelta", "getMetadataAllocated"] as const)("passes on errors of the stream %s without secrets", async (method) => {
    await using w = await world();
    const answers = w.connection.driver.snapshotMetadata[method]({ secrets: { password: "hunter2" } });
    const failure = await failureOf(Array.fromAsync(answers));
    expect(failure).toMatchObject({ code: method === "getMetadataDelta" ? Code.PermissionDenied : Code.DataLoss, origin: "peer" });
    expect(failure.message).toContain("***stripped***");
    expect(failure.message).not.toMatch(/hunter2|odW50ZXIy/);
  });

  test("cuts long answers, never requests", async () => {
    await using w = await world({ maxLogLength: 20 });
    await w.connection.driver.controller.createVolume({ name: "a-name-longer-than-the-limit" });
    const [request, response] = w.calls();
    expect(request?.fields.request).toBe('{"name":"a-name-longer-than-the-limit"}');
    expect(response?.fields.response).toBe('{"volume":{"capacity [response body too large, log capped to 20 chars]');
  });

  test("ends after 1 MiB of a message where no limit is set", async () => {
    await using w = await world();
    await w.connection.driver.controller.createVolume({ name: "x".repeat(1_100_000) });
    const [request, response] = w.calls().map(({ fields }) => String(fields.request ?? fields.response));
    expect(request).toEndWith("xxx [request body too large, log capped to 1048576 chars]");
    expect(response).toEndWith("xxx [response body too large, log capped to 1048576 chars]");
    expect([request?.indexOf(" "), response?.indexOf(" ")]).toEqual([1_048_576, 1_048_576]);
  });

  test("is silent below verbosity 5", async () => {
    await using w = await world({ verbosity: 4 });
    await w.connection.driver.controller.createVolume({ name: "data" });
    expect(w.calls()).toEqual([]);
  });

  test("belongs to the caller's logger", async () => {
    await using w = await world();
    await w.connection.driver.controller.createVolume({ name: "data" }, { log: w.log.named("provisioner") });
    expect(w.calls().map((line) => line.logger)).toEqual(["provisioner", "provisioner"]);
  });
});

describe("the metric of calls", () => {
  const count = async (registry: Registry) => (await exposition(registry)).split("\n").filter((line) => line.includes("_count{"));

  test("has the exact labels of a call that is not implemented", async () => {
    const registry = new Registry();
    const metrics = operationMetrics({ registry });
    metrics.setDriver("fake.csi.driver.io");
    await using w = await world({ metrics });
    await failureOf(w.connection.driver.identity.getPluginInfo({}));
    expect(await count(registry)).toEqual([
      'csi_sidecar_operations_seconds_count{driver_name="fake.csi.driver.io",grpc_status_code="Unimplemented",method_name="/csi.v1.Identity/GetPluginInfo"} 1',
    ]);
  });

  test("does not grow with the codes that a driver invents", async () => {
    const registry = new Registry();
    await using w = await world({ metrics: operationMetrics({ registry }) });
    for (const code of [17, 99, 100, 4711, 2 ** 31 - 1])
      await failureOf(w.connection.driver.controller.createVolume({ name: `code ${code}` }));
    const codes = (await count(registry)).map((line) => /grpc_status_code="([^"]*)".* (\d+)$/.exec(line)?.slice(1));
    expect(codes).toEqual([
      ["Code(17)", "1"],
      ["Code(99)", "1"],
      ["Unknown", "3"],
    ]);
  });

  test("knows calls for migrated volumes, and the labels a caller adds", async () => {
    const registry = new Registry();
    const metrics = operationMetrics({ registry, varyingLabels: ["controller"] });
    metrics.setDriver("ebs.csi.aws.com", { migratable: true });
    await using w = await world({ metrics });
    await w.connection.driver.controller.createVolume({ name: "x" }, { migrated: true, metricLabels: { controller: "provisioner" } });
    expect(await count(registry)).toEqual([
      'csi_sidecar_operations_seconds_count{controller="provisioner",driver_name="ebs.csi.aws.com",grpc_status_code="OK",method_name="/csi.v1.Controller/CreateVolume",migrated="true"} 1',
    ]);
  });
});
