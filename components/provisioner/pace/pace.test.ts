import { describe, expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { Code, GrpcError } from "@csi-sidecars/csi";
import { KeyedLock } from "./keyed-lock.ts";
import { fullPace, type Pace, type PaceSign, paceAfter } from "./pace.ts";
import { paceSignOf } from "./pace-sign.ts";
import { Pacer } from "./pacer.ts";

const most = 100;
const after = (pace: Pace, signs: readonly PaceSign[]) => signs.reduce((state, sign) => paceAfter(state, sign, most), pace);
const times = (n: number, sign: PaceSign): PaceSign[] => Array.from({ length: n }, () => sign);

describe("how many calls run at a time", () => {
  test.each<[string, number, readonly PaceSign[], number]>([
    ["all fine at the top", 100, times(100, "fine"), 100],
    ["a quarter overloaded", 100, [...times(75, "fine"), ...times(25, "overloaded")], 70],
    ["some overloaded", 100, [...times(85, "fine"), ...times(15, "overloaded")], 100],
    ["all overloaded, twice", 100, times(170, "overloaded"), 49],
    ["other failures", 100, times(500, "neither"), 100],
    ["one overloaded call says nothing", 10, times(1, "overloaded"), 10],
    ["fine again", 10, times(10, "fine"), 15],
    ["never below one", 1, times(80, "overloaded"), 1],
    ["from one upwards", 1, times(8, "fine"), 2],
    ["not above the flag", 90, times(90, "fine"), 100],
  ])("%s", (_, limit, signs, expected) => {
    expect(after(fullPace(limit), signs).limit).toBe(expected);
  });

  test("a driver that was overloaded for long is back at full pace after some hundred good calls", () => {
    expect(after(fullPace(1), times(600, "fine")).limit).toBe(100);
  });

  test.each<[string, Error, PaceSign]>([
    ["no room", new GrpcError(Code.ResourceExhausted, ""), "overloaded"],
    ["no answer in time", new GrpcError(Code.DeadlineExceeded, "", { origin: "transport" }), "overloaded"],
    ["still at it", new GrpcError(Code.Aborted, ""), "overloaded"],
    ["never sent", new GrpcError(Code.DeadlineExceeded, "", { origin: "unsent" }), "neither"],
    ["a failure", new GrpcError(Code.Internal, ""), "neither"],
    ["anything else", new Error("no"), "neither"],
  ])("%s", (_, error, sign) => {
    expect(paceSignOf(error, 0)).toBe(sign);
  });

  test("what fails again and again at whatever pace is no matter of pace; no answer is believed longer than no room", () => {
    const signs = (code: number) => [0, 2, 3, 7, 8, 50].map((failures) => paceSignOf(new GrpcError(code, ""), failures));
    expect(signs(Code.ResourceExhausted)).toEqual(["overloaded", "overloaded", "neither", "neither", "neither", "neither"]);
    const noAnswer: readonly PaceSign[] = ["overloaded", "overloaded", "overloaded", "overloaded", "neither", "neither"];
    expect(signs(Code.DeadlineExceeded)).toEqual([...noAnswer]);
    expect(signs(Code.Aborted)).toEqual([...noAnswer]);
  });
});

describe("the pace over time", () => {
  const paced = (limit: number) => {
    const limits: number[] = [];
    const clock = new FakeClock();
    const pacer = new Pacer(limit, (now) => void limits.push(now), clock);
    const observe = (count: number, sign: PaceSign) => times(count, sign).forEach((each) => void pacer.observe(each));
    return { clock, observe, limits };
  };

  test("one claim that never gets an answer slows nobody down, however long it lasts", () => {
    const { observe, limits } = paced(100);
    for (let failures = 0; failures < 1000; failures++) {
      observe(1, paceSignOf(new GrpcError(Code.DeadlineExceeded, "", { origin: "transport" }), failures));
    }
    expect(limits).toEqual([100]);
  });

  test("comes back by itself when nothing is overloaded any more, though only what cannot succeed is tried", async () => {
    const { clock, observe, limits } = paced(10);
    observe(10 + 8 * 5, "overloaded");
    expect(limits.at(-1)).toBe(1);
    observe(100, "neither");
    expect(limits.at(-1)).toBe(1);
    for (let minutes = 0; minutes < 10; minutes++) {
      await clock.advance(60_000);
      observe(2, "neither");
    }
    expect(limits.slice(-5)).toEqual([2, 3, 5, 8, 10]);
  });

  test("stays low while calls are overloaded, however rarely they come", async () => {
    const { clock, observe, limits } = paced(10);
    observe(10 + 8 * 5, "overloaded");
    for (let minutes = 0; minutes < 10; minutes++) {
      await clock.advance(50_000);
      observe(1, "overloaded");
    }
    expect(limits.at(-1)).toBe(1);
  });
});

test("what has the same key is done one after the other, also after a failure, and forgotten", async () => {
  const lock = new KeyedLock();
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  const a = lock.run("x", async () => {
    await first.promise;
    done.push("a");
    throw new Error("no");
  });
  const b = lock.run("x", async () => void done.push("b"));
  await lock.run("y", async () => void done.push("y"));
  first.resolve();
  await expect(a).rejects.toThrow("no");
  await b;
  expect(done).toEqual(["y", "a", "b"]);
  await Promise.resolve();
  expect(lock.size).toBe(0);
});
