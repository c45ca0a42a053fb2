import { expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { registerCapacityMetrics } from "./capacity-metrics.ts";

test("a scrape counts once, and the next one again", async () => {
  const registry = new Registry();
  const wanted = new Map([
    ["a", 1],
    ["b", 1],
    ["c", 1],
  ]);
  let walks = 0;
  registerCapacityMetrics(registry, {
    desired() {
      walks++;
      return wanted;
    },
    published: (key) => key !== "c",
    objects: () => 6,
  });
  const scrape = async () => (await registry.metrics()).split("\n").filter((line) => line.startsWith("csistoragecapacities"));
  expect(await scrape()).toEqual([
    "csistoragecapacities_desired_goal 3",
    "csistoragecapacities_desired_current 2",
    "csistoragecapacities_obsolete 4",
  ]);
  expect(walks).toBe(1);
  wanted.delete("a");
  expect((await scrape())[0]).toBe("csistoragecapacities_desired_goal 2");
  expect(walks).toBe(2);
});
