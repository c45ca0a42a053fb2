import { describe, expect, test } from "bun:test";
import type { NodeHealth } from "./node-health.ts";
import { type NodePlan, type Outage, planNode } from "./plan-node.ts";

const limit = 300;
const now = 1_000;
const told = new Set(["uid"]);
const down = (since: number): Outage => ({ since, told: new Set() });
const reported = (since: number, reportedAt: number): Outage => ({ since, reportedAt, told });
const wait = (outage: Outage, afterMs: number): NodePlan => ({ step: "wait", outage, afterMs });
const failure: NodePlan = { step: "report failure" };

describe("planNode", () => {
  test.each<[string, NodeHealth, Outage | undefined, NodePlan]>([
    ["ready all the time", "ready", undefined, { step: "forget" }],
    ["ready again before anybody was told", "ready", down(900), { step: "forget" }],
    ["ready again", "ready", reported(600, 900), { step: "report recovery" }],
    ["has not said yet how it is", "unknown", undefined, { step: "forget" }],
    ["does not say any more how it is, before anybody was told", "unknown", down(100), { step: "forget" }],
    ["does not say any more how it is, after a report", "unknown", reported(100, 400), { step: "none" }],
    ["not ready from now on", "not-ready", undefined, wait(down(now), limit)],
    ["not ready for a while", "not-ready", down(701), wait(down(701), 1)],
    ["not ready for too long", "not-ready", down(700), failure],
    ["reported, and not for long", "not-ready", reported(400, 701), wait(reported(400, 701), 1)],
    ["reported long ago", "not-ready", reported(400, 700), failure],
    [
      "reported by an earlier process, ready meanwhile, and not ready again",
      "not-ready",
      reported(900, 100),
      wait(reported(900, 100), 200),
    ],
    ["terminated", "terminated", undefined, failure],
    ["terminated while it was not ready", "terminated", down(900), failure],
    ["terminated, and reported", "terminated", reported(900, 900), wait(reported(900, 900), 200)],
    ["deleted", "deleted", undefined, failure],
    ["deleted while it was not ready", "deleted", down(900), failure],
    ["deleted after it was reported", "deleted", reported(500, 900), wait(reported(500, 900), 200)],
    ["deleted, and reported long ago", "deleted", reported(100, 700), failure],
  ])("%s", (_what, health, outage, expected) => {
    expect(planNode(health, outage, now, limit)).toEqual(expected);
  });
});
