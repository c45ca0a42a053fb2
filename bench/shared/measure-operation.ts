import { setTimeout as sleep } from "node:timers/promises";
import { type ApiRequest, countBy, isWork } from "./audit-log.ts";
import type { StartedSubject } from "./started-subject.ts";
import type { World } from "./world.ts";

/** What one operation (attach, detach, create, delete) cost a subject, per volume. */
export interface OperationCost {
  /** Volumes per second, until the subject's part was done. */
  readonly perSecond: number;
  readonly cpuMs: number;
  /** Without events. */
  readonly requests: number;
  readonly events: number;
  readonly csiCalls: number;
  /** Requests that were answered 4xx, by request and status code. */
  readonly refused: ReadonlyMap<string, number>;
  /** All requests by request and status code. */
  readonly requestCounts: ReadonlyMap<string, number>;
}

/** What starts an operation, and when it is over. */
export interface Operation {
  begin(): Promise<void>;
  /** Resolves when the subject's part is done. */
  done(): Promise<void>;
  /** Resolves when the cluster's controllers are done with it too. */
  settled?(): Promise<void>;
}

/** Measures one operation over `count` volumes; the costs are those of all `programs` together. */
export async function measureOperation(
  { server, driver }: World,
  programs: readonly Pick<StartedSubject, "user" | "sidecar">[],
  count: number,
  operation: Operation,
): Promise<OperationCost> {
  const requestsOfAll = async () =>
    (await Promise.all(programs.map(({ user }) => server.requests(user)))).map((asked) => asked.filter(isWork));
  const cpuOfAll = () => programs.reduce((sum, { sidecar }) => sum + sidecar.cpuSeconds, 0);
  const before = { requests: await requestsOfAll(), calls: (await driver.calls()).length, cpu: cpuOfAll() };
  const began = performance.now();
  const [seconds] = await Promise.all([
    operation.done().then(() => (performance.now() - began) / 1000),
    operation.begin(),
    operation.settled?.(),
  ]);
  const asked = await untilQuiet(requestsOfAll, count);
  const requests = asked.flatMap((one, index) => one.slice(before.requests[index]?.length));
  const cpu = cpuOfAll() - before.cpu;
  const calls = (await driver.calls()).length - before.calls;
  const events = requests.filter(({ resource }) => resource === "events").length;
  const whatAndCode = ({ what, code }: ApiRequest) => `${what} ${code}`;
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
    requestCounts: countBy(requests, whatAndCode),
  };
}

const quietMs = 2_000;
/** Events have a rate limit of their own, so the last ones are written long after the volume is done. */
const timeoutMsPerVolume = 150;

/** Waits for the requests that follow an operation: reactions to the subject's own writes, and late events. */
async function untilQuiet<T extends readonly (readonly ApiRequest[])[]>(requests: () => Promise<T>, volumes: number): Promise<T> {
  let known = -1;
  for (let waited = 0; waited < 30_000 + volumes * timeoutMsPerVolume; waited += quietMs) {
    const asked = await requests();
    const count = asked.flat().length;
    if (count === known) return asked;
    known = count;
    await sleep(quietMs);
  }
  return requests();
}
