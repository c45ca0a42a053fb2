import { expect, test } from "bun:test";
import { plotOf } from "./plot.ts";
import { openWatches, type Sample } from "./sample.ts";
import { findings } from "./verdict.ts";

const mebibyte = 1 << 20;

function samples(rss: (index: number) => number, descriptors: (index: number) => number = () => 20): Sample[] {
  return Array.from({ length: 40 }, (_, index) => ({
    seconds: index * 60,
    usage: { hostpathplugin: { rss: rss(index) * mebibyte, cpuSeconds: index, descriptors: descriptors(index), processes: 1 } },
    watches: 30,
    objects: { PersistentVolume: index % 5 },
    lives: index,
    kills: index,
  }));
}

const good = { samples: samples(() => 80), lives: { clone: 3 }, kills: {}, failures: [], leaked: [] };

test.each([
  ["a soak that went well", good, []],
  ["a program that needs more while it warms up", { ...good, samples: samples((index) => (index < 8 ? 40 : 90)) }, []],
  ["no volume at all", { ...good, lives: {} }, ["no volume lived to its end"]],
  ["a volume that is stuck", { ...good, failures: ["waited for claim v1"] }, ["waited for claim v1"]],
  ["something left over", { ...good, leaked: ["PersistentVolume pvc-1"] }, ["leaked: PersistentVolume pvc-1"]],
  ["memory that grows", { ...good, samples: samples((index) => 50 + 4 * index) }, ["hostpathplugin grew from 110 to 190 MiB"]],
  [
    "descriptors that stay open",
    {
      ...good,
      samples: samples(
        () => 80,
        (index) => 20 + 2 * index,
      ),
    },
    ["hostpathplugin had 50 open descriptors, then 90"],
  ],
])("%s", (_, record, expected) => {
  expect(findings(record)).toEqual(expected);
});

test("two processes of a program count each on its own", () => {
  const more = samples(() => 80).map((sample, index) => {
    const { hostpathplugin: one = { rss: 0, cpuSeconds: 0, descriptors: 0, processes: 0 } } = sample.usage;
    const two = { rss: 2 * one.rss, cpuSeconds: 0, descriptors: 2 * one.descriptors, processes: 2 };
    return index < 20 ? sample : { ...sample, usage: { hostpathplugin: two } };
  });
  expect(findings({ ...good, samples: more })).toEqual([]);
});

test("watches are summed over the resources", () => {
  const metrics = [
    "# TYPE apiserver_longrunning_requests gauge",
    'apiserver_longrunning_requests{component="apiserver",resource="pods",verb="WATCH"} 12',
    'apiserver_longrunning_requests{component="apiserver",resource="pods",verb="CONNECT"} 5',
    'apiserver_longrunning_requests{component="apiserver",resource="nodes",verb="WATCH"} 3',
    'apiserver_request_total{verb="WATCH"} 900',
  ];
  expect(openWatches(metrics.join("\n"))).toBe(15);
});

test("the plot has a line for each program", () => {
  const plot = plotOf(good.samples);
  expect(plot).toStartWith("<svg ");
  expect(plot.match(/<polyline /g)).toHaveLength(6);
  expect(plot).toContain(">hostpathplugin</text>");
});
