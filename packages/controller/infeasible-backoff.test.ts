import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { InfeasibleBackoff } from "./infeasible-backoff.ts";

function world() {
  const clock = new FakeClock();
  return { clock, backoff: new InfeasibleBackoff(1_000, clock) };
}

test("a key waits for the whole delay, is not extended, and is forgotten afterwards", async () => {
  const { clock, backoff } = world();
  expect(backoff.remaining("claim")).toBeUndefined();
  backoff.add("claim");
  await clock.advance(400);
  backoff.add("claim");
  expect([backoff.remaining("claim"), backoff.remaining("other")]).toEqual([600, undefined]);
  await clock.advance(600);
  expect([backoff.remaining("claim"), backoff.size]).toEqual([undefined, 0]);
});

test("another request ends the delay; one that is not known does not", async () => {
  const { backoff } = world();
  backoff.add("claim", "class-1");
  expect([backoff.remaining("claim"), backoff.remaining("claim", "class-1")]).toEqual([1_000, 1_000]);
  expect([backoff.remaining("claim", "class-2"), backoff.remaining("claim", "class-1")]).toEqual([undefined, undefined]);
});

test("a key that succeeded or is gone is deleted", () => {
  const { backoff } = world();
  backoff.add("claim");
  backoff.delete("claim");
  expect([backoff.remaining("claim"), backoff.size]).toEqual([undefined, 0]);
});
