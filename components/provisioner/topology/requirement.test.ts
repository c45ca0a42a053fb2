import { describe, expect, test } from "bun:test";
import { PluginCapability_Service_Type, type TopologyRequirement } from "@csi-sidecars/csi";
import { singleNode } from "./node-topologies.ts";
import { type TopologyAnswer, type TopologyProblem, topologyRequirement, usesTopology } from "./requirement.ts";
import { clusterOf, type TestNode } from "./testing/nodes.ts";

type Cluster = Readonly<Record<string, TestNode>>;
type Allowed = readonly Readonly<Record<string, readonly string[]>>[];
/** Places as `rack=rackA,zone=zone1`; "none" for no requirement; a problem with a part of its text. */
type Expected = readonly string[] | "none" | readonly [problem: TopologyProblem, text: RegExp];

interface Row {
  readonly given: string;
  readonly cluster: Cluster;
  readonly node?: string;
  readonly claim?: string;
  readonly allowed?: Allowed;
  /** Without `--strict-topology`, or without a selected node. Preferred is the requisite, begun at the place marked with `*`. */
  readonly places: Expected;
  /** With `--strict-topology` and a selected node. */
  readonly strict?: Expected;
  /** With `--immediate-topology=false` and no selected node; the same unless told. */
  readonly notImmediate?: Expected;
}

const zone = (value: string): TestNode => ({ labels: { zone: value, other: "x" }, keys: ["zone"] });
const rack = (zoneName: string, rackName: string): TestNode => ({ labels: { zone: zoneName, rack: rackName }, keys: ["zone", "rack"] });
const zones = (...values: readonly string[]): Allowed => [{ zone: values }];
const fourZones: Cluster = { n1: zone("zone1"), n2: zone("zone2"), n3: zone("zone3"), n4: zone("zone4") };
const racks: Cluster = { n1: rack("zone2", "rackA"), n2: rack("zone1", "rackA"), n3: rack("zone1", "rackB") };

const spreading: readonly Row[] = [
  {
    given: "testpvcA-testset-1",
    claim: "testpvcA-testset-1",
    cluster: fourZones,
    places: ["*zone=zone1", "zone=zone2", "zone=zone3", "zone=zone4"],
    notImmediate: "none",
  },
  {
    given: "testpvcB-testset-1",
    claim: "testpvcB-testset-1",
    cluster: fourZones,
    places: ["*zone=zone1", "zone=zone2", "zone=zone3", "zone=zone4"],
    notImmediate: "none",
  },
  {
    given: "testset-2",
    claim: "testset-2",
    cluster: fourZones,
    places: ["zone=zone1", "*zone=zone2", "zone=zone3", "zone=zone4"],
    notImmediate: "none",
  },
  {
    given: "testpvc-testset-3",
    claim: "testpvc-testset-3",
    cluster: fourZones,
    places: ["zone=zone1", "zone=zone2", "*zone=zone3", "zone=zone4"],
    notImmediate: "none",
  },
  {
    given: "testpvc-testset-4",
    claim: "testpvc-testset-4",
    cluster: fourZones,
    places: ["zone=zone1", "zone=zone2", "zone=zone3", "*zone=zone4"],
    notImmediate: "none",
  },
  { given: "allowed: one zone", claim: "testpvc-testset-4", cluster: fourZones, allowed: zones("zone3"), places: ["*zone=zone3"] },
  {
    given: "allowed: two zones",
    claim: "testpvc",
    cluster: fourZones,
    allowed: zones("zone4", "zone2"),
    places: ["*zone=zone2", "zone=zone4"],
  },
  {
    given: "allowed: two zones, next of the set",
    claim: "testset-2",
    cluster: fourZones,
    allowed: zones("zone4", "zone2"),
    places: ["zone=zone2", "*zone=zone4"],
  },
];

