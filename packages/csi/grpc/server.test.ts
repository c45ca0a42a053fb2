import { expect, test } from "bun:test";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { connect } from "node:http2";
import { connect as connectTo, createServer } from "node:net";
import { FakeClock, until } from "@csi-sidecars/base/testing";
import { IdentityDefinition, SnapshotMetadataDefinition } from "../gen/csi.ts";
import { Channel } from "./channel.ts";
import { frameMessage } from "./framing.ts";
import { callUnary } from "./invoke.ts";
import { GrpcServer } from "./server.ts";
import { serviceClient } from "./service-client.ts";
import type { HandlerContext } from "./service-definition.ts";
import { Code, GrpcError } from "./status.ts";
import { dial } from "./target.ts";
import { failureOf } from "./testing/failure.ts";
import { tempSocket } from "./testing/temp-socket.ts";

const identity = (name: string) => new GrpcServer().serve(IdentityDefinition, { getPluginInfo: () => ({ name }) });
const nameAt = async (path: string) => {
  const channel = new Channel({ target: { kind: "unix", path } });
  try {
    return (await serviceClient(IdentityDefinition, channel).getPluginInfo({}, { timeoutMs: 2_000 })).name;
  } finally {
    channel.close();
  }
};

test("a socket file left by a killed process is replaced, permissions are as asked", async () => {
  await using socket = await tempSocket();
  const dead = Bun.spawn([
    process.execPath,
    "-e",
    `require("node:net").createServer().listen(${JSON.stringify(socket.path)}, () => console.log("up"))`,
  ]);
  await dead.stdout.getReader().read();
  dead.kill("SIGKILL");
  await dead.exited;
  expect(existsSync(socket.path)).toBe(true);

  const server = identity("fresh");
  await server.listen({ path: socket.path, mode: 0o600 });
  expect(await nameAt(socket.path)).toBe("fresh");
  expect(statSync(socket.path).mode & 0o777).toBe(0o600);
  await server.shutdown();
  expect(existsSync(socket.path)).toBe(false);
});

test("a socket somebody listens on is left alone", async () => {
  await using socket = await tempSocket();
  const other = createServer().listen(socket.path);
  expect((await failureOf(identity("late").listen(socket))).message).toContain(
    `cannot listen on ${socket.path}: another process listens there`,
  );
  other.close();
});

test("a file that is no socket is left alone", async () => {
  await using socket = await tempSocket();
  await writeFile(socket.path, "precious");
  expect((await failureOf(identity("late").listen(socket))).message).toContain(`cannot listen on ${socket.path}`);
  expect(existsSync(socket.path)).toBe(true);
});

test("TCP, with a port chosen by the system", async () => {
  const server = identity("tcp");
  const target = await server.listen({ port: 0 });
  const channel = new Channel({ target });
  expect((await serviceClient(IdentityDefinition, channel).getPluginInfo({})).name).toBe("tcp");
  channel.close();
  await server.shutdown();
});

test("shutting down answers what is in flight, refuses what is new, and ends", async () => {
  await using socket = await tempSocket();
  let answer = () => {};
  const server = new GrpcServer().serve(IdentityDefinition, {
    getPluginInfo: () => new Promise((resolve) => (answer = () => resolve({ name: "last words" }))),
  });
  await server.listen(socket);
  const channel = new Channel({ target: { kind: "unix", path: socket.path } });
  const client = serviceClient(IdentityDefinition, channel);
  const running = until.bind(undefined, "the handler runs", () => answer.toString().includes("last words"));
  const inFlight = client.getPluginInfo({});
  await running();
  const down = server.shutdown();
  await until("the client knows", () => channel.state.phase === "connecting");
  expect(existsSync(socket.path)).toBe(false);
  expect(await failureOf(client.getPluginInfo({}))).toMatchObject({ code: Code.Unavailable });
  answer();
  expect((await inFlight).name).toBe("last words");
  await down;
  channel.close();
});

test("shutting down does not wait for a client that neither calls nor hangs up", async () => {
  await using socket = await tempSocket();
  const clock = new FakeClock();
  const server = new GrpcServer({ clock });
  await server.listen(socket);
  const silent = connectTo({ path: socket.path, allowHalfOpen: true });
  await once(silent, "connect");
  const down = server.shutdown();
  await until("the server waits for the client", () => clock.waiting > 0);
  await clock.advance(1_000);
  await down;
  silent.destroy();
});

