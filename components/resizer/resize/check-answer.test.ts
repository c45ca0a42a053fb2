import { expect, test } from "bun:test";
import { checkAnswer } from "./check-answer.ts";

const tooLittle = (answered: bigint) => `the driver answered with a capacity of ${answered} bytes, less than the requested 100 bytes`;

test.each<[bigint, string | undefined]>([
  [100n, undefined],
  [101n, undefined],
  [2n ** 62n, undefined],
  [99n, tooLittle(99n)],
  [0n, tooLittle(0n)],
  [-1n, tooLittle(-1n)],
  [2n ** 63n - 1n, "the driver answered with a capacity of 9223372036854775807 bytes, which no volume has, to a request for 100 bytes"],
])("%d for 100 bytes", (answered, problem) => {
  expect(checkAnswer(answered, 100n)).toBe(problem);
});
