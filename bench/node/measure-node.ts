import { readdirSync } from "node:fs";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Sidecar } from "../shared/sidecar.ts";
import type { Workbench } from "../shared/workbench.ts";
import type { Environment, Subject } from "./subjects.ts";

/** What a node's side of a driver takes; memory in bytes, of all its processes together. */
export interface NodeSample {
  readonly idle: number;
  readonly idleAnonymous: number;
  readonly probed: number;
  readonly probedAnonymous: number;
  readonly peak: number;
  readonly cpuMsPerProbe: number;
  readonly idleCpuSecondsPerMinute: number;
}

const settleMs = 3_000;
const timeoutMs = 20_000;

/** Starts a subject, leaves it alone, then asks it for the driver's health again and again as kubelet would. */
export async function measureNode(
  bench: Workbench,
  subject: Subject,
  { registry, endpoint }: Environment,
  probes: number,
  idleSeconds: number,
): Promise<NodeSample> {
  await using started = new AsyncDisposableStack();
  const sidecars = subject.commands.map(({ program, args }) => started.use(new Sidecar(bench, subject.name, program, args)));
  const sum = (value: (sidecar: Sidecar) => number) => sidecars.reduce((total, sidecar) => total + value(sidecar), 0);
  const cpu = () => sum(({ cpuSeconds }) => cpuSeconds);
  await untilServing(sidecars, registry, endpoint);
  await sleep(settleMs);
  const idle = sum(({ memory }) => memory.rss);
  const idleAnonymous = sum(({ memory }) => memory.anonymous);
  const beforeIdle = cpu();
  await sleep(idleSeconds * 1000);
  const beforeProbes = cpu();
  for (let probe = 0; probe < probes; probe++) await ask(endpoint);
  await sleep(settleMs);
  const cpuMsPerProbe = ((cpu() - beforeProbes) * 1000) / probes;
  for (const sidecar of sidecars) sidecar.check();
  return {
    ...{ idle, idleAnonymous, cpuMsPerProbe },
    probed: sum(({ memory }) => memory.rss),
    probedAnonymous: sum(({ memory }) => memory.anonymous),
    peak: sum(({ memory }) => memory.peak),
    idleCpuSecondsPerMinute: ((beforeProbes - beforeIdle) * 60) / idleSeconds,
  };
}

async function untilServing(sidecars: readonly Sidecar[], registry: string, endpoint: string): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; ; await sleep(100)) {
    for (const sidecar of sidecars) sidecar.check();
    const registered = readdirSync(registry).length > 0;
    if (registered && (await ask(endpoint).catch(() => 0)) === 200) return;
    if (Date.now() > deadline) throw new Error("no registration socket, or no answer to health checks");
  }
}

/** One health check over a connection of its own, as kubelet makes them. Fails unless it is answered 200. */
function ask(endpoint: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(`http://${endpoint}/healthz`, { agent: false }, (response) => {
      response.resume().once("end", () => {
        if (response.statusCode === 200) resolve(200);
        else reject(new Error(`health check was answered ${response.statusCode}`));
      });
    })
      .once("error", reject)
      .end();
  });
}
