import { describe, expect, test } from "bun:test";
import { silentLogger } from "@csi-sidecars/base";
import { FakeClock, RevocablePermit } from "@csi-sidecars/base/testing";
import { Code, type GrpcError } from "@csi-sidecars/csi";
import { connect, createClient, mergePatch, PersistentVolume } from "@csi-sidecars/kube";
import { guardedCall, guardedEvents, guardedTransport } from "./write-guard.ts";

const refusal = new Error("not any more");

/** A client with one token per second, and a server that answers everything. */
function world() {
  const sent: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ method }) {
      sent.push(method);
      return Response.json({});
    },
  });
  const clock = new FakeClock();
  const permit = new RevocablePermit();
  const config = { source: "a test", server: `http://127.0.0.1:${server.port}`, tls: { insecure: false } };
  const transport = connect({ ...config, credentials: { kind: "none" }, disableCompression: false }, { userAgent: "test/v1", clock });
  const client = createClient({
    ...{ clock, log: silentLogger, name: "a", qps: 1, burst: 1 },
    transport: guardedTransport(transport, permit),
  });
  return {
    ...{ client, clock, permit, sent },
    async [Symbol.asyncDispose]() {
      transport.close();
      await server.stop(true);
    },
  };
}

describe("requests to the API server", () => {
  test("reads need no permit, writes do", async () => {
    await using w = world();
    w.permit.withdraw(refusal);
    await w.client.get(PersistentVolume, { name: "a" });
    const write = w.client.patch(PersistentVolume, { name: "a" }, mergePatch({})).catch((error: unknown) => error);
    await w.clock.advance(1_000);
    expect(await write).toMatchObject({ kind: "aborted", cause: refusal });
    expect(w.sent).toEqual(["GET"]);
  });

  test("a write that waits for its token is refused then", async () => {
    await using w = world();
    await w.client.create(PersistentVolume, { metadata: { name: "a" } });
    const late = w.client.delete(PersistentVolume, { name: "a" }).catch((error: unknown) => error);
    await w.clock.advance(500);
    w.permit.refused = refusal;
    await w.clock.advance(500);
    expect(await late).toMatchObject({ message: expect.stringContaining("request was not sent: not any more"), cause: refusal });
    expect(w.sent).toEqual(["POST"]);
  });
});

describe("calls to the driver", () => {
  test.each(["getCapacity", "listVolumes", "controllerGetVolume", "nodeGetInfo", "probe", "validateVolumeCapabilities"])(
    "%s needs no permit",
    (method) => {
      const permit = new RevocablePermit();
      permit.refused = refusal;
      expect(guardedCall(method, permit, { timeoutMs: 1 })).toEqual({ timeoutMs: 1 });
    },
  );

  test.each(["createVolume", "deleteVolume", "controllerPublishVolume", "controllerExpandVolume", "createVolumeGroupSnapshot"])(
    "%s is made with one, and refused without",
    (method) => {
      const permit = new RevocablePermit();
      expect(guardedCall(method, permit, { timeoutMs: 1 })).toEqual({ timeoutMs: 1, permit });
      permit.refused = refusal;
      let error: unknown;
      try {
        guardedCall(method, permit, {});
      } catch (thrown) {
        error = thrown;
      }
      const unsent: Partial<GrpcError> = { code: Code.Canceled, origin: "unsent", details: `${method} was refused: not any more` };
      expect(error).toMatchObject(unsent);
    },
  );
});

test("events are recorded with a permit only", () => {
  const recorded: string[] = [];
  const permit = new RevocablePermit();
  const { event } = guardedEvents({ event: (_about, _type, reason) => void recorded.push(reason) }, permit);
  const about = { apiVersion: "v1", kind: "Pod", name: "a" } as Parameters<typeof event>[0];
  event(about, "Normal", "Before", "");
  permit.refused = refusal;
  event(about, "Warning", "After", "");
  expect(recorded).toEqual(["Before"]);
});
