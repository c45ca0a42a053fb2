import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { Code, GrpcError } from "@csi-sidecars/csi";
import {
  AdaptiveConcurrency,
  type ConcurrencyWindow,
  type LoadSignal,
  loadSignal,
  newWindow,
  windowAfter,
} from "./adaptive-concurrency.ts";

const max = 100;
const after = (window: ConcurrencyWindow, signs: readonly LoadSignal[]) =>
  signs.reduce((state, sign) => windowAfter(state, sign, max), window);
const times = (n: number, sign: LoadSignal): LoadSignal[] => Array.from({ length: n }, () => sign);

describe("how many calls run at a time", () => {
  test.each<[string, number, readonly LoadSignal[], number]>([
    ["all fine at the top", 100, times(100, "ok"), 100],
    ["a quarter overloaded", 100, [...times(75, "ok"), ...times(25, "overloaded")], 70],
    ["some overloaded", 100, [...times(85, "ok"), ...times(15, "overloaded")], 100],
    ["all overloaded, twice", 100, times(170, "overloaded"), 49],
    ["other failures", 100, times(500, "unrelated"), 100],
    ["one overloaded call says nothing", 10, times(1, "overloaded"), 10],
    ["fine again", 10, times(10, "ok"), 15],
    ["never below one", 1, times(80, "overloaded"), 1],
    ["from one upwards", 1, times(8, "ok"), 2],
    ["not above the flag", 90, times(90, "ok"), 100],
  ])("%s", (_, limit, signs, expected) => {
    expect(after(newWindow(limit), signs).limit).toBe(expected);
  });

  test("a driver that was overloaded for long is back at full concurrency after some hundred good calls", () => {
    expect(after(newWindow(1), times(600, "ok")).limit).toBe(100);
  });

  test.each<[string, Error, LoadSignal]>([
    ["no room", new GrpcError(Code.ResourceExhausted, ""), "overloaded"],
    ["an answer above our limit", new GrpcError(Code.ResourceExhausted, "", { origin: "transport" }), "unrelated"],
    ["no answer in time", new GrpcError(Code.DeadlineExceeded, "", { origin: "transport" }), "overloaded"],
    ["still at it", new GrpcError(Code.Aborted, ""), "overloaded"],
    ["never sent", new GrpcError(Code.DeadlineExceeded, "", { origin: "unsent" }), "unrelated"],
    ["a failure", new GrpcError(Code.Internal, ""), "unrelated"],
    ["anything else", new Error("no"), "unrelated"],
  ])("%s", (_, error, sign) => {
    expect(loadSignal(error, 0)).toBe(sign);
  });

  test("what fails again and again at whatever concurrency is no sign of overload; no answer is believed longer than no room", () => {
    const signs = (code: number) => [0, 2, 3, 7, 8, 50].map((failures) => loadSignal(new GrpcError(code, ""), failures));
    expect(signs(Code.ResourceExhausted)).toEqual(["overloaded", "overloaded", "unrelated", "unrelated", "unrelated", "unrelated"]);
    const noAnswer: readonly LoadSignal[] = ["overloaded", "overloaded", "overloaded", "overloaded", "unrelated", "unrelated"];
    expect(signs(Code.DeadlineExceeded)).toEqual([...noAnswer]);
    expect(signs(Code.Aborted)).toEqual([...noAnswer]);
  });
});

describe("the limit over time", () => {
  const limited = (limit: number) => {
    const limits: number[] = [];
    const clock = new FakeClock();
    const concurrency = new AdaptiveConcurrency(limit, (now) => void limits.push(now), clock);
    const observe = (count: number, sign: LoadSignal) => times(count, sign).forEach((each) => void concurrency.observe(each));
    return { clock, observe, limits };
  };

  test("one claim that never gets an answer slows nobody down, however long it lasts", () => {
    const { observe, limits } = limited(100);
    for (let failures = 0; failures < 1000; failures++) {
      observe(1, loadSignal(new GrpcError(Code.DeadlineExceeded, "", { origin: "transport" }), failures));
    }
    expect(limits).toEqual([100]);
  });

  test("comes back by itself when nothing is overloaded any more, though only what cannot succeed is tried", async () => {
    const { clock, observe, limits } = limited(10);
    observe(10 + 8 * 5, "overloaded");
    expect(limits.at(-1)).toBe(1);
    observe(100, "unrelated");
    expect(limits.at(-1)).toBe(1);
    for (let minutes = 0; minutes < 10; minutes++) {
      await clock.advance(60_000);
      observe(2, "unrelated");
    }
    expect(limits.slice(-5)).toEqual([2, 3, 5, 8, 10]);
  });

  test("stays low while calls are overloaded, however rarely they come", async () => {
    const { clock, observe, limits } = limited(10);
    observe(10 + 8 * 5, "overloaded");
    for (let minutes = 0; minutes < 10; minutes++) {
      await clock.advance(50_000);
      observe(1, "overloaded");
    }
    expect(limits.at(-1)).toBe(1);
  });
});
