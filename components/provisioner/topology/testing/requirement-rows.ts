import { expect, test } from "bun:test";
import type { TopologyRequirement } from "@csi-sidecars/csi";
import { type TopologyProblem, type TopologyResult, topologyRequirement } from "../requirement.ts";
import { clusterOf, type TestNode } from "./nodes.ts";

export type Cluster = Readonly<Record<string, TestNode>>;
type Allowed = readonly Readonly<Record<string, readonly string[]>>[];
/** Places as `rack=rackA,zone=zone1`; "none" for no requirement; a problem with a part of its text. */
type Expected = readonly string[] | "none" | readonly [problem: TopologyProblem, text: RegExp];

export interface Row {
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

export const zone = (value: string): TestNode => ({ labels: { zone: value, other: "x" }, keys: ["zone"] });
export const rack = (zoneName: string, rackName: string): TestNode => ({
  labels: { zone: zoneName, rack: rackName },
  keys: ["zone", "rack"],
});
export const zones = (...values: readonly string[]): Allowed => [{ zone: values }];
export const fourZones: Cluster = { n1: zone("zone1"), n2: zone("zone2"), n3: zone("zone3"), n4: zone("zone4") };
export const racks: Cluster = { n1: rack("zone2", "rackA"), n2: rack("zone1", "rackA"), n3: rack("zone1", "rackB") };

/** Each row with and without both flags. */
export function testRows(rows: readonly Row[]): void {
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
}

export function check(answer: TopologyResult, expected: Expected): void {
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
