import { describe, expect, test } from "bun:test";
import type { Claim, Volume } from "../fields.ts";
import { claim, claimRef, node, volume } from "../testing/objects.ts";
import { type MatchOptions, matchVolume } from "./match-volume.ts";

const named = (name: string, spec: object = {}, rest: object = {}): Volume => volume({ metadata: { name, ...rest }, spec });
const inZone = (zone: string) => ({
  nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: [zone] }] }] } },
});

type Row = readonly [name: string, claim: Claim, volumes: readonly Volume[], options: MatchOptions, chosen: string | undefined];

const rows: readonly Row[] = [
  [
    "the smallest that is large enough",
    claim(),
    [
      named("huge", { capacity: { storage: "3Gi" } }),
      named("tiny", { capacity: { storage: "1G" } }),
      named("fit", { capacity: { storage: "2Gi" } }),
    ],
    {},
    "fit",
  ],
  [
    "fewer access modes go before smaller size",
    claim(),
    [named("shared", { accessModes: ["ReadWriteOnce", "ReadWriteMany"] }), named("own", { capacity: { storage: "9Gi" } })],
    {},
    "own",
  ],
  [
    "one reserved for it goes before all",
    claim(),
    [named("a"), named("reserved", { claimRef, capacity: { storage: "9Gi" }, storageClassName: "other" })],
    {},
    "reserved",
  ],
  ["reserved for another", claim(), [named("a", { claimRef: { ...claimRef, name: "other" } })], {}, undefined],
  ["another class", claim(), [named("a", { storageClassName: "slow" })], {}, undefined],
  ["not all access modes", claim({ spec: { accessModes: ["ReadWriteMany"] } }), [named("a")], {}, undefined],
  ["another volume mode", claim({ spec: { volumeMode: "Block" } }), [named("a")], {}, undefined],
  ["another attributes class", claim(), [named("a", { volumeAttributesClassName: "gold" })], {}, undefined],
  ["being deleted", claim(), [named("a", {}, { deletionTimestamp: "2026-01-01T00:00:00Z" })], {}, undefined],
  ["not available yet", claim(), [volume({ status: { phase: "Released" } })], {}, undefined],
  [
    "selected by labels",
    claim({ spec: { selector: { matchLabels: { tier: "gold" } } } }),
    [named("a"), named("b", {}, { labels: { tier: "gold" } })],
    {},
    "b",
  ],
  [
    "selected by expressions",
    claim({
      spec: {
        selector: {
          matchExpressions: [
            { key: "tier", operator: "NotIn", values: ["gold"] },
            { key: "rack", operator: "Exists" },
          ],
        },
      },
    }),
    [named("a", {}, { labels: { tier: "gold", rack: "1" } }), named("b"), named("c", {}, { labels: { rack: "1" } })],
    {},
    "c",
  ],
  ["late binding without a node", claim(), [named("a")], { late: true }, undefined],
  [
    "late binding on a node in reach",
    claim(),
    [named("a", inZone("z1")), named("b", inZone("z2"))],
    { late: true, node: node("n1", { zone: "z2" }) },
    "b",
  ],
  [
    "reserved but out of the node's reach",
    claim(),
    [named("a", { claimRef, ...inZone("z1") }), named("b")],
    { node: node("n1", { zone: "z2" }) },
    undefined,
  ],
  ["taken by the pod's other claim", claim(), [named("a"), named("b")], { node: node("n1"), taken: new Set(["a"]) }, "b"],
];

describe("matchVolume", () => {
  test.each(rows)("%s", (_name, wanted, volumes, options, chosen) => {
    expect(matchVolume(wanted, volumes, options)?.metadata.name).toBe(chosen);
  });
});
