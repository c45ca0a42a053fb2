import { expect, test } from "bun:test";
import { FakeClock } from "@csi-sidecars/base/testing";
import { InformerStart } from "./term-informers.ts";

function world(...components: string[]) {
  const clock = new FakeClock();
  const end = new AbortController();
  let opened = 0;
  const start = new InformerStart(components, clock, end.signal, () => opened++);
  return { clock, end, start, opened: () => opened };
}

test("caches start when the last component has declared what it reads, once", () => {
  const { start, opened } = world("a", "b");
  start.declared("a");
  start.declared("a");
  expect(opened()).toBe(0);
  start.declared("b");
  start.declared("b");
  expect(opened()).toBe(1);
});

test("a slow component holds up the others for a second", async () => {
  const { clock, start, opened } = world("a", "slow");
  start.declared("a");
  await clock.advance(999);
  expect(opened()).toBe(0);
  await clock.advance(1);
  start.declared("slow");
  expect(opened()).toBe(1);
});

test("nothing starts after the end of the term", async () => {
  const { clock, end, start, opened } = world("a");
  end.abort();
  start.declared("a");
  await clock.advance(5_000);
  expect([opened(), clock.waiting]).toEqual([0, 0]);
});
