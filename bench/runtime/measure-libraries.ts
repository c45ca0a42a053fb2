import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { processMemory } from "../shared/process-stats.ts";
import { medianResult, type Result } from "../shared/result.ts";
import { cpuSecondsOf, type Report, Subject } from "../shared/subject.ts";
import type { Workbench } from "../shared/workbench.ts";

/** All reports of one phase until the subject is done. */
async function reportsOf(
  bench: Workbench,
  program: string,
  settings: { readonly rounds: number },
  phase: string,
  perRound: number,
): Promise<Report[]> {
  await using subject = new Subject(bench, program, settings);
  const reports: Report[] = [];
  for (let count = 0; count < settings.rounds * perRound; count++) reports.push(await subject.report(phase));
  return reports;
}

/** CPU per operation in microseconds. */
const microseconds = (report: Report, operations: number) => (cpuSecondsOf(report.cpu) * 1e6) / operations;

/** Requests through our client, and what it costs above bare connections. */
export async function measureRequests(bench: Workbench, program: string, kubeconfig: string, volume: string): Promise<Result[]> {
  const requests = 2_000;
  const reports = await reportsOf(bench, program, { kubeconfig, volume, rounds: 4, requests } as { rounds: number }, "requests", 6);
  return [1, 50].flatMap((inFlight) => {
    const of = (layer: string) => reports.filter((report) => report.layer === layer && report.inFlight === inFlight);
    const cpu = (layer: string) => of(layer).map((report) => microseconds(report, requests));
    return [
      medianResult(
        `requests per second, ${inFlight} in flight`,
        "/s",
        of("client").map(({ seconds }) => requests / Number(seconds)),
      ),
      medianResult(`CPU per request, ${inFlight} in flight: connections alone`, "us", cpu("connections")),
      medianResult(`CPU per request, ${inFlight} in flight: transport`, "us", cpu("transport")),
      medianResult(`CPU per request, ${inFlight} in flight: client`, "us", cpu("client")),
      {
        what: `client above connections alone, ${inFlight} in flight (least of each)`,
        value: Math.min(...cpu("client")) - Math.min(...cpu("connections")),
        unit: "us",
        budget: { atMost: 60 },
      },
    ];
  });
}

/** Watch events through an informer into a handler, from a local pipe. */
export async function measureEvents(bench: Workbench, program: string): Promise<Result[]> {
  const events = 200_000;
  const writer = [
    process.execPath,
    join(import.meta.dirname, "subjects", "event-writer.ts"),
    JSON.stringify({ objects: 2_000, events: events + 2_000 }),
  ];
  const samples: number[] = [];
  for (let round = 0; round < 3; round++) {
    await using subject = new Subject(bench, program, { writer, events });
    samples.push(events / cpuSecondsOf((await subject.report("events")).cpu));
  }
  return [medianResult("informer events per second of CPU", "/s", samples, { atLeast: 50_000 })];
}

/** Keys through a work queue. */
export async function measureQueue(bench: Workbench, program: string): Promise<Result[]> {
  const keys = 100_000;
  const reports = await reportsOf(bench, program, { rounds: 7, keys } as { rounds: number }, "queue", 2);
  const rate = (kind: string) => reports.filter((report) => report.kind === kind).map((report) => keys / cpuSecondsOf(report.cpu));
  return [
    medianResult("queue add/take/done per second", "/s", rate("plain"), { atLeast: 1_000_000 }),
    medianResult("the same with metrics", "/s", rate("measured")),
  ];
}

/** Unary calls over a unix socket: ours and grpc-js. */
export async function measureCalls(
  bench: Workbench,
  programs: { readonly ours: string; readonly grpcJs: string },
  driver: string,
): Promise<Result[]> {
  const calls = 5_000;
  const rounds = 4;
  const settings = { driver, rounds, calls };
  const ours = await reportsOf(bench, programs.ours, settings, "calls", 2);
  const theirs = await reportsOf(bench, programs.grpcJs, settings, "calls", 2);
  return [1, 100].flatMap((inFlight) => {
    const cpu = (reports: readonly Report[]) =>
      reports.filter((report) => report.inFlight === inFlight).map((report) => microseconds(report, calls));
    return [
      medianResult(`CPU per unary call, ${inFlight} in flight`, "us", cpu(ours), { atMost: 80 }),
      medianResult(`the same through grpc-js`, "us", cpu(theirs)),
    ];
  });
}

/** Memory of a process that only holds a connection to a driver. */
export async function measureConnection(bench: Workbench, program: string, driver: string): Promise<Result[]> {
  const samples: number[] = [];
  for (let round = 0; round < 3; round++) {
    await using subject = new Subject(bench, program, { driver });
    await subject.report("connected");
    await sleep(1_000);
    samples.push(processMemory(subject.pid).rss / 1e6);
  }
  return [medianResult("RSS, holding one driver connection", "MB", samples, { atMost: 30 })];
}