const aggregation: readonly Row[] = [
  { given: "same values", cluster: { n1: zone("zone1"), n2: zone("zone1") }, places: ["*zone=zone1"], notImmediate: "none" },
  {
    given: "different values",
    cluster: { n1: zone("zone2"), n2: zone("zone1") },
    places: ["*zone=zone1", "zone=zone2"],
    notImmediate: "none",
  },
  {
    given: "selected node, same values",
    cluster: { n1: zone("zone1"), n2: zone("zone1") },
    node: "n1",
    places: ["*zone=zone1"],
    strict: ["*zone=zone1"],
  },
  {
    given: "selected node, different values",
    cluster: fourZones,
    node: "n3",
    places: ["zone=zone1", "zone=zone2", "*zone=zone3", "zone=zone4"],
    strict: ["*zone=zone3"],
  },
  {
    given: "selected node with two keys",
    cluster: racks,
    node: "n1",
    places: ["rack=rackA,zone=zone1", "*rack=rackA,zone=zone2", "rack=rackB,zone=zone1"],
    strict: ["*rack=rackA,zone=zone2"],
  },
  {
    given: "selected node, different keys",
    cluster: { n1: zone("zone1"), n2: { labels: { rack: "A" }, keys: ["rack"] } },
    node: "n2",
    places: ["*rack=A"],
    strict: ["*rack=A"],
  },
  {
    given: "different keys: the most usual ones count",
    cluster: { n1: { labels: { rack: "A" }, keys: ["rack"] }, n2: zone("zone2"), n3: zone("zone1") },
    places: ["*zone=zone1", "zone=zone2"],
    notImmediate: "none",
  },
  {
    given: "usual keys that no node carries: the next ones count",
    cluster: { n1: { labels: {}, keys: ["rack"] }, n2: { labels: {}, keys: ["rack"] }, n3: zone("zone1") },
    places: ["*zone=zone1"],
    notImmediate: "none",
  },
  {
    given: "no nodes",
    cluster: {},
    places: ["no-places", /^error generating accessibility requirements: no available topology found$/],
    notImmediate: "none",
  },
  {
    given: "labels missing everywhere",
    cluster: { n1: { labels: { other: "x" }, keys: ["zone"] } },
    places: ["no-places", /topologyKeys \[zone\] were not found on any nodes/],
    notImmediate: "none",
  },
  {
    given: "no CSINode",
    cluster: { n1: { labels: { zone: "zone1" } } },
    places: ["no-places", /no available topology found/],
    notImmediate: "none",
  },
  {
    given: "driver without keys",
    cluster: { n1: { labels: { zone: "zone1" }, keys: null } },
    places: ["no-places", /no available topology found/],
    notImmediate: "none",
  },
  {
    given: "only another driver",
    cluster: { n1: { labels: { zone: "zone1" }, otherDriver: ["zone"] } },
    places: ["no-places", /no available topology found/],
    notImmediate: "none",
  },
  {
    given: "only one node upgraded",
    cluster: { n1: zone("zone1"), n2: { labels: { zone: "zone1" }, keys: null } },
    places: ["*zone=zone1"],
    notImmediate: "none",
  },
  {
    given: "labels without CSINode: all zones count",
    cluster: { n1: zone("zone1"), n2: { labels: { zone: "zone2" } }, n3: { labels: { zone: "zone3" }, otherDriver: [] } },
    node: "n1",
    places: ["*zone=zone1", "zone=zone2", "zone=zone3"],
    strict: ["*zone=zone1"],
  },
  {
    given: "selected node without labels",
    cluster: { n1: { labels: { b: "2", a: "1" }, keys: ["zone", "rack"] }, n2: zone("zone2") },
    node: "n1",
    places: [
      "labels-missing",
      /topology labels from selected node map\[a:1 b:2\] does not match topology keys from CSINode \[zone rack\]$/,
    ],
  },
  {
    given: "selected node with one label of two",
    cluster: { n1: { labels: { zone: "zone1" }, keys: ["zone", "rack"] } },
    node: "n1",
    places: ["labels-missing", /topology labels from selected node map\[zone:zone1\]/],
  },
  {
    given: "selected node without Node",
    cluster: { n1: { keys: ["zone"] }, n2: zone("zone2") },
    node: "n1",
    places: ["node-gone", /topology labels from selected node map\[\] does not match/],
  },
  {
    given: "selected node without CSINode",
    cluster: { n1: { labels: { zone: "zone1" } }, n2: zone("zone2") },
    node: "n1",
    places: ["no-csinode", /^failed to get selected CSINode n1: csinode.storage.k8s.io "n1" not found$/],
  },
  {
    given: "selected node without the driver",
    cluster: { n1: { labels: { zone: "zone1" }, otherDriver: ["zone"] }, n2: zone("zone2") },
    node: "n1",
    places: ["not-registered", /no topology key found for node n1$/],
  },
  {
    given: "selected node without keys",
    cluster: { n1: { labels: { zone: "zone1" }, keys: [] }, n2: zone("zone2") },
    node: "n1",
    places: ["no-keys", /no topology key found for node n1$/],
  },
  {
    given: "a key that no label can have",
    cluster: { n1: { labels: { "my zone": "1" }, keys: ["my zone"] } },
    places: ["bad-key", /error parsing topology keys selector: key: Invalid value: "my zone": name part/],
    notImmediate: "none",
  },
  {
    given: "a prefix that no label can have",
    cluster: { n1: { labels: {}, keys: ["Example.com/zone"] } },
    places: ["bad-key", /"Example.com\/zone": prefix part/],
    notImmediate: "none",
  },
];

