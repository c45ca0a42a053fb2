import { describe, expect, test } from "bun:test";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { silentLogger } from "@csi-sidecars/base";
import { FakeClock, until } from "@csi-sidecars/base/testing";
import { IdentityDefinition } from "../../gen/csi.ts";
import { GrpcServer, type ServerOptions } from "../server.ts";
import { callHeaders, fieldAt, indexedLiteral, magic, RawClient } from "../testing/raw-http2-client.ts";
import { frame, type HeaderList, headerBlock, uint32 } from "../testing/raw-http2-server.ts";
import { tempSocket } from "../testing/temp-socket.ts";
import { AnyAuthorityListener } from "./any-authority-listener.ts";

const probePath = "/csi.v1.Identity/Probe";

async function serve(path: string, options: ServerOptions = {}, gate = Promise.resolve()): Promise<GrpcServer & AsyncDisposable> {
  const server = new GrpcServer({ anyAuthority: true, ...options }).serve(IdentityDefinition, {
    probe: () => ({ ready: true }),
    getPluginInfo: async () => {
      await gate;
      return { name: "slow" };
    },
  });
  await server.listen({ path });
  return Object.assign(server, { [Symbol.asyncDispose]: () => server.kill() });
}

/** The `grpc-status` of a call whose request has this `:authority`. */
function probe(session: ClientHttp2Session, authority: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const stream = session.request({
      ":method": "POST",
      ":path": probePath,
      ":authority": authority,
      "content-type": "application/grpc",
      te: "trailers",
    });
    stream.on("response", (headers) => headers["grpc-status"] && resolve(headers["grpc-status"]));
    stream.on("trailers", (trailers) => resolve(trailers["grpc-status"]));
    stream.on("error", reject);
    stream.on("close", () => reject(new Error("closed without a status")));
    stream.resume();
    stream.end(Buffer.alloc(5));
  });
}

const authorities = [
  "localhost",
  String.raw`\\.\pipe\csi-proxy-disk-v1`,
  String.raw`\\.\\pipe\\csi-proxy-disk-v1`,
  "%5C%5C.%5C%5Cpipe%5C%5Ccsi-proxy-disk-v1",
  "/var/lib/kubelet/plugins/csi.sock",
  "%2Fvar%2Flib%2Fkubelet",
  "a b",
  "user@host:0",
];

test("requests are served whatever their authority is, many over one connection", async () => {
  await using socket = await tempSocket();
  await using _server = await serve(socket.path);
  const session = connectHttp2("http://localhost", { createConnection: () => connect(socket.path) });
  for (const authority of [...authorities, ...authorities]) expect([authority, await probe(session, authority)]).toEqual([authority, "0"]);
  expect(await Promise.all(authorities.map((authority) => probe(session, authority)))).toEqual(authorities.map(() => "0"));
  session.destroy();
});

test("a connection that stays silent is closed after two minutes, and no other", async () => {
  const clock = new FakeClock();
  await using socket = await tempSocket();
  await using _server = await serve(socket.path, { clock });
  const silent = connect(socket.path);
  const closed = new Promise((resolve) => silent.on("close", resolve));
  const session = connectHttp2("http://localhost", { createConnection: () => connect(socket.path) });
  expect(await probe(session, "x")).toBe("0");
  await clock.advance(119_999);
  expect(await probe(session, "x")).toBe("0");
  expect(silent.destroyed).toBe(false);
  await clock.advance(1);
  silent.resume();
  await closed;
  expect(await probe(session, "x")).toBe("0");
  session.destroy();
});