test("shutting down refuses a request that does not end, and lets a handler end later", async () => {
  await using socket = await tempSocket();
  const clock = new FakeClock();
  const answer = Promise.withResolvers<{ name: string }>();
  let running = false;
  const server = new GrpcServer({ clock }).serve(IdentityDefinition, {
    getPluginInfo: () => {
      running = true;
      return answer.promise;
    },
  });
  await server.listen(socket);
  const session = connect("http://localhost", { createConnection: () => dial({ kind: "unix", path: socket.path }) });
  const request = () =>
    session.request({ ":method": "POST", ":path": "/csi.v1.Identity/GetPluginInfo", "content-type": "application/grpc" });
  const unfinished = once(request(), "response");
  const whole = request();
  const answered = once(whole, "response");
  whole.end(frameMessage(new Uint8Array()));
  await until("the handler runs", () => running);
  const down = server.shutdown();
  await until("the server waits for the rest", () => clock.waiting > 0);
  await clock.advance(1_000);
  expect((await unfinished)[0]).toMatchObject({ "grpc-status": "14", "grpc-message": "the server is shutting down" });
  answer.resolve({ name: "last words" });
  expect((await answered)[0]).toMatchObject({ ":status": 200 });
  whole.resume();
  await down;
  session.destroy();
});

test("killing drops calls in the middle, and the handler is told", async () => {
  await using socket = await tempSocket();
  let signal: AbortSignal | undefined;
  const server = new GrpcServer().serve(IdentityDefinition, {
    probe(_, context: HandlerContext) {
      signal = context.signal;
      return new Promise(() => {});
    },
  });
  await server.listen(socket);
  const channel = new Channel({ target: { kind: "unix", path: socket.path } });
  const call = serviceClient(IdentityDefinition, channel).probe({});
  await until("the handler runs", () => signal !== undefined);
  await server.kill();
  expect(await failureOf(call)).toMatchObject({ code: Code.Unavailable, origin: "transport" });
  await until("the handler knows", () => signal?.aborted === true);
  channel.close();
});

test("an abandoned call has no answer, and the connection stays", async () => {
  await using socket = await tempSocket();
  const server = new GrpcServer().serve(IdentityDefinition, {
    getPluginInfo: () => ({ name: "alive" }),
    probe(_, context) {
      context.abandon();
      return { ready: true };
    },
  });
  await server.listen(socket);
  const channel = new Channel({ target: { kind: "unix", path: socket.path } });
  const client = serviceClient(IdentityDefinition, channel);
  expect(await failureOf(client.probe({}))).toMatchObject({ origin: "transport" });
  expect((await client.getPluginInfo({})).name).toBe("alive");
  expect(channel.generation).toBe(1);
  channel.close();
  await server.kill();
});

test("the client's deadline becomes the handler's signal", async () => {
  await using socket = await tempSocket();
  const clock = new FakeClock();
  let signal: AbortSignal | undefined;
  const server = new GrpcServer({ clock }).serve(IdentityDefinition, {
    async probe(_, context: HandlerContext) {
      signal = context.signal;
      await new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve()));
      throw context.signal.reason;
    },
  });
  await server.listen(socket);
  const channel = new Channel({ target: { kind: "unix", path: socket.path } });
  const call = serviceClient(IdentityDefinition, channel).probe({}, { timeoutMs: 60_000 }).catch(String);
  await until("the handler runs", () => signal !== undefined);
  expect(clock.nextIn).toBeGreaterThan(59_000);
  await clock.advance(60_000);
  expect(await call).toBe("rpc error: code = DeadlineExceeded desc = context deadline exceeded");
  channel.close();
  await server.shutdown();
});

test("what a server refuses", async () => {
  await using socket = await tempSocket();
  const server = new GrpcServer({ maxReceiveBytes: 10 }).serve(IdentityDefinition, {
    getPluginInfo: () => {
      throw new GrpcError(Code.FailedPrecondition, "not yet");
    },
  });
  await server.listen(socket);
  const channel = new Channel({ target: { kind: "unix", path: socket.path } });
  const text = (path: string, bytes = new Uint8Array(), options = {}) => callUnary(channel, path, bytes, options).then(() => "ok", String);
  expect(await text("/csi.v1.Identity/GetPluginInfo")).toBe("rpc error: code = FailedPrecondition desc = not yet");
  expect(await text("/csi.v1.Identity/Probe")).toBe("rpc error: code = Unimplemented desc = method Probe not implemented");
  expect(await text("/csi.v1.Identity/Dance")).toBe(
    "rpc error: code = Unimplemented desc = unknown method Dance for service csi.v1.Identity",
  );
  expect(await text("/csi.v9.Identity/Probe")).toBe("rpc error: code = Unimplemented desc = unknown service csi.v9.Identity");
  expect(await text("/csi.v1.Identity/GetPluginInfo", new Uint8Array(11))).toBe(
    "rpc error: code = ResourceExhausted desc = grpc: received message larger than max (11 vs. 10)",
  );
  expect(await text("/csi.v1.Identity/GetPluginInfo", Uint8Array.of(0x0a, 99))).toContain(
    "rpc error: code = Internal desc = grpc: error unmarshalling request",
  );
  expect(await text("/csi.v1.Identity/GetPluginInfo", new Uint8Array(), { metadata: { "content-type": "text/plain" } })).toContain("415");
  channel.close();
  await server.shutdown();
});

