import { expect, test } from "bun:test";
import { programs } from "../../tools/build/programs.ts";
import { measure, overBudget, sizeText } from "../../tools/build/size.ts";
import { binary } from "../e2e/testing/binary.ts";
import { run } from "./testing/run.ts";

test.each(programs.map(({ name }) => name))("%s is within its size, plain and compressed", async (name) => {
  const size = await measure(binary(name));
  console.log(`${name}: ${sizeText(size)}`);
  expect(overBudget(size)).toBe(false);
});

test("the program starts within a second", () => {
  const times = Array.from({ length: 5 }, () => {
    const started = performance.now();
    run(["--version"]);
    return performance.now() - started;
  });
  console.log(`--version: ${times.map((time) => time.toFixed(0)).join(", ")} ms`);
  expect(Math.min(...times)).toBeLessThan(1_000);
});
