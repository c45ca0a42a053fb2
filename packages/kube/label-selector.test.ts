import { expect, test } from "bun:test";
import { type LabelSelector, labelSelectorProblem, labelSelectorText, matchesLabels } from "./label-selector.ts";

const tier = (operator: string, ...values: string[]): LabelSelector => ({ matchExpressions: [{ key: "tier", operator, values }] });

test.each<[LabelSelector, labels: Record<string, string>, matches: boolean]>([
  [{}, {}, true],
  [{}, { app: "db" }, true],
  [{ matchLabels: { app: "db" } }, { app: "db", tier: "x" }, true],
  [{ matchLabels: { app: "db", tier: "x" } }, { app: "db" }, false],
  [{ matchLabels: { constructor: "x" } }, {}, false],
  [tier("In", "a", "b"), { tier: "b" }, true],
  [tier("In", "a", "b"), {}, false],
  [tier("NotIn", "a"), {}, true],
  [tier("NotIn", "a"), { tier: "a" }, false],
  [tier("Exists"), { tier: "" }, true],
  [tier("DoesNotExist"), { tier: "" }, false],
  [{ matchLabels: { app: "db" }, ...tier("Exists") }, { app: "db" }, false],
])("%j selects %j: %p", (selector, labels, matches) => {
  expect(matchesLabels(selector, labels)).toBe(matches);
});

test.each<[LabelSelector, text: string]>([
  [{}, "<none>"],
  [{ matchLabels: { tier: "a", app: "db" } }, "app=db,tier=a"],
  [tier("In", "b", "a"), "tier in (a,b)"],
  [tier("In", "a"), "tier in (a)"],
  [tier("NotIn", "b", "a"), "tier notin (a,b)"],
  [tier("Exists"), "tier"],
  [tier("DoesNotExist"), "!tier"],
  [{ matchLabels: { zone: "1", app: "db" }, ...tier("Exists") }, "app=db,tier,zone=1"],
  [tier("Like", "a"), "<error>"],
])("%j is written %p", (selector, text) => {
  expect(labelSelectorText(selector)).toBe(text);
});

test.each<[LabelSelector, problem: string | undefined]>([
  [{ matchLabels: { app: "db" } }, undefined],
  [tier("In", "a"), undefined],
  [tier("In"), "values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"],
  [tier("Exists", "a"), "values: Invalid value: values set must be empty for exists and does not exist"],
  [tier("Gt", "1"), '"Gt" is not a valid label selector operator'],
])("%j is wrong: %p", (selector, problem) => {
  expect(labelSelectorProblem(selector)).toBe(problem);
});
