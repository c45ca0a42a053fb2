import { describe, expect, test } from "bun:test";
import { FakeClock, until } from "@csi-sidecars/base/testing";
import { Channel } from "./channel.ts";
import { frameMessage } from "./framing.ts";
import { callUnary } from "./invoke.ts";
import type { GrpcError } from "./status.ts";
import { failureOf } from "./testing/failure.ts";
import { frame, type RawConnection, rawHttp2Server } from "./testing/raw-http2-server.ts";
import { tempSocket } from "./testing/temp-socket.ts";

const grpcHeaders = [
  [":status", "200"],
  ["content-type", "application/grpc"],
] as const;
const ok = (connection: RawConnection, id: number) => {
  connection.headers(id, grpcHeaders);
  connection.send(frame.data, 0, id, frameMessage(new TextEncoder().encode("answer")));
  connection.headers(id, [["grpc-status", "0"]], true);
};
/** Answers the n-th request of the whole server with the n-th script, the last one again and again. */
type Answer = (connection: RawConnection, streamId: number) => void;

async function world(...answers: Answer[]) {
  const socket = await tempSocket();
  let requests = 0;
  const server = await rawHttp2Server(socket.path, {
    onFrame({ type, streamId }, connection) {
      if (type === frame.headers) answers[Math.min(requests++, answers.length - 1)]?.(connection, streamId);
    },
  });
  const channel = new Channel({ target: { kind: "unix", path: socket.path } });
  return {
    server,
    channel,
    requests: () => requests,
    call: (options: object = {}): Promise<string> =>
      callUnary(channel, "/test.Test/Call", new Uint8Array(), { waitForReady: true, ...options }).then(
        (bytes) => new TextDecoder().decode(bytes),
        (error: GrpcError) => `${error.origin}: ${error.codeName}: ${error.details}`,
      ),
    async [Symbol.asyncDispose]() {
      channel.close();
      await server.close();
      await socket[Symbol.asyncDispose]();
    },
  };
}

describe("answers", () => {
  const framed = frameMessage(new TextEncoder().encode("answer"));
  const trailers = (status: string, message?: string): [string, string][] => [
    ["grpc-status", status],
    ...(message ? [["grpc-message", message] as [string, string]] : []),
  ];
  const cases: [string, Answer, string][] = [
    ["an ordinary one", ok, "answer"],
    [
      "one byte per DATA frame",
      (c, id) => {
        c.headers(id, grpcHeaders);
        for (const byte of framed) c.send(frame.data, 0, id, Uint8Array.of(byte));
        c.headers(id, trailers("0"), true);
      },
      "answer",
    ],
    ["trailers only", (c, id) => c.headers(id, [...grpcHeaders, ...trailers("5", "no such %E2%82%AC")], true), "peer: NotFound: no such €"],
    ["a code gRPC does not define", (c, id) => c.headers(id, [...grpcHeaders, ...trailers("99")], true), "peer: Code(99): "],
    [
      "a status that is no number",
      (c, id) => c.headers(id, [...grpcHeaders, ...trailers("x")], true),
      'transport: Unknown: malformed grpc-status: "x"',
    ],
    [
      "OK without a message",
      (c, id) => c.headers(id, [...grpcHeaders, ...trailers("0")], true),
      "transport: Internal: cardinality violation: received no response message from non-server-streaming RPC",
    ],
    [
      "two messages",
      (c, id) => {
        c.headers(id, grpcHeaders);
        c.send(frame.data, 0, id, Buffer.concat([framed, framed]));
        c.headers(id, trailers("0"), true);
      },
      "transport: Internal: cardinality violation: expected <EOF> for non-server-streaming RPCs, but received another message",
    ],
    [
      "a message cut off",
      (c, id) => {
        c.headers(id, grpcHeaders);
        c.send(frame.data, 0, id, framed.subarray(0, 8));
        c.headers(id, trailers("0"), true);
      },
      "transport: Internal: unexpected EOF",
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
      "trailers without a status",
      (c, id) => {
        c.headers(id, grpcHeaders);
        c.headers(id, [["x", "y"]], true);
      },
      "transport: Internal: server closed the stream without sending grpc-status",
    ],
    [
      "a compressed message",
      (c, id) => {
        c.headers(id, [...grpcHeaders, ["grpc-encoding", "gzip"]]);
        c.send(frame.data, 0, id, Uint8Array.of(1, 0, 0, 0, 0));
      },
      'transport: Internal: grpc: Decompressor is not installed for grpc-encoding "gzip"',
    ],
    [
      "a web server's error",
      (c, id) => c.headers(id, [[":status", "503"]], true),
      "transport: Unavailable: unexpected HTTP status code received from server: 503; transport: missing content-type field",
    ],
    [
      "a web page",
      (c, id) =>
        c.headers(
          id,
          [
            [":status", "200"],
            ["content-type", "text/html"],
          ],
          true,
        ),
      'transport: Unknown: transport: received unexpected content-type "text/html"',
    ],
    ["a reset", (c, id) => c.rst(id, 2), "transport: Internal: stream terminated by RST_STREAM with error code: INTERNAL_ERROR"],
    ["a cancelling reset", (c, id) => c.rst(id, 8), "transport: Canceled: stream terminated by RST_STREAM with error code: CANCEL"],
    [
      "a reset after the headers",
      (c, id) => {
        c.headers(id, grpcHeaders);
        c.rst(id, 7);
      },
      "transport: Unavailable: stream terminated by RST_STREAM with error code: REFUSED_STREAM",
    ],
    ["a socket that closes", (c) => c.socket.destroy(), "transport: Unavailable: error reading from server: EOF"],
    [
      "words that are not HTTP/2",
      (c) => c.socket.write("HTTP/1.1 400 Bad Request\r\n\r\n"),
      "transport: Unavailable: error reading from server: EOF",
    ],
  ];

  test.each(cases)("%s", async (_, answer, expected) => {
    await using w = await world(answer);
    expect(await w.call()).toBe(expected);
    expect(w.requests()).toBe(1);
  });

  test("one above the limit the client was given", async () => {
    await using socket = await tempSocket();
    const server = await rawHttp2Server(socket.path, { onFrame: (f, c) => f.type === frame.headers && ok(c, f.streamId) });
    const channel = new Channel({ target: { kind: "unix", path: socket.path }, maxReceiveBytes: 5 });
    expect((await failureOf(callUnary(channel, "/a/b", new Uint8Array()))).message).toContain(
      "ResourceExhausted desc = grpc: received message larger than max (6 vs. 5)",
    );
    channel.close();
    await server.close();
  });
});

