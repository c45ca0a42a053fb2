import { describe } from "bun:test";
import { fourZones, type Row, testRows, zones } from "./testing/requirement-rows.ts";

const rows: readonly Row[] = [
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

describe("claims without a selected node are spread by their names", () => testRows(rows));
