import { setTimeout as sleep } from "node:timers/promises";
import { processMemory } from "../shared/process-stats.ts";
import { medianResult, type Result } from "../shared/result.ts";
import { cpuSecondsOf, Subject } from "../shared/subject.ts";
import type { Workbench } from "../shared/workbench.ts";

/** Where the caches are filled from. */
export interface Environment {
  readonly kubeconfig: string;
  readonly driver: string;
  readonly objects: number;
  /** Which caches; all three unless given. */
  readonly kinds?: readonly Kind[];
}

const kinds = ["volumes", "claims", "attachments"] as const;
type Kind = (typeof kinds)[number];

interface Sample {
  readonly idle: number;
  readonly synced: number;
  readonly steady: number;
  readonly peak: number;
  readonly seconds: number;
  readonly cpu: number;
}

const pauseMs = 1_000;
const settleMs = 3_000;
const megabytes = (bytes: number) => bytes / 1e6;

/** Memory of a process whose caches are synced and empty: what the volumes come on top of. */
export async function measureEmpty(bench: Workbench, program: string, environment: Environment, rounds: number): Promise<Result[]> {
  const samples = await fill(bench, program, { ...environment, objects: 0 }, rounds);
  return [
    medianResult(
      "RSS, before the first request",
      "MB",
      samples.map(({ idle }) => megabytes(idle)),
    ),
    medianResult(
      "RSS, synced, empty cluster",
      "MB",
      samples.map(({ steady }) => megabytes(steady)),
      { atMost: 60 },
    ),
  ];
}

/** Memory and effort of filling the caches, over `rounds` processes. `label` names the build, where several are compared. */
export async function measureMemory(
  bench: Workbench,
  program: string,
  environment: Environment,
  rounds: number,
  label = "",
): Promise<Result[]> {
  const samples = await fill(bench, program, environment, rounds);
  const column = (what: string, unit: string, value: (sample: Sample) => number, limit?: number) =>
    medianResult(
      label + what,
      unit,
      samples.map(value),
      limit !== undefined && environment.objects === 20_000 ? { atMost: limit } : undefined,
    );
  const volumes = environment.objects.toLocaleString("en-US");
  return [
    column(`RSS, ${volumes} volumes, when synced`, "MB", ({ synced }) => megabytes(synced)),
    column(`RSS, ${volumes} volumes, ${settleMs / 1000} s later`, "MB", ({ steady }) => megabytes(steady), 120),
    column("RSS, peak", "MB", ({ peak }) => megabytes(peak), 150),
    column(`CPU to sync ${volumes} volumes`, "s", ({ cpu }) => cpu, 3),
    column("time to sync them", "s", ({ seconds }) => seconds),
  ];
}

/** How much one volume (PV, claim, attachment) adds, from what {@link measureEmpty} and {@link measureMemory} found. */
export function growth(empty: readonly Result[], filled: readonly Result[], objects: number): Result {
  const [, without] = empty;
  const [, withVolumes] = filled;
  const bytes = ((withVolumes?.value ?? Number.NaN) - (without?.value ?? Number.NaN)) * 1e6;
  return { what: "RSS per volume (PV, claim, attachment)", value: bytes / 1e3 / objects, unit: "KB", budget: { atMost: 3.5 } };
}

/** How much one object of each kind adds, where only that kind is cached. */
export async function measureKinds(
  bench: Workbench,
  program: string,
  environment: Environment,
  empty: readonly Result[],
): Promise<Result[]> {
  const without = empty[1]?.value ?? Number.NaN;
  const results: Result[] = [];
  for (const kind of kinds) {
    const [sample] = await fill(bench, program, { ...environment, kinds: [kind] }, 1);
    const bytes = (sample?.steady ?? Number.NaN) - without * 1e6;
    results.push({ what: `RSS per object, only ${kind} cached`, value: bytes / 1e3 / environment.objects, unit: "KB" });
  }
  return results;
}

async function fill(bench: Workbench, program: string, environment: Environment, rounds: number): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round++) samples.push(await fillOnce(bench, program, environment));
  return samples;
}

async function fillOnce(bench: Workbench, program: string, environment: Environment): Promise<Sample> {
  const { objects } = environment;
  await using subject = new Subject(bench, program, { ...settingsOf(environment), pauseMs });
  await subject.report("idle");
  await sleep(pauseMs / 2);
  const idle = processMemory(subject.pid).rss;
  const report = await subject.report("synced");
  const counts = report.objects as readonly number[];
  if (counts.some((count) => count !== objects)) throw new Error(`expected ${objects} objects of each kind in the caches, found ${counts}`);
  const synced = processMemory(subject.pid).rss;
  await sleep(settleMs);
  const { rss: steady, peak } = processMemory(subject.pid);
  return { idle, synced, steady, peak, seconds: Number(report.seconds), cpu: cpuSecondsOf(report.cpu) };
}

function settingsOf({ kubeconfig, driver, kinds: only = kinds }: Environment): object {
  return { kubeconfig, driver, kinds: only };
}

/** From the start of the process to its first request to the API server. */
export async function measureStart(bench: Workbench, program: string, environment: Environment, rounds: number): Promise<Result[]> {
  const samples: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using subject = new Subject(bench, program, { ...settingsOf(environment), pauseMs: 0 });
    samples.push(Number((await subject.report("first request")).at) - subject.startedAt);
  }
  return [medianResult("start to first request", "ms", samples, { atMost: 150 })];
}

/** CPU of a process that is synced, leads and has nothing to do. */
export async function measureIdle(bench: Workbench, program: string, environment: Environment, seconds: number): Promise<Result[]> {
  await using subject = new Subject(bench, program, { ...settingsOf(environment), pauseMs: 0 });
  await subject.report("synced");
  await sleep(settleMs);
  const before = await subject.cpuSeconds();
  await sleep(seconds * 1000);
  const used = (await subject.cpuSeconds()) - before;
  return [medianResult("CPU, idle, per minute", "s", [(used * 60) / seconds], { atMost: 0.15 })];
}
