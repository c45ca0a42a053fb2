import { expect, test } from "bun:test";
import { FakeClock, until } from "@csi-sidecars/base/testing";
import { frame, setting } from "../../packages/csi/grpc/testing/raw-http2-server.ts";
import { type Answer, grpcHeaders, hostileGrpcServer, ok, status } from "./testing/hostile-grpc-server.ts";

const exceeded = "transport: DeadlineExceeded: context deadline exceeded";

/** A clock whose timers never get their turn, as in a process that is busy when they are due. */
class LateTimers extends FakeClock {
  passed = 0;
  override monotonic(): number {
    return this.passed;
  }
}

test.each([
  ["cancels the stream", (c, id) => c.rst(id, 8), exceeded],
  [
    "cancels the stream after its headers",
    (c, id) => {
      c.headers(id, grpcHeaders);
      c.rst(id, 8);
    },
    exceeded,
  ],
  ["breaks down", (c, id) => c.rst(id, 2), exceeded],
  ["ends the stream without a status", (c, id) => c.headers(id, grpcHeaders, true), exceeded],
  ["refuses the stream", (c, id) => c.rst(id, 7), "unsent: DeadlineExceeded: context deadline exceeded"],
  ["closes the connection", (c) => c.socket.destroy(), exceeded],
  ["still has the answer", ok, "answer"],
  ["says so itself", (c, id) => c.headers(id, [...grpcHeaders, ...status("4", "too slow")], true), "peer: DeadlineExceeded: too slow"],
  ["has another error", (c, id) => c.headers(id, [...grpcHeaders, ...status("5", "gone")], true), "peer: NotFound: gone"],
] as [string, Answer, string][])("a server that %s when the deadline has passed, before our timer noticed", async (_, answer, outcome) => {
  const clock = new LateTimers();
  const late: Answer = (c, id) => {
    clock.passed = 1_000;
    answer(c, id);
  };
  await using world = await hostileGrpcServer({ answers: [late], channel: { clock } });
  expect(await world.call({ timeoutMs: 1_000 })).toBe(outcome);
  expect(world.requests()).toBe(1);
});

test("a server that cancels before the deadline", async () => {
  const clock = new LateTimers();
  const early: Answer = (c, id) => {
    clock.passed = 999;
    c.rst(id, 8);
  };
  await using world = await hostileGrpcServer({ answers: [early], channel: { clock } });
  expect(await world.call({ timeoutMs: 1_000 })).toBe("transport: Canceled: stream terminated by RST_STREAM with error code: CANCEL");
});

test("a server that never answers hears that the call is cancelled", async () => {
  const resets: number[] = [];
  const clock = new FakeClock();
  await using world = await hostileGrpcServer({
    answers: [() => {}],
    onFrame: ({ type, payload }) => type === frame.rstStream && resets.push(payload.readUInt32BE(0)),
    channel: { clock },
  });
  const call = world.call({ timeoutMs: 5_000 });
  await until("the request arrived", () => world.requests() === 1);
  await clock.advance(5_000);
  expect(await call).toBe(exceeded);
  await until("the server heard", () => resets.length > 0);
  expect(resets).toEqual([8]);
});

test.each([
  ["calls", setting(3, 0), setting(3, 100)],
  ["bytes", setting(4, 0), setting(4, 65_535)],
])("a server that allows no more %s costs a call its time, and serves the next one when it allows them again", async (_, deny, allow) => {
  const clock = new FakeClock();
  const denying: Answer = (c, id) => {
    c.send(frame.settings, 0, 0, deny);
    ok(c, id);
  };
  await using world = await hostileGrpcServer({
    answers: [denying, () => {}],
    onFrame({ type, flags, streamId }, c) {
      if (type === frame.data && flags & frame.endStream && streamId > 1) ok(c, streamId);
    },
    channel: { clock },
  });
  expect(await world.call()).toBe("answer");
  const call = world.call({ timeoutMs: 5_000 });
  await clock.advance(5_000);
  expect(await call).toBe(exceeded);
  world.server.connections[0]!.send(frame.settings, 0, 0, allow);
  expect(await world.call()).toBe("answer");
  expect(world.channel.generation).toBe(1);
});
