import { expect, test } from "bun:test";
import type { NodeAffinity } from "../topology/node-affinity.ts";
import { type Labels, termOf } from "../topology/term.ts";
import { affectedItems, itemGroups } from "./affected-items.ts";
import { desiredItems } from "./work-items.ts";

const places: Labels[] = [{ zone: "1" }, { zone: "2" }, { rack: "A", zone: "1" }];
const classes = ["fast", "slow"].map((name) => ({
  metadata: { name, uid: name, resourceVersion: "1" },
  provisioner: "driver",
  parameters: undefined,
  volumeBindingMode: undefined,
}));
const pairs = desiredItems(classes, places.map(termOf), { driver: "driver", immediateBinding: false });
const at = (...terms: Labels[]): NodeAffinity => ({
  required: {
    nodeSelectorTerms: terms.map((term) => ({
      matchExpressions: Object.entries(term).map(([key, value]) => ({ key, operator: "In", values: [value] })),
    })),
  },
});
const fields: NodeAffinity = {
  required: { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n"] }] }] },
};

const cases: readonly (readonly [string, Parameters<typeof affectedItems>[0], readonly string[], number])[] = [
  ["a class", { className: "fast" }, ["fast zone=1", "fast zone=2", "fast rack=A,zone=1"], 0],
  ["a place, whatever the class", { className: "fast", nodeAffinity: at({ zone: "1" }) }, ["fast zone=1", "slow zone=1"], 0],
  ["two places", { nodeAffinity: at({ zone: "1" }, { zone: "2" }) }, ["fast zone=1", "fast zone=2", "slow zone=1", "slow zone=2"], 0],
  ["a deep place, keys in any order", { nodeAffinity: at({ zone: "1", rack: "A" }) }, ["fast rack=A,zone=1", "slow rack=A,zone=1"], 0],
  ["no such place", { className: "fast", nodeAffinity: at({ zone: "3" }) }, [], 0],
  ["a deep place cut short", { nodeAffinity: at({ rack: "A" }) }, [], 0],
  ["no such class", { className: "none" }, [], 0],
  ["neither class nor place", {}, [], 0],
  ["an affinity without terms", { className: "fast", nodeAffinity: {} }, ["fast zone=1", "fast zone=2", "fast rack=A,zone=1"], 0],
  ["a term that names no place", { className: "fast", nodeAffinity: fields }, [], 1],
];
test.each(cases)("%s", (_, change, expected, unreadable) => {
  const { keys, skipped } = affectedItems(change, itemGroups(pairs));
  const shown = keys.map((key) => {
    const { className = "", term = [] } = pairs.get(key) ?? {};
    return `${className} ${term.map((segment) => `${segment.key}=${segment.value}`).join(",")}`;
  });
  expect(shown.sort()).toEqual([...expected].sort());
  expect(skipped).toHaveLength(unreadable);
});
