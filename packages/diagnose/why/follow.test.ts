import { expect, test } from "bun:test";
import { type Explanation, explanation, step } from "./explanation.ts";
import { follow } from "./follow.ts";

const waits = (since: string) =>
  explanation("Claim a", [step("waiting", "the driver creates it", [{ object: "a", field: "f", value: "v", since }])], [], "");
const fails = explanation("Claim a", [step("failed", "the pool is full")], [], "");
const bound = explanation("Claim a", [step("done", "bound")], [], "nothing is waiting");

/** Follows an object that is explained so, one after the other. */
async function following(answers: readonly Explanation[], stopAfter = Number.POSITIVE_INFINITY) {
  const told: string[] = [];
  const stop = new AbortController();
  let asked = 0;
  const sleeps: number[] = [];
  const last = await follow({
    explain: async () => answers[asked++] ?? bound,
    tell: ({ summary }) => told.push(summary),
    clock: {
      sleep: async (ms) => {
        sleeps.push(ms);
        if (asked === stopAfter) stop.abort();
      },
    },
    intervalMs: 2_000,
    signal: stop.signal,
  });
  return { told, asked, sleeps, last };
}

test("says what changes, not how time passes, and ends when nothing waits", async () => {
  const { told, asked, sleeps, last } = await following([waits("a"), waits("b"), fails, fails, waits("c"), bound, fails]);
  expect(told).toEqual(["the driver creates it", "the pool is full", "the driver creates it", "nothing is waiting"]);
  expect([asked, sleeps.length, last?.state]).toEqual([6, 5, "done"]);
  expect(new Set(sleeps)).toEqual(new Set([2_000]));
});

test("goes on when the object cannot be read for a while, and ends at once where it never could", async () => {
  const away = { ...fails, found: false, summary: "could not be read", unreadable: ["could not read Claim a: connection refused"] };
  expect((await following([waits("a"), away, away, waits("b"), bound])).told).toEqual([
    ...["the driver creates it", "could not be read", "the driver creates it", "nothing is waiting"],
  ]);
  expect((await following([away, waits("a")])).told).toEqual(["could not be read"]);
});

test("ends with an object that is gone, and when it is stopped", async () => {
  const gone = { ...fails, found: false, summary: "does not exist" };
  expect((await following([waits("a"), gone])).told).toEqual(["the driver creates it", "does not exist"]);
  expect((await following([waits("a"), waits("a"), fails], 2)).told).toEqual(["the driver creates it"]);
});
