import { setTimeout as sleep } from "node:timers/promises";
import { untilWatching } from "../attach/measure-moves.ts";
import type { Asked, User } from "../attach/server.ts";
import { argumentsOf, type Limit, type Subject } from "../attach/subjects.ts";
import type { World } from "../attach/world.ts";
import { Sidecar } from "../shared/sidecar.ts";
import { createClaims, deleteClaims } from "./fleet.ts";
import { type Counts, type Following, followVolumes } from "./follow-volumes.ts";

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

export interface Moves {
  readonly create: Move;
  readonly delete: Move;
  /** Bytes, before there was anything to do. */
  readonly idleRss: number;
  /** When all volumes were there. */
  readonly fullRss: number;
  /** When all were gone again. */
  readonly endRss: number;
}

/** Lets a subject provide and then delete the volumes of so many claims; others may be there before and stay. */
export async function measureMoves(world: World, subject: Subject, count: number, limit: Limit): Promise<Moves> {
  await using started = await start(world, subject, limit);
  const { sidecar, following } = started;
  const { volumes, bound } = following.counts;
  const idleRss = sidecar.memory.rss;
  const create = await move(world, started, count, {
    begin: () => createClaims(world, "moved", count),
    isDone: (counts) => counts.volumes === volumes + count,
    isSettled: (counts) => counts.bound === bound + count,
  });
  const fullRss = sidecar.memory.rss;
  const isGone = (counts: Counts) => counts.volumes === volumes && counts.bound === bound;
  const deletion = await move(world, started, count, {
    begin: () => deleteClaims(world, "moved", count),
    isDone: isGone,
    isSettled: isGone,
  });
  return { create, delete: deletion, idleRss, fullRss, endRss: sidecar.memory.rss };
}

/** Lets a subject provide volumes that stay. */
export async function makeCrowd(world: World, subject: Subject, count: number): Promise<void> {
  await using started = await start(world, subject, "none");
  const { bound } = started.following.counts;
  await createClaims(world, "crowd", count);
  await started.following.until(
    (counts) => counts.bound === bound + count,
    () => started.sidecar.check(),
  );
}

interface Started extends AsyncDisposable {
  readonly user: User;
  readonly sidecar: Sidecar;
  readonly following: Following;
}

async function start(world: World, subject: Subject, limit: Limit): Promise<Started> {
  await using opened = new AsyncDisposableStack();
  const user = world.server.newUser();
  const following = opened.use(await followVolumes(world));
  const args = argumentsOf(subject, user.kubeconfig, world.driver.address, limit);
  const sidecar = opened.use(new Sidecar(world.bench, subject.name, subject.program, args));
  await untilWatching(world, user, sidecar);
  await untilIdle(sidecar);
  const running = opened.move();
  return { user, sidecar, following, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Reading what is there at the start must not count as work on what comes. */
async function untilIdle(sidecar: Sidecar): Promise<void> {
  for (let before = Number.NaN; !(sidecar.cpuSeconds - before < 0.05); ) {
    before = sidecar.cpuSeconds;
    await sleep(1_000);
    sidecar.check();
  }
}

interface Step {
  begin(): Promise<void>;
  isDone(counts: Counts): boolean;
  isSettled(counts: Counts): boolean;
}

async function move({ server, driver }: World, { user, sidecar, following }: Started, count: number, step: Step): Promise<Move> {
  const before = { requests: (await server.requests(user)).length, calls: (await driver.calls()).length, cpu: sidecar.cpuSeconds };
  const check = () => sidecar.check();
  const began = performance.now();
  const [seconds] = await Promise.all([
    following.until(step.isDone, check).then(() => (performance.now() - began) / 1000),
    step.begin(),
    following.until(step.isSettled, check),
  ]);
  const requests = (await untilQuiet(() => server.requests(user), count)).slice(before.requests).filter(isAsked);
  const cpu = sidecar.cpuSeconds - before.cpu;
  const calls = (await driver.calls()).length - before.calls;
  const events = requests.filter(({ resource }) => resource === "events").length;
  return {
    perSecond: count / seconds,
    cpuMs: (cpu * 1000) / count,
    requests: (requests.length - events) / count,
    events: events / count,
    csiCalls: calls / count,
    refused: countBy(requests.filter(({ code }) => code >= 400 && code < 500)),
    asked: countBy(requests),
  };
}

const quietMs = 2_000;
/** Events of a volume wait for those before them: a lane of their own has a limit of its own. */
const patienceMsPerVolume = 150;

/** What a subject does about its own writes comes back to it a little later, and events may be late. */
async function untilQuiet(requests: () => Promise<readonly Asked[]>, count: number): Promise<readonly Asked[]> {
  let known = -1;
  for (let waited = 0; waited < 30_000 + count * patienceMsPerVolume; waited += quietMs) {
    const asked = await requests();
    const count = asked.filter(isAsked).length;
    if (count === known) return asked;
    known = count;
    await sleep(quietMs);
  }
  return requests();
}

/** Neither the lease nor the watches that a server ends now and then. */
function isAsked({ verb, resource }: Asked): boolean {
  return verb !== "watch" && verb !== "list" && resource !== "leases";
}

function countBy(requests: readonly Asked[]): ReadonlyMap<string, number> {
  return new Map([...Map.groupBy(requests, ({ what, code }) => `${what} ${code}`)].map(([name, group]) => [name, group.length]));
}
