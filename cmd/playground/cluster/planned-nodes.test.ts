import { expect, test } from "bun:test";
import { topologyOf } from "../view/topology-of.ts";
import { planNodes } from "./planned-nodes.ts";

test("nodes are dealt out to the zones in turn", () => {
  expect(planNodes({ nodes: 2, zones: 0 })).toEqual([{ name: "node-1" }, { name: "node-2" }]);
  expect(planNodes({ nodes: 3, zones: 2 })).toEqual([
    { name: "node-1", zone: "zone-1" },
    { name: "node-2", zone: "zone-2" },
    { name: "node-3", zone: "zone-1" },
  ]);
});

test("a volume's place is what its node affinity names", () => {
  const term = (...values: string[]) => ({
    matchExpressions: values.map((value) => ({ key: "k", operator: "In" as const, values: [value] })),
  });
  const placed = (...nodeSelectorTerms: ReturnType<typeof term>[]) => ({ spec: { nodeAffinity: { required: { nodeSelectorTerms } } } });
  expect(topologyOf({})).toBe("");
  expect(topologyOf(placed(term("zone-1")))).toBe("zone-1");
  expect(topologyOf(placed(term("zone-1", "rack-2"), term("zone-2")))).toBe("zone-1/rack-2, zone-2");
});
