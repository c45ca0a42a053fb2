import { describe } from "bun:test";
import { fourZones, type Row, racks, testRows, zones } from "./testing/requirement-rows.ts";

const rows: readonly Row[] = [
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

describe("allowed topologies and the selected node decide", () => testRows(rows));
