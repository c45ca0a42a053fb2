import { expect, test } from "bun:test";
import { FakeClock, recordingLogger } from "@csi-sidecars/base/testing";
import { throttleLog } from "./throttle-log.ts";

function world(verbosity: number, limitedBy?: string) {
  const clock = new FakeClock();
  const log = recordingLogger(verbosity);
  const throttled = throttleLog(clock, log, { name: "attacher", limit: { qps: 5, burst: 10 }, limitedBy });
  const waited = (waitedMs: number, retryReason?: string) => throttled({ waitedMs, method: "GET", path: "/api/v1/nodes", retryReason });
  const levels = () => log.lines.filter((line) => line.message === "Waited before sending request").map((line) => line.level);
  const summaries = () => log.lines.filter((line) => line.message.startsWith("Requests wait")).map((line) => line.fields);
  return { clock, log, waited, levels, summaries };
}

test("waits up to 50 ms are not logged", () => {
  const { waited, log } = world(10);
  waited(50);
  expect(log.lines).toEqual([]);
});

test("each longer wait is logged at V(3), with its reason", () => {
  const { waited, log, levels } = world(3);
  waited(51);
  waited(400, "retries: 1");
  expect(levels()).toEqual([3, 3]);
  expect(log.lines[0]?.fields).toEqual({
    delay: "51ms",
    reason: "client-side throttling, not priority and fairness",
    verb: "GET",
    URL: "/api/v1/nodes",
  });
  expect(log.lines.at(-1)?.fields.reason).toBe("retries: 1");
});

test("with V(2) enabled, waits above one second are logged there, once a second", async () => {
  const { waited, clock, levels } = world(2);
  waited(1001);
  waited(1001);
  expect(levels()).toEqual([2]);
  await clock.advance(1000);
  waited(1001);
  expect(levels()).toEqual([2, 2]);
});

test("with V(2) disabled, they are logged at V(0), once in ten seconds", async () => {
  const { waited, clock, levels } = world(1);
  waited(1001);
  await clock.advance(9_999);
  waited(1001);
  expect(levels()).toEqual([0]);
  await clock.advance(1);
  waited(1001);
  expect(levels()).toEqual([0, 0]);
});

test("one summary a minute names the client, its limit and what was waited since the last", async () => {
  const { waited, clock, summaries } = world(0);
  waited(200);
  waited(300);
  await clock.advance(59_999);
  waited(400);
  expect(summaries()).toEqual([{ client: "attacher", qps: 5, burst: 10, requests: 1, waited: "0.2s" }]);
  await clock.advance(1);
  waited(500);
  expect(summaries()).toHaveLength(2);
  expect(summaries()[1]).toMatchObject({ requests: 3, waited: "1.2s" });
});

test.each([
  [undefined, "raise --kube-api-qps and --kube-api-burst if"],
  ["--kube-api-capacity-qps", "raise --kube-api-capacity-qps if"],
])("the summary names the flags that set the limit: %p", (limitedBy, expected) => {
  const { waited, log } = world(0, limitedBy);
  waited(200);
  expect(log.lines[0]?.message).toContain(expected);
});
