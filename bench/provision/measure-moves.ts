import { setTimeout as sleep } from "node:timers/promises";
import { argumentsOf, type ControllerSubject, type Limit } from "../shared/controller-subject.ts";
import type { User } from "../shared/counting-server.ts";
import type { Following } from "../shared/follow.ts";
import { type Move, measureMove } from "../shared/measure-move.ts";
import { Sidecar } from "../shared/sidecar.ts";
import { untilWatching } from "../shared/until-watching.ts";
import type { World } from "../shared/world.ts";
import { createClaims, deleteClaims } from "./fleet.ts";
import { type Counts, followVolumes } from "./follow-volumes.ts";

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
export async function measureMoves(world: World, subject: ControllerSubject, count: number, limit: Limit): Promise<Moves> {
  await using started = await start(world, subject, limit);
  const { user, sidecar, following } = started;
  const { volumes, bound } = following.counts;
  const until = (is: (counts: Counts) => boolean) => following.until(is, () => sidecar.check());
  const idleRss = sidecar.memory.rss;
  const create = await measureMove(world, user, sidecar, count, {
    begin: () => createClaims(world, "moved", count),
    done: () => until((counts) => counts.volumes === volumes + count),
    settled: () => until((counts) => counts.bound === bound + count),
  });
  const fullRss = sidecar.memory.rss;
  const deletion = await measureMove(world, user, sidecar, count, {
    begin: () => deleteClaims(world, "moved", count),
    done: () => until((counts) => counts.volumes === volumes && counts.bound === bound),
  });
  return { create, delete: deletion, idleRss, fullRss, endRss: sidecar.memory.rss };
}

/** Lets a subject provide volumes that stay. */
export async function makeCrowd(world: World, subject: ControllerSubject, count: number): Promise<void> {
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
  readonly following: Following<Counts>;
}

async function start(world: World, subject: ControllerSubject, limit: Limit): Promise<Started> {
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
