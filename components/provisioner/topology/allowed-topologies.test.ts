import { expect, test } from "bun:test";
import { flattenAllowed } from "./allowed-topologies.ts";
import { type Labels, segmentsOf } from "./term.ts";

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
