import { expect, test } from "bun:test";
import { inRotation } from "./rounds.ts";

test("every round starts with another subject, and each is measured in every round", async () => {
  const subjects = ["a", "b", "c"].map((name) => ({ name }));
  const order: string[] = [];
  const samples = await inRotation(subjects, "rounds", 4, async ({ name }) => order.push(name));
  expect(order.join("")).toBe("abcbcacababc");
  expect([...samples].map(([{ name }, found]) => `${name}${found.length}`)).toEqual(["a4", "b4", "c4"]);
});
