// `npm run bench:hostpath`: the hostpath driver with thousands of volumes. See bench/README.md.
import { join } from "node:path";
import { parseArgs } from "node:util";
import { measureCalls } from "../shared/measure-calls.ts";
import { readCount } from "../shared/options.ts";
import { compile } from "../shared/programs.ts";
import { publishResults } from "../shared/publish.ts";
import { medianResult, type Result } from "../shared/result.ts";
import { Workbench } from "../shared/workbench.ts";
import { creation, deletion, measureList, snapshotting } from "./measure-calls.ts";
import { measureStarts, RunningDriver } from "./running-driver.ts";

interface Options {
  readonly volumes: number;
  /** How many are created one after the other, with none and with all of them there. */
  readonly sample: number;
  readonly snapshots: number;
  /** How often it is started again, after each kind of end. */
  readonly starts: number;
  readonly json: string | undefined;
}

const counts = { volumes: 10_000, sample: 500, snapshots: 1000, starts: 3 } as const;

/** Reads the command line. Throws on what it does not know. */
function readOptions(args: readonly string[]): Options {
  const text = { type: "string" } as const;
  const { values } = parseArgs({ args: [...args], options: { volumes: text, sample: text, snapshots: text, starts: text, json: text } });
  const count = (flag: keyof typeof counts) => readCount(flag, values[flag] ?? String(counts[flag]), 1);
  const options = { volumes: count("volumes"), sample: count("sample"), snapshots: count("snapshots"), starts: count("starts") };
  return { ...options, json: values.json };
}

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
const ids: string[] = [];
const many = volumes.toLocaleString("en-US");

/** All samples start with the same warm-up: JIT compilation is not what is compared. */
const sampled = async (driver: RunningDriver, present: string): Promise<readonly Result[]> => {
  const warmUp = { what: "warm-up", count: 4 * sample, inFlight: 50 };
  const made: string[] = [];
  await measureCalls(driver, { ...warmUp, call: creation(driver, made, `warm-up-${present}`) });
  await measureCalls(driver, { ...warmUp, call: deletion(driver, made) });
  const rounds: (readonly Result[])[] = [];
  for (let round = 0; round < 5; round++) {
    const call = creation(driver, made, `${present}-${round}`);
    rounds.push(await measureCalls(driver, { what: "create", present, count: sample, inFlight: 1, call }));
    await measureCalls(driver, { ...warmUp, count: sample, call: deletion(driver, made) });
  }
  return (rounds[0] ?? []).map(({ what, unit }, column) =>
    medianResult(
      what,
      unit,
      rounds.map((found) => found[column]?.value ?? Number.NaN),
    ),
  );
};

const driver = await RunningDriver.start(bench, program);
await step("the start", async () => [
  { what: "start to Probe, nothing there", value: driver.startMs, unit: "ms" },
  await driver.memory("empty"),
]);
const atNone = await step("creation with nothing there", () => sampled(driver, "0"));
await step("creation", () => measureCalls(driver, { what: "create", count: volumes, inFlight: 50, call: creation(driver, ids, "pvc") }));
await step("memory", async () => [await driver.memory(`${many} volumes`)]);
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
await (await RunningDriver.start(bench, program))[Symbol.asyncDispose]();
await step("starts after a stop", () => measureStarts(bench, program, "a stop", starts));
await using again = await RunningDriver.start(bench, program);
const atMany = await step(`creation with ${many} there`, () => sampled(again, many));
await step("deletion", async () => [
  grown(atNone, atMany),
  ...(await measureCalls(again, { what: "delete", count: volumes, inFlight: 50, call: deletion(again, ids) })),
  await again.memory("everything deleted"),
]);

publishResults({ volumes, snapshots }, results, json);

/** How much more a call costs when many volumes exist. Compares the least of each: other load on the machine only adds to it. */
function grown(few: readonly Result[], much: readonly Result[]): Result {
  const least = (found: readonly Result[]) => Math.min(...(found.find(({ what }) => what.endsWith("CPU per call"))?.samples ?? []));
  return { what: `CPU per creation, at ${many} to at 0`, value: least(much) / least(few), unit: "x", budget: { atMost: 1.2 } };
}
