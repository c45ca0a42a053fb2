import { expect, test } from "bun:test";
import { parseQuery } from "./promql.ts";

test.each([
  ["up == 0", ["up"], []],
  ["a and on (job, instance) last_over_time(b[1h])", ["a", "b"], ["job", "instance"]],
  ['sum by (x) (rate(a_total{code=~"5..|<error>", y!="}"}[10m])) / sum(rate(a_total[10m])) > 0.1', ["a_total", "a_total"], ["x"]],
  ["sum(a) by (x) * on (y) group_left (z) b offset 5m", ["a", "b"], ["x", "y", "z"]],
])("%s", (text, metrics, grouping) => {
  const query = parseQuery(text);
  expect(query.selectors.map(({ metric }) => metric)).toEqual(metrics);
  expect(query.grouping).toEqual(grouping);
});

test("matchers", () => {
  expect(parseQuery('a{x="1",y=~"2|3"}').selectors).toEqual([
    {
      metric: "a",
      matchers: [
        { label: "x", value: "1" },
        { label: "y", value: "2|3" },
      ],
    },
  ]);
});

test.each(["sum(a", "a)", 'a{x="1"', "a{x=1}", "a{x}", '{x="1"}', "a ? b"])("%s is refused", (text) => {
  expect(() => parseQuery(text)).toThrow();
});
