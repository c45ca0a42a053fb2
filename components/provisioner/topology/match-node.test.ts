import { expect, test } from "bun:test";
import { matchesNode } from "./match-node.ts";
import type { NodeSelectorTerm } from "./node-affinity.ts";

const labels = { zone: "1", size: "10" };
const expression = (key: string, operator: string, ...values: string[]): NodeSelectorTerm => ({
  matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }],
});
const cases: readonly (readonly [string, readonly NodeSelectorTerm[], boolean | string])[] = [
  ["its own zone", [expression("zone", "In", "1")], true],
  ["one of several values", [expression("zone", "In", "2", "1")], true],
  ["another zone", [expression("zone", "In", "2")], false],
  ["a second alternative", [expression("zone", "In", "2"), expression("zone", "In", "1")], true],
  ["a label the node lacks", [expression("rack", "In", "A")], false],
  [
    "two conditions, one not met",
    [{ matchExpressions: [...expression("zone", "In", "1").matchExpressions!, ...expression("rack", "Exists").matchExpressions!] }],
    false,
  ],
  ["NotIn", [expression("zone", "NotIn", "2")], true],
  ["NotIn of a label the node lacks", [expression("rack", "NotIn", "A")], true],
  ["Exists", [expression("zone", "Exists")], true],
  ["DoesNotExist", [expression("zone", "DoesNotExist")], false],
  ["Gt", [expression("size", "Gt", "9")], true],
  ["Lt", [expression("size", "Lt", "9")], false],
  ["Gt of a label that is no number", [expression("zone", "Gt", "0"), expression("rack", "Gt", "0")], true],
  ["no alternatives", [], false],
  ["an empty alternative", [{}], false],
  ["only fields, which are not known", [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] }], true],
  [
    "an unreadable alternative",
    [expression("zone", "Is", "1")],
    'checking volume affinity failed: zone: "Is" is not a valid node selector operator',
  ],
  ["an unreadable alternative beside one that matches", [expression("zone", "Gt", "x"), expression("zone", "In", "1")], true],
];
test.each(cases)("%s", (_, nodeSelectorTerms, expected) => {
  const match = matchesNode({ required: { nodeSelectorTerms } }, labels);
  expect(match).toEqual(typeof expected === "string" ? { error: expected } : { matches: expected });
});

test("a volume without affinity is everywhere", () => {
  expect(matchesNode(undefined, labels)).toEqual({ matches: true });
  expect(matchesNode({}, {})).toEqual({ matches: true });
});
