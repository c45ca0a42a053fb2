// `npm run bench:csi-proxy`: the v1 server of CSI Proxy. See bench/README.md.
import { parseArgs } from "node:util";
import { type Calls, measureCalls } from "../shared/measure-calls.ts";
import { readCount } from "../shared/options.ts";
import { defaultDist, ourProgram } from "../shared/programs.ts";
import { publishResults } from "../shared/publish.ts";
import { medianResult, type Result } from "../shared/result.ts";
import { Workbench } from "../shared/workbench.ts";
import { kubeletPath, RunningCsiProxy } from "./running-csi-proxy.ts";

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { calls: text, starts: text, dist: text, json: text } });
const calls = readCount("calls", values.calls ?? "5000", 1);
const starts = readCount("starts", values.starts ?? "5", 1);
const program = ourProgram(values.dist ?? defaultDist, "csi-proxy");

await using bench = new Workbench();
const results: Result[] = [];

/** A call that needs no PowerShell. */
const pathExists = ({ filesystem }: RunningCsiProxy, inFlight: number): Calls => ({
  ...{ what: "PathExists", count: calls, inFlight },
  call: () => filesystem.pathExists({ path: kubeletPath }),
});

/** A call that is one operation in PowerShell. */
const rescan = ({ disk }: RunningCsiProxy, mode: string, count: number): Calls => ({
  ...{ what: `Rescan, ${mode}`, count, inFlight: 3 },
  call: () => disk.rescan({}),
});

console.error("measuring the start");
const startTimes: number[] = [];
for (let start = 0; start < starts; start++) {
  await using proxy = await RunningCsiProxy.start(bench, program, "oneshot");
  startTimes.push(proxy.startMs);
}
results.push(medianResult("start to the first answer", "ms", startTimes, { atMost: 150 }));

for (const [mode, count] of [
  ["session", calls],
  ["oneshot", Math.ceil(calls / 10)],
] as const) {
  console.error(`measuring ${mode}`);
  await using proxy = await RunningCsiProxy.start(bench, program, mode);
  if (mode === "session") {
    results.push(await proxy.memory("nothing called yet"));
    await measureCalls(proxy, pathExists(proxy, 10));
    for (const inFlight of [1, 50]) results.push(...(await measureCalls(proxy, pathExists(proxy, inFlight))));
  }
  await measureCalls(proxy, rescan(proxy, mode, Math.ceil(count / 10)));
  results.push(...(await measureCalls(proxy, rescan(proxy, mode, count))), await proxy.memory(`after the calls, ${mode}`));
}
publishResults({ calls, starts }, results, values.json);
