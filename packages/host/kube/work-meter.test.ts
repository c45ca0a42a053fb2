import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import type { TransportRequest, TransportResponse } from "@csi-sidecars/kube";
import { WorkMeter } from "./work-meter.ts";

function setUp() {
  const clock = new FakeClock();
  const meter = new WorkMeter(clock);
  const answers: PromiseWithResolvers<TransportResponse>[] = [];
  const transport = meter.metered({
    request() {
      const answer = Promise.withResolvers<TransportResponse>();
      answers.push(answer);
      return answer.promise;
    },
    close() {},
  });
  const send = (change: Partial<TransportRequest> = {}) => {
    transport.request({ method: "POST", path: "/api", timeoutMs: 1_000, ...change }).catch(() => undefined);
  };
  return { clock, meter, answers, send };
}

const answer: TransportResponse = { status: 200, header: () => undefined, text: async () => "", chunks: async function* () {} };

test("there is work from the second request on its way until a moment after there were two", async () => {
  const { clock, meter, answers, send } = setUp();
  for (let i = 0; i < 3; i++) send();
  await clock.advance(60_000);
  expect(meter.working()).toBe(true);
  answers[0]?.resolve(answer);
  await clock.advance(60_000);
  expect(meter.working()).toBe(true);
  answers[1]?.reject(new Error("the connection was closed"));
  await clock.advance(99);
  expect(meter.working()).toBe(true);
  await clock.advance(1);
  expect(meter.working()).toBe(false);
});

test("requests one by one keep nobody waiting", async () => {
  const { clock, meter, answers, send } = setUp();
  for (let i = 0; i < 3; i++) {
    send();
    expect(meter.working()).toBe(false);
    answers[i]?.resolve(answer);
    await clock.advance(10);
  }
  expect(meter.working()).toBe(false);
});

test("watches are no work", () => {
  const { meter, send } = setUp();
  for (let i = 0; i < 3; i++) send({ method: "GET", streaming: true });
  expect(meter.working()).toBe(false);
});
