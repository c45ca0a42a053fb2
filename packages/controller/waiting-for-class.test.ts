import { expect, test } from "bun:test";
import { WaitingForClass } from "./waiting-for-class.ts";

test("objects are found by the class that they wait for", () => {
  const waiting = new WaitingForClass();
  waiting.add("a", "gold");
  waiting.add("b", "gold");
  waiting.add("c", "silver");
  expect([...waiting.waitingFor("gold")]).toEqual(["a", "b"]);
  waiting.add("a", "silver");
  waiting.delete("b");
  waiting.delete("b");
  expect([[...waiting.waitingFor("gold")], [...waiting.waitingFor("silver")], waiting.size]).toEqual([[], ["c", "a"], 2]);
});
