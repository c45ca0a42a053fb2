import { expect, test } from "bun:test";
import { frameMessage } from "../../packages/csi/grpc/framing.ts";
import { frame, headerBlock, uint32 } from "../../packages/csi/grpc/testing/raw-http2-server.ts";
import { type Answer, framed, grpcHeaders, hostileGrpcServer, ok, status } from "./testing/hostile-grpc-server.ts";

// Answers that are wrong, or strange: each costs its own call at most, never the connection.

/** Headers, the bytes as DATA, trailers. */
const data =
  (bytes: Uint8Array, trailers = status("0")): Answer =>
  (c, id) => {
    c.headers(id, grpcHeaders);
    c.send(frame.data, 0, id, bytes);
    c.headers(id, trailers, true);
  };
const only =
  (...list: Parameters<typeof headerBlock>[0][number][]): Answer =>
  (c, id) =>
    c.headers(id, list, true);
const failing = (code: string, message?: string | Uint8Array): Answer => only(...grpcHeaders, ...status(code, message));
const before =
  (...frames: [type: number, flags: number, streamId: "call" | number, payload: Uint8Array][]): Answer =>
  (c, id) => {
    for (const [type, flags, stream, payload] of frames) c.send(type, flags, stream === "call" ? id : stream, payload);
    ok(c, id);
  };
const none = new Uint8Array();
const tooLarge = (length: number) => Buffer.concat([Buffer.of(0), uint32(length)]);
const reset = (name: string) => `stream terminated by RST_STREAM with error code: ${name}`;
const perhapsTooLarge = " (perhaps its error message has more than 65536 bytes)";

