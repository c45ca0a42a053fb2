import { expect, test } from "bun:test";
import { topologyOf } from "./read-status.ts";

test("the topology of a volume is what its node affinity names", () => {
  const term = (...values: string[]) => ({
    matchExpressions: values.map((value) => ({ key: "k", operator: "In" as const, values: [value] })),
  });
  const placed = (...nodeSelectorTerms: ReturnType<typeof term>[]) => ({ spec: { nodeAffinity: { required: { nodeSelectorTerms } } } });
  expect(topologyOf({})).toBe("");
  expect(topologyOf(placed(term("zone-1")))).toBe("zone-1");
  expect(topologyOf(placed(term("zone-1", "rack-2"), term("zone-2")))).toBe("zone-1/rack-2, zone-2");
});
