import { expect, test } from "bun:test";
import { readSoakOptions } from "./options.ts";

test("hours may be fractions, and the seed is from the time unless given", () => {
  expect(readSoakOptions(["--hours=0.25"], 17)).toMatchObject({ hours: 0.25, parallel: 4, seed: 17 });
  expect(readSoakOptions(["--hours=2", "--seed=0", "--parallel=1"], 17)).toMatchObject({ hours: 2, parallel: 1, seed: 0 });
});

test.each([
  [[], "--hours: say for how long"],
  [["--hours=0"], "--hours: expected a number above 0"],
  [["--hours=long"], '--hours: expected a number above 0 and below 1000, got "long"'],
  [["--hours=1", "--parallel=1.5"], "--parallel: expected a whole number"],
  [["--hours=1", "--seed=x"], "--seed: expected a whole number"],
])("%j is refused", (args, message) => {
  expect(() => readSoakOptions(args, 17)).toThrow(message);
});
