import { expect, test } from "bun:test";
import type { V1PersistentVolume } from "@csi-sidecars/kube";
import { nodeFields, volumeFields } from "./fields.ts";
import { nodeForVolume } from "./node-for-volume.ts";
import { cached, volumeOf } from "./testing/objects.ts";

const nodes = ["a", "b", "constructor"].map((zone) => cached(nodeFields, { metadata: { name: `node-${zone}`, labels: { zone } } }));
const zoneIn = (...values: string[]) => ({ matchExpressions: [{ key: "zone", operator: "In" as const, values }] });
type Affinity = NonNullable<NonNullable<V1PersistentVolume["spec"]>["nodeAffinity"]>;
type Term = NonNullable<Affinity["required"]>["nodeSelectorTerms"][number];

test.each<[string, readonly Term[], ReturnType<typeof nodeForVolume>]>([
  ["a label", [zoneIn("b")], { name: "node-b" }],
  ["the first of several nodes", [zoneIn("b", "a")], { name: "node-a" }],
  ["one of the terms", [zoneIn("x"), zoneIn("b")], { name: "node-b" }],
  [
    "all conditions of a term",
    [{ matchExpressions: [...zoneIn("a", "b").matchExpressions, { key: "zone", operator: "NotIn", values: ["a"] }] }],
    { name: "node-b" },
  ],
  ["the name of the node", [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["node-b"] }] }], { name: "node-b" }],
  ["no node", [zoneIn("x")], "none"],
  ["a label that only the prototype has", [{ matchExpressions: [{ key: "toString", operator: "Exists" }] }], "none"],
  ["a term without conditions", [{}], "none"],
  ["no term", [], "none"],
])("%s", (_, nodeSelectorTerms, found) => {
  const volume = volumeOf({ spec: { nodeAffinity: { required: { nodeSelectorTerms: [...nodeSelectorTerms] } } } });
  expect(nodeForVolume(cached(volumeFields, volume), nodes)).toEqual(found);
});

test("a volume without affinity is everywhere", () => {
  expect(nodeForVolume(cached(volumeFields, volumeOf()), nodes)).toBe("any");
});
