import { describe } from "bun:test";
import { fourZones, type Row, racks, testRows, zone } from "./testing/requirement-rows.ts";

const rows: readonly Row[] = [
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
    places: ["no-topology", /^error generating accessibility requirements: no available topology found$/],
    notImmediate: "none",
  },
  {
    given: "labels missing everywhere",
    cluster: { n1: { labels: { other: "x" }, keys: ["zone"] } },
    places: ["no-topology", /topologyKeys \[zone\] were not found on any nodes/],
    notImmediate: "none",
  },
  {
    given: "no CSINode",
    cluster: { n1: { labels: { zone: "zone1" } } },
    places: ["no-topology", /no available topology found/],
    notImmediate: "none",
  },
  {
    given: "driver without keys",
    cluster: { n1: { labels: { zone: "zone1" }, keys: null } },
    places: ["no-topology", /no available topology found/],
    notImmediate: "none",
  },
  {
    given: "only another driver",
    cluster: { n1: { labels: { zone: "zone1" }, otherDriver: ["zone"] } },
    places: ["no-topology", /no available topology found/],
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

describe("without allowed topologies the cluster decides", () => testRows(rows));
