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

test("there is work while many requests are on their way", async () => {
  const { clock, meter, answers, send } = setUp();
  for (let i = 0; i < 4; i++) send();
  expect(meter.working()).toBe(false);
  send();
  await clock.advance(60_000);
  expect(meter.working()).toBe(true);
  answers[0]?.reject(new Error("the connection was closed"));
  await clock.advance(0);
  expect(meter.working()).toBe(false);
});

const oneByOne: [everyMs: number, working: boolean][] = [
  [4, true],
  [40, true],
  [100, false],
];
test.each(oneByOne)("a request every %d ms, answered at once, is work: %p", async (everyMs, working) => {
  const { clock, meter, answers, send } = setUp();
  for (let i = 0; i < 20; i++) {
    send();
    answers[i]?.resolve(answer);
    await clock.advance(everyMs);
  }
  expect(meter.working()).toBe(working);
});

test("it ends a quarter of a second after the last", async () => {
  const { clock, meter, answers, send } = setUp();
  for (let i = 0; i < 5; i++) {
    send();
    answers[i]?.resolve(answer);
  }
  await clock.advance(249);
  expect(meter.working()).toBe(true);
  await clock.advance(1);
  expect(meter.working()).toBe(false);
});

test("watches are no work", () => {
  const { meter, send } = setUp();
  for (let i = 0; i < 9; i++) send({ method: "GET", streaming: true });
  expect(meter.working()).toBe(false);
});
