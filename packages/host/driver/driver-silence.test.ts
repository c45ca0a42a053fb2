import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { Code, GrpcError, type Invocation } from "@csi-sidecars/csi";
import { DriverSilence } from "./driver-silence.ts";

const call = { path: "/csi.v1.Controller/CreateVolume" } as Invocation;

function start() {
  const clock = new FakeClock();
  const silence = new DriverSilence(clock);
  const invoke = () => {
    const answer = Promise.withResolvers<object>();
    const ended = silence.interceptor(() => answer.promise)(call, {});
    ended.catch(() => {});
    return { ...answer, ended };
  };
  return { clock, silence, invoke };
}

const deadline = new GrpcError(Code.DeadlineExceeded, "context deadline exceeded", { origin: "transport" });
const refusal = new GrpcError(Code.ResourceExhausted, "no room", { origin: "peer" });

test("a driver that answers nothing is silent since the first call, however many end in vain", async () => {
  const { clock, silence, invoke } = start();
  expect(silence.forMs).toBeUndefined();
  for (let n = 0; n < 3; n++) {
    const { reject, ended } = invoke();
    await clock.advance(10_000);
    reject(deadline);
    await expect(ended).rejects.toThrow("deadline");
    await clock.advance(5_000);
  }
  expect(silence.forMs).toBe(45_000);
});

test("one that was called in vain once, and is idle since, is not known to be silent", async () => {
  const { clock, silence, invoke } = start();
  const { reject, ended } = invoke();
  await clock.advance(10_000);
  reject(deadline);
  await expect(ended).rejects.toThrow("deadline");
  await clock.advance(50_000);
  expect(silence.forMs).toBe(60_000);
  await clock.advance(3_600_000);
  expect(silence.forMs).toBeUndefined();
  const next = invoke();
  await clock.advance(2_000);
  expect(silence.forMs).toBe(2_000);
  next.resolve({});
  await next.ended;
  expect(silence.forMs).toBeUndefined();
});

test("a call that waits is counted for as long as it waits", async () => {
  const { clock, silence, invoke } = start();
  invoke();
  await clock.advance(3_600_000);
  expect(silence.forMs).toBe(3_600_000);
});

test.each([
  ["an answer", undefined],
  ["a refusal", refusal],
])("%s ends it, and what still waits begins it again", async (_, error) => {
  const { clock, silence, invoke } = start();
  const [slow, fast] = [invoke(), invoke()];
  await clock.advance(20_000);
  if (error) fast.reject(error);
  else fast.resolve({});
  await fast.ended.catch(() => {});
  expect(silence.forMs).toBe(0);
  await clock.advance(7_000);
  expect(silence.forMs).toBe(7_000);
  slow.resolve({});
  await slow.ended;
  expect(silence.forMs).toBeUndefined();
});
