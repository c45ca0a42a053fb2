import { describe, expect, test } from "bun:test";
import { until } from "@csi-sidecars/base/testing";
import { loadSignal } from "@csi-sidecars/controller";
import { classifyFailure } from "@csi-sidecars/csi";
import { callServerStream, callUnary } from "../../packages/csi/grpc/invoke.ts";
import { failureOf } from "../../packages/csi/grpc/testing/failure.ts";
import { frame, headerBlock, uint32 } from "../../packages/csi/grpc/testing/raw-http2-server.ts";
import { type Answer, grpcHeaders, hostileGrpcServer, ok, status } from "./testing/hostile-grpc-server.ts";

const failing =
  (message: string): Answer =>
  (c, id) =>
    c.headers(id, [...grpcHeaders, ...status("13", message)], true);

/**
 * The outcome of a call, and the resets that the server then heard of. Another call stays in flight until it has `heard` as many, and is
 * answered then: nothing happened to the connection.
 */
async function besideAnotherCall(answer: Answer, heard = 0): Promise<{ outcome: string; resets: number[] }> {
  const resets: number[] = [];
  let finish: () => void = () => {};
  await using world = await hostileGrpcServer({
    answers: [
      (c, id) => {
        finish = () => ok(c, id);
      },
      answer,
    ],
    onFrame: ({ type, payload }) => type === frame.rstStream && resets.push(payload.readUInt32BE(0)),
  });
  const neighbour = world.call();
  await until("the neighbour's request arrived", () => world.requests() === 1);
  const outcome = await world.call();
  await until("the server heard", () => resets.length === heard);
  finish();
  expect(await neighbour).toBe("answer");
  expect(world.channel.state).toEqual({ phase: "ready", generation: 1 });
  return { outcome, resets };
}

describe("an error message", () => {
  test.each([1_000, 20_000, 65_000])("of %d bytes arrives whole", async (length) => {
    const { outcome } = await besideAnotherCall(failing("x".repeat(length)));
    expect(outcome).toBe(`peer: Internal: ${"x".repeat(length)}`);
  });

  test("has a limit that the server is told", async () => {
    const settings: [id: number, value: number][] = [];
    await using world = await hostileGrpcServer({
      answers: [ok],
      onFrame({ type, flags, payload }) {
        if (type !== frame.settings || flags & frame.ack) return;
        for (let at = 0; at < payload.length; at += 6) settings.push([payload.readUInt16BE(at), payload.readUInt32BE(at + 2)]);
      },
    });
    expect(await world.call()).toBe("answer");
    const maxHeaderListSize = 6;
    expect(settings).toContainEqual([maxHeaderListSize, 65_536]);
  });

  test("above the limit costs the one call, from a server that obeys", async () => {
    const { outcome } = await besideAnotherCall((c, id) => c.rst(id, 2));
    expect(outcome).toContain("RST_STREAM with error code: INTERNAL_ERROR (perhaps its error message has more than 65536 bytes)");
  });

  test("that HPACK blows up from 4 KB to 400 KB costs the one call", async () => {
    const indexed = Buffer.concat([Buffer.of(0x40), headerBlock([["x", "y".repeat(3_900)]]).subarray(1)]);
    const bomb = Buffer.concat([headerBlock(grpcHeaders), indexed, Buffer.alloc(100, 0x80 | 62), headerBlock(status("13"))]);
    const explode: Answer = (c, id) => c.send(frame.headers, frame.endHeaders | frame.endStream, id, bomb);
    const { outcome, resets } = await besideAnotherCall(explode, 1);
    expect(outcome).toContain("transport: Unavailable: stream terminated by RST_STREAM with error code: ENHANCE_YOUR_CALM");
    expect(resets).toEqual([11]);
  });

  test("above the limit from a server that ignores it costs the connection, and is an uncertain outcome for every call on it", async () => {
    await using world = await hostileGrpcServer({ answers: [() => {}, failing("x".repeat(70_000)), ok] });
    const call = () => failureOf(callUnary(world.channel, "/a/b", new Uint8Array(), { waitForReady: true }));
    const neighbour = call();
    await until("the neighbour's request arrived", () => world.requests() === 1);
    for (const error of await Promise.all([call(), neighbour])) expect(classifyFailure("createVolume", error).kind).toBe("uncertain");
    expect(await world.call()).toBe("answer");
  });
});

describe("a message above the limit", () => {
  const announced: Answer = (c, id) => {
    c.headers(id, grpcHeaders);
    c.send(frame.data, 0, id, Buffer.concat([Buffer.of(0), uint32((64 << 20) + 1), new Uint8Array(1_000)]));
  };

  test("is refused as soon as its length is known: the call is cancelled, the connection stays", async () => {
    const { outcome, resets } = await besideAnotherCall(announced, 1);
    expect(outcome).toBe("transport: ResourceExhausted: grpc: received message larger than max (67108865 vs. 67108864)");
    expect(resets).toEqual([8]);
  });

  test("does not count as a driver without room", async () => {
    await using world = await hostileGrpcServer({ answers: [announced] });
    const error = await failureOf(callUnary(world.channel, "/csi.v1.Controller/CreateVolume", new Uint8Array(), { waitForReady: true }));
    expect(classifyFailure("createVolume", error).kind).toBe("uncertain");
    expect(loadSignal(error, 0)).toBe("unrelated");
  });

  test("has the limit that the channel was given", async () => {
    await using world = await hostileGrpcServer({ answers: [ok], channel: { maxReceiveBytes: 5 } });
    expect(await world.call()).toBe("transport: ResourceExhausted: grpc: received message larger than max (6 vs. 5)");
  });
});

test("a server that streams faster than it is read is held back", async () => {
  const stream = { id: 0, window: 65_535, sent: 0 };
  const start: Answer = (c, id) => {
    stream.id = id;
    c.headers(id, grpcHeaders);
  };
  const chunkLength = 16_384;
  const prefix = Buffer.concat([Buffer.of(0), uint32((1 << 20) - 5)]);
  await using world = await hostileGrpcServer({
    answers: [start, ok],
    onFrame({ type, streamId, payload }, c) {
      if (type === frame.windowUpdate && streamId === stream.id) stream.window += payload.readUInt32BE(0);
      for (; stream.id > 0 && stream.window >= chunkLength; stream.window -= chunkLength, stream.sent += chunkLength) {
        const chunk = Buffer.alloc(chunkLength);
        if (stream.sent % (1 << 20) === 0) chunk.set(prefix);
        c.send(frame.data, 0, stream.id, chunk);
      }
    },
  });
  const messages = callServerStream(world.channel, "/test.Test/Stream", new Uint8Array(), { waitForReady: true });
  expect((await messages.next()).value).toHaveLength((1 << 20) - 5);
  // While the consumer rests, the server hears of everything that the client sends.
  for (let i = 0; i < 200; i++) expect(await world.call()).toBe("answer");
  expect(stream.sent).toBeLessThan(4 << 20);
  await messages.return();
});
