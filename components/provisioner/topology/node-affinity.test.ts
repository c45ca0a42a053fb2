import { expect, test } from "bun:test";
import {
  matchesNode,
  type NodeSelectorExpression,
  type NodeSelectorTerm,
  nodeAffinityFromTopology,
  termOfSelector,
} from "./node-affinity.ts";
import { type Labels, termOf } from "./term.ts";

const where = (...terms: readonly (readonly [string, string])[][]) => ({
  required: {
    nodeSelectorTerms: terms.map((term) => ({
      matchExpressions: term.map(([key, value]) => ({ key, operator: "In" as const, values: [value] })),
    })),
  },
});
const affinities: readonly (readonly [string, readonly Labels[], ReturnType<typeof where> | undefined])[] = [
  ["no topology", [], undefined],
  ["only topologies without segments", [{}, {}], undefined],
  ["one segment", [{ zone: "1" }], where([["zone", "1"]])],
  [
    "several segments, sorted",
    [{ zone: "1", rack: "A" }],
    where([
      ["rack", "A"],
      ["zone", "1"],
    ]),
  ],
  ["several topologies, in their order", [{ zone: "2" }, {}, { zone: "1" }], where([["zone", "2"]], [["zone", "1"]])],
];
test.each(affinities)("affinity of %s", (_, topologies, expected) => {
  expect(nodeAffinityFromTopology(topologies.map((segments) => ({ segments })))).toEqual(expected);
});

const inOne = (key: string, ...values: string[]): NodeSelectorExpression => ({ key, operator: "In", values });
const selectors: readonly (readonly [string, Parameters<typeof termOfSelector>[0], ReturnType<typeof termOfSelector>])[] = [
  ["one expression", { matchExpressions: [inOne("zone", "1")] }, termOf({ zone: "1" })],
  ["two expressions", { matchExpressions: [inOne("rack", "A"), inOne("zone", "1")] }, termOf({ rack: "A", zone: "1" })],
  ["unsorted expressions", { matchExpressions: [inOne("zone", "1"), inOne("rack", "A")] }, termOf({ rack: "A", zone: "1" })],
  ["nothing", {}, []],
  ["fields", { matchFields: [inOne("metadata.name", "n")] }, { error: "MatchFields not supported" }],
  ["another operator", { matchExpressions: [{ key: "zone", operator: "Exists" }] }, { error: "operator Exists of zone not supported" }],
  ["two values", { matchExpressions: [inOne("zone", "1", "2")] }, { error: "need exactly one value for zone, not 2" }],
  ["no value", { matchExpressions: [inOne("zone")] }, { error: "need exactly one value for zone, not 0" }],
];
test.each(selectors)("the place of a selector with %s", (_, selector, expected) => {
  expect(termOfSelector(selector)).toEqual(expected);
});

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
  ["a label that every object inherits, and the node lacks", [expression("constructor", "Exists")], false],
  ["NotIn of such a label", [expression("toString", "NotIn", "x")], true],
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