describe("with frames written by hand", () => {
  test.each<[string, HeaderList]>([
    ["without authority", callHeaders(probePath)],
    ["with an empty authority", [[":authority", ""], ...callHeaders(probePath)]],
    ["with a pipe for an authority", [[":authority", String.raw`\\.\pipe\x`], ...callHeaders(probePath)]],
    ["with a host header in its place", callHeaders(probePath, ["host", "/csi/csi.sock"])],
  ])("a request %s is served", async (_, headers) => {
    await using socket = await tempSocket();
    await using _server = await serve(socket.path);
    await using client = await RawClient.connect(socket.path);
    expect(await client.call(1, headers)).toBe("0");
  });

  test("without the rewriting these requests are reset: what the tests above prove", async () => {
    await using socket = await tempSocket();
    await using _server = await serve(socket.path, { anyAuthority: false });
    await using client = await RawClient.connect(socket.path);
    expect(await client.call(1, [[":authority", String.raw`\\.\pipe\x`], ...callHeaders(probePath)])).toMatch(/^reset|^closed/);
  });

  test("fields that a client adds to its table are known in its later requests", async () => {
    await using socket = await tempSocket();
    await using _server = await serve(socket.path);
    await using client = await RawClient.connect(socket.path);
    const fixed = headerBlock([
      [":method", "POST"],
      [":scheme", "http"],
      ["content-type", "application/grpc"],
      ["te", "trailers"],
    ]);
    const first = Buffer.concat([indexedLiteral(":path", probePath), indexedLiteral(":authority", "a\\b"), fixed]);
    client.raw.send(frame.headers, frame.endHeaders, 1, first);
    expect(await client.finish(1)).toBe("0");
    for (let stream = 3; stream < 101; stream += 2) {
      client.raw.send(frame.headers, frame.endHeaders, stream, Buffer.concat([fieldAt(63), fieldAt(62), fixed]));
      expect(await client.finish(stream)).toBe("0");
    }
  });

  test("the server offers neither a larger header table nor larger frames than the rewriting knows", async () => {
    await using socket = await tempSocket();
    await using _server = await serve(socket.path);
    await using client = await RawClient.connect(socket.path);
    await client.call(1, callHeaders(probePath));
    const [settings] = client.frames.filter(({ type, flags }) => type === frame.settings && !(flags & frame.ack));
    const entries = Array.from({ length: (settings?.payload.length ?? 0) / 6 }, (_, n) => [
      settings?.payload.readUInt16BE(n * 6),
      settings?.payload.readUInt32BE(n * 6 + 2),
    ]);
    const [headerTableSize, maxFrameSize] = [1, 5].map((id) => entries.find(([entry]) => entry === id)?.[1]);
    expect([headerTableSize ?? 4_096, maxFrameSize ?? 16_384]).toEqual([4_096, 16_384]);
  });

  test("a malformed header block ends its connection, and no other", async () => {
    await using socket = await tempSocket();
    await using _server = await serve(socket.path);
    await using good = await RawClient.connect(socket.path);
    expect(await good.call(1, callHeaders(probePath))).toBe("0");
    for (const block of [Buffer.of(0x80), Buffer.of(0xff, 0xff, 0xff, 0xff, 0xff), Buffer.of(0x00, 0x7f)]) {
      await using bad = await RawClient.connect(socket.path);
      bad.raw.send(frame.headers, frame.endHeaders, 1, block);
      await bad.untilClosed();
    }
    expect(await good.call(3, callHeaders(probePath))).toBe("0");
  });

  test("a client that floods the server with header fragments or pings costs nobody else a call", async () => {
    await using socket = await tempSocket();
    await using _server = await serve(socket.path);
    await using good = await RawClient.connect(socket.path);
    await using fragments = await RawClient.connect(socket.path);
    fragments.raw.send(frame.headers, 0, 1, headerBlock(callHeaders(probePath)));
    for (let n = 0; n < 20; n++) fragments.raw.send(frame.continuation, 0, 1, Buffer.alloc(16_000));
    await fragments.untilClosed();
    await using pings = await RawClient.connect(socket.path);
    pings.socket.pause();
    for (let n = 0; n < 20_000; n++) pings.raw.send(frame.ping, 0, 0, Buffer.alloc(8));
    expect(await good.call(1, callHeaders(probePath))).toBe("0");
  });

  test("what is not HTTP/2 is not served", async () => {
    await using socket = await tempSocket();
    await using _server = await serve(socket.path);
    await using client = await RawClient.connect(socket.path, { greet: false });
    client.socket.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await client.untilClosed();
    expect(client.frames).toEqual([]);
  });
});

