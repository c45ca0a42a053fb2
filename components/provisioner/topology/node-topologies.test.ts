import { expect, test } from "bun:test";
import { segmentsOf } from "./term.ts";
import { clusterOf, type TestNode } from "./testing/nodes.ts";

const cases: readonly (readonly [string, Readonly<Record<string, TestNode>>, readonly Readonly<Record<string, string>>[]])[] = [
  ["nothing", {}, []],
  ["one node", { n1: { labels: { zone: "1" }, keys: ["zone"] } }, [{ zone: "1" }]],
  ["one node without keys", { n1: { labels: { zone: "1" }, keys: [] } }, [{}]],
  ["nodes with nil keys", { n1: { labels: { zone: "1" }, keys: null }, n2: { labels: {}, keys: null } }, [{}]],
  ["missing CSINode", { n1: { labels: { zone: "1" } } }, []],
  ["missing Node", { n1: { keys: ["zone"] } }, []],
  ["missing Node, no keys", { n1: { keys: [] } }, []],
  ["missing label", { n1: { labels: {}, keys: ["zone"] } }, []],
  ["one of two labels missing", { n1: { labels: { zone: "1" }, keys: ["zone", "rack"] } }, []],
  ["another driver", { n1: { labels: { zone: "1" }, otherDriver: ["zone"] } }, []],
  [
    "two nodes, same place",
    { n1: { labels: { zone: "1" }, keys: ["zone"] }, n2: { labels: { zone: "1" }, keys: ["zone"] } },
    [{ zone: "1" }],
  ],
  [
    "two nodes, two places",
    { n1: { labels: { zone: "2" }, keys: ["zone"] }, n2: { labels: { zone: "1" }, keys: ["zone"] } },
    [{ zone: "1" }, { zone: "2" }],
  ],
  [
    "deep, keys in any order",
    { n1: { labels: { zone: "1", rack: "B" }, keys: ["zone", "rack"] }, n2: { labels: { zone: "1", rack: "A" }, keys: ["rack", "zone"] } },
    [
      { rack: "A", zone: "1" },
      { rack: "B", zone: "1" },
    ],
  ],
  [
    "mixed key sets",
    { n1: { labels: { zone: "1", rack: "A" }, keys: ["zone", "rack"] }, n2: { labels: { zone: "1", rack: "A" }, keys: ["zone"] } },
    [{ zone: "1" }, { rack: "A", zone: "1" }],
  ],
];
test.each(cases)("the places of a driver: %s", (_, nodes, expected) => {
  expect(clusterOf(nodes).driverTerms().map(segmentsOf)).toEqual([...expected]);
});
