import { describe, expect, test } from "bun:test";
import { FakeClock, until } from "@csi-sidecars/base/testing";
import { Channel, type LossReason } from "@csi-sidecars/csi";
import { callUnary } from "../../packages/csi/grpc/invoke.ts";
import {
  frame,
  headerBlock,
  type RawConnection,
  rawHttp2Server,
  setting,
  uint32,
} from "../../packages/csi/grpc/testing/raw-http2-server.ts";
import { tempSocket } from "../../packages/csi/grpc/testing/temp-socket.ts";
import { type Answer, framed, grpcHeaders, hostileGrpcServer, ok, status } from "./testing/hostile-grpc-server.ts";

const none = new Uint8Array();
const send =
  (type: number, flags: number, streamId: "call" | number, payload: Uint8Array): Answer =>
  (c, id) =>
    c.send(type, flags, streamId === "call" ? id : streamId, payload);
const block = headerBlock(grpcHeaders);

describe("what HTTP/2 forbids ends the connection, and the next call has a new one", () => {
  const violations: [name: string, Answer][] = [
    ["words that are not HTTP/2", (c) => c.socket.write("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["a frame above the largest size", send(frame.data, 0, "call", new Uint8Array(16_385))],
    ["a header block that is not HPACK", send(frame.headers, frame.endHeaders, "call", new Uint8Array(6).fill(0xff))],
    [
      "an HPACK table above the agreed size",
      send(frame.headers, frame.endHeaders, "call", Buffer.concat([Buffer.of(0x3f, 0xe1, 0xff, 0x7f), block])),
    ],
    ["a CONTINUATION of nothing", send(frame.continuation, frame.endHeaders, "call", block)],
    [
      "a header block that is interrupted",
      (c, id) => {
        c.send(frame.headers, 0, id, block);
        c.send(frame.data, 0, id, framed);
      },
    ],
    ["DATA that is all padding", send(frame.data, frame.padded, "call", Buffer.of(200, 1))],
    ["a PING of seven bytes", send(frame.ping, 0, 0, new Uint8Array(7))],
    ["SETTINGS of five bytes", send(frame.settings, 0, 0, new Uint8Array(5))],
    ["SETTINGS with a window that overflows", send(frame.settings, 0, 0, setting(4, 0x8000_0000))],
    ["SETTINGS with tiny frames", send(frame.settings, 0, 0, setting(5, 100))],
    ["a thousand SETTINGS in one frame", send(frame.settings, 0, 0, Buffer.concat(Array.from({ length: 1_000 }, () => setting(3, 100))))],
    ["a window of the connection that overflows", send(frame.windowUpdate, 0, 0, uint32(0x7fff_ffff))],
    ["a reset of the connection's own stream", send(frame.rstStream, 0, 0, uint32(8))],
    ["a reset of a call that was never made", send(frame.rstStream, 0, 99, uint32(8))],
    [
      "DATA beyond the window",
      (c, id) => {
        c.headers(id, grpcHeaders);
        c.send(frame.data, 0, id, Buffer.concat([Buffer.of(0), uint32(32 << 20)]));
        for (let i = 0; i < 100; i++) c.send(frame.data, 0, id, new Uint8Array(16_384));
      },
    ],
    ["a header field of 64 KiB", (c, id) => c.headers(id, [...grpcHeaders, ...status("13", "x".repeat(65_536))], true)],
    ["a header field of 1 MiB", (c, id) => c.headers(id, [...grpcHeaders, ...status("13", "x".repeat(1 << 20))], true)],
    [
      "a header block without end",
      (c, id) => {
        c.send(frame.headers, 0, id, block);
        for (let i = 0; i < 100; i++) c.send(frame.continuation, 0, id, headerBlock([["x", "y".repeat(16_000)]]));
      },
    ],
  ];

  test.each(violations)("%s", async (_, violation) => {
    await using world = await hostileGrpcServer({
      answers: [violation, ok],
      // The server is still there: no reason to give it up.
      channel: { onLoss: () => "refuse" },
    });
    expect(await world.call()).toBe(
      "transport: Unavailable: error reading from server: it sent what HTTP/2 forbids, or header fields of more than 65536 bytes",
    );
    expect(world.requests()).toBe(1);
    expect(await world.call()).toBe("answer");
    expect(world.channel.state).toEqual({ phase: "ready", generation: 2 });
  });

  test("HEADERS after the end of a call, whose answer counts", async () => {
    const late: Answer = (c, id) => {
      ok(c, id);
      c.headers(id, status("5"), true);
    };
    await using world = await hostileGrpcServer({ answers: [late, ok] });
    expect(await world.call()).toBe("answer");
    await until("the connection is replaced", () => world.channel.generation === 2);
    expect(await world.call()).toBe("answer");
  });
});

describe("floods", () => {
  const flood = (type: number, flags: number, streamId: number, payload: Uint8Array) => (c: RawConnection) => {
    for (let i = 0; i < 20_000; i++) c.send(type, flags, streamId, payload);
  };
  const floods: [name: string, flood: (c: RawConnection) => void, generation: number][] = [
    ["PING, each to be acknowledged", flood(frame.ping, 0, 0, new Uint8Array(8)), 2],
    ["SETTINGS, each to be acknowledged", flood(frame.settings, 0, 0, setting(3, 100)), 2],
    ["empty DATA of a call that ended", flood(frame.data, 0, 1, none), 2],
    ["GOAWAY", flood(frame.goaway, 0, 0, Buffer.concat([uint32(0x7fff_ffff), uint32(0)])), 2],
    ["pushed responses", flood(frame.pushPromise, frame.endHeaders, 1, Buffer.concat([uint32(2), block])), 2],
    ["WINDOW_UPDATE", flood(frame.windowUpdate, 0, 0, uint32(1)), 1],
    ["RST_STREAM of a call that ended", flood(frame.rstStream, 0, 1, uint32(8)), 1],
    ["PRIORITY", flood(2, 0, 1, Buffer.concat([uint32(0), Buffer.of(1)])), 1],
    ["frames of an unknown type", flood(0x55, 0, 0, new Uint8Array(20)), 1],
  ];

  test.each(floods)("of %s: the next call is answered", async (_, start, generation) => {
    await using world = await hostileGrpcServer({ answers: [ok] });
    expect(await world.call()).toBe("answer");
    start(world.server.connections[0]!);
    if (generation > 1) await until("the connection is replaced", () => world.channel.generation === generation);
    expect(await world.call()).toBe("answer");
    expect(world.channel.generation).toBe(generation);
  });
});

describe("calls the server never processed are sent again unnoticed", () => {
  test("a refused stream", async () => {
    await using world = await hostileGrpcServer({ answers: [(c, id) => c.rst(id, 7), ok] });
    expect(await world.call()).toBe("answer");
    expect(world.requests()).toBe(2);
  });

  test("but not forever", async () => {
    await using world = await hostileGrpcServer({ answers: [(c, id) => c.rst(id, 7)] });
    expect(await world.call()).toBe("unsent: Unavailable: stream terminated by RST_STREAM with error code: REFUSED_STREAM");
    expect(world.requests()).toBe(3);
  });

  test("a call above the last stream of a GOAWAY goes to a new connection", async () => {
    await using world = await hostileGrpcServer({ answers: [(c) => c.goaway(0, 0), ok] });
    expect(await world.call()).toBe("answer");
    expect(world.server.connections).toHaveLength(2);
  });
});

describe("a server that leaves", () => {
  test("lets calls in flight finish after its GOAWAY, and new ones use a new connection", async () => {
    let first: { c: RawConnection; id: number } | undefined;
    const leave: Answer = (c, id) => {
      first = { c, id };
      c.goaway(0x7fffffff, 0);
    };
    await using world = await hostileGrpcServer({ answers: [leave, ok] });
    const inFlight = world.call();
    await until("another connection", () => Bun.deepMatch({ phase: "ready", generation: 2 }, world.channel.state));
    expect(await world.call()).toBe("answer");
    first!.c.goaway(first!.id, 0);
    ok(first!.c, first!.id);
    expect(await inFlight).toBe("answer");
    expect(world.server.connections).toHaveLength(2);
  });

  test.each([
    ["with a GOAWAY that names an error", "goaway", (c, id) => c.goaway(id, 11)],
    ["by closing the socket", "closed", (c) => c.socket.destroy()],
    [
      "by closing the socket after half an answer",
      "closed",
      (c, id) => {
        c.headers(id, grpcHeaders);
        c.send(frame.data, 0, id, framed);
        c.socket.end();
      },
    ],
    ["in the middle of a frame's head", "closed", (c) => c.socket.end(Buffer.of(0, 0, 8, 6))],
    ["in the middle of a frame", "closed", (c) => c.socket.end(Buffer.of(0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2))],
    [
      "in the middle of a header block",
      "closed",
      (c, id) => {
        c.send(frame.headers, 0, id, block);
        c.socket.end();
      },
    ],
  ] as [name: string, LossReason, Answer][])("%s is a loss like any other", async (_, reason, leave) => {
    const reasons: LossReason[] = [];
    const onLoss = (lost: LossReason) => {
      reasons.push(lost);
      return "reconnect" as const;
    };
    await using world = await hostileGrpcServer({ answers: [leave, ok], channel: { onLoss } });
    expect(await world.call()).toBe("transport: Unavailable: error reading from server: EOF");
    expect(await world.call()).toBe("answer");
    expect(reasons).toEqual([reason]);
  });
});

test("a server that accepts and stays silent is not connected, and is given up after 20 s", async () => {
  await using socket = await tempSocket();
  const server = await rawHttp2Server(socket.path, { greet: false });
  const clock = new FakeClock();
  const channel = new Channel({ target: { kind: "unix", path: socket.path }, clock });
  await until("accepted", () => server.connections.length === 1);
  const call = callUnary(channel, "/a/b", new Uint8Array(), { timeoutMs: 30_000 }).catch(String);
  await clock.advance(19_999);
  expect(channel.state).toEqual({ phase: "connecting" });
  await clock.advance(1);
  expect(await call).toContain("connection timed out before the server's settings arrived");
  channel.close();
  await server.close();
});