const preferred: readonly Row[] = [
  {
    given: "allowed topologies",
    cluster: racks,
    node: "n1",
    allowed: [{ zone: ["zone1", "zone2"], rack: ["rackA"] }],
    places: ["rack=rackA,zone=zone1", "*rack=rackA,zone=zone2"],
    strict: ["*rack=rackA,zone=zone2"],
  },
  {
    given: "allowed topologies without CSINode",
    cluster: { n1: { labels: { zone: "zone1" } } },
    node: "n1",
    allowed: zones("zone1"),
    places: ["no-csinode", /not found/],
  },
  {
    given: "allowed topologies, key mismatch",
    cluster: { n1: { labels: { zone: "zone1" }, keys: ["rack"] } },
    node: "n1",
    allowed: zones("zone1"),
    places: ["labels-missing", /does not match topology keys from CSINode \[rack\]/],
  },
  {
    given: "node not in allowed",
    cluster: fourZones,
    node: "n3",
    allowed: zones("zone1", "zone2"),
    places: [
      "not-allowed",
      /topology \[\{zone zone3\}\] from selected node "n3" is not in requisite: \[\[\{zone zone1\}\] \[\{zone zone2\}\]\]$/,
    ],
    strict: [
      "not-allowed",
      /selected node '"n3"' topology '\[\{zone zone3\}\]' is not in allowed topologies: \[\[\{zone zone1\}\] \[\{zone zone2\}\]\]$/,
    ],
  },
  {
    given: "allowed is a subset of the node's topology",
    cluster: { n1: { labels: { zone: "zone1", rack: "rack1", disk: "ssd" }, keys: ["zone", "rack", "disk"] } },
    node: "n1",
    allowed: [{ zone: ["zone1"], disk: ["ssd"] }],
    places: ["*disk=ssd,zone=zone1"],
    strict: ["*disk=ssd,rack=rack1,zone=zone1"],
  },
  {
    given: "allowed is no subset of the node's topology",
    cluster: { n1: { labels: { zone: "zone1", rack: "rack1", disk: "ssd" }, keys: ["zone", "rack", "disk"] } },
    node: "n1",
    allowed: [{ zone: ["zone1"], disk: ["hdd"] }],
    places: ["not-allowed", /is not in requisite/],
    strict: ["not-allowed", /is not in allowed topologies/],
  },
  {
    given: "a place within another stays",
    cluster: racks,
    node: "n2",
    allowed: [{ zone: ["zone1"] }, { zone: ["zone1"], rack: ["rackA"] }],
    places: ["*zone=zone1", "rack=rackA,zone=zone1"],
    strict: ["*rack=rackA,zone=zone1"],
  },
  {
    given: "equal places collapse",
    cluster: racks,
    node: "n2",
    allowed: [{ zone: ["zone1"] }, { zone: ["zone1"] }],
    places: ["*zone=zone1"],
    strict: ["*rack=rackA,zone=zone1"],
  },
  { given: "allowed topologies with empty entries only, no node", cluster: {}, allowed: [{}], places: "none" },
  {
    given: "allowed topologies with empty entries only",
    cluster: racks,
    node: "n2",
    allowed: [{}],
    places: "none",
    strict: ["not-allowed", /is not in allowed topologies: \[\]$/],
  },
  { given: "allowed topologies need no nodes", cluster: {}, allowed: zones("zone1"), places: ["*zone=zone1"] },
];

for (const [group, rows] of Object.entries({ spreading, aggregation, preferred })) {
  describe(group, () => {
    for (const row of rows) {
      for (const strict of [false, true]) {
        for (const immediate of [true, false]) {
          test(`${row.given}${row.node ? `, node ${row.node}` : ""}${strict ? ", strict" : ""}${immediate ? "" : ", immediate off"}`, () => {
            const allowedTopologies = row.allowed?.map((entry) => ({
              matchLabelExpressions: Object.entries(entry).map(([key, values]) => ({ key, values })),
            }));
            const claimName = row.claim ?? "testset-1";
            const answer = topologyRequirement({
              claimName,
              selectedNode: row.node,
              allowedTopologies,
              strict,
              immediate,
              nodes: clusterOf(row.cluster),
            });
            const late = row.node !== undefined;
            check(
              answer,
              late ? (strict ? (row.strict ?? row.places) : row.places) : immediate ? row.places : (row.notImmediate ?? row.places),
            );
          });
        }
      }
    }
  });
}

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

function check(answer: TopologyAnswer, expected: Expected): void {
  if (expected === "none") {
    expect(answer).toEqual({ requirement: undefined });
  } else if (expected[1] instanceof RegExp) {
    expect(answer).toMatchObject({ problem: expected[0] });
    expect("error" in answer && answer.error).toMatch(expected[1]);
  } else {
    const marked = expected.map((place) => String(place));
    const start = marked.findIndex((place) => place.startsWith("*"));
    const requisite = marked.map((place) => place.replace("*", ""));
    expect("requirement" in answer ? show(answer.requirement) : answer).toEqual({
      requisite,
      preferred: [...requisite.slice(start), ...requisite.slice(0, start)],
    });
  }
}

function show(requirement: TopologyRequirement | undefined) {
  const places = (key: "requisite" | "preferred") =>
    requirement?.[key].map(({ segments }) =>
      Object.keys(segments)
        .sort()
        .map((name) => `${name}=${segments[name]}`)
        .join(","),
    );
  return { requisite: places("requisite"), preferred: places("preferred") };
}