const answers: [name: string, Answer, outcome: string][] = [
  ["an ordinary one", ok, "answer"],

  ["trailers only", failing("5", "no such %E2%82%AC"), "peer: NotFound: no such €"],
  ["a code gRPC does not define", failing("99"), "peer: Code(99): "],
  ["a status with leading zeros", failing("007", "no"), "peer: PermissionDenied: no"],
  ["a status that is no number", failing("x"), 'transport: Unknown: malformed grpc-status: "x"'],
  ["an empty status", failing(""), 'transport: Unknown: malformed grpc-status: ""'],
  ["a negative status", failing("-1"), 'transport: Unknown: malformed grpc-status: "-1"'],
  ["a status of 32 bits", failing("2147483648"), 'transport: Unknown: malformed grpc-status: "2147483648"'],
  ["a status of 20 digits", failing("99999999999999999999"), 'transport: Unknown: malformed grpc-status: "99999999999999999999"'],
  ["a status that begins well", failing("0 "), 'transport: Unknown: malformed grpc-status: "0 "'],
  ["two statuses", only(...grpcHeaders, ...status("5"), ...status("0")), 'transport: Unknown: malformed grpc-status: "5, 0"'],
  ["a message in raw UTF-8", failing("13", "größer als 5 € 😀"), "peer: Internal: größer als 5 € 😀"],
  ["a message in raw and escaped UTF-8", failing("13", "größer als 5 %E2%82%AC"), "peer: Internal: größer als 5 €"],
  ["a message with spaces around it", failing("13", " output: "), "peer: Internal:  output: "],
  ["a message that is no UTF-8", failing("13", Buffer.of(0x61, 0xff, 0x62)), "peer: Internal: a\ufffdb"],
  ["trailers without a status", data(framed, [["x", "y"]]), "transport: Internal: server closed the stream without sending grpc-status"],
  [
    "OK without a message",
    failing("0"),
    "transport: Internal: cardinality violation: received no response message from non-server-streaming RPC",
  ],
  [
    "a status before the message, and none after it",
    (c, id) => {
      c.headers(id, [...grpcHeaders, ...status("0")]);
      c.send(frame.data, frame.endStream, id, framed);
    },
    "transport: Internal: server closed the stream without sending trailers",
  ],
  [
    "another status before the message than after it",
    (c, id) => {
      c.headers(id, [...grpcHeaders, ...status("0")]);
      c.send(frame.data, 0, id, framed);
      c.headers(id, status("5", "gone"), true);
    },
    "peer: NotFound: gone",
  ],
  [
    "no trailers",
    (c, id) => {
      c.headers(id, grpcHeaders);
      c.send(frame.data, frame.endStream, id, framed);
    },
    "transport: Internal: server closed the stream without sending trailers",
  ],
  [
    "trailers twice",
    (c, id) => {
      c.headers(id, grpcHeaders);
      c.headers(id, status("0"));
      c.headers(id, status("5"), true);
    },
    `transport: Internal: ${reset("PROTOCOL_ERROR")}`,
  ],
  [
    "DATA and a reset after the end",
    (c, id) => {
      ok(c, id);
      c.send(frame.data, 0, id, framed);
      c.rst(id, 2);
    },
    "answer",
  ],
  [
    "a message before the headers",
    (c, id) => {
      c.send(frame.data, 0, id, framed);
      c.headers(id, grpcHeaders);
      c.headers(id, status("0"), true);
    },
    "transport: Internal: cardinality violation: received no response message from non-server-streaming RPC",
  ],
  [
    "a hundred early hints",
    (c, id) => {
      for (let i = 0; i < 100; i++) c.headers(id, [[":status", "103"]]);
      ok(c, id);
    },
    "answer",
  ],

  [
    "a web server's error",
    only([":status", "503"]),
    "transport: Unavailable: unexpected HTTP status code received from server: 503; transport: missing content-type field",
  ],
  [
    "a web page",
    only([":status", "200"], ["content-type", "text/html"]),
    'transport: Unknown: transport: received unexpected content-type "text/html"',
  ],
  [
    "a content type that begins like gRPC's",
    only([":status", "200"], ["content-type", "application/grpc-web"], ...status("0")),
    'transport: Unknown: transport: received unexpected content-type "application/grpc-web"',
  ],
  [
    "no HTTP status",
    only(["content-type", "application/grpc"], ...status("0")),
    "transport: Unknown: unexpected HTTP status code received from server: 0",
  ],
  ["an HTTP status that is no number", only([":status", "abc"], ...status("0")), `transport: Internal: ${reset("PROTOCOL_ERROR")}`],
  ["a field name in capitals", only(...grpcHeaders, ["Grpc-Status", "0"]), `transport: Internal: ${reset("PROTOCOL_ERROR")}`],
  ["a field of HTTP/1.1", only(...grpcHeaders, ["connection", "close"]), `transport: Internal: ${reset("PROTOCOL_ERROR")}`],

  [
    "60,000 DATA frames of one byte",
    (c, id) => {
      c.headers(id, grpcHeaders);
      for (const byte of frameMessage(new Uint8Array(60_000).fill(0x78))) c.send(frame.data, 0, id, Uint8Array.of(byte));
      c.headers(id, status("0"), true);
    },
    "x".repeat(60_000),
  ],
  [
    "a thousand empty DATA frames",
    (c, id) => {
      c.headers(id, grpcHeaders);
      for (let i = 0; i < 1_000; i++) c.send(frame.data, 0, id);
      c.send(frame.data, 0, id, framed);
      c.headers(id, status("0"), true);
    },
    "answer",
  ],
  [
    "padded DATA",
    (c, id) => {
      c.headers(id, grpcHeaders);
      c.send(frame.data, frame.padded, id, Buffer.concat([Buffer.of(3), framed, Buffer.alloc(3)]));
      c.headers(id, status("0"), true);
    },
    "answer",
  ],
  [
    "two messages, and no end",
    (c, id) => {
      c.headers(id, grpcHeaders);
      c.send(frame.data, 0, id, Buffer.concat([framed, framed, framed]));
    },
    "transport: Internal: cardinality violation: expected <EOF> for non-server-streaming RPCs, but received another message",
  ],
  ["a message cut off", data(framed.subarray(0, 8)), "transport: Internal: unexpected EOF"],
  ["a prefix cut off", data(framed.subarray(0, 3)), "transport: Internal: unexpected EOF"],
  [
    "a message of 64 MiB and one byte announced",
    data(tooLarge((64 << 20) + 1)),
    "transport: ResourceExhausted: grpc: received message larger than max (67108865 vs. 67108864)",
  ],
  [
    "a message of 4 GiB announced",
    data(tooLarge(0xffff_ffff)),
    "transport: ResourceExhausted: grpc: received message larger than max (4294967295 vs. 67108864)",
  ],
  ["64 MiB announced, and nothing", data(tooLarge(64 << 20)), "transport: Internal: unexpected EOF"],
  [
    "a compressed message",
    (c, id) => {
      c.headers(id, [...grpcHeaders, ["grpc-encoding", "gzip"]]);
      c.send(frame.data, 0, id, Buffer.of(1, 0, 0, 0, 0));
    },
    'transport: Internal: grpc: Decompressor is not installed for grpc-encoding "gzip"',
  ],
  [
    "a compressed message without an encoding",
    data(Buffer.of(1, 0, 0, 0, 0)),
    "transport: Internal: grpc: compressed flag set with identity or empty encoding",
  ],
  ["an unknown flag", data(Buffer.of(0x80, 0, 0, 0, 0)), "transport: Internal: grpc: received unexpected payload format 128"],

  ["a reset", (c, id) => c.rst(id, 2), `transport: Internal: ${reset("INTERNAL_ERROR")}${perhapsTooLarge}`],
  ["a cancelling reset", (c, id) => c.rst(id, 8), `transport: Canceled: ${reset("CANCEL")}`],
  ["a reset for load", (c, id) => c.rst(id, 11), `transport: Unavailable: ${reset("ENHANCE_YOUR_CALM")}${perhapsTooLarge}`],
  ["a reset without an error", (c, id) => c.rst(id, 0), "transport: Internal: server closed the stream without sending trailers"],
  ["a reset of an unknown code", (c, id) => c.rst(id, 0xdead), `transport: Internal: ${reset("unknown error code 0xdead")}`],
  [
    "a refusing reset after the headers",
    (c, id) => {
      c.headers(id, grpcHeaders);
      c.rst(id, 7);
    },
    `transport: Unavailable: ${reset("REFUSED_STREAM")}`,
  ],

  ["a frame of an unknown type", before([0x77, 0xff, "call", new Uint8Array(100)]), "answer"],
  [
    "a pushed response",
    before([frame.pushPromise, frame.endHeaders, "call", Buffer.concat([uint32(2), headerBlock(grpcHeaders)])]),
    "answer",
  ],
  ["a response nobody asked for", before([frame.headers, frame.endHeaders, 2, headerBlock(grpcHeaders)]), "answer"],
  ["a call's window that overflows", before([frame.windowUpdate, 0, "call", uint32(0x7fff_ffff)]), "answer"],
  [
    "a call's window that grows by nothing",
    before([frame.windowUpdate, 0, "call", uint32(0)]),
    `transport: Internal: ${reset("PROTOCOL_ERROR")}`,
  ],
  ["PRIORITY of a call on itself", before([2, 0, "call", Buffer.concat([uint32(1), none, Buffer.of(1)])]), "answer"],
];

test.each(answers)("%s", async (_, answer, outcome) => {
  await using world = await hostileGrpcServer({ answers: [answer, ok] });
  expect(await world.call()).toBe(outcome);
  expect(world.requests()).toBe(1);
  expect(await world.call()).toBe("answer");
  expect(world.channel.state).toEqual({ phase: "ready", generation: 1 });
});
