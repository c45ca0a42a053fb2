import { describe, expect, test } from "bun:test";
import { PluginCapability_Service_Type } from "@csi-sidecars/csi";
import { singleNode } from "./node-topologies.ts";
import { flattenAllowed, topologyRequirement, usesTopology } from "./requirement.ts";
import { type Labels, segmentsOf } from "./term.ts";
import { clusterOf } from "./testing/nodes.ts";
import { check } from "./testing/requirement-rows.ts";

test("a label that appears later is picked up", () => {
  const ask = (labels: Record<string, string>) =>
    topologyRequirement({
      claimName: "c",
      selectedNode: "n1",
      strict: true,
      immediate: true,
      nodes: clusterOf({ n1: { labels, keys: ["zone", "rack"] } }),
    });
  expect(ask({ zone: "1" })).toMatchObject({ problem: "labels-missing" });
  check(ask({ zone: "1", rack: "A" }), ["*rack=A,zone=1"]);
});

describe("an instance that serves its own node", () => {
  const nodes = singleNode("own", { zone: "zone1", rack: "rackA" });
  const ask = (selectedNode: string | undefined, allowed: readonly string[] = []) =>
    topologyRequirement({
      claimName: "c",
      selectedNode,
      strict: false,
      immediate: true,
      nodes,
      allowedTopologies: allowed.length > 0 ? [{ matchLabelExpressions: [{ key: "zone", values: allowed }] }] : [],
    });

  test("knows one place", () => {
    check(ask("own"), ["*rack=rackA,zone=zone1"]);
    check(ask(undefined), ["*rack=rackA,zone=zone1"]);
    check(ask("own", ["zone2", "zone1"]), ["*zone=zone1", "zone=zone2"]);
    expect(ask("own", ["zone2"])).toMatchObject({ problem: "not-allowed" });
    expect(ask("other")).toMatchObject({ problem: "no-csinode" });
    expect(nodes.driverTerms()).toHaveLength(1);
  });

  test("of a driver without places knows none", () => {
    const bare = singleNode("own", {});
    expect(topologyRequirement({ claimName: "c", selectedNode: "own", strict: false, immediate: true, nodes: bare })).toMatchObject({
      problem: "no-keys",
    });
    expect(bare.driverTerms()).toEqual([[]]);
  });
});

test.each([
  [true, [PluginCapability_Service_Type.VOLUME_ACCESSIBILITY_CONSTRAINTS], true],
  [false, [PluginCapability_Service_Type.VOLUME_ACCESSIBILITY_CONSTRAINTS], false],
  [true, [PluginCapability_Service_Type.CONTROLLER_SERVICE], false],
])("gate %p, capabilities %p: topology is used: %p", (gate, services, expected) => {
  expect(usesTopology(gate, { services: new Set(services), volumeExpansion: new Set() })).toBe(expected);
});

type Entry = Readonly<Record<string, readonly string[]>>;
const cases: readonly (readonly [string, readonly Entry[], readonly Labels[]])[] = [
  ["nothing", [], []],
  ["an entry without expressions", [{}], []],
  ["one expression, one value", [{ zone: ["zone1"] }], [{ zone: "zone1" }]],
  ["one expression, several values", [{ zone: ["zone1", "zone2"] }], [{ zone: "zone1" }, { zone: "zone2" }]],
  ["several expressions", [{ zone: ["zone1"], rack: ["rackA"] }], [{ zone: "zone1", rack: "rackA" }]],
  [
    "one of them with several values",
    [{ zone: ["zone1", "zone2"], rack: ["rackA"] }],
    [
      { zone: "zone1", rack: "rackA" },
      { zone: "zone2", rack: "rackA" },
    ],
  ],
  [
    "both with several values",
    [{ zone: ["zone1", "zone2"], rack: ["rackA", "rackB"] }],
    [
      { zone: "zone1", rack: "rackA" },
      { zone: "zone2", rack: "rackA" },
      { zone: "zone1", rack: "rackB" },
      { zone: "zone2", rack: "rackB" },
    ],
  ],
  [
    "several entries",
    [
      { zone: ["zone1"], rack: ["rackA"] },
      { zone: ["zone2"], rack: ["rackB"] },
    ],
    [
      { zone: "zone1", rack: "rackA" },
      { zone: "zone2", rack: "rackB" },
    ],
  ],
  ["entries that overlap", [{ zone: ["zone1", "zone2"] }, { zone: ["zone2"] }], [{ zone: "zone1" }, { zone: "zone2" }, { zone: "zone2" }]],
  [
    "an entry within another",
    [{ zone: ["zone1"] }, { zone: ["zone1"], rack: ["rackA"] }],
    [{ zone: "zone1" }, { zone: "zone1", rack: "rackA" }],
  ],
  ["an expression without values forgets the ones before", [{ zone: ["zone1"], rack: [], disk: ["ssd"] }], [{ disk: "ssd" }]],
  ["the last expression without values", [{ zone: ["zone1"], rack: [] }], []],
];

test.each(cases)("allowed topologies: %s", (_, entries, expected) => {
  const allowed = entries.map((entry) => ({ matchLabelExpressions: Object.entries(entry).map(([key, values]) => ({ key, values })) }));
  expect(flattenAllowed(allowed).map(segmentsOf)).toEqual([...expected]);
});