test("a request compressed in a way nobody agreed on", async () => {
  await using socket = await tempSocket();
  const server = identity("x");
  await server.listen(socket);
  const session = connect("http://localhost", { createConnection: () => dial({ kind: "unix", path: socket.path }) });
  const stream = session.request({
    ":method": "POST",
    ":path": "/csi.v1.Identity/GetPluginInfo",
    "content-type": "application/grpc",
    "grpc-encoding": "gzip",
  });
  const headers = new Promise<Record<string, unknown>>((resolve) => stream.on("response", resolve));
  const compressed = frameMessage(new Uint8Array());
  compressed[0] = 1;
  stream.end(compressed);
  expect(await headers).toMatchObject({ "grpc-status": "12" });
  session.destroy();
  await server.shutdown();
});

test("streamed answers, their errors, and a reader that leaves early", async () => {
  await using socket = await tempSocket();
  let produced = 0;
  let left = false;
  const server = new GrpcServer().serve(SnapshotMetadataDefinition, {
    async *getMetadataAllocated({ snapshotId, maxResults }) {
      try {
        for (produced = 0; produced < maxResults; produced++) yield { volumeCapacityBytes: BigInt(produced) };
        if (snapshotId === "broken") throw new GrpcError(Code.DataLoss, "gone");
      } finally {
        left = true;
      }
    },
  });
  await server.listen(socket);
  const channel = new Channel({ target: { kind: "unix", path: socket.path } });
  const metadata = serviceClient(SnapshotMetadataDefinition, channel);
  const read = async (snapshotId: string, maxResults: number, stopAfter = Number.POSITIVE_INFINITY) => {
    let count = 0;
    for await (const answer of metadata.getMetadataAllocated({ snapshotId, maxResults })) {
      expect(answer.volumeCapacityBytes).toBe(BigInt(count++));
      if (count === stopAfter) break;
    }
    return count;
  };
  expect(await read("whole", 5_000)).toBe(5_000);
  expect(await read("empty", 0)).toBe(0);
  expect(await read("broken", 100).catch(String)).toBe("rpc error: code = DataLoss desc = gone");
  left = false;
  expect(await read("left", 10_000_000, 10)).toBe(10);
  await until("the handler stopped", () => left);
  expect(produced).toBeLessThan(10_000_000);
  channel.close();
  await server.shutdown();
});

test("a handler knows the deadline and the connection of its call, and can break the connection alone", async () => {
  await using socket = await tempSocket();
  const seen: [timeoutMs: number | undefined, connection: number][] = [];
  let breaking = false;
  const server = new GrpcServer().serve(IdentityDefinition, {
    getPluginInfo(_, { timeoutMs, connection }) {
      seen.push([timeoutMs, connection.number]);
      if (breaking) connection.destroy();
      return { name: "x" };
    },
  });
  await server.listen(socket);
  const target = { kind: "unix" as const, path: socket.path };
  const [first, second] = [new Channel({ target }), new Channel({ target })];
  const ask = (channel: Channel, timeoutMs?: number) => serviceClient(IdentityDefinition, channel).getPluginInfo({}, { timeoutMs });
  await ask(first, 5_000);
  await ask(first);
  await ask(second);
  const [a, , b] = seen.map(([, number]) => number);
  expect(seen.map(([, number]) => number)).toEqual([a!, a!, b!]);
  expect(a).not.toBe(b!);
  const [first5s, ...none] = seen.map(([timeoutMs]) => timeoutMs);
  // The client tells what is left of it.
  expect(first5s).toBeWithin(4_000, 5_001);
  expect(none).toEqual([undefined, undefined]);
  breaking = true;
  expect((await failureOf(ask(first))).message).toContain("code = Unavailable");
  breaking = false;
  await ask(second);
  await ask(first);
  expect(seen.slice(-2).map(([, number]) => number)).toEqual([b!, 3]);
  first.close();
  second.close();
  await server.shutdown();
});

test("a message with spaces around it arrives as it is", async () => {
  await using socket = await tempSocket();
  const server = new GrpcServer().serve(IdentityDefinition, {
    probe() {
      throw new GrpcError(Code.Internal, " the reason: ");
    },
  });
  await server.listen(socket);
  const channel = new Channel({ target: { kind: "unix", path: socket.path } });
  expect((await failureOf(serviceClient(IdentityDefinition, channel).probe({}))).message).toBe(
    "rpc error: code = Internal desc =  the reason: ",
  );
  channel.close();
  await server.shutdown();
});
