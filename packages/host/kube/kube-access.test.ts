import { expect, test } from "bun:test";
import { eventLimit } from "./kube-access.ts";
import { workLimit } from "./work-limit.ts";

test.each([
  ["no such flags", {}, { qps: 5, burst: 10 }],
  ["both flags", { kubeApiQps: 20, kubeApiBurst: 30 }, { qps: 20, burst: 30 }],
  ["no limit", { kubeApiQps: -1, kubeApiBurst: 10 }, { qps: -1, burst: 10 }],
])("a component with %s", (_, flags, limit) => {
  expect(workLimit(flags)).toEqual(limit);
});

const usual = { qps: 5, burst: 10 };

test.each([
  ["nobody", [], { qps: 25, burst: 50, together: 10 }],
  ["default flags", [usual, usual], { qps: 25, burst: 50, together: 10 }],
  ["one that is fast", [usual, { qps: 100, burst: 200 }], { qps: 200, burst: 400, together: 10 }],
  ["one without a limit", [usual, { qps: -1, burst: 0 }], { qps: -1, burst: 0 }],
])("events keep up with %s", (_, work, limit) => {
  expect(eventLimit(work)).toEqual(limit);
});
