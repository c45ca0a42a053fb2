import { expect, test } from "bun:test";
import { parseExposition } from "./parse-exposition.ts";

const wanted = new Set(["a", "b_total"]);

test.each([
  ["a 1\n", [{ metric: "a", labels: {}, value: 1 }]],
  ['a{name="x"} 2.5', [{ metric: "a", labels: { name: "x" }, value: 2.5 }]],
  ['b_total{name="x",more="y"} 3 1700000000', [{ metric: "b_total", labels: { name: "x", more: "y" }, value: 3 }]],
  [String.raw`a{name="q\"}\\\n"} 1`, [{ metric: "a", labels: { name: 'q"}\\\n' }, value: 1 }]],
  ["# HELP a text\n# TYPE a gauge\nother 1\nab 2\n", []],
  ["a NaN\na +Inf\na\n", []],
  ['a{name="never closed', []],
  ["a{no", []],
])("%p", (text, samples) => {
  expect<unknown>(parseExposition(text, wanted)).toEqual(samples);
});
