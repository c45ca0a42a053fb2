import { expect, test } from "bun:test";
import { Turns } from "./turns.ts";

function visitors() {
  const turns = new Turns();
  const called: string[] = [];
  return { turns, called, enter: (place: string, who: string) => turns.enter(place, who, () => called.push(who)) };
}

test("a free place is given at once, a taken one when its holder leaves, first come first served", () => {
  const { turns, called, enter } = visitors();
  expect(["a", "b", "c"].map((who) => enter("p", who))).toEqual([true, false, false]);
  turns.leave("a");
  expect(called).toEqual(["b"]);
  expect(["c", "b"].map((who) => enter("p", who))).toEqual([false, true]);
  turns.leave("b");
  turns.leave("c");
  expect(called).toEqual(["b", "c"]);
  expect(turns.taken).toBe(0);
});

test("a place that is kept for one who does not come is passed on when it leaves", () => {
  const { turns, called, enter } = visitors();
  for (const who of ["a", "b", "c"]) enter("p", who);
  turns.leave("a");
  turns.leave("b");
  expect(called).toEqual(["b", "c"]);
  expect(enter("p", "c")).toBe(true);
});

test("leaving gives up all places and no others", () => {
  const { turns, enter } = visitors();
  expect([enter("p", "a"), enter("q", "a"), enter("r", "b")]).toEqual([true, true, true]);
  turns.leave("a");
  expect([enter("p", "c"), enter("q", "c"), enter("r", "c")]).toEqual([true, true, false]);
});

test("who waits is known until it is called", () => {
  const { turns, enter } = visitors();
  enter("p", "a");
  enter("p", "b");
  expect([turns.isWaiting("a"), turns.isWaiting("b")]).toEqual([false, true]);
  turns.leave("a");
  expect(turns.isWaiting("b")).toBe(false);
});
