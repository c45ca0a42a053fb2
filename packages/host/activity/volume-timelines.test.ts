import { expect, test } from "bun:test";
import { heapGrowth } from "@csi-sidecars/base/testing";
import { VolumeTimelines } from "./volume-timelines.ts";

const create = (name: string) => ({ method: "CreateVolume", name });
const attach = (id: string, on = "node-1") => ({ method: "ControllerPublishVolume", id, on });

test("a volume is one entry from its name over its id to its claim", () => {
  const timelines = new VolumeTimelines();
  timelines.begin(create("pvc-1"), 1_000)(1_200, { id: "v" });
  timelines.saved({ id: "v", volume: "pvc-1", claim: "default/data" }, 1_250);
  timelines.begin(attach("v"), 2_000);
  expect(timelines.list()).toEqual([
    {
      ...{ name: "pvc-1", id: "v", volume: "pvc-1", claim: "default/data" },
      steps: [
        { what: "CreateVolume", startedAt: 1_000, endedAt: 1_200, calls: 1 },
        { what: "saved", startedAt: 1_250, endedAt: 1_250, calls: 1 },
        { what: "ControllerPublishVolume", on: "node-1", startedAt: 2_000, calls: 1 },
      ],
    },
  ]);
});

test("a volume that cannot be created is known by its claim", () => {
  const timelines = new VolumeTimelines();
  timelines.begin({ ...create("pvc-1"), claim: "default/data" }, 1_000)(1_100, { error: "full" });
  timelines.begin(create("pvc-1"), 1_200);
  expect(timelines.list()[0]).toMatchObject({ name: "pvc-1", claim: "default/data", steps: [{ calls: 2, error: "full" }] });
});

test("a call after one that failed is the same step: it began with the first, and its error goes when one succeeds", () => {
  const timelines = new VolumeTimelines();
  timelines.begin(create("pvc-1"), 1_000)(1_100, { error: "full" });
  expect(timelines.list()[0]?.steps).toEqual([{ what: "CreateVolume", startedAt: 1_000, endedAt: 1_100, calls: 1, error: "full" }]);
  const again = timelines.begin(create("pvc-1"), 2_000);
  expect(timelines.list()[0]?.steps).toEqual([{ what: "CreateVolume", startedAt: 1_000, calls: 2, error: "full" }]);
  again(2_100, {});
  expect(timelines.list()[0]?.steps).toEqual([{ what: "CreateVolume", startedAt: 1_000, endedAt: 2_100, calls: 2 }]);
  timelines.begin(create("pvc-1"), 3_000);
  expect(timelines.list()[0]?.steps).toHaveLength(2);
});

test("another node is another step", () => {
  const timelines = new VolumeTimelines();
  timelines.begin(attach("v", "a"), 1)(2, { error: "busy" });
  timelines.begin(attach("v", "b"), 3)(4, {});
  expect(timelines.list()[0]?.steps.map(({ on, error }) => [on, error])).toEqual([
    ["a", "busy"],
    ["b", undefined],
  ]);
});

test("the last 200 volumes are kept, that with the newest step first, and 40 steps of each", () => {
  const timelines = new VolumeTimelines();
  for (let n = 0; n < 250; n++) timelines.begin(create(`pvc-${n}`), n)(n, { id: `v${n}` });
  timelines.begin(attach("v100"), 300)(301, {});
  const names = timelines.list().map(({ name }) => name);
  expect([names.length, names[0], names[1], names.at(-1)]).toEqual([200, "pvc-100", "pvc-249", "pvc-50"]);
  for (let n = 0; n < 100; n++) timelines.begin(attach("v100"), n)(n, {});
  expect(timelines.list()[0]?.steps).toHaveLength(40);
  timelines.begin(attach("v3"), 400);
  expect(timelines.list()[0]).toMatchObject({ id: "v3", steps: [{ startedAt: 400 }] });
  expect(timelines.list()[0]?.name).toBeUndefined();
});

test("a long error is cut", () => {
  const timelines = new VolumeTimelines();
  timelines.begin(create("pvc-1"), 1)(2, { error: "x".repeat(10_000) });
  expect(timelines.list()[0]?.steps[0]?.error).toHaveLength(300);
});

test("of the rest of long errors no memory is kept", () => {
  const timelines = new VolumeTimelines();
  const growth = heapGrowth(() => {
    for (let n = 0; n < 1_000; n++)
      timelines.begin(attach(`v${n % 100}`, `node-${n}`), n)(n, { error: `${n} ${Buffer.alloc(64 * 1024, "x")}` });
    return timelines;
  });
  expect(growth).toBeLessThan(8 * 1024 * 1024);
});
