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

test("there is work until the last request has had its answer for a moment", async () => {
  const { clock, meter, answers, send } = setUp();
  expect(meter.working()).toBe(false);
  send();
  send();
  answers[0]?.resolve(answer);
  await clock.advance(60_000);
  expect(meter.working()).toBe(true);
  answers[1]?.reject(new Error("the connection was closed"));
  await clock.advance(99);
  expect(meter.working()).toBe(true);
  await clock.advance(1);
  expect(meter.working()).toBe(false);
});

test("a watch is no work", () => {
  const { meter, send } = setUp();
  send({ method: "GET", streaming: true });
  expect(meter.working()).toBe(false);
});
