import { setTimeout as sleep } from "node:timers/promises";
import { type ApiRequest, isWork } from "../shared/audit-log.ts";
import type { StartedSubject } from "../shared/started-subject.ts";
import type { HealthWorld } from "./world.ts";

/** What a subject did between two moments. */
export interface WindowCost {
  readonly cpuMs: number;
  /** Without events, leases, lists and watches. */
  readonly requests: number;
  readonly events: number;
  /** Answered 4xx. */
  readonly refused: number;
  /** From the beginning to the last event; 0 without any. */
  readonly lastEventMs: number;
}

/** Starts to count; the result is called at the end. */
export async function openWindow({ server }: HealthWorld, { user, sidecar }: StartedSubject): Promise<() => Promise<WindowCost>> {
  const known = (await server.requests(user)).length;
  const [cpu, beganAt] = [sidecar.cpuSeconds, Date.now()];
  return async () => {
    sidecar.check();
    const cpuMs = (sidecar.cpuSeconds - cpu) * 1000;
    return { cpuMs, ...summaryOf((await server.requests(user)).slice(known), beganAt) };
  };
}

/** What the requests of a window, which began at `beganAt`, add up to. */
export function summaryOf(requests: readonly ApiRequest[], beganAt: number): Omit<WindowCost, "cpuMs"> {
  const work = requests.filter(isWork);
  const events = work.filter(({ resource }) => resource === "events");
  return {
    requests: work.length - events.length,
    events: events.length,
    refused: work.filter(({ code }) => code >= 400 && code < 500).length,
    lastEventMs: Math.max(0, ...events.map(({ at }) => at - beganAt)),
  };
}

/** Waits until the subject has sent no event for `quietMs`, after it has sent one. */
export async function untilQuiet({ server }: HealthWorld, { user, sidecar }: StartedSubject, quietMs: number): Promise<void> {
  const eventCount = async () =>
    (await server.requests(user)).filter(({ resource, verb }) => resource === "events" && verb !== "list").length;
  const before = await eventCount();
  const deadline = Date.now() + timeoutMs;
  for (let known = before, since = Date.now(); known === before || Date.now() - since < quietMs; ) {
    await sleep(500);
    sidecar.check();
    if (Date.now() > deadline) throw new Error(`${known - before} events, and no end of them`);
    const count = await eventCount();
    if (count !== known) [known, since] = [count, Date.now()];
  }
}

const timeoutMs = 300_000;
