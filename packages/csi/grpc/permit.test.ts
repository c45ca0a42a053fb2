import { describe, expect, test } from "bun:test";
import { RevocablePermit, until } from "@csi-sidecars/base/testing";
import { ControllerDefinition } from "../gen/csi.ts";
import { Channel } from "./channel.ts";
import { GrpcServer } from "./server.ts";
import { serviceClient } from "./service-client.ts";
import { Code, type GrpcError } from "./status.ts";
import { failureOf } from "./testing/failure.ts";
import { frame, rawHttp2Server } from "./testing/raw-http2-server.ts";
import { tempSocket } from "./testing/temp-socket.ts";

const refusal = new Error("not any more");
const unsent = { code: Code.Canceled, origin: "unsent", cause: refusal } as Partial<GrpcError>;

/** A client of a driver that is not there yet, with a permit. */
async function world() {
  const socket = await tempSocket();
  const channel = new Channel({ target: { kind: "unix", path: socket.path } });
  const { deleteVolume } = serviceClient(ControllerDefinition, channel);
  const permit = new RevocablePermit();
  const calls: string[] = [];
  const server = new GrpcServer().serve(ControllerDefinition, {
    async deleteVolume({ volumeId }, { signal }) {
      calls.push(volumeId);
      if (volumeId === "slow") await new Promise((resolve) => signal.addEventListener("abort", resolve));
      if (signal.aborted) calls.push("canceled");
      return {};
    },
  });
  return {
    ...{ socket, channel, permit, calls, deleteVolume },
    start: () => server.listen(socket),
    async [Symbol.asyncDispose]() {
      channel.close();
      await server.kill();
      await socket[Symbol.asyncDispose]();
    },
  };
}

describe("a permit is asked when a call is sent", () => {
  test("not before it waits for a connection", async () => {
    await using w = await world();
    const call = failureOf(w.deleteVolume({ volumeId: "late" }, { permit: w.permit, waitForReady: true }));
    w.permit.refused = refusal;
    await w.start();
    expect(await call).toMatchObject({ ...unsent, details: "not any more" });
    await w.deleteVolume({ volumeId: "witness" });
    expect(w.calls).toEqual(["witness"]);
  });

  test("again before it is repeated", async () => {
    await using w = await world();
    const headers: number[] = [];
    const raw = await rawHttp2Server(w.socket.path, {
      onFrame({ type, streamId }, connection) {
        if (type !== frame.headers) return;
        headers.push(streamId);
        w.permit.refused = refusal;
        connection.goaway(0, 0);
      },
    });
    const call = await failureOf(w.deleteVolume({ volumeId: "a" }, { permit: w.permit, waitForReady: true }));
    expect(call).toMatchObject(unsent);
    expect(headers).toHaveLength(1);
    await raw.close();
  });

  test("which is made if it is given", async () => {
    await using w = await world();
    await w.start();
    await w.deleteVolume({ volumeId: "a" }, { permit: w.permit, waitForReady: true });
    expect(w.calls).toEqual(["a"]);
  });
});

describe("a permit that is withdrawn", () => {
  test("cancels a call in flight, at the server too: what became of it is unknown", async () => {
    await using w = await world();
    await w.start();
    const call = failureOf(w.deleteVolume({ volumeId: "slow" }, { permit: w.permit, waitForReady: true }));
    await until("it is there", () => w.calls.length === 1);
    w.permit.withdraw(refusal);
    expect(await call).toMatchObject({ code: Code.Canceled, origin: "transport", cause: refusal } as Partial<GrpcError>);
    await until("it is canceled", () => w.calls.includes("canceled"));
  });

  test("ends the wait for a connection, and lets no call begin", async () => {
    await using w = await world();
    const call = failureOf(w.deleteVolume({ volumeId: "late" }, { permit: w.permit, waitForReady: true }));
    w.permit.withdraw(refusal);
    expect(await call).toMatchObject(unsent);
    expect(await failureOf(w.deleteVolume({ volumeId: "later" }, { permit: w.permit }))).toMatchObject(unsent);
  });
});
