import { setTimeout as sleep } from "node:timers/promises";
import { type Asked, countBy } from "./asked.ts";
import type { User } from "./counting-server.ts";
import type { Sidecar } from "./sidecar.ts";
import type { World } from "./world.ts";

/** How a subject did one step for all volumes. */
export interface Move {
  /** Until the subject's part was done. */
  readonly perSecond: number;
  readonly cpuMs: number;
  /** Without events. */
  readonly requests: number;
  readonly events: number;
  readonly csiCalls: number;
  /** Requests that were answered 4xx, by what was asked and the code. */
  readonly refused: ReadonlyMap<string, number>;
  /** All requests by what was asked and the code. */
  readonly asked: ReadonlyMap<string, number>;
}

/** What begins a step, and when it is over. */
export interface Step {
  begin(): Promise<void>;
  /** Resolves when the subject's part is done. */
  done(): Promise<void>;
  /** Resolves when the cluster has taken it in too. */
  settled?(): Promise<void>;
}

/** Measures one step with so many volumes. */
export async function measureMove({ server, driver }: World, user: User, sidecar: Sidecar, count: number, step: Step): Promise<Move> {
  const before = { requests: (await server.requests(user)).length, calls: (await driver.calls()).length, cpu: sidecar.cpuSeconds };
  const began = performance.now();
  const [seconds] = await Promise.all([step.done().then(() => (performance.now() - began) / 1000), step.begin(), step.settled?.()]);
  const requests = (await untilQuiet(() => server.requests(user), count)).slice(before.requests).filter(isWork);
  const cpu = sidecar.cpuSeconds - before.cpu;
  const calls = (await driver.calls()).length - before.calls;
  const events = requests.filter(({ resource }) => resource === "events").length;
  const whatAndCode = ({ what, code }: Asked) => `${what} ${code}`;
  return {
    perSecond: count / seconds,
    cpuMs: (cpu * 1000) / count,
    requests: (requests.length - events) / count,
    events: events / count,
    csiCalls: calls / count,
    refused: countBy(
      requests.filter(({ code }) => code >= 400 && code < 500),
      whatAndCode,
    ),
    asked: countBy(requests, whatAndCode),
  };
}

const quietMs = 2_000;
/** Events of a volume wait for those before them: a lane of their own has a limit of its own. */
const patienceMsPerVolume = 150;

/** What a subject does about its own writes comes back to it a little later, and events may be late. */
async function untilQuiet(requests: () => Promise<readonly Asked[]>, volumes: number): Promise<readonly Asked[]> {
  let known = -1;
  for (let waited = 0; waited < 30_000 + volumes * patienceMsPerVolume; waited += quietMs) {
    const asked = await requests();
    const count = asked.filter(isWork).length;
    if (count === known) return asked;
    known = count;
    await sleep(quietMs);
  }
  return requests();
}

/** Neither the lease nor the watches that a server ends now and then. */
function isWork({ verb, resource }: Asked): boolean {
  return verb !== "watch" && verb !== "list" && resource !== "leases";
}
