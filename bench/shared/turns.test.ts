import { expect, test } from "bun:test";
import { inTurns } from "./turns.ts";

test("every round begins with another subject, and each is measured in every round", async () => {
  const subjects = ["a", "b", "c"].map((name) => ({ name }));
  const order: string[] = [];
  const samples = await inTurns(subjects, "turns", 4, async ({ name }) => order.push(name));
  expect(order.join("")).toBe("abcbcacababc");
  expect([...samples].map(([{ name }, found]) => `${name}${found.length}`)).toEqual(["a4", "b4", "c4"]);
});
