import { expect, test } from "bun:test";
import { type NodeSelectorExpression, nodeAffinityFromTopology, termOfSelector } from "./node-affinity.ts";
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