describe("a shutdown", () => {
  test("does not wait for connections that are silent or have no call", async () => {
    // No time passes on this clock: nothing can wait for a time to pass.
    await using socket = await tempSocket();
    await using server = await serve(socket.path, { clock: new FakeClock() });
    await using silent = await RawClient.connect(socket.path, { greet: false });
    await using idle = await RawClient.connect(socket.path);
    expect(await idle.call(1, callHeaders(probePath))).toBe("0");
    await server.shutdown();
    await silent.untilClosed();
    await idle.untilClosed();
  });
});

test("during a shutdown a call under way is answered, and a new one on its connection is not taken", async () => {
  const gate = Promise.withResolvers<void>();
  await using socket = await tempSocket();
  await using server = await serve(socket.path, {}, gate.promise);
  await using client = await RawClient.connect(socket.path);
  const underWay = client.call(1, callHeaders("/csi.v1.Identity/GetPluginInfo"));
  expect(await client.call(3, callHeaders(probePath))).toBe("0");
  const ended = server.shutdown();
  await until("the server says that it leaves", () => client.frames.some(({ type }) => type === frame.goaway));
  const refused = client.call(5, callHeaders(probePath));
  gate.resolve();
  expect(await underWay).toBe("0");
  expect(await refused).not.toBe("0");
  await ended;
});

describe("back-pressure", () => {
  /** A listener whose one connection is in the hands of the test. */
  async function connected(path: string): Promise<{ client: Socket; connection: Duplex; close(): Promise<void> }> {
    const { promise, resolve } = Promise.withResolvers<Duplex>();
    const { server } = new AnyAuthorityListener({ clock: new FakeClock(), log: silentLogger, serve: resolve });
    await new Promise<void>((done) => server.listen(path, done));
    const client = connect(path);
    client.write(Buffer.concat([magic, Buffer.of(0, 0, 0, frame.settings, 0, 0, 0, 0, 0)]));
    const connection = await promise;
    const close = async () => {
      client.destroy();
      connection.destroy();
      await new Promise<void>((done) => server.close(() => done()));
    };
    return { client, connection, close };
  }

  test("headers that are a thousand times larger than they were sent are decoded as they are read", async () => {
    await using socket = await tempSocket();
    const { client, connection, close } = await connected(socket.path);
    const headers = (stream: number, block: Buffer) => {
      const head = Buffer.of(0, block.length >> 8, block.length & 0xff, frame.headers, frame.endHeaders | frame.endStream);
      return Buffer.concat([head, uint32(stream), block]);
    };
    const count = 200;
    client.write(headers(1, indexedLiteral("a", "b".repeat(4_000))));
    for (let n = 1; n < count; n++) client.write(headers(1 + 2 * n, Buffer.concat(Array.from({ length: 60 }, () => fieldAt(62)))));
    let [read, largest] = [0, 0];
    await until("all headers are read", () => {
      largest = Math.max(largest, connection.readableLength);
      read += (connection.read() as Buffer | null)?.length ?? 0;
      return read > (count - 1) * 60 * 4_000;
    });
    expect(largest).toBeLessThan(1_000_000);
    await close();
  });

  const dataFrame = Buffer.concat([Buffer.of(0, 0x40, 0, frame.data, 0, 0, 0, 0, 1), Buffer.alloc(16_384, "x")]);
  const frames = 300;

  test("what the server does not read stays with the client", async () => {
    await using socket = await tempSocket();
    const { client, connection, close } = await connected(socket.path);
    for (let n = 0; n < frames; n++) client.write(dataFrame);
    let [read, largest] = [0, 0];
    const all = magic.length + 9 + frames * dataFrame.length;
    await until("all bytes are read", () => {
      largest = Math.max(largest, connection.readableLength);
      read += (connection.read() as Buffer | null)?.length ?? 0;
      return read === all;
    });
    expect(largest).toBeLessThan(1_000_000);
    await close();
  });

  test("what the client does not read stays with the server", async () => {
    await using socket = await tempSocket();
    const { client, connection, close } = await connected(socket.path);
    client.pause();
    let sent = 0;
    for (let n = 0; n < frames; n++) connection.write(dataFrame, () => sent++);
    for (let turn = 0; turn < 100; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    expect(sent).toBeLessThan(frames);
    client.resume();
    await until("all frames are sent", () => sent === frames);
    await close();
  });
});
