import { expect, test } from "bun:test";
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";
import { connect as connectTo } from "node:net";
import { until } from "@csi-sidecars/base/testing";
import { GrpcServer, IdentityDefinition } from "@csi-sidecars/csi";
import { frameMessage } from "../../packages/csi/grpc/framing.ts";
import { tempSocket } from "../../packages/csi/grpc/testing/temp-socket.ts";

// Clients that do to our server what no client should: each call fails at once, and the server serves the next one.

const path = "/csi.v1.Identity/GetPluginInfo";

async function servedIdentity() {
  const socket = await tempSocket();
  const signals: AbortSignal[] = [];
  const server = new GrpcServer({ maxReceiveBytes: 1_000 }).serve(IdentityDefinition, {
    getPluginInfo: () => ({ name: "alive" }),
    probe(_, { signal }) {
      signals.push(signal);
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  await server.listen(socket);
  const session = connect("http://localhost", { createConnection: () => connectTo(socket.path) });
  return {
    session,
    signals,
    async [Symbol.asyncDispose]() {
      session.destroy();
      await server.kill();
      await socket[Symbol.asyncDispose]();
    },
  };
}

/** Sends bytes, leaves the request open, and waits for the status. */
function statusOf(session: ClientHttp2Session, chunks: readonly Uint8Array[], headers: object = {}): Promise<string> {
  return new Promise((resolve) => {
    const stream = session.request({ ":method": "POST", ":path": path, "content-type": "application/grpc", ...headers });
    const settle = (block: IncomingHttpHeaders & { ":status"?: number }) => {
      if (block["grpc-status"] !== undefined) resolve(`${block["grpc-status"]} ${block["grpc-message"] ?? ""}`.trim());
      else if (block[":status"] !== undefined && block[":status"] !== 200) resolve(`HTTP ${block[":status"]}`);
    };
    stream.on("response", settle);
    stream.on("trailers", settle);
    stream.on("error", () => {});
    stream.on("close", () => resolve("closed without a status"));
    stream.resume();
    for (const chunk of chunks) stream.write(chunk);
  });
}

const empty = frameMessage(new Uint8Array());
const announcing = (length: number) => {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(length, 1);
  return prefix;
};

test.each([
  ["two messages", [empty, empty], "13 expected one request message, received another one"],
  ["two messages in one frame", [Buffer.concat([empty, empty])], "13 expected one request message, received another one"],
  ["a thousand messages", Array.from({ length: 1_000 }, () => empty), "13 expected one request message, received another one"],
  ["more than the limit", [announcing(1_001)], "8 grpc: received message larger than max (1001 vs. 1000)"],
  ["4 GiB announced", [announcing(0xffff_ffff)], "8 grpc: received message larger than max (4294967295 vs. 1000)"],
  ["a second message above the limit", [empty, announcing(1_001)], "8 grpc: received message larger than max (1001 vs. 1000)"],
  ["an unknown flag", [Buffer.of(9, 0, 0, 0, 0)], "13 grpc: received unexpected payload format 9"],
])("%s in a request that never ends", async (_, chunks, expected) => {
  await using world = await servedIdentity();
  expect(await statusOf(world.session, chunks)).toBe(expected);
  expect(await statusOf(world.session, [announcing(1_001)])).toStartWith("8 ");
  expect(world.session.destroyed).toBe(false);
});

test.each([
  ["a content type that begins like gRPC's", { "content-type": "application/grpc-web" }, "HTTP 415"],
  ["another method", { ":method": "GET" }, "HTTP 405"],
])("%s", async (_, headers, expected) => {
  await using world = await servedIdentity();
  expect(await statusOf(world.session, [], headers)).toBe(expected);
});

test("a thousand calls that are reset leave no handler behind", async () => {
  await using world = await servedIdentity();
  const { session, signals } = world;
  const streams = Array.from({ length: 1_000 }, () => {
    const stream = session.request({ ":method": "POST", ":path": "/csi.v1.Identity/Probe", "content-type": "application/grpc" });
    stream.on("error", () => {});
    return stream.end(empty);
  });
  await until("every handler runs", () => signals.length === streams.length);
  for (const stream of streams) stream.close(8);
  await until("every handler is told", () => signals.every(({ aborted }) => aborted));
  expect(await statusOf(session, [announcing(1_001)])).toStartWith("8 ");
});
