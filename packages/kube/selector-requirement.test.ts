import { expect, test } from "bun:test";
import { meetsRequirement } from "./selector-requirement.ts";

test.each<[operator: string, values: string[], value: string | undefined, met: boolean]>([
  ["In", ["a", "b"], "b", true],
  ["In", ["a"], "b", false],
  ["In", ["a"], undefined, false],
  ["NotIn", ["a"], "b", true],
  ["NotIn", ["a"], "a", false],
  ["NotIn", ["a"], undefined, true],
  ["Exists", [], "", true],
  ["Exists", [], undefined, false],
  ["DoesNotExist", [], undefined, true],
  ["DoesNotExist", [], "a", false],
  ["Gt", ["9"], "10", true],
  ["Gt", ["10"], "10", false],
  ["Gt", ["x"], "10", false],
  ["Lt", ["10"], "+9", true],
  ["Lt", ["9223372036854775807"], "9223372036854775808", false],
  ["Lt", ["10"], undefined, false],
  ["Like", ["a"], "a", false],
])("%s %p is asked for, %p is there: %p", (operator, values, value, met) => {
  expect(meetsRequirement({ operator, values }, value)).toBe(met);
});
