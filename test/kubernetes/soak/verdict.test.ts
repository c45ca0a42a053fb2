import { expect, test } from "bun:test";
import { labels } from "./node-processes.ts";
import { plotOf } from "./plot.ts";
import { openWatches, type Sample } from "./sample.ts";
import { describeVerdict, findings, type SoakRecord } from "./verdict.ts";

const hours = 2;

interface Shape {
  readonly pid?: (index: number) => number;
  readonly mebibytes?: (index: number) => number;
  readonly descriptors?: (index: number) => number;
  readonly cpuSeconds?: (index: number) => number;
  readonly watches?: (index: number) => number;
  readonly lives?: (index: number) => number;
}

/** A sample every 30 seconds for two hours. The driver's process is as given; the others stay as they are. */
function soak(shape: Shape, rest: Partial<SoakRecord> = {}): SoakRecord {
  const samples = Array.from({ length: 240 }, (_, index): Sample => {
    const idle = { rss: 60 << 20, cpuSeconds: index / 10, descriptors: 17 };
    const driver = {
      rss: (shape.mebibytes?.(index) ?? 80) * 2 ** 20,
      cpuSeconds: shape.cpuSeconds?.(index) ?? index,
      descriptors: shape.descriptors?.(index) ?? 13,
    };
    return {
      seconds: index * 30,
      processes: labels.map((label, at) =>
        label === "hostpathplugin" ? { label, pid: shape.pid?.(index) ?? 99, ...driver } : { label, pid: at, ...idle },
      ),
      watches: shape.watches?.(index) ?? 149,
      objects: { PersistentVolume: index % 5 },
      lives: shape.lives?.(index) ?? index,
      kills: index,
    };
  });
  return { hours, samples, lives: { clone: 3 }, kills: { hostpathplugin: 2 }, failedDisturbances: [], failures: [], leaked: [], ...rest };
}

/** The index of the sample since the process started: killed every 4 minutes, but not in the second quarter and the last. */
function ageOf(index: number): number {
  const inQuarter = index % 60;
  return Math.floor(index / 60) % 2 === 0 ? inQuarter % 8 : inQuarter;
}

const pidOf = (index: number) => 100 + index - ageOf(index);

const wellGone: SoakRecord = soak({});

test.each<[string, SoakRecord, string[]]>([
  ["a soak that went well", wellGone, []],
  ["no volume at all", { ...wellGone, lives: {} }, ["no volume lived to its end"]],
  ["no kill at all", { ...wellGone, kills: {}, failedDisturbances: ["hostpathplugin: ESRCH"] }, ["nothing was killed"]],
  ["a volume that is stuck", { ...wellGone, failures: ["waited for claim v1"] }, ["waited for claim v1"]],
  ["something left over", { ...wellGone, leaked: ["PersistentVolume pvc-1"] }, ["leaked: PersistentVolume pvc-1"]],
])("%s", (_, record, expected) => {
  expect(findings(record)).toEqual(expected);
});

test.each<[string, Shape, string[]]>([
  ["more memory while a program warms up", { mebibytes: (index) => (index < 48 ? 40 : 90) }, []],
  ["memory that rises once", { mebibytes: (index) => (ageOf(index) < 40 ? 70 : 82), pid: pidOf }, []],
  ["memory up and down", { mebibytes: (index) => 70 + 10 * (index % 4), pid: pidOf }, []],
  ["processes that start small", { mebibytes: (index) => 60 + Math.min(ageOf(index), 10), pid: pidOf }, []],
  [
    "memory that leaks in each process, and starts anew with the next",
    { mebibytes: (index) => 60 + ageOf(index) / 4, pid: pidOf },
    Array.from({ length: 2 }, () => "hostpathplugin, one process, grew from 66 to 73 MiB"),
  ],
  [
    "memory that later processes need",
    { mebibytes: (index) => (index < 120 ? 60 : 90), pid: pidOf },
    ["hostpathplugin grew from 60 to 90 MiB"],
  ],
  [
    "descriptors that double from one process to the next",
    { descriptors: (index) => (index < 120 ? 9 : 18), pid: pidOf },
    ["hostpathplugin had 9 open descriptors, then 18"],
  ],
  [
    "descriptors that stay open in each process",
    { descriptors: (index) => 13 + Math.floor(ageOf(index) / 8), pid: pidOf },
    Array.from({ length: 2 }, () => "hostpathplugin, one process, had 15 open descriptors, then 19"),
  ],
  ["watches that come and go", { watches: (index) => 149 + (index % 8) }, []],
  ["watches that each kill leaves open", { watches: (index) => (index < 120 ? 149 : 180) }, ["149 watches at the API server, then 180"]],
  [
    "watches that rise while nothing is killed",
    { watches: (index) => 149 + ageOf(index) },
    Array.from({ length: 2 }, () => "171 watches at the API server, then 201"),
  ],
  [
    "more CPU for the same volumes",
    { cpuSeconds: (index) => index + 3 * Math.max(0, index - 120) },
    ["hostpathplugin used 2.0 s of CPU per minute, then 8.0"],
  ],
  [
    "more CPU for more volumes",
    { cpuSeconds: (index) => index + 3 * Math.max(0, index - 120), lives: (index) => index + 3 * Math.max(0, index - 120) },
    [],
  ],
  [
    "processes that do not live",
    { pid: (index) => 100 + Math.floor(index / 8) },
    ["hostpathplugin: no process lived long enough to judge its growth"],
  ],
])("%s", (_, shape, expected) => {
  expect(findings(soak(shape))).toEqual(expected);
});

test("a program that was never seen is not judged in silence", () => {
  const samples = wellGone.samples.map((sample) => ({ ...sample, processes: sample.processes.slice(1) }));
  expect(findings({ ...wellGone, samples })).toEqual(["csi-sidecars: no process lived long enough to judge its growth"]);
});

test("two processes of a program count each on its own", () => {
  const samples = wellGone.samples.map((sample, index) => {
    const twice = sample.processes.flatMap((each) => [each, { ...each, pid: each.pid + 1000, cpuSeconds: 0 }]);
    return index < 120 ? sample : { ...sample, processes: twice };
  });
  expect(findings({ ...wellGone, samples })).toEqual([]);
});

test("a soak that was ended early is judged as far as it came", () => {
  const half = (record: SoakRecord) => ({ ...record, samples: record.samples.slice(0, 121), leaked: undefined });
  expect(describeVerdict(half(wellGone))).toContain("not at its end: 60 of 120 minutes; what is left over is not known");
  expect(describeVerdict(half(wellGone))).toEndWith("verdict: nothing lost, nothing leaked, no growth");
  const leaky = soak({ mebibytes: (index) => 60 + ageOf(index) / 4, pid: pidOf });
  expect(describeVerdict(half(leaky))).toEndWith("verdict: failed\n  hostpathplugin, one process, grew from 66 to 73 MiB");
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
  const plot = plotOf(wellGone.samples);
  expect(plot).toStartWith("<svg ");
  expect(plot.match(/<polyline /g)).toHaveLength(12);
  expect(plot).toContain(">hostpathplugin</text>");
});
