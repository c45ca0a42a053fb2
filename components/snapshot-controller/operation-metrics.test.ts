import { expect, test } from "bun:test";
import { Registry } from "@csi-sidecars/base/prometheus";
import { FakeClock } from "@csi-sidecars/base/testing";
import { OperationMetrics } from "./operation-metrics.ts";

const dynamic = { driver: "csi.example.com", type: "dynamic" } as const;

function world() {
  const registry = new Registry();
  const clock = new FakeClock();
  const metrics = new OperationMetrics(registry, clock);
  const lines = async (part: string) =>
    (await registry.metrics()).split("\n").filter((line) => !line.startsWith("#") && line.includes(part));
  const counts = async () =>
    (await lines("_total_seconds_sum")).map((line) => {
      const label = (name: string) => line.match(`${name}="([^"]*)"`)?.[1];
      return `${label("operation_name")} ${label("operation_status")} ${label("driver_name")} ${label("snapshot_type")} ${line.split(" ").at(-1)}`;
    });
  return { clock, metrics, counts, lines, open: async () => (await lines("operations_in_flight"))[0]?.split(" ").at(-1) };
}

test("an operation is measured from its first start", async () => {
  const { clock, metrics, counts, lines, open } = world();
  expect([await open(), await lines("operation_total_seconds")]).toEqual(["0", []]);
  metrics.start("CreateSnapshot", "a", { driver: undefined, type: "dynamic" });
  await clock.advance(2_000);
  metrics.start("CreateSnapshot", "a", dynamic);
  await clock.advance(1_000);
  metrics.succeed("CreateSnapshot", "a", "csi.example.com");
  expect(await counts()).toEqual(["CreateSnapshot success csi.example.com dynamic 3"]);
  expect(
    (await lines("_bucket")).map((line) =>
      line
        .match(/le="([^"]*)".* (\d+)$/)
        ?.slice(1)
        .join(":"),
    ),
  ).toEqual(["0.1:0", "0.25:0", "0.5:0", "1:0", "2.5:0", "5:1", "10:1", "15:1", "30:1", "60:1", "120:1", "300:1", "600:1", "+Inf:1"]);
});

test("what has not begun cannot end", async () => {
  const { metrics, counts } = world();
  metrics.succeed("CreateSnapshot", "a");
  metrics.gone("Snapshot", "a");
  expect(await counts()).toEqual([]);
});

test.each(["Snapshot", "GroupSnapshot"] as const)("the deletion of a %s cancels what is open of its creation", async (kind) => {
  const { clock, metrics, counts, open } = world();
  metrics.start(`Create${kind}`, "a", dynamic);
  metrics.start(`Create${kind}AndReady`, "a", dynamic);
  metrics.start(`Create${kind}`, "b", dynamic);
  await clock.advance(60_000);
  metrics.start(`Delete${kind}`, "a", { driver: undefined, type: "dynamic" });
  expect(await open()).toBe("4");
  await clock.advance(500);
  metrics.gone(kind, "a");
  expect(await counts()).toEqual([
    `Delete${kind} success unknown dynamic 0.5`,
    `Create${kind} cancel csi.example.com dynamic 0.5`,
    `Create${kind}AndReady cancel csi.example.com dynamic 0.5`,
  ]);
  expect(await open()).toBe("1");
});

test("an object that vanishes without having been deleted leaves nothing open", async () => {
  const { metrics, counts, open } = world();
  metrics.start("CreateSnapshot", "a", dynamic);
  metrics.gone("Snapshot", "a");
  expect([await counts(), await open()]).toEqual([[], "0"]);
});
