import { expect, test } from "bun:test";
import { runFew } from "./run-few.ts";

test("so many programs run at a time, all run, and one that fails makes room too", async () => {
  let [running, most] = [0, 0];
  const run = runFew(async (program) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    if (program === "13") throw new Error("failed");
    return program;
  }, 4);
  const results = await Promise.allSettled(Array.from({ length: 100 }, (_, index) => run(String(index), [])));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(99);
  expect([running, most]).toEqual([0, 4]);
  expect(await run("again", [])).toBe("again");
});
