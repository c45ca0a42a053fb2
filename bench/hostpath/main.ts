// `npm run bench:hostpath`: the hostpath driver with thousands of volumes. See bench/README.md.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../shared/compile.ts";
import { machine } from "../shared/machine.ts";
import type { Result } from "../shared/result.ts";
import { resultTable } from "../shared/result-table.ts";
import { Workbench } from "../shared/workbench.ts";
import { creation, deletion, measureCalls, snapshotting } from "./measure-calls.ts";
import { measureList } from "./measure-lists.ts";
import { measureStarts } from "./measure-starts.ts";
import { readOptions } from "./options.ts";
import { RunningDriver } from "./running-driver.ts";

const { volumes, sample, snapshots, starts, json } = readOptions(process.argv.slice(2));
await using bench = new Workbench();
const results: Result[] = [];
const step = async (what: string, measure: () => Promise<readonly Result[]>): Promise<readonly Result[]> => {
  console.error(`measuring ${what}`);
  const found = await measure();
  results.push(...found);
  return found;
};
const program = await compile(join(import.meta.dirname, "../../packages/hostpath/hostpathplugin.ts"), bench.path("hostpathplugin"));
const driver = await RunningDriver.start(bench, program);
const ids: string[] = [];
const count = sample;
const one = { count, inFlight: 1 };

await step("the start", async () => [
  { what: "start to Probe, nothing there", value: driver.startMs, unit: "ms" },
  await driver.memory("empty"),
]);
// What a fresh process still has to learn is not what is to be compared.
const warmUp = { what: "warm-up", count: 4 * count, inFlight: 50 };
await measureCalls(driver, { ...warmUp, call: creation(driver, ids, -warmUp.count) });
await measureCalls(driver, { ...warmUp, call: deletion(driver, ids) });
const first = await step("the first volumes", () =>
  measureCalls(driver, { what: "create the first", ...one, call: creation(driver, ids, 0) }),
);
await step("most volumes", () =>
  measureCalls(driver, { what: "create", count: volumes - 2 * count, inFlight: 50, call: creation(driver, ids, count) }),
);
const last = await step("the last volumes", () =>
  measureCalls(driver, { what: "create the last", ...one, call: creation(driver, ids, volumes - count) }),
);
await step("memory", async () => [grown(first, last), await driver.memory(`${volumes.toLocaleString("en-US")} volumes`)]);
await step("lists", async () => {
  const found: Result[] = [];
  for (const pageSize of [100, 500, 1000, 0]) found.push(...(await measureList(driver, "ListVolumes", volumes, pageSize)));
  return [...found, await driver.memory("after the lists")];
});
await step("snapshots", async () => [
  ...(await measureCalls(driver, { what: "snapshot", count: snapshots, inFlight: 4, call: snapshotting(driver, ids) })),
  ...(await measureList(driver, "ListSnapshots", snapshots, 500)),
  await driver.memory("after the snapshots"),
  driver.peak,
]);
await driver.kill();
await step("starts after a kill", () => measureStarts(bench, program, "a kill", starts));
await using tidy = await RunningDriver.start(bench, program);
await tidy[Symbol.asyncDispose]();
await step("starts after a stop", () => measureStarts(bench, program, "a stop", starts));
await using again = await RunningDriver.start(bench, program);
await step("deletion", () => measureCalls(again, { what: "delete", count: volumes, inFlight: 50, call: deletion(again, ids) }));
await step("memory", async () => [await again.memory("everything deleted")]);

const about = { ...machine(), volumes, snapshots };
console.log(
  Object.entries(about)
    .map(([key, value]) => `${key}: ${value}`)
    .join(", "),
);
console.log(resultTable(results));
if (json) writeFileSync(json, `${JSON.stringify({ machine: about, results }, null, 2)}\n`);

/** Whether a call costs more when there is much: it must not, within what measurements of CPU can tell. */
function grown([, atFirst]: readonly Result[], [, atLast]: readonly Result[]): Result {
  const value = (atLast?.value ?? Number.NaN) / (atFirst?.value ?? Number.NaN);
  return { what: "CPU per creation, the last to the first", value, unit: "x", budget: { atMost: 1.2 } };
}