describe("calls the server never processed are sent again unnoticed", () => {
  test("a refused stream", async () => {
    await using w = await world((c, id) => c.rst(id, 7), ok);
    expect(await w.call()).toBe("answer");
    expect(w.requests()).toBe(2);
  });

  test("but not forever", async () => {
    await using w = await world((c, id) => c.rst(id, 7));
    expect(await w.call()).toBe("unsent: Unavailable: stream terminated by RST_STREAM with error code: REFUSED_STREAM");
    expect(w.requests()).toBe(3);
  });

  test("a call above the last stream of a GOAWAY goes to a new connection", async () => {
    await using w = await world((c) => c.goaway(0, 0), ok);
    expect(await w.call()).toBe("answer");
    expect(w.server.connections).toHaveLength(2);
  });
});

test("a GOAWAY lets calls in flight finish, and new ones use a new connection", async () => {
  let first: { c: RawConnection; id: number } | undefined;
  await using w = await world((c, id) => {
    first = { c, id };
    c.goaway(0x7fffffff, 0);
  }, ok);
  const inFlight = w.call();
  await until("the request arrived", () => first !== undefined);
  expect(await w.call()).toBe("answer");
  expect(w.channel.state).toMatchObject({ phase: "ready", generation: 2 });
  first!.c.goaway(first!.id, 0);
  ok(first!.c, first!.id);
  expect(await inFlight).toBe("answer");
  expect(w.server.connections).toHaveLength(2);
});

test("a GOAWAY with an error, as a server sends that is flooded, is a loss like any other", async () => {
  await using w = await world((c, id) => c.goaway(id, 11), ok);
  expect(await w.call()).toBe("transport: Unavailable: error reading from server: EOF");
  expect(await w.call()).toBe("answer");
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

test("a cancelled call tells the server with CANCEL", async () => {
  await using socket = await tempSocket();
  const resets: number[] = [];
  const server = await rawHttp2Server(socket.path, {
    onFrame: ({ type, payload }) => type === frame.rstStream && resets.push(payload.readUInt32BE(0)),
  });
  const clock = new FakeClock();
  const channel = new Channel({ target: { kind: "unix", path: socket.path }, clock });
  await until("ready", () => channel.state.phase === "ready");
  const call = callUnary(channel, "/a/b", new Uint8Array(), { timeoutMs: 5_000 }).catch(String);
  await clock.advance(5_000);
  expect(await call).toBe("rpc error: code = DeadlineExceeded desc = context deadline exceeded");
  await until("the server heard", () => resets.length > 0);
  expect(resets).toEqual([8]);
  channel.close();
  await server.close();
});
